// SPDX-License-Identifier: Apache-2.0
// From the mesh to a tile's layers, selected by the port in the route. A message for a port that
// the tile does not have is discarded and reported. So is a message of a kind that its layer does
// not take: layers need not handle such messages.
//
// The outputs to the layers are registered: a flit is checked before they receive it.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module ejection #(
    parameter type beat_t = logic,
    parameter type flit_t = logic,
    parameter int unsigned NumSinks = 1,
    parameter bit HasSinks = 1,  // 0: the tile accepts no messages
    parameter int unsigned NumKinds = 8,  // kinds of messages in the design
    parameter logic [NumSinks-1:0][NumKinds-1:0] Takes = '1  // accepted kinds, by number
) (
    input logic clk_i,
    input logic rst_i,

    input  flit_t flit_i,
    input  logic  flit_valid_i,
    output logic  flit_ready_o,

    output beat_t                sink_o,
    output logic  [NumSinks-1:0] sink_valid_o,
    input  logic  [NumSinks-1:0] sink_ready_i,

    output logic message_o,  // a message has begun to arrive
    output bombus_pkg::length_t bytes_o,  // its payload length
    output logic entering_o,  // a message is arriving, or its last flit waits for its layer
    output logic lost_o,  // a message for no layer was dropped
    input logic lost_ready_i,  // such a message may finish in this cycle
    output logic unknown_o,  // a message of a kind that its layer does not take was dropped
    output logic busy_o
);

  if (NumSinks < 1 || NumKinds < 1) begin : gen_bad_shape
    $error("ejection: NumSinks and NumKinds must be at least 1");
  end

  logic [NumSinks-1:0] is_for, accepts;  // sink selected by the port; sinks that take its kind
  logic first;
  logic refused_q;  // decided at a message's first beat, for all its beats
  always_comb begin
    accepts = '0;
    for (int unsigned s = 0; s < NumSinks; s++) begin
      is_for[s] = HasSinks && 32'(flit_i.port) == s;
      for (int unsigned k = 0; k < NumKinds; k++) begin
        if (Takes[s][k] && 32'(flit_i.beat.kind) == k) accepts[s] = 1'b1;
      end
    end
  end
  wire is_refused = first ? ~|(is_for & accepts) : refused_q;
  wire is_lost = ~|is_for;

  logic valid_q, starts_q, lost_q, unknown_q;
  assign flit_ready_o = ~|(sink_valid_o & ~sink_ready_i) & (~lost_q | lost_ready_i);

  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(flit_valid_i & flit_ready_o),
      .last_i (flit_i.beat.last),
      .first_o(first)
  );

  always_ff @(posedge clk_i) begin
    if (flit_ready_o) begin
      sink_o <= flit_i.beat;
      refused_q <= is_refused;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= 1'b0;
      sink_valid_o <= '0;
      starts_q <= 1'b0;
      lost_q <= 1'b0;
      unknown_q <= 1'b0;
    end else if (flit_ready_o) begin
      valid_q <= flit_valid_i;
      sink_valid_o <= flit_valid_i & ~is_refused ? is_for : '0;
      starts_q <= flit_valid_i & first;
      lost_q <= flit_valid_i & flit_i.beat.last & is_lost;
      unknown_q <= flit_valid_i & flit_i.beat.last & is_refused & ~is_lost;
    end
  end

  assign message_o = starts_q & flit_ready_o;
  assign bytes_o = sink_o.length;
  assign entering_o = valid_q | ~first;
  assign busy_o = valid_q;
  assign lost_o = lost_q & lost_ready_i;
  assign unknown_o = unknown_q;

  `BOMBUS_ASSERT(OneSink, $onehot0(sink_valid_o))

endmodule

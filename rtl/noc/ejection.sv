// SPDX-License-Identifier: Apache-2.0
// From the mesh to a tile's layers: the route's port says which. A message for a
// port that the tile does not have is swallowed and told of; so is one of a kind that
// the layer does not take, so that no layer has to look for such messages.
//
// Latency: 0 cycles. Throughput: one beat per cycle.
module ejection #(
    parameter type beat_t = logic,
    parameter type flit_t = logic,
    parameter int unsigned NumSinks = 1,
    parameter bit HasSinks = 1,  // 0: the tile takes nothing
    parameter int unsigned NumKinds = 8,  // of messages in the design
    parameter logic [NumSinks-1:0][NumKinds-1:0] Takes = '1  // kinds, by their numbers
) (
    input logic clk_i,
    input logic rst_i,

    input  flit_t flit_i,
    input  logic  flit_valid_i,
    output logic  flit_ready_o,

    output beat_t                sink_o,
    output logic  [NumSinks-1:0] sink_valid_o,
    input  logic  [NumSinks-1:0] sink_ready_i,

    output logic message_o,  // a message has begun to come
    output logic [13:0] bytes_o,  // its payload, bytes
    output logic entering_o,  // a message is coming
    output logic lost_o,  // one for no layer has been swallowed
    input logic lose_i,  // such a message may end in this cycle
    output logic unknown_o  // one of a kind that its layer does not take has been swallowed
);

  if (NumSinks < 1) begin : gen_bad_sinks
    $error("ejection: NumSinks must be at least 1");
  end

  logic is_lost, is_unknown;
  // Of a message's first beat; the verdict holds for the others.
  logic first_q, refused_q;
  assign sink_o = flit_i.beat;
  always_comb begin
    sink_valid_o = '0;
    is_lost = 1'b1;
    is_unknown = 1'b0;
    for (int unsigned s = 0; s < NumSinks; s++) begin
      if (HasSinks && 32'(flit_i.port) == s) begin
        is_unknown = refused_q;
        if (first_q) begin
          is_unknown = 1'b1;
          for (int unsigned k = 0; k < NumKinds; k++) begin
            if (Takes[s][k] && 32'(flit_i.beat.kind) == k) is_unknown = 1'b0;
          end
        end
        sink_valid_o[s] = flit_valid_i & ~is_unknown;
        is_lost = 1'b0;
      end
    end
  end
  // Apart from valid, which does not depend on ready: simulators see no loop then.
  always_comb begin
    flit_ready_o = lose_i;
    for (int unsigned s = 0; s < NumSinks; s++) begin
      if (HasSinks && 32'(flit_i.port) == s) flit_ready_o = sink_ready_i[s] | is_unknown;
    end
  end

  wire taken = flit_valid_i & flit_ready_o;
  always_ff @(posedge clk_i) begin
    if (rst_i) first_q <= 1'b1;
    else if (taken) first_q <= flit_i.beat.last;
  end
  always_ff @(posedge clk_i) begin
    if (taken) refused_q <= is_unknown;
  end

  assign message_o = taken & first_q;
  assign bytes_o = flit_i.beat.length;
  assign entering_o = taken | ~first_q;
  assign lost_o = taken & flit_i.beat.last & is_lost;
  assign unknown_o = taken & flit_i.beat.last & is_unknown;

endmodule

// SPDX-License-Identifier: Apache-2.0
// From the mesh to a tile's layers: the route's port says which. A message for a
// port that the tile does not have is swallowed and told of.
//
// Latency: 0 cycles. Throughput: one beat per cycle.
module ejection #(
    parameter type beat_t = logic,
    parameter type flit_t = logic,
    parameter int unsigned NumSinks = 1,
    parameter bit HasSinks = 1  // 0: the tile takes nothing
) (
    input logic clk_i,
    input logic rst_i,

    input  flit_t flit_i,
    input  logic  flit_valid_i,
    output logic  flit_ready_o,

    output beat_t                sink_o,
    output logic  [NumSinks-1:0] sink_valid_o,
    input  logic  [NumSinks-1:0] sink_ready_i,

    output logic        message_o,   // a message has begun to come
    output logic [13:0] bytes_o,     // its payload, bytes
    output logic        entering_o,  // a message is coming
    output logic        lost_o,      // one that no layer takes has been swallowed
    input  logic        lose_i       // such a message may end in this cycle
);

  if (NumSinks < 1) begin : gen_bad_sinks
    $error("ejection: NumSinks must be at least 1");
  end

  logic is_lost;
  assign sink_o = flit_i.beat;
  always_comb begin
    sink_valid_o = '0;
    flit_ready_o = lose_i;
    is_lost = 1'b1;
    for (int unsigned s = 0; s < NumSinks; s++) begin
      if (HasSinks && 32'(flit_i.port) == s) begin
        sink_valid_o[s] = flit_valid_i;
        flit_ready_o = sink_ready_i[s];
        is_lost = 1'b0;
      end
    end
  end

  logic first_q;
  wire  taken = flit_valid_i & flit_ready_o;
  always_ff @(posedge clk_i) begin
    if (rst_i) first_q <= 1'b1;
    else if (taken) first_q <= flit_i.beat.last;
  end

  assign message_o = taken & first_q;
  assign bytes_o = flit_i.beat.meta.length;
  assign entering_o = taken | ~first_q;
  assign lost_o = taken & flit_i.beat.last & is_lost;

endmodule

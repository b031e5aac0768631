// SPDX-License-Identifier: Apache-2.0
// The output of a link: packets that its receiver has taken from the wire, and in a drain those
// that its sender returns. Packets alternate if there are both, and are not interleaved.
//
// Latency: 0 cycles; the choice is made a cycle before. Throughput: one beat per cycle, with a gap
// of 1 cycle before and after each packet that is returned.
module cluster_link_return #(
    parameter type beat_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t received_i,
    input  logic  received_valid_i,
    output logic  received_ready_o,
    input  beat_t returned_i,
    input  logic  returned_valid_i,
    output logic  returned_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);

  logic returns_q, inside_q;  // inside a packet that was begun
  assign out_o = returns_q ? returned_i : received_i;
  assign out_valid_o = returns_q ? returned_valid_i : received_valid_i;
  assign received_ready_o = ~returns_q & out_ready_i;
  assign returned_ready_o = returns_q & out_ready_i;
  wire taken = out_valid_o & out_ready_i;
  wire between = taken ? out_o.last : ~out_valid_o & ~inside_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      returns_q <= 1'b0;
      inside_q  <= 1'b0;
    end else begin
      if (taken) inside_q <= ~out_o.last;
      if (between) returns_q <= returned_valid_i & ~returns_q;
    end
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// Output stage of a layer.
//
// With CutsReady, no combinational path leads through the layer from the ready of its output to the
// ready of its input (stream_stage). Set it, also in the design file, where measurements show that
// ready limits the clock.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module output_stage #(
    parameter type beat_t = logic,  // with fields data and last
    parameter int unsigned NextWidth = 1,  // width of the next hop number
    parameter bit CutsReady = 0
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t                 in_i,
    input  logic                  in_valid_i,
    output logic                  in_ready_o,
    input  logic  [NextWidth-1:0] in_next_i,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o
);

  if (NextWidth < 1) begin : gen_bad_next
    $error("output_stage: NextWidth must be at least 1");
  end

  // The fields that injection needs early, to select a route and an input.
  typedef struct packed {
    logic [NextWidth-1:0] next;
    logic last;
  } head_t;

  head_t head;
  beat_t body;
  stream_stage #(
      .head_t(head_t),
      .body_t(beat_t),
      .DataBits($bits(in_i.data)),
      .CutsReady(CutsReady)
  ) u_stage (
      .clk_i,
      .rst_i,
      .in_head_i ('{next: in_next_i, last: in_i.last}),
      .in_body_i (in_i),
      .in_valid_i,
      .in_ready_o,
      .out_head_o(head),
      .out_body_o(body),
      .out_valid_o,
      .out_ready_i
  );
  always_comb begin
    out_o = body;
    out_o.last = head.last;
  end
  assign out_next_o = head.next;

endmodule

// SPDX-License-Identifier: Apache-2.0
// Output stage of a layer that may drop messages. It takes the drop reasons of a message with its
// first beat, discards dropped messages and reports each by its reason.
//
// Latency, throughput and CutsReady: as output_stage.
`include "bombus_assert.svh"

module drop_register #(
    parameter type beat_t = logic,
    parameter int unsigned NumDrops = 1,
    parameter int unsigned NextWidth = 1,  // width of the next hop number
    parameter bit CutsReady = 0
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t                 in_i,
    input  logic                  in_valid_i,
    output logic                  in_ready_o,
    input  logic                  in_first_i,
    input  logic  [NextWidth-1:0] in_next_i,   // with in_first_i
    input  logic  [ NumDrops-1:0] in_drop_i,   // with in_first_i: reason, at most one bit

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o,
    output logic  [ NumDrops-1:0] drop_o
);

  if (NumDrops < 1 || NextWidth < 1) begin : gen_bad_shape
    $error("drop_register: NumDrops and NextWidth must be at least 1");
  end

  logic dropping_q;
  logic [NextWidth-1:0] next_q;
  wire drop = in_first_i ? |in_drop_i : dropping_q;
  wire taken = in_valid_i & in_ready_o;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      dropping_q <= 1'b0;
      drop_o <= '0;
    end else begin
      if (taken) dropping_q <= drop;
      drop_o <= (taken & in_first_i) ? in_drop_i : '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (taken & in_first_i) next_q <= in_next_i;
  end

  output_stage #(
      .beat_t(beat_t),
      .NextWidth(NextWidth),
      .CutsReady(CutsReady)
  ) u_stage (
      .in_valid_i(in_valid_i & ~drop),
      .in_next_i (in_first_i ? in_next_i : next_q),
      .*
  );

  `BOMBUS_ASSERT(OneReason, !(taken && in_first_i) || $onehot0(in_drop_i))

endmodule

// SPDX-License-Identifier: Apache-2.0
// Output stage of a layer that judges its messages in order: a drop_register that also numbers the
// dropped messages, from 0 (docs/architecture.md, "Observers").
//
// Latency, throughput and CutsReady: as output_stage.
module drop_output
  import bombus_pkg::*;
#(
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

    output beat_t                           out_o,
    output logic                            out_valid_o,
    input  logic                            out_ready_i,
    output logic            [NextWidth-1:0] out_next_o,
    output logic            [ NumDrops-1:0] drop_o,
    output message_number_t [ NumDrops-1:0] drop_message_o  // with a pulse of drop_o
);

  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .NextWidth(NextWidth),
      .CutsReady(CutsReady)
  ) u_register (
      .*
  );

  message_number_t message_q;
  logic [15:0] next_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) next_q <= '0;
    else if (in_valid_i & in_ready_o & in_first_i) next_q <= next_q + 16'd1;
    message_q <= '{known: 1'b1, number: next_q};
  end
  assign drop_message_o = {NumDrops{message_q}};

endmodule

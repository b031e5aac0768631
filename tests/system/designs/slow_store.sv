// SPDX-License-Identifier: Apache-2.0
// Takes a request of one beat after 4 cycles and answers it within 32.
module slow_store #(
    parameter type beat_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);

  localparam string Entry = "slow_store";
  typedef enum logic {NextRogueAnswer} next_e;

  logic [1:0] wait_q, pending_q;
  logic [4:0] time_q;
  assign in_ready_o = wait_q == '1;

  always_ff @(posedge clk_i) begin
    time_q <= time_q + 1'b1;
    if (in_valid_i & in_ready_o) out_o <= in_i;
    if (rst_i) begin
      time_q <= '0;
      wait_q <= '0;
      pending_q <= '0;
      out_valid_o <= 1'b0;
    end else begin
      if (in_valid_i) wait_q <= wait_q + 1'b1;
      else wait_q <= '0;
      if (out_ready_i) out_valid_o <= 1'b0;
      if (time_q == '0 && pending_q != '0 && !out_valid_o) begin
        out_valid_o <= 1'b1;
        pending_q <= pending_q - 1'b1 + 2'(in_valid_i & in_ready_o);
      end else pending_q <= pending_q + 2'(in_valid_i & in_ready_o);
    end
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// Takes a request of one beat after 4 cycles and answers it within 32. The first byte of a request
// says what to do wrong (rogue).
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
    input  logic  out_ready_i,

    output logic busy_o
);

  localparam string Entry = "slow_store";
  typedef enum logic {NextRogueAnswer} next_e;

  localparam int unsigned Room = 2;
  localparam string Serves = "in";
  localparam int unsigned MaxBusyCycles = 20;

  localparam logic [7:0] Beside = 8'd7;  // takes no request while an answer waits
  localparam logic [7:0] Unasked = 8'd8;  // answers twice
  localparam logic [7:0] Loses = 8'd9;  // does not answer

  logic [1:0] wait_q;
  logic [2:0] pending_q;
  logic [4:0] time_q;
  assign in_ready_o = wait_q == '1 && ~(in_i.data[7:0] == Beside && out_valid_o);
  wire [2:0] answers = in_i.data[7:0] == Loses ? 3'd0 : 3'd1 + 3'(in_i.data[7:0] == Unasked);
  wire [2:0] taken = in_valid_i & in_ready_o ? answers : 3'd0;

  assign busy_o = out_valid_o || pending_q != '0;

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
        pending_q   <= pending_q - 1'b1 + taken;
      end else pending_q <= pending_q + taken;
    end
  end

endmodule

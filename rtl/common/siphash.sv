// SPDX-License-Identifier: Apache-2.0
// SipHash-2-4 (Aumasson and Bernstein, 2012), a keyed hash, of 8 to 15 bytes.
//
// The data stay until it is done. Latency: 36 cycles, for one sum of 64 bits in each.
module siphash #(
    parameter int unsigned DataWidth = 64,
    parameter logic [127:0] Key = '0  // first byte lowest
) (
    input logic clk_i,
    input logic rst_i,
    input logic start_i,  // starts or restarts, in any cycle
    input logic [DataWidth-1:0] data_i,  // first byte lowest
    output logic done_o,
    output logic [63:0] hash_o
);

  if (DataWidth < 64 || DataWidth > 120) begin : gen_bad_width
    $error("siphash: DataWidth must be 64 to 120");
  end

  typedef logic [63:0] word_t;
  localparam logic [7:0] NumBytes = 8'((DataWidth + 7) / 8);
  localparam logic [3:0] ShortSteps = 4'd7;  // of two rounds, minus one
  localparam logic [3:0] LongSteps = 4'd15;  // of four rounds, minus one

  wire word_t [1:0] words = {NumBytes, 120'(data_i)};
  word_t a_q, b_q, c_q, d_q;  // v0 to v3 between rounds
  logic [1:0] phase_q;  // first word, second word, the end
  logic [3:0] left_q;  // steps left; four steps are one round
  logic running_q, mixes_q;
  wire [1:0] step = ~left_q[1:0];
  wire word_t sum = a_q + b_q;
  word_t turned, b;
  always_comb begin
    unique case (step)
      2'd0: turned = {b_q[50:0], b_q[63:51]};
      2'd1: turned = {b_q[47:0], b_q[63:48]};
      2'd2: turned = {b_q[42:0], b_q[63:43]};
      default: turned = {b_q[46:0], b_q[63:47]};
    endcase
  end
  wire word_t a = step == 2'd0 || step == 2'd3 ? {sum[31:0], sum[63:32]} : sum;
  assign b = turned ^ sum;

  always_ff @(posedge clk_i) begin
    done_o <= 1'b0;
    if (start_i) begin
      a_q <= Key[63:0] ^ 64'h736F6D6570736575;
      b_q <= Key[127:64] ^ 64'h646F72616E646F6D;
      c_q <= Key[63:0] ^ 64'h6C7967656E657261;
      d_q <= Key[127:64] ^ 64'h7465646279746573 ^ words[0];
      phase_q <= '0;
      left_q <= ShortSteps;
      mixes_q <= 1'b1;
      running_q <= 1'b1;
    end else if (running_q & mixes_q) begin
      // After each half round, the two halves swap their second words.
      a_q <= c_q;
      b_q <= step[0] ? b : d_q;
      c_q <= a;
      d_q <= step[0] ? d_q : b;
      left_q <= left_q - 4'd1;
      mixes_q <= left_q != '0;
    end else if (running_q) begin
      mixes_q <= 1'b1;
      phase_q <= phase_q + 2'd1;
      left_q  <= phase_q == 2'd0 ? ShortSteps : LongSteps;
      unique case (phase_q)
        2'd0: begin
          a_q <= a_q ^ words[0];
          d_q <= d_q ^ words[1];
        end
        2'd1: begin
          a_q <= a_q ^ words[1];
          c_q <= c_q ^ 64'hFF;
        end
        default: begin
          running_q <= 1'b0;
          done_o <= 1'b1;
        end
      endcase
    end
    if (rst_i) begin
      running_q <= 1'b0;
      done_o <= 1'b0;
    end
  end
  assign hash_o = a_q ^ b_q ^ c_q ^ d_q;

endmodule

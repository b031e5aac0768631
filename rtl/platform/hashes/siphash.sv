// SPDX-License-Identifier: Apache-2.0
// SipHash-2-4 (Aumasson and Bernstein, 2012), a keyed hash, of 8 to 15 bytes.
//
// data_i and key_i must be stable until done_o. Latency: 17 cycles, for two 64-bit additions in
// each.
module siphash #(
    parameter int unsigned DataWidth = 64
) (
    input logic clk_i,
    input logic rst_i,
    input logic [127:0] key_i,  // first byte lowest
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
  localparam int unsigned NumSteps = 16;  // two for each of the eight rounds

  // A round is the same step twice, except for two of its rotations: sums of v0, v1 and of v2, v3,
  // then of v2, v1 and of v0, v3. So each step swaps v0 and v2.
  wire word_t [1:0] words = {NumBytes, 120'(data_i)};
  word_t p_q, q_q, r_q, s_q;  // v0 to v3; v2, v1, v0, v3 in the middle of a round
  logic [3:0] step_q;
  logic running_q;
  wire odd = step_q[0];
  wire word_t pq = p_q + q_q;
  wire word_t rs = r_q + s_q;
  wire word_t q = odd ? {q_q[46:0], q_q[63:47]} : {q_q[50:0], q_q[63:51]};
  wire word_t s = odd ? {s_q[42:0], s_q[63:43]} : {s_q[47:0], s_q[63:48]};

  // Words added after a step: into v0 a word after its two rounds, into v3 the next word.
  logic ends_first, ends_second;
  assign ends_first  = step_q == 4'd3;
  assign ends_second = step_q == 4'd7;
  word_t to_v0, to_v3;
  // One sum of the key and the first word serves v3 at the start and v0 later: without a LUT for
  // the word alone.
  wire word_t keyed = key_i[127:64] ^ words[0];
  word_t keyed_q;
  assign to_v0 = ends_first ? keyed_q ^ key_i[127:64] : ends_second ? words[1] : '0;
  assign to_v3 = ends_first ? words[1] : '0;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      keyed_q <= keyed;
      p_q <= key_i[63:0] ^ 64'h736F6D6570736575;
      q_q <= key_i[127:64] ^ 64'h646F72616E646F6D;
      r_q <= key_i[63:0] ^ 64'h6C7967656E657261;
      s_q <= keyed ^ 64'h7465646279746573;
    end else if (running_q) begin
      p_q <= rs ^ to_v0;
      q_q <= q ^ pq;
      r_q <= {pq[31:0], pq[63:32]} ^ (ends_second ? 64'hFF : '0);
      s_q <= s ^ rs ^ to_v3;
    end
    step_q <= start_i ? '0 : step_q + 4'd1;
    if (rst_i) begin
      running_q <= 1'b0;
      done_o <= 1'b0;
    end else begin
      running_q <= start_i | (running_q & step_q != 4'(NumSteps - 1));
      done_o <= ~start_i & running_q & step_q == 4'(NumSteps - 1);
    end
  end
  assign hash_o = p_q ^ q_q ^ r_q ^ s_q;

endmodule

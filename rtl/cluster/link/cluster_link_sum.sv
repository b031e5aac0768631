// SPDX-License-Identifier: Apache-2.0
// Sum of the payload between two marks: 14 bits of the CRC-32C (RFC 3720 appendix B.4) of all
// beats. Both ends of a link without retry compute it, with a mark at each State word.
//
// Latency: 3 cycles from a mark to the sum of the beats before it. A mark is not in a cycle with a
// beat. Throughput: one beat or mark per cycle.
module cluster_link_sum
  import cluster_crc_pkg::*;
  import cluster_link_pkg::*;
#(
    parameter int unsigned DataWidth = 128  // bits
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataWidth-1:0] data_i,
    input logic valid_i,
    input logic mark_i,

    output sum_t sum_o
);

  localparam int unsigned NumWords = DataWidth / 64;
  localparam matrix_t ByBeat = by_zeros(DataWidth);

  if (DataWidth < 64 || DataWidth % 64 != 0) begin : gen_bad_width
    $error("cluster_link_sum: DataWidth must be a multiple of 64");
  end

  logic [DataWidth-1:0] data_q;
  crc_t [NumWords-1:0] sums, sums_q;
  crc_t state_q, state;
  logic valid_q, valid_2q, mark_q, mark_2q;
  crc_words #(
      .NumWords(NumWords)
  ) u_sums (
      .words_i(data_q),
      .sums_o (sums)
  );
  always_comb begin
    state = times(ByBeat, state_q);
    for (int unsigned w = 0; w < NumWords; w++) state ^= sums_q[w];
  end
  always_ff @(posedge clk_i) begin
    data_q <= data_i;
    sums_q <= sums;
    if (mark_2q) sum_o <= sum_t'(state_q);
    {valid_q, mark_q}   <= {valid_i, mark_i};
    {valid_2q, mark_2q} <= {valid_q, mark_q};
    if (rst_i) begin
      {valid_q, mark_q, valid_2q, mark_2q} <= '0;
      state_q <= '1;
    end else if (mark_2q) state_q <= '1;
    else if (valid_2q) state_q <= state;
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// One's complement sum over the bytes of a frame after its Ethernet header (RFC 1071), with the
// first byte in the low lane.
//
// Invalid bytes must be zero in data_i. seed_i of the first beat is added to the sum. sum_o is
// valid for one cycle, one cycle after the frame's last beat, in the split form of ones_pkg;
// join_up converts it to a number. If all bits of sum_o.pairs are ones, the number is all ones or,
// if selected, zero. Otherwise a zero result means that all words were zero, and the result is
// never all ones. No backpressure.
`include "bombus_assert.svh"

module frame_sum #(
    parameter int unsigned DataBytes = 64
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataBytes*8-1:0] data_i,
    input logic valid_i,
    input logic last_i,
    input logic [15:0] seed_i,  // with the first beat

    output ones_pkg::split_t sum_o,
    output logic valid_o
);

  if (DataBytes < 8 || DataBytes > 64 || DataBytes != 2 ** $clog2(DataBytes)) begin : gen_bad_bytes
    $error("frame_sum: DataBytes must be a power of two, 8 to 64");
  end

  localparam int unsigned HeaderWords = 7;
  localparam int unsigned NumWords = DataBytes / 2;

  logic first, second_q;  // the next beat is the frame's first or second one
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(valid_i),
      .last_i (last_i),
      .first_o(first)
  );

  // ---- Terms: the words to be summed, and the seed ----

  // The terms that depend on first are in two groups of five: with first, the six inputs of a
  // LUT.
  localparam int unsigned SeedTerm = NumWords < 5 ? NumWords : 8;
  localparam int unsigned NumTerms = NumWords < 5 ? NumWords + 1 : NumWords < 9 ? 10 : NumWords + 3;
  function automatic int unsigned term_of(int unsigned word);
    return word + (word < 5 ? 0 : word < 7 ? 1 : word < 9 ? 2 : 3);
  endfunction

  logic [NumTerms-1:0][15:0] terms;
  always_comb begin
    terms = '0;
    terms[SeedTerm] = first ? bombus_pkg::swap16(seed_i) : '0;
    for (int unsigned w = 0; w < NumWords; w++) begin
      if (!(first && w < HeaderWords) && !(second_q && w + NumWords < HeaderWords)) begin
        terms[term_of(w)] = data_i[w*16+:16];
      end
    end
  end

  // ---- Compress twice, each time to half: at most 9 words ----

  localparam int unsigned NumRows = ones_pkg::num_sums(NumTerms, 2);
  logic [NumRows-1:0][15:0] rows, rows_q;
  ones_compressor #(
      .NumTerms(NumTerms),
      .Levels  (2)
  ) u_rows (
      .terms_i(terms),
      .sums_o (rows)
  );

  // ---- Add to the sum of earlier beats: two words ----

  localparam int unsigned NumAll = NumRows + 2;
  logic [1:0][15:0] total, total_q;
  logic valid_q, last_q;
  ones_compressor #(
      .NumTerms(NumAll),
      .Levels  (3)
  ) u_total (
      .terms_i({rows_q, total_q}),
      .sums_o (total)
  );
  if (ones_pkg::num_sums(NumAll, 3) != 2) begin : gen_bad_total
    $error("frame_sum: two words must be left");
  end

  always_ff @(posedge clk_i) begin
    rows_q <= rows;
    if (valid_q) total_q <= total;
    if (rst_i | last_q) total_q <= '0;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      second_q <= 1'b0;
      valid_q  <= 1'b0;
      last_q   <= 1'b0;
    end else begin
      if (valid_i) second_q <= first & ~last_i;
      valid_q <= valid_i;
      last_q  <= valid_i & last_i;
    end
  end

  assign sum_o   = ones_pkg::split(total[0], total[1]);
  assign valid_o = last_q;

  `BOMBUS_ASSERT(SecondFollowsFirst, !(second_q && first))

endmodule

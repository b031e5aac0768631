// SPDX-License-Identifier: Apache-2.0
// One's complement sum over the beats of a frame (RFC 1071), byte order as on
// the wire (first byte is the high one).
//
// Invalid bytes and bytes that do not count must be zero in data_i. The sum,
// to which seed_i of the first beat is added, is ready two cycles after the
// frame's last beat, for one cycle. No backpressure.
module frame_sum
  import bombus_pkg::*;
#(
    parameter int unsigned DataBytes = 64
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataBytes*8-1:0] data_i,
    input logic valid_i,
    input logic last_i,
    input logic [15:0] seed_i,  // with the first beat

    output logic [15:0] sum_o,
    output logic valid_o
);

  if (DataBytes < 4 || DataBytes > 64 || DataBytes != 2 ** $clog2(DataBytes)) begin : gen_bad_bytes
    $error("frame_sum: DataBytes must be a power of two, 4 to 64");
  end

  localparam int unsigned NumWords = DataBytes / 2;
  localparam int unsigned WordsPerPartial = NumWords > 4 ? 4 : 1;  // two adders deep
  localparam int unsigned NumPartials = NumWords / WordsPerPartial;  // 2 to 8

  logic [NumPartials-1:0][17:0] partial, partial_q;
  logic partial_valid_q, partial_last_q, partial_first_q;
  logic [15:0] seed_q;
  logic [31:0] sum_q;
  logic sum_valid_q;
  logic first_q;

  for (genvar p = 0; p < NumPartials; p++) begin : gen_partial
    if (WordsPerPartial == 1) begin : gen_one
      assign partial[p] = 18'(data_i[p*16+:16]);
    end else begin : gen_four
      logic [ 1:0] carries;
      logic [15:0] sum;
      ones_sum #(
          .NumTerms(WordsPerPartial)
      ) u_words (
          .terms_i  (data_i[p*WordsPerPartial*16+:WordsPerPartial*16]),
          .sum_o    (sum),
          .carries_o(carries)
      );
      // A carry is worth one in the lowest place or one above the highest.
      assign partial[p] = {&carries, ^carries, sum};
    end
  end

  logic [20:0] beat;
  always_comb begin
    beat = '0;
    for (int unsigned p = 0; p < NumPartials; p++) beat = beat + 21'(partial_q[p]);
  end

  always_ff @(posedge clk_i) begin
    partial_q <= partial;
    if (partial_valid_q) sum_q <= 32'(beat) + (partial_first_q ? {16'd0, seed_q} : sum_q);
    seed_q <= swap16(seed_i);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q         <= 1'b1;
      partial_valid_q <= 1'b0;
      partial_first_q <= 1'b0;
      partial_last_q  <= 1'b0;
      sum_valid_q     <= 1'b0;
    end else begin
      if (valid_i) first_q <= last_i;
      partial_valid_q <= valid_i;
      partial_first_q <= first_q;
      partial_last_q  <= valid_i & last_i;
      sum_valid_q     <= partial_last_q;
    end
  end

  // Folds the carries back in; at most 2400 beats of 17 bits, or 1200 of 20, fit 32 bits.
  wire [16:0] folded = {1'b0, sum_q[15:0]} + {1'b0, sum_q[31:16]};
  wire [15:0] sum = folded[15:0] + {15'b0, folded[16]};
  assign sum_o   = swap16(sum);
  assign valid_o = sum_valid_q;

endmodule

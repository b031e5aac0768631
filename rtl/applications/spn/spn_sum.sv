// SPDX-License-Identifier: Apache-2.0
// The sum of two probabilities as negated binary logarithms in fixed point:
// min(a, b) - log2(1 + 2^-|a - b|), rounded to nearest. The logarithm is linearly interpolated in a
// table. The compiler makes sure that the result is not negative and has ResultWidth bits.
//
// The upper bits of the difference select a segment, the lower LowBits the position in it. An entry
// holds the logarithm at the start of its segment, and below it the decrease to the end, both with
// GuardBits more fraction bits than a number (bombus.applications.spn.number). Differences past the
// table have the logarithm 0.
//
// Latency: 5 cycles. Throughput: one sum per cycle. One block RAM and one DSP, which multiplies and
// adds.
module spn_sum #(
    parameter int unsigned Width = 27,  // bits of an operand
    parameter int unsigned ResultWidth = Width,
    parameter int unsigned LowBits = 11,
    parameter int unsigned GuardBits = 4,
    parameter int unsigned BaseBits = 21,
    parameter int unsigned SlopeBits = 15,
    parameter int unsigned Segments = 64,
    parameter logic [Segments-1:0][BaseBits+SlopeBits-1:0] Table = '0
) (
    input logic clk_i,

    input  logic [      Width-1:0] a_i,
    input  logic [      Width-1:0] b_i,
    output logic [ResultWidth-1:0] number_o
);

  if (Width < LowBits + 1 || LowBits < 1) begin : gen_bad_width
    $error("spn_sum: Width must be at least LowBits + 1, LowBits at least 1");
  end
  if (ResultWidth > Width) begin : gen_bad_result
    $error("spn_sum: ResultWidth must be at most Width");
  end

  typedef logic [Width-1:0] number_t;
  typedef logic [LowBits-1:0] low_t;
  typedef logic [$clog2(Segments)-1:0] segment_t;
  typedef struct packed {
    logic [BaseBits-1:0]  base;
    logic [SlopeBits-1:0] slope;
  } entry_t;
  // Of a distance, with a bit above those of the table
  localparam int unsigned TableBits = $clog2(Segments) + LowBits + 1;
  localparam int unsigned NearBits = TableBits < Width ? TableBits : Width;
  typedef logic [NearBits-1:0] near_t;
  localparam int unsigned LessBits = Width + GuardBits;

  // The difference, with its sign
  number_t a_q, b_q;
  logic [Width:0] difference_q;
  always_ff @(posedge clk_i) begin
    a_q <= a_i;
    b_q <= b_i;
    difference_q <= {1'b0, a_i} - {1'b0, b_i};
  end

  // The lower bits of its absolute value, and the smaller number
  wire a_is_less = difference_q[Width];
  near_t distance_q;
  logic is_above_q;  // the upper bits are not 0
  number_t less_q;
  always_ff @(posedge clk_i) begin
    distance_q <= a_is_less ? -near_t'(difference_q) : near_t'(difference_q);
    less_q <= a_is_less ? a_q : b_q;
  end
  if (NearBits < Width) begin : gen_above
    wire [Width-1:NearBits] above = difference_q[Width-1:NearBits];
    always_ff @(posedge clk_i) is_above_q <= a_is_less ? ~&above : |above;
  end else begin : gen_all
    always_ff @(posedge clk_i) is_above_q <= 1'b0;
  end

  // The entry of its segment
  wire is_far = is_above_q || 32'(distance_q >> LowBits) >= Segments;
  (* ram_style = "block" *) entry_t rom[Segments];
  initial for (int unsigned n = 0; n < Segments; n++) rom[n] = Table[n];
  entry_t entry_q;
  low_t low_q;
  number_t found_q;
  always_ff @(posedge clk_i) begin
    entry_q <= rom[segment_t'(distance_q>>LowBits)];
    if (is_far) entry_q <= '0;
    low_q   <= low_t'(distance_q);
    found_q <= less_q;
  end

  // Interpolation; half a unit for rounding is below the smaller number
  logic [LessBits-1:0] scaled_q;
  logic [SlopeBits+LowBits-1:0] product_q;
  logic [LessBits+LowBits-1:0] result_q;
  always_ff @(posedge clk_i) begin
    scaled_q  <= {found_q, 1'b1, {(GuardBits - 1) {1'b0}}} - LessBits'(entry_q.base);
    product_q <= entry_q.slope * low_q;
    result_q  <= {scaled_q, {LowBits{1'b0}}} + (LessBits + LowBits)'(product_q);
  end
  assign number_o = result_q[GuardBits+LowBits+:ResultWidth];
  wire unused = ^result_q;

endmodule

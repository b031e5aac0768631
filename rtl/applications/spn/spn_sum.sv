// SPDX-License-Identifier: Apache-2.0
// The sum of two probabilities as negated binary logarithms in fixed point:
// min(a, b) - log2(1 + 2^-|a - b|), at least 0. The logarithm is linearly interpolated in a table.
//
// The upper bits of the difference select a segment, the lower LowBits the position in it. An entry
// holds the logarithm at the start of its segment, and below it the decrease to the end, both with
// GuardBits more fraction bits than a number (bombus.applications.spn.number). Differences past the
// table have the logarithm 0.
//
// Latency: 6 cycles. Throughput: one sum per cycle. One block RAM and one multiplier.
module spn_sum #(
    parameter int unsigned Width = 27,  // bits of a number
    parameter int unsigned LowBits = 11,
    parameter int unsigned GuardBits = 4,
    parameter int unsigned BaseBits = 21,
    parameter int unsigned SlopeBits = 15,
    parameter int unsigned Segments = 64,
    parameter logic [Segments-1:0][BaseBits+SlopeBits-1:0] Table = '0
) (
    input logic clk_i,

    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    output logic [Width-1:0] number_o
);

  if (Width < LowBits + 2 || LowBits < 1) begin : gen_bad_width
    $error("spn_sum: Width must be at least LowBits + 2, LowBits at least 1");
  end

  typedef logic [Width-1:0] number_t;
  typedef logic [LowBits-1:0] low_t;
  typedef logic [$clog2(Segments)-1:0] segment_t;
  typedef struct packed {
    logic [BaseBits-1:0]  base;
    logic [SlopeBits-1:0] slope;
  } entry_t;
  localparam int unsigned ScaledBits = BaseBits + LowBits;
  localparam int unsigned LogBits = BaseBits - GuardBits;

  // The difference, with its sign
  number_t a_q, b_q;
  logic [Width:0] difference_q;
  always_ff @(posedge clk_i) begin
    a_q <= a_i;
    b_q <= b_i;
    difference_q <= {1'b0, a_i} - {1'b0, b_i};
  end

  // Its absolute value, and the smaller number
  wire a_is_less = difference_q[Width];
  wire number_t distance = a_is_less ? -difference_q[Width-1:0] : difference_q[Width-1:0];
  number_t distance_q;
  number_t [3:0] less_q;
  always_ff @(posedge clk_i) begin
    distance_q <= distance;
    less_q <= {less_q[2:0], a_is_less ? a_q : b_q};
  end

  // The entry of its segment
  (* ram_style = "block" *) entry_t rom[Segments];
  initial for (int unsigned n = 0; n < Segments; n++) rom[n] = Table[n];
  entry_t entry_q;
  low_t low_q;
  logic [2:0] is_far_q;
  always_ff @(posedge clk_i) begin
    entry_q <= rom[segment_t'(distance_q>>LowBits)];
    low_q <= low_t'(distance_q);
    is_far_q <= {is_far_q[1:0], 32'(distance_q >> LowBits) >= Segments};
  end

  // Interpolation
  logic [SlopeBits+LowBits-1:0] product_q;
  logic [BaseBits-1:0] base_q;
  logic [LogBits-1:0] log_q;
  wire [ScaledBits-1:0] scaled = {base_q, {LowBits{1'b0}}} - ScaledBits'(product_q);
  always_ff @(posedge clk_i) begin
    product_q <= entry_q.slope * low_q;
    base_q <= entry_q.base;
    log_q <= is_far_q[1] ? '0 : scaled[ScaledBits-1-:LogBits];
  end
  wire unused_scaled = ^scaled[ScaledBits-LogBits-1:0];
  wire unused_far = is_far_q[2];

  wire [Width:0] number = {1'b0, less_q[3]} - (Width + 1)'(log_q);
  always_ff @(posedge clk_i) number_o <= number[Width] ? '0 : number[Width-1:0];

endmodule

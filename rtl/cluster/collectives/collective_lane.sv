// SPDX-License-Identifier: Apache-2.0
// Adds two 32-bit numbers: integers modulo 2^32, or IEEE 754 binary32 (round to nearest, ties to
// even, subnormal numbers included). A result that is not a number is 32'h7fc0_0000.
//
// Latency: collective_lane_pkg::Stages cycles. Throughput: one sum per cycle.
module collective_lane
  import collective_lane_pkg::*;
(
    input logic clk_i,

    input logic [31:0] a_i,
    input logic [31:0] b_i,
    input mode_e mode_i,
    output logic [31:0] sum_o
);

  typedef struct packed {
    logic sign;
    logic [7:0] exponent;
    logic [22:0] fraction;
  } float_t;
  localparam logic [31:0] NotANumber = 32'h7fc0_0000;

  // 1: order by magnitude; results that need no addition of floats
  typedef struct packed {
    logic        is_known;  // result is the sum
    logic [31:0] result;
  } known_t;

  float_t large_q, small_q;
  known_t known_1_q;
  wire float_t a = a_i;
  wire float_t b = b_i;
  wire a_is_largest = a_i[30:0] >= b_i[30:0];
  wire a_is_special = &a.exponent;
  wire b_is_special = &b.exponent;
  wire a_is_nan = a_is_special & |a.fraction;
  wire b_is_nan = b_is_special & |b.fraction;

  always_ff @(posedge clk_i) begin
    large_q <= a_is_largest ? a : b;
    small_q <= a_is_largest ? b : a;
    known_1_q.is_known <= mode_i != ModeFloat | a_is_special | b_is_special;
    unique case (mode_i)
      ModeFirst:   known_1_q.result <= a_i;
      ModeInteger: known_1_q.result <= a_i + b_i;
      default: begin
        known_1_q.result <= a_is_special ? a_i : b_i;
        if (a_is_nan | b_is_nan | (a_is_special & b_is_special & a.sign != b.sign)) begin
          known_1_q.result <= NotANumber;
        end
      end
    endcase
  end

  // 2: distance of the exponents, those of subnormal numbers being 1
  typedef struct packed {
    logic sign;
    logic subtracts;
    logic [7:0] exponent;  // of the larger
    logic [23:0] significand;
  } common_t;

  common_t common_2_q, common_3_q;
  known_t known_2_q, known_3_q, known_4_q, known_5_q;
  logic [23:0] small_2_q;
  logic [ 4:0] distance_q;  // 27 and more: 27
  wire  [ 7:0] large_exponent = large_q.exponent | 8'(large_q.exponent == '0);
  wire  [ 7:0] small_exponent = small_q.exponent | 8'(small_q.exponent == '0);
  wire  [ 7:0] distance = large_exponent - small_exponent;

  always_ff @(posedge clk_i) begin
    common_2_q.sign <= large_q.sign;
    common_2_q.subtracts <= large_q.sign != small_q.sign;
    common_2_q.exponent <= large_exponent;
    common_2_q.significand <= {large_q.exponent != '0, large_q.fraction};
    small_2_q <= {small_q.exponent != '0, small_q.fraction};
    distance_q <= distance > 27 ? 5'd27 : distance[4:0];
    known_2_q <= known_1_q;
  end

  // 3: align the smaller, with guard, round and sticky bits
  logic [26:0] small_3_q;
  wire  [53:0] shifted = {small_2_q, 30'b0} >> distance_q;

  always_ff @(posedge clk_i) begin
    common_3_q <= common_2_q;
    small_3_q  <= {shifted[53:28], |shifted[27:0]};
    known_3_q  <= known_2_q;
  end

  // 4: add or subtract
  typedef struct packed {
    logic sign;
    logic [7:0] exponent;
    logic [27:0] value;  // two integer bits, 23 of the fraction, guard, round, sticky
  } sum_t;

  sum_t sum_4_q;
  wire [27:0] small_3 = {1'b0, small_3_q};
  wire [27:0] large_3 = {1'b0, common_3_q.significand, 3'b0};

  always_ff @(posedge clk_i) begin
    sum_4_q.sign <= common_3_q.sign;
    sum_4_q.exponent <= common_3_q.exponent;
    sum_4_q.value <= common_3_q.subtracts ? large_3 - small_3 : large_3 + small_3;
    // A difference of zero is positive.
    if (common_3_q.subtracts & large_3 == small_3) sum_4_q.sign <= 1'b0;
    known_4_q <= known_3_q;
  end

  // 5: how far to shift to the left; not below the exponent of subnormal numbers
  sum_t sum_5_q;
  logic [4:0] shift_q;
  logic is_subnormal_q;
  logic [4:0] zeros;

  always_comb begin
    zeros = 5'd27;
    for (int i = 0; i < 27; i++) if (sum_4_q.value[i]) zeros = 5'(26 - i);
  end

  wire [7:0] room = sum_4_q.exponent - 8'd1;
  wire is_limited = 8'(zeros) > room | zeros == 5'd27;

  always_ff @(posedge clk_i) begin
    sum_5_q <= sum_4_q;
    shift_q <= is_limited ? room[4:0] : zeros;
    is_subnormal_q <= is_limited;
    if (sum_4_q.value[27]) begin
      sum_5_q.exponent <= sum_4_q.exponent + 8'd1;
      sum_5_q.value <= {1'b0, sum_4_q.value[27:2], sum_4_q.value[1] | sum_4_q.value[0]};
      shift_q <= '0;
      is_subnormal_q <= 1'b0;
    end
    known_5_q <= known_4_q;
  end

  // 6: shift
  typedef struct packed {
    logic sign;
    logic [7:0] exponent;
    logic [26:0] significand;
  } normal_t;

  normal_t normal_q;
  known_t  known_6_q;

  always_ff @(posedge clk_i) begin
    normal_q.sign <= sum_5_q.sign;
    normal_q.exponent <= is_subnormal_q ? 8'd0 : sum_5_q.exponent - 8'(shift_q);
    normal_q.significand <= 27'(sum_5_q.value << shift_q);
    known_6_q <= known_5_q;
  end

  // 7: round. A carry out of the fraction increments the exponent, up to infinity.
  wire rounds_up = normal_q.significand[2] & (|normal_q.significand[1:0] | normal_q.significand[3]);
  wire [30:0] magnitude = {normal_q.exponent, normal_q.significand[25:3]} + 31'(rounds_up);

  always_ff @(posedge clk_i) begin
    sum_o <= {normal_q.sign, magnitude};
    // Beyond the largest exponent already
    if (&normal_q.exponent) sum_o <= {normal_q.sign, 8'hff, 23'b0};
    if (known_6_q.is_known) sum_o <= known_6_q.result;
  end

endmodule

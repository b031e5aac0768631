// SPDX-License-Identifier: Apache-2.0
// Token bucket: how many bytes may be sent, to a fraction of a byte.
//
// It gains step_i * 2^-24 bytes in each cycle up to burst_i bytes, and begins full. A message may
// be sent if the bucket has its bytes, or is full: a message longer than the bucket leaves it in
// debt. With step_i = 0 there is no limit.
//
// Latency: 0 cycles. Source: RFC 2697 (a single bucket, without marking).
module token_bucket
  import bombus_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic    [31:0] step_i,    // bytes per cycle, in units of 2^-24
    input  logic    [23:0] burst_i,   // bytes
    input  length_t        bytes_i,   // of the next message
    input  logic           take_i,    // it is sent; only with allows_o
    output logic           allows_o,
    output logic           full_o
);

  localparam int unsigned Fraction = 24;
  localparam int unsigned Width = 26 + Fraction;  // with a sign
  typedef logic signed [Width-1:0] tokens_t;

  // The room left is kept instead of the tokens: it is 0 in a full bucket of any size.
  tokens_t missing_q;
  wire tokens_t burst = tokens_t'({2'b00, burst_i, Fraction'(0)});
  wire tokens_t bytes = tokens_t'({12'd0, bytes_i, Fraction'(0)});
  wire tokens_t owed = missing_q + (take_i ? bytes : '0);
  wire tokens_t left = owed - tokens_t'({18'd0, step_i});
  assign full_o   = missing_q == '0;
  assign allows_o = full_o | step_i == '0 | missing_q + bytes <= burst;

  always_ff @(posedge clk_i) begin
    if (rst_i | step_i == '0) missing_q <= '0;
    else missing_q <= left < 0 ? '0 : left;
  end

endmodule

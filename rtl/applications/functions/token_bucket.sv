// SPDX-License-Identifier: Apache-2.0
// Token bucket: how many bytes may be sent, to a fraction of a byte.
//
// It gains step_i * 2^-24 bytes in each cycle up to burst_i bytes, and begins full. A message may
// be sent if the bucket has its bytes, or is full: a message longer than the bucket leaves it in
// debt. With step_i = 0 there is no limit.
//
// Latency: 0 cycles, by one subtraction; the bytes of a message leave the bucket in the next cycle,
// and are taken into account until then. Source: RFC 2697 (a single bucket, without marking).
module token_bucket
  import bombus_pkg::*;
#(
    parameter int unsigned OverheadBytes = 0  // of each message, besides its own
) (
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
  typedef logic signed [Width-Fraction-1:0] whole_t;  // bytes

  // The register holds the tokens missing from a full bucket: 0 is full, whatever the size.
  tokens_t missing_q, missing_d, left, room;
  whole_t room_q;  // bytes in the bucket, less the overhead of a message
  logic [14:0] taken_q;  // bytes of the last cycle's message, not yet missing
  logic full_q, limited_q;
  assign left = missing_q + tokens_t'({11'd0, taken_q, Fraction'(0)}) - tokens_t'({18'd0, step_i});
  assign missing_d = left < 0 | ~limited_q ? '0 : left;
  // The burst less missing_d, with the sums in parallel.
  wire tokens_t burst = tokens_t'({2'b00, burst_i, Fraction'(0)});
  wire tokens_t room_left = burst + tokens_t'({18'd0, step_i}) -
      tokens_t'({11'd0, taken_q, Fraction'(0)}) - missing_q;
  assign room = left < 0 | ~limited_q ? burst : room_left;

  wire whole_t after = room_q - whole_t'({11'd0, taken_q}) - whole_t'({12'd0, bytes_i});
  assign full_o   = full_q & taken_q == '0;
  assign allows_o = full_o | ~limited_q | ~after[$bits(whole_t)-1];

  always_ff @(posedge clk_i) begin
    limited_q <= step_i != '0;
    room_q <= room[Width-1:Fraction] - whole_t'(OverheadBytes);
    // A full bucket whose message leaves it a cycle late gains what it would have gained.
    if (rst_i) missing_q <= '0;
    else missing_q <= take_i & limited_q & left < 0 ? left : missing_d;
    full_q  <= rst_i | missing_d == '0;
    taken_q <= take_i & limited_q & ~rst_i ? 15'(bytes_i) + 15'(OverheadBytes) : '0;
  end

endmodule

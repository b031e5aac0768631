// SPDX-License-Identifier: Apache-2.0
// Token bucket: how many bytes may be sent, to a fraction of a byte.
//
// It gains step_i * 2^-24 bytes in each cycle up to burst_i bytes, and begins full. A message may
// be sent if the bucket has its bytes, or is full: a message longer than the bucket leaves it in
// debt. Its bytes leave the bucket at once. With step_i = 0 there is no limit, and the bucket is
// full. After a change of step_i or burst_i the bucket keeps its tokens, up to the new burst_i.
//
// allows_o is a register: whether the first message of the next cycle may be sent is computed for
// both values of take_i, which is late.
//
// Latency: 1 cycle. Source: RFC 2697 (a single bucket, without marking).
module token_bucket #(
    parameter  int unsigned BytesWidth = 15,                     // at most 16
    localparam type         bytes_t    = logic [BytesWidth-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input  logic   [31:0] step_i,         // bytes per cycle, in units of 2^-24
    input  logic   [23:0] burst_i,        // bytes
    input  bytes_t        first_bytes_i,  // of the first message
    // Of the first message of the next cycle: without take_i, and with it.
    input  bytes_t        kept_bytes_i,   // first_bytes_i if there is a first message
    input  bytes_t        next_bytes_i,
    input  logic          take_i,         // the first message is sent; only with allows_o
    output logic          allows_o,       // the first message may be sent
    output logic          full_o
);

  if (BytesWidth < 1 || BytesWidth > 16) begin : gen_bad_width
    $error("token_bucket: BytesWidth must be 1 to 16");
  end

  localparam int unsigned Fraction = 24;
  typedef logic [25:0] whole_t;  // bytes, with a sign
  localparam int unsigned Sign = $bits(whole_t) - 1;

  // Sums of several numbers with a single carry chain: three are added to a sum and a carry.
  typedef struct packed {
    whole_t sum;
    whole_t carry;
  } pair_t;
  function automatic pair_t add_inverted(pair_t both, whole_t inverted);  // with its 1
    whole_t carry;
    carry = both.sum & both.carry | ~inverted & (both.sum | both.carry);
    add_inverted = '{sum: both.sum ^ both.carry ^ ~inverted, carry: {carry[Sign-1:0], 1'b1}};
  endfunction
  function automatic whole_t total(pair_t both, logic carry);
    logic [Sign+1:0] sum;
    sum   = {both.sum, 1'b1} + {both.carry, carry};
    total = sum[Sign+1:1];
  endfunction

  // Whole bytes in the bucket. In each cycle it gains those of step_i and the carry of the
  // fraction. A full bucket has no fraction.
  whole_t tokens_q, surplus_q;
  logic [Fraction-1:0] fraction_q;
  logic carry_q, limited_q;
  wire [Fraction:0] fraction = {1'b0, fraction_q} + {1'b0, step_i[Fraction-1:0]};

  wire whole_t burst = whole_t'(burst_i);
  wire whole_t gain = whole_t'(step_i[31:Fraction]);
  wire whole_t kept = total('{tokens_q, gain}, carry_q);
  wire pair_t spent_pair = add_inverted('{tokens_q, gain}, whole_t'(kept_bytes_i));
  wire whole_t spent = total(spent_pair, carry_q);
  wire pair_t sent_pair = add_inverted('{tokens_q, gain}, whole_t'(first_bytes_i));
  wire whole_t spent_again = total(add_inverted(sent_pair, whole_t'(next_bytes_i)), carry_q);
  // Bytes beyond a full bucket
  wire whole_t kept_surplus = total('{tokens_q, surplus_q}, carry_q);
  wire pair_t surplus_pair = add_inverted('{tokens_q, surplus_q}, whole_t'(first_bytes_i));
  wire whole_t spent_surplus = total(surplus_pair, carry_q);
  wire is_full = rst_i | ~limited_q | ~(take_i ? spent_surplus[Sign] : kept_surplus[Sign]);

  always_ff @(posedge clk_i) begin
    limited_q <= step_i != '0;
    surplus_q <= gain - burst;
    tokens_q <= is_full ? burst : take_i ? spent : kept;
    {carry_q, fraction_q} <= is_full ? {1'b0, step_i[Fraction-1:0]} : fraction;
    full_o <= is_full;
    allows_o <= is_full | ~(take_i ? spent_again[Sign] : spent[Sign]);
  end

endmodule

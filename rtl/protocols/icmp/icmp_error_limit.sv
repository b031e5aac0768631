// SPDX-License-Identifier: Apache-2.0
// Rate limit of ICMP errors (RFC 1812, 4.3.2.8): token buckets for each peer, and one for all.
//
// A peer's bucket holds Burst tokens and gets one every 2^RefillShift us; the common one TotalBurst
// and one every 2^TotalRefillShift us. An error takes one of each. The buckets of peers are a table
// without keys: a keyed hash of the address selects one of NumPeers. One in NumPeers peers shares
// the bucket of a noisy one, which cannot choose them without the seed.
//
// The answer is valid from the cycle after take_i, except while busy_o, for NumPeers cycles after
// reset. spend_i at most every other cycle. Time wraps after 2^32 us: a bucket unused for that long
// may lack tokens.
`include "bombus_assert.svh"

module icmp_error_limit #(
    parameter int unsigned NumPeers = 64,
    parameter int unsigned Burst = 8,
    parameter int unsigned RefillShift = 14,
    parameter int unsigned TotalBurst = 64,
    parameter int unsigned TotalRefillShift = 10
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    input logic [31:0] seed_i,

    input  logic [31:0] ip_i,
    input  logic        take_i,     // an error to ip_i is wanted
    output logic        allowed_o,  // it may be sent
    input  logic        spend_i,    // it is sent
    output logic        busy_o
);

  localparam int unsigned TotalPeriodWidth = 8;
  if (NumPeers < 2 || NumPeers != 2 ** $clog2(NumPeers)) begin : gen_bad_peers
    $error("icmp_echo: NumPeers must be a power of two, at least 2");
  end
  if (Burst < 1 || RefillShift > 24) begin : gen_bad_rate
    $error("icmp_echo: BurstErrors must be at least 1, RefillShift at most 24");
  end
  if (TotalBurst < 1 || TotalBurst >= 2 ** TotalPeriodWidth ||
      TotalRefillShift > 32 - TotalPeriodWidth) begin : gen_bad_total
    $error("icmp_echo: TotalBurst must be 1 to 255, TotalRefillShift at most 24");
  end

  // ---- Buckets of the peers ----

  typedef logic [$clog2(NumPeers)-1:0] index_t;
  typedef logic [31-RefillShift:0] period_t;

  index_t index, index_q, clear_index_q;
  keyed_hash #(
      .DataWidth(32),
      .HashWidth($bits(index_t))
  ) u_hash (
      .data_i(ip_i),
      .seed_i,
      .hash_o(index)
  );

  // For each, the period in which it is full again: at most Burst ahead, otherwise it is full.
  (* ram_style = "distributed" *) period_t buckets[NumPeers];
  logic clear_q, spent_q;
  period_t bucket, full_at_q, missing_q, period_q, empty_q, full_at;
  assign bucket = buckets[index_q];
  wire is_full = (missing_q == '0) | (missing_q > period_t'(Burst));
  assign full_at = clear_q ? period_q : (is_full ? period_q : full_at_q) + 1'b1;
  wire period_t period = time_us_i[31:RefillShift];

  always_ff @(posedge clk_i) begin
    period_q  <= period;
    empty_q   <= period + period_t'(Burst);  // what an empty bucket has
    full_at_q <= bucket;
    missing_q <= bucket - period_q;
    if (clear_q | spent_q) buckets[clear_q?clear_index_q : index_q] <= full_at;
    if (rst_i) begin
      clear_q <= 1'b1;
      clear_index_q <= '0;
      spent_q <= 1'b0;
    end else begin
      spent_q <= spend_i;
      if (clear_q) clear_index_q <= clear_index_q + 1'b1;
      if (&clear_index_q) clear_q <= 1'b0;
    end
    if (take_i) index_q <= index;
  end
  assign busy_o = clear_q;

  // ---- Bucket for all ----

  // Each elapsed period returns a token; time may jump.
  typedef logic [$clog2(TotalBurst+1)-1:0] total_t;
  typedef logic [$clog2(TotalBurst+1):0] total_refilled_t;
  total_t total_q, refill_q;
  logic [TotalPeriodWidth-1:0] total_period_q;
  wire [TotalPeriodWidth-1:0] total_period = time_us_i[TotalRefillShift+:TotalPeriodWidth];
  wire [TotalPeriodWidth-1:0] total_passed = total_period - total_period_q;
  wire total_refilled_t total_refilled = total_refilled_t'(total_q) + total_refilled_t'(refill_q);
  wire total_full = total_refilled > total_refilled_t'(TotalBurst);
  wire total_t total = total_full ? total_t'(TotalBurst) : total_t'(total_refilled);
  always_ff @(posedge clk_i) begin
    total_period_q <= total_period;
    if (rst_i) begin
      total_q  <= total_t'(TotalBurst);
      refill_q <= '0;
    end else begin
      refill_q <= total_t'(total_passed);
      if (32'(total_passed) > TotalBurst) refill_q <= total_t'(TotalBurst);
      total_q <= total - total_t'(spend_i);
    end
  end

  assign allowed_o = (bucket != empty_q) & (total_q != '0);

  `BOMBUS_ASSERT(TotalInBounds, 32'(total_q) <= TotalBurst)
  `BOMBUS_ASSERT(SpendsApart, !(spend_i && spent_q))

endmodule

// SPDX-License-Identifier: Apache-2.0
// Round-trip times and the retransmission timeout of every session (RFC 6298), smoothed by shifts
// with the gains of the RFC, 1/8 and 1/4.
//
// One event per cycle, those of a session at least four cycles apart, each in cycles 1 to 5 of
// tcp_core. An event reads the timeout that the previous event has measured, and its own result is
// ready for the timer that it sets: an acknowledgement with a round-trip sample restarts the timer
// with the new timeout (RFC 6298, 5.3). Times are in us, at most 2**26 - 1 (67 s).
module tcp_round_trip
  import tcp_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned InitialUs = 1000000,  // RFC 6298, 2.1
    parameter int unsigned LateUs = 3000000,  // RFC 6298, 5.7
    parameter int unsigned LeastUs = 200000,
    parameter int unsigned MostUs = 60000000,  // RFC 6298, 2.5
    localparam int unsigned IndexWidth = $clog2(NumSessions)
) (
    input logic clk_i,
    input logic rst_i,

    input logic [IndexWidth-1:0] index_1_i,
    input logic [31:0] sample_us_2_i,
    input logic [IndexWidth-1:0] index_2_i,

    input logic [IndexWidth-1:0] index_3_i,
    input logic open_3_i,  // start with no measurement
    input logic late_3_i,  // ... after a retransmitted SYN
    input logic sample_3_i,
    output logic [25:0] timeout_us_3_o,  // as left by the previous event

    output logic sampled_5_o,  // the event has a sample
    output logic [25:0] sampled_us_5_o  // the new timeout, with sampled_5_o
);

  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_round_trip: NumSessions must be a power of two, 2 to 16384");
  end
  if (LeastUs < 1 || LeastUs > InitialUs || InitialUs > MostUs || LateUs > MostUs ||
      MostUs >= 2 ** 26) begin : gen_bad_us
    $error("tcp_round_trip: 1 <= LeastUs <= InitialUs <= MostUs < 2**26, and LateUs <= MostUs");
  end

  typedef logic [25:0] us_t;
  typedef struct packed {
    logic known;
    logic [28:0] smoothed;  // scaled by 8
    logic [27:0] deviation;  // scaled by 4
  } state_t;

  // ---- Cycles 1 and 2: read; the error, and the decayed deviation ----

  state_t state_2_q, state_3_q;
  us_t us_3_q;
  logic signed [26:0] error_q;
  logic [27:0] left_q;
  wire us_t us = us_t'(sample_us_2_i) | {26{|sample_us_2_i[31:26]}};
  always_ff @(posedge clk_i) begin
    state_3_q <= state_2_q;
    us_3_q <= us;
    error_q <= $signed({1'b0, us}) - $signed({1'b0, state_2_q.smoothed[28:3]});
    left_q <= state_2_q.deviation - (state_2_q.deviation >> 2);
  end

  // ---- Cycle 3: the new averages ----

  wire [25:0] inverted = error_q[25:0] ^ {26{error_q[26]}};  // |error|, or |error| - 1 if negative
  state_t next, next_q;
  always_comb begin
    next.known = 1'b1;
    if (~state_3_q.known) begin
      next.smoothed  = {us_3_q, 3'b0};
      next.deviation = {1'b0, us_3_q, 1'b0};  // 4 * us / 2
    end else begin
      next.smoothed  = state_3_q.smoothed + {{2{error_q[26]}}, error_q};
      next.deviation = left_q + 28'(inverted) + 28'(error_q[26]);
    end
  end

  // ---- Cycles 4 and 5: the timeout ----

  logic open_4_q, open_5_q, late_4_q, late_5_q, sample_4_q, write_5_q;
  logic [IndexWidth-1:0] index_4_q, index_5_q;
  logic [28:0] sum_q;
  us_t timeout;
  always_comb begin
    if (sum_q < 29'(LeastUs)) sampled_us_5_o = us_t'(LeastUs);
    else if (sum_q > 29'(MostUs)) sampled_us_5_o = us_t'(MostUs);
    else sampled_us_5_o = us_t'(sum_q);
    timeout = sampled_us_5_o;
    if (open_5_q) timeout = late_5_q ? us_t'(LateUs) : us_t'(InitialUs);
  end
  always_ff @(posedge clk_i) begin
    next_q <= next;
    open_4_q <= open_3_i & ~rst_i;
    open_5_q <= open_4_q;
    late_4_q <= late_3_i;
    late_5_q <= late_4_q;
    sample_4_q <= sample_3_i & ~open_3_i & ~rst_i;
    sampled_5_o <= sample_4_q & ~rst_i;
    write_5_q <= (open_4_q | sample_4_q) & ~rst_i;
    index_4_q <= index_3_i;
    index_5_q <= index_4_q;
    sum_q <= 29'(next_q.smoothed >> 3) + 29'(next_q.deviation);
  end

  sized_memory #(
      .data_t(state_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_states (
      .clk_i,
      .write_addr_i(index_4_q),
      .data_i(open_4_q ? '0 : next_q),
      .write_i(open_4_q | sample_4_q),
      .read_addr_i(index_1_i),
      .data_o(state_2_q)
  );
  sized_memory #(
      .data_t(us_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_timeouts (
      .clk_i,
      .write_addr_i(index_5_q),
      .data_i(timeout),
      .write_i(write_5_q),
      .read_addr_i(index_2_i),
      .data_o(timeout_us_3_o)
  );

endmodule

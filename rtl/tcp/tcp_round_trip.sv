// SPDX-License-Identifier: Apache-2.0
// Round-trip times and the retransmission timeout of every session (RFC 6298), smoothed by shifts
// with the gains of the RFC, 1/8 and 1/4.
//
// One sample per cycle, those of a session at least four cycles apart. Times in us, at most
// 2**26 - 1 (67 s).
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

    input logic open_i,  // start with no measurement
    input logic late_i,  // ... after a retransmitted SYN
    input logic sample_i,
    input logic [IndexWidth-1:0] session_i,
    input logic [31:0] sample_us_i,

    input logic [IndexWidth-1:0] index_i,
    output logic [25:0] timeout_us_o  // of the session at the index of the previous cycle
);

  if (NumSessions < 2 || NumSessions > MaxSessions || NumSessions != 2 ** IndexWidth) begin : gen_bad
    $error("tcp_round_trip: NumSessions must be a power of two, 2 to 16384");
  end
  if (LeastUs < 1 || LeastUs > InitialUs || InitialUs > MostUs || LateUs > MostUs ||
      MostUs >= 2 ** 26) begin : gen_bad_us
    $error(
        "tcp_round_trip: LeastUs, InitialUs and MostUs must ascend, from 1 to 2**26 - 1; LateUs is at most MostUs"
    );
  end

  typedef logic [25:0] us_t;
  typedef struct packed {
    logic known;
    logic [28:0] smoothed;  // scaled by 8
    logic [27:0] deviation;  // scaled by 4
  } state_t;

  state_t states[NumSessions];
  us_t timeouts[NumSessions];
  always_ff @(posedge clk_i) timeout_us_o <= timeouts[index_i];

  // ---- First cycle: read ----

  logic
      open_1_q,
      open_2_q,
      open_3_q,
      late_1_q,
      late_2_q,
      late_3_q,
      sample_1_q,
      sample_2_q,
      sample_3_q;
  logic [IndexWidth-1:0] session_1_q, session_2_q, session_3_q;
  us_t us_1_q, us_2_q;
  state_t state_q, state_2_q, next_q;
  always_ff @(posedge clk_i) begin
    {open_1_q, open_2_q, open_3_q} <= rst_i ? '0 : {open_i, open_1_q, open_2_q};
    {late_1_q, late_2_q, late_3_q} <= {late_i, late_1_q, late_2_q};
    {sample_1_q, sample_2_q, sample_3_q} <= rst_i ? '0 : {sample_i, sample_1_q, sample_2_q};
    session_1_q <= session_i;
    session_2_q <= session_1_q;
    session_3_q <= session_2_q;
    us_1_q <= sample_us_i > 32'(MostUs) ? us_t'(MostUs) : us_t'(sample_us_i);
    us_2_q <= us_1_q;
    state_q <= states[session_i];
  end

  // ---- Second cycle: the error, and the decayed deviation ----

  logic signed [26:0] error_q;
  logic [27:0] left_q;
  always_ff @(posedge clk_i) begin
    state_2_q <= state_q;
    error_q   <= $signed({1'b0, us_1_q}) - $signed({1'b0, state_q.smoothed[28:3]});
    left_q    <= state_q.deviation - (state_q.deviation >> 2);
  end

  // ---- Third cycle: the new averages ----

  wire [25:0] inverted = error_q[25:0] ^ {26{error_q[26]}};  // |error|, or |error| - 1 if negative
  state_t next;
  always_comb begin
    next.known = sample_2_q;
    if (~state_2_q.known) begin
      next.smoothed  = {us_2_q, 3'b0};
      next.deviation = {1'b0, us_2_q, 1'b0};  // 4 * us / 2
    end else begin
      next.smoothed  = state_2_q.smoothed + {{2{error_q[26]}}, error_q};
      next.deviation = left_q + 28'(inverted) + 28'(error_q[26]);
    end
    if (open_2_q) next = '0;
  end
  always_ff @(posedge clk_i) next_q <= next;

  // ---- Fourth and fifth cycle: the timeout ----

  logic [28:0] sum_q;
  logic open_4_q, late_4_q, write_q;
  logic [IndexWidth-1:0] session_4_q;
  us_t timeout;
  always_comb begin
    if (open_4_q) timeout = late_4_q ? us_t'(LateUs) : us_t'(InitialUs);
    else if (sum_q < 29'(LeastUs)) timeout = us_t'(LeastUs);
    else if (sum_q > 29'(MostUs)) timeout = us_t'(MostUs);
    else timeout = us_t'(sum_q);
  end
  always_ff @(posedge clk_i) begin
    open_4_q <= open_3_q;
    late_4_q <= late_3_q;
    write_q <= (open_3_q | sample_3_q) & ~rst_i;
    session_4_q <= session_3_q;
    sum_q <= 29'(next_q.smoothed >> 3) + 29'(next_q.deviation);
    if (open_3_q | sample_3_q) states[session_3_q] <= next_q;
    if (write_q) timeouts[session_4_q] <= timeout;
  end

endmodule

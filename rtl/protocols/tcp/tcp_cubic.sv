// SPDX-License-Identifier: Apache-2.0
// Target congestion window of CUBIC (RFC 9438, 4.2): C * (t - K)^3 + W_max, with C = 0.4 and times
// in units of 1,024 us.
//
// Runs in parallel with tcp_congestion, which reports acknowledgements in congestion avoidance. One
// is processed at a time and the others are skipped: the next one of the session serves as well.
// Multiplication is bit-serial: 110 cycles. K is found by testing its bits at the first
// acknowledgement after a loss: 1,900 cycles.
`include "bombus_assert.svh"

module tcp_cubic
  import tcp_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned Width = 18,  // width of windows
    localparam int unsigned IndexWidth = $clog2(NumSessions)
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

    input logic valid_i,
    input logic [IndexWidth-1:0] session_i,
    input logic [3:0] epoch_i,  // changes after each loss
    input logic [Width-1:0] window_i,
    input logic [Width-1:0] most_i,  // W_max
    input bombus_pkg::length_t mss_i,

    input logic [IndexWidth-1:0] index_i,
    output logic [3:0] epoch_o,  // of the session at the index of the previous cycle
    output logic [Width-1:0] target_o  // target for that epoch; at most 1.5 times the window
);

  localparam int unsigned TimeBits = 17;  // 134 s
  localparam int unsigned ClockBits = 22;
  // C * mss * t^3 in seconds is Factor * mss * t^3 / 2**Shift in units.
  localparam int unsigned Factor = 59;
  localparam int unsigned Shift = 37;
  localparam int unsigned FactorBits = 20;  // width of a factor times MSS
  localparam int unsigned SquareBits = 2 * TimeBits;
  localparam int unsigned CubeBits = 3 * TimeBits;

  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_cubic: NumSessions must be a power of two, 2 to 16384");
  end
  if (Width < 18 || Width > 32) begin : gen_bad_width
    $error("tcp_cubic: Width must be 18 to 32");
  end

  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [Width-1:0] bytes_t;
  typedef logic [TimeBits-1:0] time_t;
  typedef logic [ClockBits-1:0] clock_t;

  typedef struct packed {
    logic [3:0] epoch;
    bytes_t target;
  } target_t;
  target_t stored_target;
  assign {epoch_o, target_o} = stored_target;

  typedef struct packed {
    logic [3:0] epoch;
    clock_t start;
    time_t k;
    bytes_t origin;  // the window size at which the curve is flat
  } curve_t;
  curve_t stored_curve;

  typedef enum logic [2:0] {
    Idle,
    Fetch,
    Choose,  // start a new epoch, or compute the time within the current one
    Multiply,
    Weigh,  // evaluate a trial K
    Finish,
    Write
  } step_e;
  step_e step_q;

  index_t session_q;
  logic [3:0] epoch_q;
  bytes_t window_q, most_q, value_q, target_q;
  logic [FactorBits-1:0] factor_q;
  curve_t curve_q;
  clock_t now_q, elapsed_q;
  logic searches_q, below_q;
  time_t trial_q, x_q;  // trial bit of K; the value to be cubed

  // ---- value = factor * x^3 / 2**Shift: three bit-serial products, lowest bit first ----

  logic [1:0] product_q;
  logic [5:0] left_q;  // bits left
  logic [FactorBits-1:0] by_q, high_q;
  logic [CubeBits-1:0] low_q;
  wire [FactorBits:0] sum = {1'b0, high_q} + {1'b0, low_q[0] ? by_q : FactorBits'(0)};
  wire [FactorBits-1:0] high = sum[FactorBits:1];
  wire [CubeBits-1:0] low = {sum[0], low_q[CubeBits-1:1]};
  wire [FactorBits+CubeBits-1-Shift:0] value = {high, low[CubeBits-1:Shift]};
  logic done_q;

  wire clock_t late = elapsed_q - clock_t'(curve_q.k);
  wire clock_t early = clock_t'(curve_q.k) - elapsed_q;
  wire below = elapsed_q < clock_t'(curve_q.k);
  wire clock_t distance = below ? early : late;
  wire bytes_t gap = most_q - window_q;
  wire [Width:0] beyond = {1'b0, curve_q.origin} + {1'b0, value_q};
  wire [Width:0] most_target = {1'b0, window_q} + {2'b0, window_q[Width-1:1]};

  always_ff @(posedge clk_i) begin
    if (step_q == Idle) begin
      session_q <= session_i;
      epoch_q   <= epoch_i;
      window_q  <= window_i;
      most_q    <= most_i;
      factor_q  <= FactorBits'(mss_i) * FactorBits'(Factor);
      now_q     <= time_us_i[31:10];
      if (valid_i) step_q <= Fetch;
    end
    if (step_q == Fetch) begin
      curve_q   <= stored_curve;
      elapsed_q <= now_q - stored_curve.start;
      trial_q   <= time_t'(1) << (TimeBits - 1);
      step_q    <= Choose;
    end
    if (step_q == Choose) begin
      searches_q <= 1'b0;
      below_q    <= below;
      x_q        <= |distance[ClockBits-1:TimeBits] ? '1 : distance[TimeBits-1:0];
      if (curve_q.epoch != epoch_q) begin
        searches_q <= most_q > window_q;
        below_q <= 1'b1;
        x_q <= most_q > window_q ? trial_q : '0;
        curve_q <= '{
            epoch: epoch_q,
            start: now_q,
            k: '0,
            origin: most_q > window_q ? most_q : window_q
        };
      end
      step_q <= Multiply;
      product_q <= '0;
      left_q <= '0;
    end
    if (step_q == Multiply) begin
      high_q <= high;
      low_q  <= low;
      left_q <= left_q - 6'd1;
      if (left_q == '0) begin
        product_q <= product_q + 2'd1;
        high_q <= '0;
        unique case (product_q)
          2'd0: begin  // start
            by_q   <= FactorBits'(x_q);
            low_q  <= CubeBits'(x_q);
            left_q <= 6'(TimeBits - 1);
          end
          2'd1: begin
            low_q  <= CubeBits'({high[TimeBits-1:0], low[CubeBits-1-:TimeBits]});
            left_q <= 6'(SquareBits - 1);
          end
          2'd2: begin
            by_q   <= factor_q;
            low_q  <= {high[TimeBits-1:0], low[CubeBits-1-:SquareBits]};
            left_q <= 6'(CubeBits - 1);
          end
          default: begin
            value_q <= |value[FactorBits+CubeBits-1-Shift:Width] ? '1 : value[Width-1:0];
            step_q  <= searches_q ? Weigh : Finish;
          end
        endcase
      end
    end
    if (step_q == Weigh) begin
      if (value_q <= gap) curve_q.k <= curve_q.k | trial_q;
      trial_q <= trial_q >> 1;
      product_q <= '0;
      left_q <= '0;
      // The result for the last trial bit is known one cycle later.
      x_q <= (value_q <= gap ? curve_q.k | trial_q : curve_q.k) | trial_q >> 1;
      step_q <= Multiply;
      if (trial_q[0]) begin
        searches_q <= 1'b0;
        value_q <= gap;  // use the gap as the cube of K, so that the window does not change
        step_q <= Finish;
      end
    end
    if (step_q == Finish) begin
      target_q <= below_q ? (value_q > curve_q.origin ? '0 : curve_q.origin - value_q) :
          beyond[Width] ? '1 : beyond[Width-1:0];
      step_q <= Write;
    end
    if (step_q == Write) step_q <= Idle;
    if (rst_i) step_q <= Idle;
  end

  wire writes = step_q == Write;
  sized_memory #(
      .data_t(curve_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_curves (
      .clk_i,
      .write_addr_i(session_q),
      .data_i(curve_q),
      .write_i(writes),
      .read_addr_i(session_i),
      .data_o(stored_curve)
  );
  wire target_t target =
  '{epoch: epoch_q, target: {1'b0, target_q} > most_target ? most_target[Width-1:0] : target_q}
  ;
  sized_memory #(
      .data_t(target_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_targets (
      .clk_i,
      .write_addr_i(session_q),
      .data_i(target),
      .write_i(writes),
      .read_addr_i(index_i),
      .data_o(stored_target)
  );

  `BOMBUS_ASSERT(LegalStep, step_q inside {[Idle : Write]})

endmodule

// SPDX-License-Identifier: Apache-2.0
// Congestion control by NewReno (RFC 5681, RFC 6582; RFC 6675 with SACK) or CUBIC (RFC 9438):
// stores the congestion window of every session and computes how many bytes of each may be in
// flight.
//
// CUBIC follows the curve of tcp_cubic, evaluated at the current time without the following round
// trip, and never falls below the window of a Reno with the same losses (4.3). It multiplies the
// window by 11/16 after a loss.
//
// Runs in parallel with the pipeline of tcp_core: the effect of an event is known in its third
// cycle and visible to the next event of the session, which starts a cycle later.
module tcp_congestion
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned MaxWindow = 1048576,  // in bytes: twice the maximum in flight
    parameter bit Cubic = 0,
    localparam int unsigned IndexWidth = $clog2(NumSessions)
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    input logic [IndexWidth-1:0] index_i,
    input logic follows_i,  // index_i is the session of index_3_i one cycle earlier

    // First cycle
    input tcb_t block_i,
    output logic [31:0] window_o,  // bytes that may be in flight

    // Second cycle
    input logic [31:0] acked_2_i,  // in bytes

    // Third cycle
    input logic [IndexWidth-1:0] index_3_i,
    input congestion_event_t event_i
);

  localparam int unsigned BurstMss = 1460;
  localparam int unsigned BurstBytes = 10 * BurstMss;  // RFC 6928, 2
  // Windows may be a few segments longer than MaxWindow.
  localparam int unsigned Width = ($clog2(MaxWindow) > 17 ? $clog2(MaxWindow) : 17) + 1;

  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [Width-1:0] bytes_t;
  typedef struct packed {
    bytes_t     window;
    bytes_t     threshold;
    // CUBIC
    bytes_t     reno;       // window that Reno would have
    bytes_t     most;       // W_max
    logic [3:0] epoch;      // changes after each loss
  } state_t;

  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_congestion: NumSessions must be a power of two, 2 to 16384");
  end

  if (MaxWindow < 1024 || MaxWindow != 2 ** $clog2(MaxWindow)) begin : gen_bad_window
    $error("tcp_congestion: MaxWindow must be a power of two, 1024 to 2**31");
  end

  // ---- Read; the result of the previous event is not in the memory yet ----

  state_t stored_q, state, next, next_q;
  congestion_event_t event_4_q;
  index_t index_4_q;
  logic forward_q;
  wire write = event_4_q.kind != CongestionNone;
  sized_memory #(
      .data_t(state_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_states (
      .clk_i,
      .write_addr_i(index_4_q),
      .data_i(next),
      .write_i(write),
      .read_addr_i(index_i),
      .data_o(stored_q)
  );
  always_ff @(posedge clk_i) begin
    forward_q <= write & follows_i;
    next_q <= next;
  end
  always_comb begin
    state = forward_q ? next_q : stored_q;
    if (!Cubic) {state.reno, state.most, state.epoch} = '0;
  end
  assign window_o = 32'(state.window);

  // ---- First cycle ----

  state_t state_2_q, state_3_q, state_4_q;
  bombus_pkg::length_t mss_2_q;
  bytes_t flight_2_q;
  always_ff @(posedge clk_i) begin
    state_2_q  <= state;
    state_3_q  <= state_2_q;
    state_4_q  <= state_3_q;
    mss_2_q    <= block_i.mss;
    flight_2_q <= bytes_t'(block_i.max - block_i.una);
  end

  // ---- Second cycle: possible increments ----

  localparam int unsigned LeastBit = 8;  // lowest bit of a window that affects its increment
  // ... and the highest one: mss * mss is less than 2**28.
  localparam int unsigned MostBit = Width - 1 < 26 ? Width - 1 : 26;
  logic [MostBit:LeastBit] leading, leading_q;  // leading bit of the window
  logic [27:0] square_q;
  logic slow_start_q;
  // RFC 3465: as many bytes as are acknowledged, without its limit L, as in Linux; one segment
  // at most until the bytes sent before a timeout are acknowledged (2.3).
  bytes_t slow_q, single_q;
  bytes_t halved_q, deflated_q;  // RFC 5681, 3.1, equation 4
  bytes_t reduced_q;  // the same without two segments
  bytes_t halved, reduced;  // the same, with the factor of CUBIC
  logic beyond_q;  // more bytes are in flight than the window allows
  logic [15:0] three_q;
  bombus_pkg::length_t mss_3_q;
  wire bytes_t mss = bytes_t'(mss_2_q);
  wire bytes_t half = flight_2_q >> 1;
  always_comb begin
    leading = '0;
    for (int unsigned b = LeastBit; b < Width; b++) begin
      if (state_2_q.window[b]) begin
        leading = '0;
        if (b <= MostBit) leading[b] = 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    square_q <= 28'(mss_2_q) * 28'(mss_2_q);
    leading_q <= leading;
    slow_start_q <= state_2_q.window < state_2_q.threshold;
    slow_q <= bytes_t'(acked_2_i);
    single_q <= acked_2_i < 32'(mss_2_q) ? bytes_t'(acked_2_i[13:0]) : mss;
    halved_q <= half < (mss << 1) ? mss << 1 : half;
    reduced_q <= half < (mss << 1) + mss ? mss << 1 : half - mss;
    beyond_q <= flight_2_q > state_2_q.window;
    three_q <= 16'(mss_2_q) + 16'({mss_2_q, 1'b0});
    deflated_q <= bytes_t'(acked_2_i) > state_2_q.window ? '0 :
        state_2_q.window - bytes_t'(acked_2_i);
    mss_3_q <= mss_2_q;
  end

  if (Cubic) begin : gen_eleven_sixteenths
    typedef logic signed [Width:0] difference_t;
    bytes_t less_2_q, limit_2_q;  // the same fraction of two segments; and two segments more
    bytes_t share_q, rest_q, least_q;
    logic few_q, fewer_q;  // share or rest would be less than two segments
    wire bytes_t mss_1 = bytes_t'(block_i.mss);
    wire bytes_t less = mss_1 + (mss_1 >> 2) + (mss_1 >> 3);
    wire bytes_t share = (flight_2_q >> 1) + (flight_2_q >> 3) + (flight_2_q >> 4);
    wire difference_t over_least = difference_t'({1'b0, share}) - difference_t'({1'b0, mss << 1});
    wire difference_t over_limit = difference_t'({1'b0, share}) - difference_t'({1'b0, limit_2_q});
    always_ff @(posedge clk_i) begin
      less_2_q <= less;
      limit_2_q <= less + (mss_1 << 1);
      share_q <= share;
      rest_q <= share - less_2_q;
      least_q <= mss << 1;
      few_q <= over_least < 0;
      fewer_q <= over_limit < 0;
    end
    assign halved  = few_q ? least_q : share_q;
    assign reduced = fewer_q ? least_q : rest_q;
  end else begin : gen_half
    assign halved  = halved_q;
    assign reduced = reduced_q;
  end

  typedef struct packed {
    bytes_t first;
    bytes_t grown;     // window plus the increment of an acknowledgement
    bytes_t halved;    // threshold after a timeout or a mark
    bytes_t kept;      // threshold after a loss detected by duplicate acknowledgements
    bytes_t lost;      // window after such a loss
    bytes_t deflated;  // window - acknowledged + a segment
    bytes_t dup;       // window + a segment
    bytes_t mss;
    bytes_t reno;      // grows like Reno with the factor of CUBIC
    bytes_t most;      // W_max, reduced for fast convergence (RFC 9438, 4.7)
  } sums_t;
  sums_t sums_q;

  // ---- CUBIC: step towards the curve, in proportion to acknowledged bytes over window ----

  bytes_t curve_q;
  logic [3:0] used_epoch_q;  // of the curve that is stored for the session
  if (Cubic) begin : gen_cubic
    logic [3:0] epoch, epoch_2_q, epoch_3_q;
    logic valid_2_q, slow_start_4_q;
    bytes_t target, target_2_q;
    tcp_cubic #(
        .NumSessions(NumSessions),
        .Width(Width)
    ) u_cubic (
        .clk_i,
        .rst_i,
        .time_us_i,
        .valid_i(event_4_q.kind == CongestionAcked & ~slow_start_4_q),
        .session_i(index_4_q),
        .epoch_i(state_4_q.epoch),
        .window_i(state_4_q.window),
        .most_i(state_4_q.most),
        .mss_i(sums_q.mss[13:0]),
        .index_i,
        .epoch_o(epoch),
        .target_o(target)
    );
    logic [4:0] window_bit, acked_bit;
    always_comb begin
      window_bit = '0;
      acked_bit  = '0;
      for (int unsigned b = 1; b < Width; b++) begin
        if (state_2_q.window[b]) window_bit = 5'(b);
        if (acked_2_i[b]) acked_bit = 5'(b);
      end
    end
    wire further = target_2_q > state_2_q.window;
    logic [4:0] parts_q;
    bytes_t way_q;
    always_ff @(posedge clk_i) begin
      slow_start_4_q <= slow_start_q;
      valid_2_q <= epoch == state.epoch;
      epoch_2_q <= epoch;
      epoch_3_q <= epoch_2_q;
      used_epoch_q <= epoch_3_q;
      target_2_q <= target;
      way_q <= valid_2_q & further ? target_2_q - state_2_q.window : '0;
      parts_q <= window_bit < acked_bit ? 5'd1 : window_bit - acked_bit + 5'd1;
    end
    assign curve_q = way_q >> parts_q;
  end else begin : gen_no_cubic
    wire [31:0] unused_time = time_us_i;
    assign curve_q = '0;
    assign used_epoch_q = '0;
  end

  // ---- Third cycle: the sums ----

  // RFC 5681, 3.1: one segment per round trip. Computed with shifts: a little less than mss * mss /
  // window, but never zero.
  logic [27:0] avoidance;
  always_comb begin
    avoidance = 28'd1;
    for (int unsigned b = LeastBit; b <= MostBit; b++) begin
      if (leading_q[b]) avoidance |= square_q >> (b + 1);
    end
  end
  // RFC 5681, 3.2, step 2: without the two segments sent for the first duplicate acknowledgements
  // (RFC 3042), which are beyond the window.
  wire bytes_t kept = beyond_q ? reduced : halved;
  wire bytes_t slow = event_i.repairs ? single_q : slow_q;
  // RFC 6928, 2; RFC 5681, 3.1: one segment if the SYN was lost.
  logic [17:0] first;
  always_comb begin
    first = 18'({event_i.mss, 3'b0}) + 18'({event_i.mss, 1'b0});
    if (event_i.mss > 14'(BurstMss)) first = 18'(BurstBytes);
    if (event_i.mss > 14'(BurstBytes / 2)) first = 18'({event_i.mss, 1'b0});
    if (event_i.late) first = 18'(event_i.mss);
  end
  always_ff @(posedge clk_i) begin
    sums_q <= '{
        first: bytes_t'(first),
        grown: state_3_q.window + (slow_start_q ? slow : Cubic ? curve_q : bytes_t'(avoidance)),
        halved: halved,
        kept: kept,
        lost: event_i.selective ? kept : kept + bytes_t'(three_q),
        deflated: deflated_q + bytes_t'(mss_3_q),
        dup: state_3_q.window + bytes_t'(mss_3_q),
        mss: bytes_t'(mss_3_q),
        reno:
        Cubic
        ?
        (slow_start_q ? state_3_q.window + slow : state_3_q.reno + bytes_t'(avoidance >> 1))
        : '0,
        most:
        ~
        Cubic
        ?
        '0
        :
        state_3_q.window
        >=
        state_3_q.most
        ?
        state_3_q.window
        :
        state_3_q.window
        - (
        state_3_q.window >> 3
        ) - (
        state_3_q.window >> 5
        )
    };
    index_4_q <= index_3_i;
    event_4_q <= event_i;
    if (rst_i) event_4_q.kind <= CongestionNone;
  end

  // ---- Fourth cycle: the new window ----

  localparam int unsigned MostWidth = $clog2(MaxWindow);
  wire more = sums_q.grown[Width-1:MostWidth] == '0;  // less than MaxWindow
  wire more_dup = sums_q.dup[Width-1:MostWidth] == '0;
  wire changes = event_4_q.kind inside {CongestionOpened, CongestionLost, CongestionTimeout,
                                       CongestionMarked};
  wire slower = Cubic & (sums_q.reno > sums_q.grown);
  // Never equal to the epoch of an old curve, computed many changes or connections ago.
  wire is_used = 4'(state_4_q.epoch + 4'd1) == used_epoch_q;
  wire [3:0] new_epoch = state_4_q.epoch + (is_used ? 4'd2 : 4'd1);
  always_comb begin
    next = state_4_q;
    if (changes) next.epoch = new_epoch;
    if (changes) next.most = sums_q.most;
    unique case (event_4_q.kind)
      CongestionOpened: begin
        next.window = sums_q.first;
        next.threshold = '1;
        next.most = '0;
      end
      CongestionAcked:
      if (more) begin
        next.window = slower ? sums_q.reno : sums_q.grown;
        next.reno   = sums_q.reno;
      end
      CongestionLost: begin
        next.threshold = sums_q.kept;
        next.window = sums_q.lost;
      end
      CongestionMarked: begin  // RFC 3168, 6.1.2
        next.threshold = sums_q.halved;
        next.window = sums_q.halved;
        next.reno = sums_q.halved;
      end
      CongestionDupAck: if (~event_4_q.selective & more_dup) next.window = sums_q.dup;
      CongestionPartial: if (~event_4_q.selective) next.window = sums_q.deflated;
      CongestionRecovered: begin
        next.window = state_4_q.threshold;
        next.reno   = state_4_q.threshold;
      end
      CongestionTimeout: begin
        next.threshold = sums_q.halved;
        next.window = sums_q.mss;
      end
      CongestionRestart:
      if (sums_q.first < state_4_q.window) begin
        next.window = sums_q.first;
        next.reno   = sums_q.first;
        next.epoch  = new_epoch;
      end
      default: ;
    endcase
  end

endmodule

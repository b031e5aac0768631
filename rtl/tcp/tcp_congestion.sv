// SPDX-License-Identifier: Apache-2.0
// Congestion control by NewReno (RFC 5681, RFC 6582; RFC 6675 with SACK): keeps the window of every session and
// tells how many bytes of each may be on their way.
//
// Events come one per cycle, those of a session at least four cycles apart; their effect on
// window_o shows six cycles later.
module tcp_congestion
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned MaxWindow = 1048576,  // bytes
    localparam int unsigned IndexWidth = $clog2(NumSessions)
) (
    input logic clk_i,
    input logic rst_i,

    input congestion_event_t event_i,

    input logic [IndexWidth-1:0] index_i,
    output logic [31:0] window_o  // of the session at the index of the cycle before, in bytes
);

  typedef logic [IndexWidth-1:0] index_t;
  typedef struct packed {
    logic [31:0] window;
    logic [31:0] threshold;
  } state_t;

  if (NumSessions < 2 || NumSessions > MaxSessions || NumSessions != 2 ** IndexWidth) begin : gen_bad
    $error("tcp_congestion: NumSessions must be a power of two, 2 to 16384");
  end

  if (MaxWindow < 1024 || MaxWindow > 2 ** 30) begin : gen_bad_window
    $error("tcp_congestion: MaxWindow must be 1024 to 2**30");
  end

  state_t states[NumSessions];
  logic [31:0] windows[NumSessions];  // once more, for the other reader
  always_ff @(posedge clk_i) window_o <= windows[index_i];

  // ---- First cycle: read ----

  congestion_event_t event_1_q, event_2_q, event_3_q, event_4_q;
  state_t state_q, state_2_q, state_3_q, next_q;
  wire index_t event_index = event_i.session[IndexWidth-1:0];
  wire index_t written_index = event_4_q.session[IndexWidth-1:0];
  wire write = event_4_q.kind != CongestionNone;
  always_ff @(posedge clk_i) begin
    event_1_q <= event_i;
    event_2_q <= event_1_q;
    event_3_q <= event_2_q;
    event_4_q <= event_3_q;
    state_q   <= write & (written_index == event_index) ? next_q : states[event_index];
    if (rst_i) begin
      event_1_q.kind <= CongestionNone;
      event_2_q.kind <= CongestionNone;
      event_3_q.kind <= CongestionNone;
      event_4_q.kind <= CongestionNone;
    end
  end

  // ---- Second and third cycle: what may be added ----

  localparam int unsigned LeastBit = 8;  // of a window, for what is added to it
  localparam int unsigned MostBit = 23;
  logic [27:0] square_q;
  logic [MostBit:LeastBit] leading, leading_q;  // bit of the window
  logic slow_start_q;
  logic [13:0] slow_q;
  typedef struct packed {
    logic [31:0] grown;     // window + as much as an acknowledgement adds
    logic [31:0] halved;    // threshold of a loss
    logic [31:0] lost;      // ... and window
    logic [31:0] deflated;  // window - acknowledged
    logic [31:0] dup;       // window + a segment
  } sums_t;
  sums_t sums_q;
  wire   slow_start = state_q.window < state_q.threshold;
  always_comb begin
    leading = '0;
    for (int unsigned b = LeastBit; b <= MostBit; b++) begin
      if (state_q.window[b]) begin
        leading = '0;
        leading[b] = 1'b1;
      end
    end
  end
  // RFC 5681, 3.1: a segment a round trip; by shifts, a little less than mss * mss / window, but
  // not nothing.
  logic [31:0] avoidance;
  always_comb begin
    avoidance = 32'd1;
    for (int unsigned b = LeastBit; b <= MostBit; b++) begin
      if (leading_q[b]) avoidance |= 32'(square_q >> (b + 1));
    end
  end
  logic [31:0] halved_q;  // RFC 5681, 3.1, equation 4
  logic [15:0] three_q;
  wire  [31:0] mss = 32'(event_1_q.mss);
  wire  [31:0] half = event_1_q.flight >> 1;
  always_ff @(posedge clk_i) begin
    square_q <= 28'(event_1_q.mss) * 28'(event_1_q.mss);
    leading_q <= leading;
    slow_start_q <= slow_start;
    slow_q <= event_1_q.acked < mss ? event_1_q.acked[13:0] : event_1_q.mss;
    halved_q <= half < (mss << 1) ? mss << 1 : half;
    three_q <= 16'(event_1_q.mss) + 16'({event_1_q.mss, 1'b0});
    state_2_q <= state_q;
    state_3_q <= state_2_q;
    sums_q <= '{
        grown: state_2_q.window + (slow_start_q ? 32'(slow_q) : avoidance),
        halved: halved_q,
        lost: event_2_q.selective ? halved_q : halved_q + 32'(three_q),
        deflated: state_2_q.window - event_2_q.acked,
        dup: state_2_q.window + 32'(event_2_q.mss)
    };
  end

  // ---- Fourth cycle: the new window ----

  wire [31:0] mss_3 = 32'(event_3_q.mss);
  state_t next;
  always_comb begin
    next = state_3_q;
    unique case (event_3_q.kind)
      CongestionOpened: next = '{window: (mss_3 << 3) + (mss_3 << 1), threshold: '1};  // RFC 6928
      CongestionAcked: if (sums_q.grown < 32'(MaxWindow)) next.window = sums_q.grown;
      CongestionLost: begin
        next.threshold = sums_q.halved;
        next.window = sums_q.lost;
      end
      CongestionDupAck: if (~event_3_q.selective) next.window = sums_q.dup;
      CongestionPartial:
      if (~event_3_q.selective) begin
        next.window = (sums_q.deflated[31] ? '0 : sums_q.deflated) + mss_3;
      end
      CongestionRecovered: next.window = state_3_q.threshold;
      CongestionTimeout: begin
        next.threshold = sums_q.halved;
        next.window = mss_3;
      end
      default: ;
    endcase
  end
  always_ff @(posedge clk_i) next_q <= next;

  // ---- Fifth cycle: write ----

  always_ff @(posedge clk_i) begin
    if (write) begin
      states[written_index]  <= next_q;
      windows[written_index] <= next_q.window;
    end
  end

endmodule

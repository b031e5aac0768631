// SPDX-License-Identifier: Apache-2.0
// Congestion control by NewReno (RFC 5681, RFC 6582; RFC 6675 with SACK): keeps the window of every session and
// tells how many bytes of each may be on their way.
//
// Events come one per cycle, those of a session at least four cycles apart; their effect on
// window_o shows five cycles later.
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

  congestion_event_t event_1_q, event_2_q, event_3_q;
  state_t state_q, state_2_q, next_q;
  always_ff @(posedge clk_i) begin
    event_1_q <= event_i;
    event_2_q <= event_1_q;
    event_3_q <= event_2_q;
    state_q   <= states[event_i.session[IndexWidth-1:0]];
    if (rst_i) begin
      event_1_q.kind <= CongestionNone;
      event_2_q.kind <= CongestionNone;
      event_3_q.kind <= CongestionNone;
    end
  end

  // ---- Second cycle: what may be added ----

  typedef struct packed {
    logic [31:0] grown;     // window + as much as an acknowledgement adds
    logic [31:0] half;      // of what is on its way
    logic [31:0] deflated;  // window - acknowledged
    logic [31:0] dup;       // window + a segment
  } sums_t;
  sums_t sums_q;
  wire [31:0] mss = 32'(event_1_q.mss);
  wire slow_start = state_q.window < state_q.threshold;
  // RFC 5681, 3.1: a segment a round trip; by shifts, a little less than mss * mss / window.
  logic [31:0] avoidance;
  always_comb begin
    avoidance = 32'd1;
    for (int unsigned b = 8; b < 24; b++) begin
      if (state_q.window[b]) avoidance = (mss * mss) >> (b + 1);
    end
  end
  wire [31:0] slow = event_1_q.acked < mss ? event_1_q.acked : mss;
  always_ff @(posedge clk_i) begin
    state_2_q <= state_q;
    sums_q <= '{
        grown: state_q.window + (slow_start ? slow : (avoidance == '0 ? 32'd1 : avoidance)),
        half: event_1_q.flight >> 1,
        deflated: state_q.window - event_1_q.acked,
        dup: state_q.window + mss
    };
  end

  // ---- Third cycle: the new window ----

  wire [31:0] mss_2 = 32'(event_2_q.mss);
  wire [31:0] threshold = sums_q.half < (mss_2 << 1) ? mss_2 << 1 : sums_q.half;
  state_t next;
  always_comb begin
    next = state_2_q;
    unique case (event_2_q.kind)
      CongestionOpened: next = '{window: (mss_2 << 3) + (mss_2 << 1), threshold: '1};  // RFC 6928
      CongestionAcked: if (sums_q.grown < 32'(MaxWindow)) next.window = sums_q.grown;
      CongestionLost: begin
        next.threshold = threshold;
        next.window = event_2_q.selective ? threshold : threshold + mss_2 + (mss_2 << 1);
      end
      CongestionDupAck: if (~event_2_q.selective) next.window = sums_q.dup;
      CongestionPartial:
      if (~event_2_q.selective) begin
        next.window = (sums_q.deflated[31] ? '0 : sums_q.deflated) + mss_2;
      end
      CongestionRecovered: next.window = state_2_q.threshold;
      CongestionTimeout: begin
        next.threshold = threshold;
        next.window = mss_2;
      end
      default: ;
    endcase
  end
  always_ff @(posedge clk_i) next_q <= next;

  // ---- Fourth cycle: write ----

  always_ff @(posedge clk_i) begin
    if (event_3_q.kind != CongestionNone) begin
      states[event_3_q.session[IndexWidth-1:0]]  <= next_q;
      windows[event_3_q.session[IndexWidth-1:0]] <= next_q.window;
    end
  end

endmodule

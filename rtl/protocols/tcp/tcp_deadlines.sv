// SPDX-License-Identifier: Apache-2.0
// Deadlines of the timers that an event has set for a session (RFC 6298, 2.5 and 5.5).
//
// Latency: 3 cycles, for setting and clearing alike. Throughput: one event per cycle.
module tcp_deadlines
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned DelayAckUs = 1000,
    parameter int unsigned TimeWaitUs = 1000000,
    parameter int unsigned FinWaitUs = 60000000,
    parameter int unsigned KeepaliveS = 0,  // time before the first probe; 0: no keepalive
    parameter int unsigned KeepaliveProbeS = 75  // time between probes
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

    input logic            set_i,
    input logic            clear_i,
    input logic            set_delay_i,
    input logic            clear_delay_i,
    input session_t        session_i,
    input state_e          state_i,        // state after the event
    input timer_e          timer_i,
    input logic     [ 3:0] backoff_i,
    input logic     [ 3:0] tries_i,
    input logic     [25:0] timeout_us_i,
    // End of the user timeout, if there is one, in 65,536 us: no timeout is later (RFC 9293, 3.8.3)
    input logic     [15:0] last_i,
    input logic            has_last_i,

    // One cycle later: the event has measured a round trip, which cancels the backoff.
    input logic        sampled_i,
    input logic [25:0] sampled_us_i,

    output timer_orders_t orders_o,
    output logic          busy_o
);

  localparam int unsigned InitialUs = 1000000;  // RFC 6298, 2.1
  localparam int unsigned MostUs = 60000000;  // RFC 6298, 2.5
  localparam bit Keepalive = KeepaliveS != 0;
  localparam int unsigned KeepaliveUs = KeepaliveS / KeepaliveWaits * 1000000 +
      KeepaliveS % KeepaliveWaits * 1000000 / KeepaliveWaits;
  localparam int unsigned ProbeUs = KeepaliveProbeS * 1000000;

  if (DelayAckUs < 1 || DelayAckUs >= 500000) begin : gen_bad_delay
    $error("tcp_deadlines: DelayAckUs must be 1 to 499999 (RFC 9293, 3.8.6.3)");
  end
  if (KeepaliveS > 14000) begin : gen_bad_keepalive
    $error("tcp_deadlines: KeepaliveS must be 0 to 14000");
  end
  if (KeepaliveProbeS < 1 || KeepaliveProbeS > 2000) begin : gen_bad_probe
    $error("tcp_deadlines: KeepaliveProbeS must be 1 to 2000");
  end
  if (TimeWaitUs < 1 || TimeWaitUs > 240000000) begin : gen_bad_time_wait
    $error("tcp_deadlines: TimeWaitUs must be 1 to 240000000");
  end

  if (FinWaitUs > 240000000) begin : gen_bad_fin_wait
    $error("tcp_deadlines: FinWaitUs must be 0 to 240000000");
  end

  typedef struct packed {
    logic set;
    logic clear;
    logic set_delay;
    logic clear_delay;
  } orders_t;
  orders_t orders_1_q, orders_2_q, orders_3_q;
  session_t session_1_q, session_2_q;
  logic time_wait_1_q, time_wait_2_q;  // TIME-WAIT
  logic fin_wait_1_q, fin_wait_2_q;  // FIN-WAIT-2
  logic has_last_1_q, has_last_2_q;
  logic [15:0] last_1_q, last_2_q;
  logic [31:0] left_us_q;
  logic keepalive_1_q, keepalive_2_q, probes_1_q, probes_2_q;  // keepalive: first probe; next probe
  logic [37:0] backed_off_q;
  logic [27:0] us_q;

  // During a handshake, the stored round-trip time is that of a previous session.
  wire handshakes = state_i inside {SynSent, SynReceived};
  wire too_long = |backed_off_q[37:26] | (backed_off_q[25:0] > 26'(MostUs));

  logic [31:0] us;
  always_comb begin
    us = 32'(us_q);
    if (time_wait_2_q) us = fin_wait_2_q ? 32'(FinWaitUs) : 32'(TimeWaitUs);
    if (keepalive_2_q) us = probes_2_q ? 32'(ProbeUs) : 32'(KeepaliveUs);
  end

  always_ff @(posedge clk_i) begin
    orders_1_q <= rst_i ? '0 : '{set_i, clear_i, set_delay_i, clear_delay_i};
    orders_2_q <= rst_i ? '0 : orders_1_q;
    orders_3_q <= rst_i ? '0 : orders_2_q;
    session_1_q <= session_i;
    session_2_q <= session_1_q;
    orders_o.session <= session_2_q;
    time_wait_1_q <= timer_i == TimerTimeWait;
    time_wait_2_q <= time_wait_1_q;
    fin_wait_1_q <= state_i == FinWait2;
    fin_wait_2_q <= fin_wait_1_q;
    last_1_q <= last_i;
    last_2_q <= last_1_q;
    has_last_1_q <= has_last_i & ~handshakes & (timer_i inside {TimerRetransmit, TimerPersist});
    has_last_2_q <= has_last_1_q;
    left_us_q <= {last_1_q, 16'b0} - time_us_i;
    keepalive_1_q <= Keepalive & (timer_i == TimerKeepalive);
    keepalive_2_q <= keepalive_1_q;
    probes_1_q <= tries_i >= 4'(KeepaliveWaits);
    probes_2_q <= probes_1_q;
    backed_off_q <= 38'(handshakes ? 26'(InitialUs) : timeout_us_i) << backoff_i;
    us_q <= sampled_i ? 28'(sampled_us_i) : too_long ? 28'(MostUs) : 28'(backed_off_q[25:0]);
    orders_o.deadline <= has_last_2_q & (32'(us_q) > left_us_q) ? {last_2_q, 16'b0} :
        time_us_i + us;
    orders_o.delay_deadline <= time_us_i + 32'(DelayAckUs);
  end
  assign orders_o.set = orders_3_q.set;
  assign orders_o.clear = orders_3_q.clear;
  assign orders_o.set_delay = orders_3_q.set_delay;
  assign orders_o.clear_delay = orders_3_q.clear_delay;
  assign busy_o = (orders_1_q != '0) | (orders_2_q != '0) | (orders_3_q != '0);

endmodule

// SPDX-License-Identifier: Apache-2.0
// tcp_timers: all its signals are control and status, since an expiry may be withdrawn.
`include "bench.svh"

module bench
  import tcp_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned NumClasses  = 2
) (
    `BENCH_PORTS(1, 8, 1, 8, 32 + $bits(session_t) + 34 * NumClasses + 1, $bits(session_t) + 10)
);

  `BENCH_SHAPE

  logic [31:0] time_us;
  session_t session, expired;
  logic [NumClasses-1:0] set, clear;
  logic [NumClasses-1:0][31:0] deadline;
  logic valid, ready, armed;
  logic [(NumClasses > 1 ? $clog2(NumClasses) : 1)-1:0] expired_class;

  assign {ready, deadline, clear, set, session, time_us} = control_i;
  assign status_o = {armed, valid, 8'(expired_class), expired};
  assign in_ready_o = '1;
  assign out_valid_o = '0;
  assign out_o = '0;
  assign event_o = '0;

  tcp_timers #(
      .NumSessions(NumSessions),
      .NumClasses (NumClasses)
  ) u_timers (
      .clk_i,
      .rst_i,
      .time_us_i(time_us),
      .session_i(session),
      .set_i(set),
      .clear_i(clear),
      .deadline_i(deadline),
      .expired_o(expired),
      .expired_class_o(expired_class),
      .expired_valid_o(valid),
      .expired_ready_i(ready),
      .armed_o(armed)
  );

endmodule

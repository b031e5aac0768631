// SPDX-License-Identifier: Apache-2.0
// tcp_transmit_queue. Streams in: sessions added at the first place, and at the second. Out: sessions
// that leave.
`include "bench.svh"

module bench #(
    parameter int unsigned NumSessions = 16
) (
    `BENCH_PORTS(2, 16, 1, 16, 1, 1)
);

  `BENCH_SHAPE

  localparam int unsigned IndexWidth = $clog2(NumSessions);
  logic [IndexWidth-1:0] session;
  tcp_transmit_queue #(
      .NumSessions(NumSessions)
  ) u_queue (
      .clk_i,
      .rst_i,
      .first_i(in_i[0][IndexWidth-1:0]),
      .first_valid_i(in_valid_i[0]),
      .second_i(in_i[1][IndexWidth-1:0]),
      .second_valid_i(in_valid_i[1]),
      .second_ready_o(in_ready_o[1]),
      .out_o(session),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0])
  );
  assign in_ready_o[0] = 1'b1;
  assign out_o[0] = 16'(session);
  assign event_o = '0;
  assign status_o = '0;

endmodule

// SPDX-License-Identifier: Apache-2.0
// tcp_transmit_queue. Streams in: sessions added at the first input, and at the second. Out:
// sessions that leave. Both inputs are delayed by a cycle, since the queue needs the first one
// ahead of time.
`include "bench.svh"

module bench #(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned LutDepth = 1024
) (
    `BENCH_PORTS(2, 16, 1, 16, 1, 1)
);

  `BENCH_SHAPE

  localparam int unsigned IndexWidth = $clog2(NumSessions);
  logic [IndexWidth-1:0] session, first_q, second;
  logic first_valid_q, second_valid, second_ready, unused_body;
  always_ff @(posedge clk_i) begin
    first_q <= in_i[0][IndexWidth-1:0];
    first_valid_q <= in_valid_i[0] & ~rst_i;
  end
  head_fifo #(
      .head_t(logic [IndexWidth-1:0]),
      .body_t(logic),
      .Depth (4)
  ) u_second (
      .clk_i,
      .rst_i,
      .in_head_i  (in_i[1][IndexWidth-1:0]),
      .in_body_i  (1'b0),
      .in_valid_i (in_valid_i[1]),
      .in_ready_o (in_ready_o[1]),
      .out_head_o (second),
      .out_body_o (unused_body),
      .out_valid_o(second_valid),
      .out_ready_i(second_ready)
  );
  tcp_transmit_queue #(
      .NumSessions(NumSessions),
      .LutDepth(LutDepth)
  ) u_queue (
      .clk_i,
      .rst_i,
      .first_next_i(in_i[0][IndexWidth-1:0]),
      .first_i(first_q),
      .first_valid_i(first_valid_q),
      .second_i(second),
      .second_valid_i(second_valid),
      .second_ready_o(second_ready),
      .out_o(session),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .busy_o(status_o[0])
  );
  assign in_ready_o[0] = 1'b1;
  assign out_o[0] = 16'(session);
  assign event_o = '0;
  assign status_o[$bits(status_o)-1:1] = '0;

endmodule

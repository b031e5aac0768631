// SPDX-License-Identifier: Apache-2.0
// tcp_listening, and tcp_connect with a table simulated by the test.
//
// Control: the port to look up. Streams in: ports to listen on (bit 16: stop listening); requested
// connections (tcp_request_meta_t); responses of the table (made, hit). Streams out: look-ups in
// the table (port of the application, tuple); connections without a session (port of the
// application; above the tuple: whether its port is in use). Status: whether the port of the
// previous cycle is open, busy_o of tcp_connect. Event: a connection was lost.
`include "bench.svh"

module bench
  import tcp_pkg::*;
#(
    parameter int unsigned NumSessions = 16
) (
    `BENCH_PORTS(3, $bits(tcp_request_meta_t), 2, $bits(tuple_t) + 17, 16, 2)
);

  `BENCH_SHAPE

  tcp_listening u_listening (
      .clk_i,
      .rst_i,
      .listen_i(in_valid_i[0]),
      .listen_open_i(~in_i[0][16]),
      .listen_port_i(in_i[0][15:0]),
      .ready_o(in_ready_o[0]),
      .port_i(control_i),
      .open_o(status_o[0])
  );

  tcp_request_meta_t request;
  tuple_t tuple;
  logic [15:0] port;
  logic hit, made, in_use, pending_q;
  logic hash_valid, hash_done_q;
  always_ff @(posedge clk_i) hash_done_q <= hash_valid;
  assign request = in_i[1][$bits(tcp_request_meta_t)-1:0];
  assign in_ready_o[1] = 1'b1;
  assign out_o[0] = $bits(out_o[0])'({port, tuple});
  assign out_o[1] = $bits(out_o[0])'({in_use, port, tuple});
  assign {made, hit} = in_i[2][1:0];
  // One response per look-up, after it.
  assign in_ready_o[2] = pending_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) pending_q <= 1'b0;
    else if (out_valid_o[0] & out_ready_i[0]) pending_q <= 1'b1;
    else if (in_valid_i[2]) pending_q <= 1'b0;
  end
  tcp_connect #(
      .NumSessions(NumSessions),
      .NumMacPorts(3)
  ) u_connect (
      .clk_i,
      .rst_i,
      .start_i(1'b1),
      .request_i(request),
      .request_valid_i(in_valid_i[1]),
      .lost_o(event_o[0]),
      .hash_valid_o(hash_valid),
      .hash_done_i(hash_done_q & hash_valid),
      .hash_i(tuple.ip[13:0] ^ tuple.peer_port[13:0]),
      .tuple_o(tuple),
      .port_o(port),
      .valid_o(out_valid_o[0]),
      .taken_i(out_ready_i[0]),
      .done_i(pending_q & in_valid_i[2]),
      .hit_i(hit),
      .made_i(made),
      .missed_o(out_valid_o[1]),
      .in_use_o(in_use),
      .missed_ready_i(out_ready_i[1]),
      .busy_o(status_o[1])
  );
  assign event_o[63:1] = '0;

endmodule

// SPDX-License-Identifier: Apache-2.0
// tcp_sessions. Item in: operation, tuple, session; read_session is control. Item out: the
// response. Status: free sessions, tuple of the session being read.
`include "bench.svh"

module bench
  import bombus_pkg::*;
  import tcp_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned NumMacPorts = 1
) (
    `BENCH_PORTS(1, $bits(session_op_e) + $bits(tuple_t) + $bits(session_t), 1, 2 + $bits(session_t
                 ), 96 + $bits(session_t), 16 + $bits(tuple_t))
);

  `BENCH_SHAPE

  localparam int unsigned ItemBits = $bits(session_op_e) + $bits(tuple_t) + $bits(session_t);
  logic [1:0] op;
  tuple_t tuple, read_tuple;
  session_t session, read_session, answer_session;
  logic [95:0] seed;
  logic [$clog2(NumSessions):0] free;
  logic hit, is_new;

  assign {op, tuple, session} = in_i[0][ItemBits-1:0];
  assign {seed, read_session} = control_i;
  assign status_o = {16'(free), read_tuple};
  assign out_o[0] = ($bits(out_o[0]))'({hit, is_new, answer_session});
  assign event_o = '0;

  tcp_sessions #(
      .NumSessions(NumSessions),
      .NumMacPorts(NumMacPorts)
  ) u_sessions (
      .clk_i,
      .rst_i,
      .seed_i(seed),
      .valid_i(in_valid_i[0]),
      .ready_o(in_ready_o[0]),
      .op_i(session_op_e'(op)),
      .tuple_i(tuple),
      .session_i(session),
      .done_o(out_valid_o[0]),
      .hit_o(hit),
      .new_o(is_new),
      .session_o(answer_session),
      .read_session_i(read_session),
      .read_tuple_o(read_tuple),
      .free_o(free)
  );

endmodule

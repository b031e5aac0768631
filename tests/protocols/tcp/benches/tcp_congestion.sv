// SPDX-License-Identifier: Apache-2.0
// The congestion window of sessions.
//
// Control: microseconds that pass in a cycle. Stream in: events of a session (kind, late,
// selective, segment size, bytes acknowledged and in flight, session). Stream out, as soon as the
// next event of the session may begin: its window before and after. Status: time.
`include "bench.svh"

module bench
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned MaxWindow = 2097152,
    parameter bit Cubic = 0,
    localparam int unsigned ItemBits = 112
) (
    `BENCH_PORTS(1, ItemBits, 1, ItemBits, 16, 32)
);

  `BENCH_SHAPE

  localparam int unsigned IndexWidth = $clog2(NumSessions);

  timebase u_timebase (
      .clk_i,
      .rst_i,
      .tick_us_i(control_i),
      .time_us_o(status_o)
  );

  typedef struct packed {
    logic        repairs;
    logic [3:0]  session;
    logic [31:0] flight;
    logic [31:0] acked;
    logic [13:0] mss;
    logic        selective;
    logic        late;
    logic [3:0]  kind;
  } item_t;
  item_t item_q;
  logic [5:0] cycle_q;  // one-hot, except for the first
  wire item_t item = $bits(item_t)'(in_i[0]);
  logic [31:0] window, before_q;
  assign in_ready_o[0] = cycle_q == '0;

  tcb_t block;
  congestion_event_t happens;
  always_comb begin
    block = '0;
    block.una = 32'hFFFF_F000;
    block.max = 32'hFFFF_F000 + item_q.flight;
    block.mss = item_q.mss;
    happens = '0;
    if (cycle_q[2]) begin
      happens = '{
          kind: congestion_e'(item_q.kind),
          late: item_q.late,
          repairs: item_q.repairs,
          mss: item_q.mss,
          selective: item_q.selective
      };
    end
  end
  logic [IndexWidth-1:0] session_q;
  wire  [IndexWidth-1:0] index = IndexWidth'(in_ready_o[0] ? item.session : item_q.session);
  always_ff @(posedge clk_i) begin
    cycle_q <= {cycle_q[4:0], in_valid_i[0] & in_ready_o[0]};
    if (in_ready_o[0]) item_q <= item;
    if (cycle_q[0]) before_q <= window;
    session_q <= item_q.session[IndexWidth-1:0];
    if (rst_i) cycle_q <= '0;
  end

  tcp_congestion #(
      .NumSessions(NumSessions),
      .MaxWindow(MaxWindow),
      .Cubic(Cubic)
  ) u_congestion (
      .clk_i,
      .rst_i,
      .time_us_i(status_o),
      .index_i  (index),
      .follows_i(index == session_q),
      .block_i  (block),
      .window_o (window),
      .acked_2_i(item_q.acked),
      .index_3_i(item_q.session[IndexWidth-1:0]),
      .event_i  (happens)
  );

  assign out_valid_o[0] = cycle_q[4];
  assign out_o[0] = $bits(out_o[0])'({window, before_q});
  assign event_o = '0;

endmodule

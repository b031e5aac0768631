// SPDX-License-Identifier: Apache-2.0
// acl. In: beats; rules, each with its number above, bit 255: a write of control instead, with the
// default in bit 0 and commit in bit 1; numbers of counters to read; reports of flows. Out: beats; values of counters. Control:
// the time, then the secret. Events: drops, then events, then bit 8: filling. Status: it fills;
// addresses must not change.
`include "bombus_types.svh"
`include "bench.svh"

module bench #(
    parameter  int unsigned DataWidth   = 512,
    parameter  int unsigned NumRules    = 512,
    parameter  bit          Marks       = 0,
    parameter  bit          Established = 0,
    parameter  int unsigned NumFlows    = 64,
    localparam int unsigned BeatBits    = bench_pkg::beat_bits(DataWidth)
) (
    `BENCH_PORTS(4, BeatBits > 272 ? BeatBits : 272, 2, BeatBits, 80, 2)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)

  typedef struct packed {
    struct packed {logic [47:0] bits;} secret;
    struct packed {
      logic default_allow;
      logic commit;
    } control;
  } regs_t;
  typedef struct packed {
    struct packed {
      logic established;
      logic filling;
    } control;
  } status_t;
  typedef struct packed {logic [63:0] packets;} counter_t;

  regs_t regs;
  assign regs.secret.bits = control_i[79:32];
  beat_t flow;
  always_comb begin
    flow = '0;
    flow.last = 1'b1;
    flow.meta = $bits(flow.meta)'(in_i[3]);
  end
  status_t status;
  // Both fields change in one cycle, as those of a register do.
  wire is_control = in_valid_i[1] & in_i[1][255];
  always_ff @(posedge clk_i) begin
    regs.control.commit <= is_control & in_i[1][1] & ~rst_i;
    if (rst_i) regs.control.default_allow <= 1'b1;
    else if (is_control) regs.control.default_allow <= in_i[1][0];
  end

  logic rule_done;
  assign in_ready_o[1] = is_control | rule_done;
  counter_t counter;
  assign out_valid_o[1] = in_valid_i[2] & in_ready_o[2];  // its sink is always ready
  assign out_o[1] = BeatBits'(counter.packets);
  logic [2:0] drops;
  logic [4:0] events;
  logic busy, waits;
  bombus_pkg::message_number_t [2:0] drop_message;
  acl #(
      .beat_t(beat_t),
      .regs_t(regs_t),
      .status_t(status_t),
      .rule_t(acl_pkg::rule_t),
      .counter_t(counter_t),
      .NumRules(NumRules),
      .Marks(Marks),
      .Established(Established),
      .NumFlows(NumFlows)
  ) u_acl (
      .clk_i,
      .rst_i,
      .time_us_i(control_i[31:0]),
      .regs_i(regs),
      .status_o(status),
      .in_i(in_i[0][BeatBits-1:0]),
      .in_valid_i(in_valid_i[0]),
      .in_ready_o(in_ready_o[0]),
      .out_o(out_o[0][BeatBits-1:0]),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .flow_i(flow),
      .flow_valid_i(in_valid_i[3]),
      .flow_ready_o(in_ready_o[3]),
      .rule_request_i(in_valid_i[1] & ~is_control),
      .rule_write_i(1'b1),
      .rule_index_i(in_i[1][256+:$clog2(NumRules)]),
      .rule_wdata_i(acl_pkg::rule_t'(in_i[1][$bits(acl_pkg::rule_t)-1:0])),
      .rule_done_o(rule_done),
      .counter_request_i(in_valid_i[2]),
      .counter_write_i(1'b0),
      .counter_index_i(in_i[2][$clog2(NumRules)-1:0]),
      .counter_wdata_i('0),
      .counter_rdata_o(counter),
      .counter_done_o(in_ready_o[2]),
      .drop_o(drops),
      .drop_message_o(drop_message),
      .event_o(events),
      .busy_o(busy),
      .waits_o(waits)
  );
  assign event_o  = 64'({status.control.filling, events, drops});
  assign status_o = {busy & ~waits, status.control.filling};

endmodule

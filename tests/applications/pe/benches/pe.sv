// SPDX-License-Identifier: Apache-2.0
// pe. In: the inputs of one cycle. Out: its outputs in the next one.
// Control: an argument. Status: the arguments that the kernel has.
`include "bench.svh"

module bench #(
    parameter int unsigned NumArguments = 2
) (
    `BENCH_PORTS(1, 16, 1, 32, 64, 128)
);

  `BENCH_SHAPE

  typedef struct packed {
    logic [7:0] result;
    logic zero;
    logic stop;
    logic source_enable;
    logic global_enable;
    logic read;
    logic acknowledge;
    logic done;
    logic start;
  } inputs_t;
  inputs_t now;
  assign now = in_valid_i[0] ? inputs_t'(in_i[0]) : '0;

  typedef struct packed {
    struct packed {
      logic stop;
      logic start;
    } control;
    struct packed {logic enable;} global_interrupt;
    struct packed {logic done;} interrupt_enable;
    struct packed {struct packed {logic [63:0] bits;} value;} [NumArguments-1:0] argument;
  } regs_t;
  typedef struct packed {
    struct packed {logic idle;} control;
    struct packed {logic [63:0] bits;} result;
    struct packed {logic [63:0] count;} cycles;
  } status_t;
  typedef struct packed {logic done;} pending_t;

  regs_t   regs;
  status_t status;
  always_comb begin
    regs = '0;
    regs.control.start = now.start;
    regs.control.stop = now.stop;
    regs.global_interrupt.enable = now.global_enable;
    regs.interrupt_enable.done = now.source_enable;
    for (int unsigned n = 0; n < NumArguments; n++) begin
      regs.argument[n].value.bits = control_i + 64'(n);
    end
  end

  pending_t pending;
  logic pending_done, start, stop, interrupt, busy, timer, valid_q;
  logic [2:0] events;
  logic [NumArguments-1:0][63:0] arguments;
  pe #(
      .regs_t(regs_t),
      .status_t(status_t),
      .pending_t(pending_t),
      .NumArguments(NumArguments)
  ) u_pe (
      .clk_i,
      .rst_i,
      .regs_i(regs),
      .status_o(status),
      .pending_request_i(now.acknowledge | now.read),
      .pending_write_i(now.acknowledge),
      .pending_wdata_i(~now.zero),
      .pending_rdata_o(pending),
      .pending_done_o(pending_done),
      .kernel_start_o(start),
      .kernel_arguments_o(arguments),
      .kernel_done_i(now.done),
      .kernel_result_i(64'(now.result)),
      .kernel_stop_o(stop),
      .interrupt_o(interrupt),
      .event_o(events),
      .busy_o(busy),
      .timer_o(timer)
  );

  always_ff @(posedge clk_i) valid_q <= in_valid_i[0] & ~rst_i[0];
  assign in_ready_o = '1;
  assign out_valid_o = valid_q;
  assign out_o[0] = {
    8'(status.cycles.count),
    8'(status.result.bits),
    5'b0,
    timer,
    stop,
    events,
    busy,
    pending_done,
    interrupt,
    pending.done,
    status.control.idle,
    start
  };
  assign event_o = 64'(events);
  assign status_o = 128'(arguments);
  wire unused = ^{out_ready_i, status};

endmodule

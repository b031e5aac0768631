// SPDX-License-Identifier: Apache-2.0
// Processing element: the control interface of a kernel, with the registers of TaPaSCo's (pe.rdl):
// start, interrupts, the returned value and arguments. The kernel is a layer of the same tile,
// which Bombus joins by the ports kernel_*:
//
// - kernel_start_o is high for one cycle. The arguments are those of the registers, at all times;
//   a kernel that needs them unchanged copies them with the start.
// - The kernel reports its end by one cycle of kernel_done_i, at the earliest in the cycle after
//   the start, with kernel_result_i. An end without a start is ignored.
// - kernel_stop_o is high from a stop by software to the end. The kernel then ends early, where it
//   leaves no message and no burst unfinished. Such an end sets neither `pending` nor `result`. A
//   kernel without kernel_stop_i runs to its own end.
// - A kernel that works without messages holds its own busy_o while it runs. One that waits for
//   messages does not; either does while kernel_stop_i is high.
//
// The register `cycles` counts clock cycles. timer_o is high during a run, so a simulator skips
// none of them.
//
// interrupt_o is high while the end of a run is not acknowledged and both enables are set. It may
// stay open; software then reads `pending`.
//
// Latency: 1 cycle from the register to the kernel's start, and from its end to interrupt_o.
`include "bombus_assert.svh"

module pe #(
    parameter type regs_t = logic,
    parameter type status_t = logic,
    parameter type pending_t = logic,
    parameter int unsigned NumArguments = 4  // of 64 bits
) (
    input logic clk_i,
    input logic rst_i,

    input  regs_t    regs_i,
    output status_t  status_o,
    input  logic     pending_request_i,  // a read is held until pending_done_o
    input  logic     pending_write_i,
    input  pending_t pending_wdata_i,
    output pending_t pending_rdata_o,
    output logic     pending_done_o,

    output logic kernel_start_o,
    output logic [NumArguments-1:0][63:0] kernel_arguments_o,
    input logic kernel_done_i,
    input logic [63:0] kernel_result_i,
    output logic kernel_stop_o,

    output logic interrupt_o,

    output logic [2:0] event_o,
    output logic       busy_o,
    output logic       timer_o
);

  localparam string Entry = "";  // not reachable from the mesh
  localparam string Status = "kernel";
  localparam string Leads = "kernel";
  localparam string MayStayOpen = "interrupt kernel_stop";
  typedef enum int unsigned {
    EventDone,
    EventRefused,  // a start while the kernel runs
    EventStopped,
    NumEvents
  } event_e;

  if (NumArguments < 1 || NumArguments > 64) begin : gen_bad_arguments
    $error("pe: NumArguments must be 1 to 64");
  end

  logic running_q, pending_q;
  logic [63:0] result_q, cycles_q;
  wire start = regs_i.control.start & ~running_q;
  wire ends = kernel_done_i & running_q & ~kernel_start_o;
  wire done = ends & ~kernel_stop_o;
  wire acknowledge = pending_request_i & pending_write_i & pending_wdata_i.done;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      kernel_start_o <= 1'b0;
      kernel_stop_o <= 1'b0;
      running_q <= 1'b0;
      pending_q <= 1'b0;
      pending_done_o <= 1'b0;
      interrupt_o <= 1'b0;
      result_q <= '0;
      cycles_q <= '0;
      event_o <= '0;
    end else begin
      kernel_start_o <= start;
      kernel_stop_o <= running_q & ~ends & (kernel_stop_o | regs_i.control.stop);
      running_q <= start | (running_q & ~ends);
      // An end in the cycle of an acknowledgement stays pending.
      pending_q <= done | (pending_q & ~acknowledge);
      pending_done_o <= pending_request_i & ~pending_write_i & ~pending_done_o;
      interrupt_o <= (done | (pending_q & ~acknowledge)) & regs_i.global_interrupt.enable &
          regs_i.interrupt_enable.done;
      if (done) result_q <= kernel_result_i;
      if (start) cycles_q <= '0;
      else if (running_q) cycles_q <= cycles_q + 1'b1;
      event_o[EventDone] <= done;
      event_o[EventRefused] <= regs_i.control.start & running_q;
      event_o[EventStopped] <= ends & kernel_stop_o;
    end
  end

  always_comb begin
    for (int unsigned n = 0; n < NumArguments; n++) begin
      kernel_arguments_o[n] = regs_i.argument[n].value.bits;
    end
  end
  // A read that follows the write of a start sees that the kernel runs.
  assign status_o.control.idle = ~running_q & ~regs_i.control.start;
  assign status_o.result.bits = result_q;
  assign status_o.cycles.count = cycles_q;
  assign pending_rdata_o.done = pending_q;
  assign busy_o = kernel_start_o | (|event_o);
  assign timer_o = running_q;

  `BOMBUS_ASSERT(StartsOnce, !kernel_start_o || running_q)
  `BOMBUS_ASSERT(StopsARun, !kernel_stop_o || (running_q && !kernel_start_o))

endmodule

// SPDX-License-Identifier: Apache-2.0
// vr_witness. In: beats. Out: beats. Control, from the lowest bit: time in us, locked, the
// commands recover and set_address, group, address; bits 128 to 191: nonce. Status: registers up to
// committed, without pending, lines, busy, timer, cleaned, then pending.
// Events: drops, then events. With External, the log is in a memory (erratic_memory), to which bits
// 92 to 95 of the control apply: hold writes, hold reads, fail writes, fail reads.
`include "bombus_types.svh"
`include "bench.svh"

module bench
  import axi_line_pkg::*;
#(
    parameter int unsigned LogLines = 64,
    parameter int unsigned LogOps = 16,
    parameter int unsigned BufferLines = 32,
    parameter int unsigned FragmentLines = 4,
    parameter int unsigned JoinLines = 16,
    parameter int unsigned RetryUs = 100,
    parameter bit External = 0,
    parameter int unsigned Latency = 20,  // of the memory
    parameter int unsigned Jitter = 60,
    localparam int unsigned DataWidth = 512,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(DataWidth)
) (
    `BENCH_PORTS(1, BeatBits, 1, BeatBits, 192, 240)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)

  typedef struct packed {
    struct packed {logic [63:0] value;} nonce;
    struct packed {
      logic [2:0]  slot;
      logic [15:0] port;
      logic [31:0] ip;
    } address;
    struct packed {
      logic [2:0] replicas;
      logic [2:0] index;
    } group;
    struct packed {
      logic set_address;
      logic recover;
    } command;
    struct packed {logic locked;} control;
  } regs_t;
  typedef struct packed {
    struct packed {logic [31:0] lines;} occupied;
    struct packed {logic [47:0] value;} cleaned;
    struct packed {logic [47:0] value;} committed;
    struct packed {logic [47:0] value;} last;
    struct packed {logic [47:0] value;} view;
    struct packed {
      logic       pending;
      logic [2:0] leader;
      logic [2:0] replicas;
      logic [2:0] index;
      logic [2:0] state;
    } status;
  } status_t;

  regs_t   regs;
  status_t status;
  assign regs.control.locked = control_i[32];
  assign {regs.address, regs.group} = control_i[91:35];
  assign regs.nonce = control_i[191:128];
  // A command is a pulse at the rise of its bit.
  logic [1:0] command_q;
  always_ff @(posedge clk_i) command_q <= control_i[34:33];
  assign regs.command = control_i[34:33] & ~command_q;
  logic [0:0] next;
  logic [5:0] drops;
  logic [8:0] events;
  logic busy, timer;

  // The log is in the second half of what the address reaches.
  localparam int unsigned AddrWidth = $clog2(LogLines) + 7;
  localparam logic [63:0] BaseAddress = 64'(LogLines) * 64;
  axi_request_t  request;
  axi_response_t response;
  logic [AddrWidth-1:0] awaddr, araddr;
  logic [1:0][7:0] lengths;  // 0
  assign request.awaddr = 64'(awaddr);
  assign request.araddr = 64'(araddr);
  if (External) begin : gen_memory
    erratic_memory #(
        .NumLines(LogLines),
        .BaseAddress(BaseAddress),
        .Latency(Latency),
        .Jitter(Jitter),
        .Strict(1)
    ) u_memory (
        .clk_i,
        .rst_i,
        .hold_writes_i(control_i[92]),
        .hold_reads_i(control_i[93]),
        .fail_writes_i(control_i[94]),
        .fail_reads_i(control_i[95]),
        .request_i(request),
        .response_o(response)
    );
  end else begin : gen_no_memory
    assign response = '0;
    wire unused_request = ^request;
  end

  vr_witness #(
      .beat_t(beat_t),
      .regs_t(regs_t),
      .status_t(status_t),
      .DataWidth(DataWidth),
      .LogLines(LogLines),
      .LogOps(LogOps),
      .BufferLines(BufferLines),
      .FragmentLines(FragmentLines),
      .JoinLines(JoinLines),
      .RetryUs(RetryUs),
      .External(External),
      .AddrWidth(AddrWidth),
      .BaseAddress(BaseAddress)
  ) u_witness (
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
      .out_next_o(next),
      .axi_awaddr_o(awaddr),
      .axi_awlen_o(lengths[0]),
      .axi_awvalid_o(request.awvalid),
      .axi_awready_i(response.awready),
      .axi_wdata_o(request.wdata),
      .axi_wstrb_o(request.wstrb),
      .axi_wlast_o(request.wlast),
      .axi_wvalid_o(request.wvalid),
      .axi_wready_i(response.wready),
      .axi_bresp_i(response.bresp),
      .axi_bvalid_i(response.bvalid),
      .axi_bready_o(request.bready),
      .axi_araddr_o(araddr),
      .axi_arlen_o(lengths[1]),
      .axi_arvalid_o(request.arvalid),
      .axi_arready_i(response.arready),
      .axi_rdata_i(response.rdata),
      .axi_rresp_i(response.rresp),
      .axi_rlast_i(response.rlast),
      .axi_rvalid_i(response.rvalid),
      .axi_rready_o(request.rready),
      .drop_o(drops),
      .event_o(events),
      .busy_o(busy),
      .timer_o(timer)
  );
  assign event_o = 64'({events, drops});
  assign status_o = 240'({
    status.status.pending,
    status.cleaned,
    timer,
    busy,
    status.occupied,
    status.committed,
    status.last,
    status.view,
    12'(status.status)
  });
  wire unused = ^{next, lengths};

endmodule

// SPDX-License-Identifier: Apache-2.0
// pe_memory at a memory model. In: read addresses, write addresses and data of the kernel, and
// accesses of software. Out: data and responses for the kernel, and answers for software.
// Events: errors of reads, and of writes; accesses of software that reached their limit.
// Status: busy, and above it the failed accesses. The memory refuses bursts that begin in its last
// 64 bytes.
`include "bench.svh"

module bench
  import axi_memory_pkg::*;
#(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned WindowWords = 16,
    parameter int unsigned AccessCycles = 16384,
    localparam int unsigned DataBytes = DataWidth / 8,
    localparam int unsigned AddrWidth = 16,
    localparam int unsigned InBits = DataWidth + DataBytes + 1 > 64 ? DataWidth + DataBytes + 1 : 64
) (
    `BENCH_PORTS(4, InBits, 3, DataWidth + 3, 1, 33)
);

  `BENCH_SHAPE

  localparam timing_t Own = '{
      read_latency: 9,
      write_latency: 5,
      bandwidth_beats: 2,
      bandwidth_cycles: 1,
      num_banks: 4,
      bank_bytes: 64,
      bank_cycles: 3,
      refresh_interval: 0,
      refresh_cycles: 0
  };

  typedef struct packed {struct packed {logic [31:0] position;} window;} regs_t;
  typedef struct packed {struct packed {logic [31:0] count;} failed;} status_t;
  typedef struct packed {logic [31:0] bits;} word_t;
  typedef struct packed {
    logic [31:0] data;
    logic [15:0] word;
    logic write;
  } access_t;
  access_t given;
  assign given = $bits(access_t)'(in_i[3]);
  regs_t regs;
  assign regs.window.position = 32'(given.word / 16'(WindowWords));

  word_t   answer;
  status_t status;
  logic [AddrWidth-1:0] awaddr, araddr;
  logic [7:0] awlen, arlen;
  logic awvalid, awready, wlast, wvalid, wready, bvalid, bready, arvalid, arready;
  logic rlast, rvalid, rready, kernel_rlast, busy, unused_rid, unused_bid;
  logic [DataWidth-1:0] wdata, rdata, kernel_rdata;
  logic [DataBytes-1:0] wstrb;
  logic [1:0] bresp, rresp, kernel_bresp, kernel_rresp;
  logic [2:0] events;
  pe_memory #(
      .regs_t(regs_t),
      .status_t(status_t),
      .word_t(word_t),
      .DataWidth(DataWidth),
      .AddrWidth(AddrWidth),
      .WindowWords(WindowWords),
      .AccessCycles(AccessCycles)
  ) u_pe_memory (
      .clk_i,
      .rst_i,
      .regs_i(regs),
      .status_o(status),
      .word_request_i(in_valid_i[3]),
      .word_index_i($clog2(WindowWords)'(given.word)),
      .word_write_i(given.write),
      .word_wdata_i(given.data),
      .word_rdata_o(answer),
      .word_done_o(in_ready_o[3]),
      .memory_awaddr_i(in_i[1][AddrWidth-1:0]),
      .memory_awlen_i(in_i[1][AddrWidth+:8]),
      .memory_awvalid_i(in_valid_i[1]),
      .memory_awready_o(in_ready_o[1]),
      .memory_wdata_i(in_i[2][DataWidth-1:0]),
      .memory_wstrb_i(in_i[2][DataWidth+:DataBytes]),
      .memory_wlast_i(in_i[2][DataWidth+DataBytes]),
      .memory_wvalid_i(in_valid_i[2]),
      .memory_wready_o(in_ready_o[2]),
      .memory_bresp_o(kernel_bresp),
      .memory_bvalid_o(out_valid_o[1]),
      .memory_bready_i(out_ready_i[1]),
      .memory_araddr_i(in_i[0][AddrWidth-1:0]),
      .memory_arlen_i(in_i[0][AddrWidth+:8]),
      .memory_arvalid_i(in_valid_i[0]),
      .memory_arready_o(in_ready_o[0]),
      .memory_rdata_o(kernel_rdata),
      .memory_rresp_o(kernel_rresp),
      .memory_rlast_o(kernel_rlast),
      .memory_rvalid_o(out_valid_o[0]),
      .memory_rready_i(out_ready_i[0]),
      .axi_awaddr_o(awaddr),
      .axi_awlen_o(awlen),
      .axi_awvalid_o(awvalid),
      .axi_awready_i(awready),
      .axi_wdata_o(wdata),
      .axi_wstrb_o(wstrb),
      .axi_wlast_o(wlast),
      .axi_wvalid_o(wvalid),
      .axi_wready_i(wready),
      .axi_bresp_i(bresp),
      .axi_bvalid_i(bvalid),
      .axi_bready_o(bready),
      .axi_araddr_o(araddr),
      .axi_arlen_o(arlen),
      .axi_arvalid_o(arvalid),
      .axi_arready_i(arready),
      .axi_rdata_i(rdata),
      .axi_rresp_i(rresp),
      .axi_rlast_i(rlast),
      .axi_rvalid_i(rvalid),
      .axi_rready_o(rready),
      .event_o(events),
      .busy_o(busy)
  );
  assign out_o[0] = {kernel_rlast, kernel_rresp, kernel_rdata};
  assign out_o[1] = $bits(out_o[1])'(kernel_bresp);
  assign out_valid_o[2] = in_valid_i[3] & in_ready_o[3];
  assign out_o[2] = $bits(out_o[2])'(answer);

  function automatic logic [1:0] burst(logic [AddrWidth-1:0] address);
    return address >= 16'hFFC0 ? 2'b00 : 2'b01;
  endfunction
  axi_memory #(
      .DataWidth(DataWidth),
      .AddrWidth(AddrWidth),
      .IdWidth(1),
      .Timing(Own)
  ) u_memory (
      .clk_i,
      .rst_i,
      .axi_awid_i(1'b0),
      .axi_awaddr_i(awaddr),
      .axi_awlen_i(awlen),
      .axi_awsize_i(3'($clog2(DataBytes))),
      .axi_awburst_i(burst(awaddr)),
      .axi_awvalid_i(awvalid),
      .axi_awready_o(awready),
      .axi_wdata_i(wdata),
      .axi_wstrb_i(wstrb),
      .axi_wlast_i(wlast),
      .axi_wvalid_i(wvalid),
      .axi_wready_o(wready),
      .axi_bid_o(unused_bid),
      .axi_bresp_o(bresp),
      .axi_bvalid_o(bvalid),
      .axi_bready_i(bready),
      .axi_arid_i(1'b0),
      .axi_araddr_i(araddr),
      .axi_arlen_i(arlen),
      .axi_arsize_i(3'($clog2(DataBytes))),
      .axi_arburst_i(burst(araddr)),
      .axi_arvalid_i(arvalid),
      .axi_arready_o(arready),
      .axi_rid_o(unused_rid),
      .axi_rdata_o(rdata),
      .axi_rresp_o(rresp),
      .axi_rlast_o(rlast),
      .axi_rvalid_o(rvalid),
      .axi_rready_i(rready)
  );

  assign event_o  = 64'(events);
  assign status_o = {status, busy};
  wire unused = ^{control_i, in_i, out_ready_i[2]};

endmodule

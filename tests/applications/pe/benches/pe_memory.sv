// SPDX-License-Identifier: Apache-2.0
// pe_memory at a memory model, with Dma and a pe_dma before it. In: read addresses, write addresses and
// data of the kernel, accesses of software, and copies. Out: data and responses for the kernel,
// answers for software, and those of copies.
// Events: errors of reads, and of writes; accesses of software that reached their limit; those of
// pe_dma. Status: busy, and above it the failed accesses. The memory refuses bursts that begin in
// its last 64 bytes, and with the control bit those that begin at 0xD000 to 0xD0FF.
`include "bench.svh"

module bench
  import axi_memory_pkg::*;
#(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned WindowWords = 16,
    parameter int unsigned AccessCycles = 16384,
    parameter bit Dma = 0,
    localparam int unsigned DataBytes = DataWidth / 8,
    localparam int unsigned AddrWidth = 16,
    localparam int unsigned InBits = DataWidth + DataBytes + 1 > 64 ? DataWidth + DataBytes + 1 : 64
) (
    `BENCH_PORTS(5, InBits, 4, InBits, 1, 33)
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

  typedef struct packed {
    logic [AddrWidth-1:0] awaddr;
    logic [7:0] awlen;
    logic awvalid;
    logic [DataWidth-1:0] wdata;
    logic [DataBytes-1:0] wstrb;
    logic wlast;
    logic wvalid;
    logic bready;
    logic [AddrWidth-1:0] araddr;
    logic [7:0] arlen;
    logic arvalid;
    logic rready;
  } request_t;
  typedef struct packed {
    logic awready;
    logic wready;
    logic [1:0] bresp;
    logic bvalid;
    logic arready;
    logic [DataWidth-1:0] rdata;
    logic [1:0] rresp;
    logic rlast;
    logic rvalid;
  } response_t;
  request_t kernel, request;
  response_t to_kernel, response;
  assign kernel = '{
          awaddr: in_i[1][AddrWidth-1:0],
          awlen: in_i[1][AddrWidth+:8],
          awvalid: in_valid_i[1],
          wdata: in_i[2][DataWidth-1:0],
          wstrb: in_i[2][DataWidth+:DataBytes],
          wlast: in_i[2][DataWidth+DataBytes],
          wvalid: in_valid_i[2],
          bready: out_ready_i[1],
          araddr: in_i[0][AddrWidth-1:0],
          arlen: in_i[0][AddrWidth+:8],
          arvalid: in_valid_i[0],
          rready: out_ready_i[0]
      };
  assign in_ready_o[2:0] = {to_kernel.wready, to_kernel.awready, to_kernel.arready};
  assign out_valid_o[1:0] = {to_kernel.bvalid, to_kernel.rvalid};
  assign out_o[0] = $bits(out_o[0])'({to_kernel.rlast, to_kernel.rresp, to_kernel.rdata});
  assign out_o[1] = $bits(out_o[1])'(to_kernel.bresp);

  logic [3:0] dma_events;
  logic dma_busy;
  if (Dma) begin : gen_dma
    typedef struct packed {
      logic last;
      logic [DataBytes-1:0] keep;
      logic [DataWidth-1:0] data;
    } beat_t;
    beat_t copy_in, copy_out;
    assign copy_in  = $bits(beat_t)'(in_i[4]);
    assign out_o[3] = $bits(out_o[3])'(copy_out);
    pe_dma #(
        .DataWidth(DataWidth),
        .AddrWidth(AddrWidth)
    ) u_pe_dma (
        .clk_i,
        .rst_i,
        .copy_in_tdata_i(copy_in.data),
        .copy_in_tkeep_i(copy_in.keep),
        .copy_in_tvalid_i(in_valid_i[4]),
        .copy_in_tready_o(in_ready_o[4]),
        .copy_in_tlast_i(copy_in.last),
        .copy_out_tdata_o(copy_out.data),
        .copy_out_tkeep_o(copy_out.keep),
        .copy_out_tvalid_o(out_valid_o[3]),
        .copy_out_tready_i(out_ready_i[3]),
        .copy_out_tlast_o(copy_out.last),
        .memory_awaddr_i(kernel.awaddr),
        .memory_awlen_i(kernel.awlen),
        .memory_awvalid_i(kernel.awvalid),
        .memory_awready_o(to_kernel.awready),
        .memory_wdata_i(kernel.wdata),
        .memory_wstrb_i(kernel.wstrb),
        .memory_wlast_i(kernel.wlast),
        .memory_wvalid_i(kernel.wvalid),
        .memory_wready_o(to_kernel.wready),
        .memory_bresp_o(to_kernel.bresp),
        .memory_bvalid_o(to_kernel.bvalid),
        .memory_bready_i(kernel.bready),
        .memory_araddr_i(kernel.araddr),
        .memory_arlen_i(kernel.arlen),
        .memory_arvalid_i(kernel.arvalid),
        .memory_arready_o(to_kernel.arready),
        .memory_rdata_o(to_kernel.rdata),
        .memory_rresp_o(to_kernel.rresp),
        .memory_rlast_o(to_kernel.rlast),
        .memory_rvalid_o(to_kernel.rvalid),
        .memory_rready_i(kernel.rready),
        .memory_awaddr_o(request.awaddr),
        .memory_awlen_o(request.awlen),
        .memory_awvalid_o(request.awvalid),
        .memory_awready_i(response.awready),
        .memory_wdata_o(request.wdata),
        .memory_wstrb_o(request.wstrb),
        .memory_wlast_o(request.wlast),
        .memory_wvalid_o(request.wvalid),
        .memory_wready_i(response.wready),
        .memory_bresp_i(response.bresp),
        .memory_bvalid_i(response.bvalid),
        .memory_bready_o(request.bready),
        .memory_araddr_o(request.araddr),
        .memory_arlen_o(request.arlen),
        .memory_arvalid_o(request.arvalid),
        .memory_arready_i(response.arready),
        .memory_rdata_i(response.rdata),
        .memory_rresp_i(response.rresp),
        .memory_rlast_i(response.rlast),
        .memory_rvalid_i(response.rvalid),
        .memory_rready_o(request.rready),
        .event_o(dma_events),
        .busy_o(dma_busy)
    );
  end else begin : gen_direct
    assign request = kernel;
    assign to_kernel = response;
    assign dma_events = '0;
    assign dma_busy = 1'b0;
    assign in_ready_o[4] = 1'b0;
    assign out_o[3] = '0;
    assign out_valid_o[3] = 1'b0;
  end

  word_t   answer;
  status_t status;
  logic [AddrWidth-1:0] awaddr, araddr;
  logic [7:0] awlen, arlen;
  logic awvalid, awready, wlast, wvalid, wready, bvalid, bready, arvalid, arready;
  logic rlast, rvalid, rready, busy, unused_rid, unused_bid;
  logic [DataWidth-1:0] wdata, rdata;
  logic [DataBytes-1:0] wstrb;
  logic [1:0] bresp, rresp;
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
      .memory_awaddr_i(request.awaddr),
      .memory_awlen_i(request.awlen),
      .memory_awvalid_i(request.awvalid),
      .memory_awready_o(response.awready),
      .memory_wdata_i(request.wdata),
      .memory_wstrb_i(request.wstrb),
      .memory_wlast_i(request.wlast),
      .memory_wvalid_i(request.wvalid),
      .memory_wready_o(response.wready),
      .memory_bresp_o(response.bresp),
      .memory_bvalid_o(response.bvalid),
      .memory_bready_i(request.bready),
      .memory_araddr_i(request.araddr),
      .memory_arlen_i(request.arlen),
      .memory_arvalid_i(request.arvalid),
      .memory_arready_o(response.arready),
      .memory_rdata_o(response.rdata),
      .memory_rresp_o(response.rresp),
      .memory_rlast_o(response.rlast),
      .memory_rvalid_o(response.rvalid),
      .memory_rready_i(request.rready),
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
  assign out_valid_o[2] = in_valid_i[3] & in_ready_o[3];
  assign out_o[2] = $bits(out_o[2])'(answer);

  function automatic logic [1:0] burst(logic [AddrWidth-1:0] address);
    return address >= 16'hFFC0 | (control_i[0] & address[15:8] == 8'hD0) ? 2'b00 : 2'b01;
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

  assign event_o  = 64'({dma_events, events});
  assign status_o = {status, busy | dma_busy};
  wire unused = ^{in_i, in_valid_i, out_ready_i};

endmodule

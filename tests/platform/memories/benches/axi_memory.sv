// SPDX-License-Identifier: Apache-2.0
// axi_memory: read addresses, write addresses and data in; data and responses out.
`include "bench.svh"

module bench
  import axi_memory_pkg::*;
#(
    parameter int unsigned ReadLatency = 20,
    parameter int unsigned WriteLatency = 7,
    parameter int unsigned BandwidthBeats = 1,
    parameter int unsigned BandwidthCycles = 1,
    parameter int unsigned BankCycles = 0,
    parameter int unsigned RefreshInterval = 0,
    parameter int unsigned RefreshCycles = 0,
    parameter int unsigned MaxReads = 16,
    parameter int unsigned MaxWrites = 8,
    parameter bit OutOfOrder = 1'b1
) (
    `BENCH_PORTS(3, 73, 2, 71, 1, 1)
);

  `BENCH_SHAPE

  localparam timing_t Own = '{
      read_latency: ReadLatency,
      write_latency: WriteLatency,
      bandwidth_beats: BandwidthBeats,
      bandwidth_cycles: BandwidthCycles,
      num_banks: 4,
      bank_bytes: 64,
      bank_cycles: BankCycles,
      refresh_interval: RefreshInterval,
      refresh_cycles: RefreshCycles
  };

  typedef struct packed {
    logic [1:0]  burst;
    logic [2:0]  size;
    logic [7:0]  len;
    logic [31:0] addr;
    logic [3:0]  id;
  } address_t;
  address_t ar, aw;
  assign ar = 49'(in_i[0]);
  assign aw = 49'(in_i[1]);

  logic [3:0] rid, bid;
  logic [63:0] rdata;
  logic [1:0] rresp, bresp;
  logic rlast;
  assign out_o[0] = 72'({rlast, rresp, rdata, rid});
  assign out_o[1] = 72'({bresp, bid});

  axi_memory #(
      .DataWidth(64),
      .AddrWidth(32),
      .IdWidth(4),
      .MaxReads(MaxReads),
      .MaxWrites(MaxWrites),
      .OutOfOrder(OutOfOrder),
      .Timing(Own)
  ) u_memory (
      .clk_i,
      .rst_i,
      .axi_awid_i(aw.id),
      .axi_awaddr_i(aw.addr),
      .axi_awlen_i(aw.len),
      .axi_awsize_i(aw.size),
      .axi_awburst_i(aw.burst),
      .axi_awvalid_i(in_valid_i[1]),
      .axi_awready_o(in_ready_o[1]),
      .axi_wdata_i(in_i[2][63:0]),
      .axi_wstrb_i(in_i[2][71:64]),
      .axi_wlast_i(in_i[2][72]),
      .axi_wvalid_i(in_valid_i[2]),
      .axi_wready_o(in_ready_o[2]),
      .axi_bid_o(bid),
      .axi_bresp_o(bresp),
      .axi_bvalid_o(out_valid_o[1]),
      .axi_bready_i(out_ready_i[1]),
      .axi_arid_i(ar.id),
      .axi_araddr_i(ar.addr),
      .axi_arlen_i(ar.len),
      .axi_arsize_i(ar.size),
      .axi_arburst_i(ar.burst),
      .axi_arvalid_i(in_valid_i[0]),
      .axi_arready_o(in_ready_o[0]),
      .axi_rid_o(rid),
      .axi_rdata_o(rdata),
      .axi_rresp_o(rresp),
      .axi_rlast_o(rlast),
      .axi_rvalid_o(out_valid_o[0]),
      .axi_rready_i(out_ready_i[0])
  );

  assign event_o  = '0;
  assign status_o = control_i;

endmodule

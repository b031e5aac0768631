// SPDX-License-Identifier: Apache-2.0
// Ports of one direction of AXI4, without IDs and with bursts of full beats (INCR): a module that
// sends the requests has the ports of an initiator, a module that answers those of a target. Their
// names are <prefix_>_araddr_o, ...; the module has parameters AddrWidth and DataWidth, in bits.
// Each macro ends with a comma, so that verible can parse the list of ports: further ports follow.
`ifndef BOMBUS_AXI_PORTS_SVH
`define BOMBUS_AXI_PORTS_SVH

`define BOMBUS_AXI_READ_INITIATOR(prefix_) \
    output logic [AddrWidth-1:0] prefix_``_araddr_o, \
    output logic [7:0] prefix_``_arlen_o, \
    output logic prefix_``_arvalid_o, \
    input logic prefix_``_arready_i, \
    input logic [DataWidth-1:0] prefix_``_rdata_i, \
    input logic [1:0] prefix_``_rresp_i, \
    input logic prefix_``_rlast_i, \
    input logic prefix_``_rvalid_i, \
    output logic prefix_``_rready_o,

`define BOMBUS_AXI_WRITE_INITIATOR(prefix_) \
    output logic [AddrWidth-1:0] prefix_``_awaddr_o, \
    output logic [7:0] prefix_``_awlen_o, \
    output logic prefix_``_awvalid_o, \
    input logic prefix_``_awready_i, \
    output logic [DataWidth-1:0] prefix_``_wdata_o, \
    output logic [DataWidth/8-1:0] prefix_``_wstrb_o, \
    output logic prefix_``_wlast_o, \
    output logic prefix_``_wvalid_o, \
    input logic prefix_``_wready_i, \
    input logic [1:0] prefix_``_bresp_i, \
    input logic prefix_``_bvalid_i, \
    output logic prefix_``_bready_o,

`define BOMBUS_AXI_READ_TARGET(prefix_) \
    input logic [AddrWidth-1:0] prefix_``_araddr_i, \
    input logic [7:0] prefix_``_arlen_i, \
    input logic prefix_``_arvalid_i, \
    output logic prefix_``_arready_o, \
    output logic [DataWidth-1:0] prefix_``_rdata_o, \
    output logic [1:0] prefix_``_rresp_o, \
    output logic prefix_``_rlast_o, \
    output logic prefix_``_rvalid_o, \
    input logic prefix_``_rready_i,

`define BOMBUS_AXI_WRITE_TARGET(prefix_) \
    input logic [AddrWidth-1:0] prefix_``_awaddr_i, \
    input logic [7:0] prefix_``_awlen_i, \
    input logic prefix_``_awvalid_i, \
    output logic prefix_``_awready_o, \
    input logic [DataWidth-1:0] prefix_``_wdata_i, \
    input logic [DataWidth/8-1:0] prefix_``_wstrb_i, \
    input logic prefix_``_wlast_i, \
    input logic prefix_``_wvalid_i, \
    output logic prefix_``_wready_o, \
    output logic [1:0] prefix_``_bresp_o, \
    output logic prefix_``_bvalid_o, \
    input logic prefix_``_bready_i,

// Declares the structs <prefix_>_request and <prefix_>_response of axi_line_pkg and joins them to
// the ports of an initiator of 512 bits, but for the lengths of its bursts, which have one beat.
`define BOMBUS_AXI_LINES(prefix_) \
  axi_request_t  prefix_``_request; \
  axi_response_t prefix_``_response; \
  assign prefix_``_awaddr_o = AddrWidth'(prefix_``_request.awaddr); \
  assign prefix_``_awvalid_o = prefix_``_request.awvalid; \
  assign prefix_``_wdata_o = prefix_``_request.wdata; \
  assign prefix_``_wstrb_o = prefix_``_request.wstrb; \
  assign prefix_``_wlast_o = prefix_``_request.wlast; \
  assign prefix_``_wvalid_o = prefix_``_request.wvalid; \
  assign prefix_``_bready_o = prefix_``_request.bready; \
  assign prefix_``_araddr_o = AddrWidth'(prefix_``_request.araddr); \
  assign prefix_``_arvalid_o = prefix_``_request.arvalid; \
  assign prefix_``_rready_o = prefix_``_request.rready; \
  assign prefix_``_response = '{ \
          awready: prefix_``_awready_i, \
          wready: prefix_``_wready_i, \
          bresp: prefix_``_bresp_i, \
          bvalid: prefix_``_bvalid_i, \
          arready: prefix_``_arready_i, \
          rdata: prefix_``_rdata_i, \
          rresp: prefix_``_rresp_i, \
          rlast: prefix_``_rlast_i, \
          rvalid: prefix_``_rvalid_i \
      };

`endif

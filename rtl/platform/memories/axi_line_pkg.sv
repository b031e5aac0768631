// SPDX-License-Identifier: Apache-2.0
// Signals of an AXI4 port of 512 bits without IDs, whose bursts have one beat.
package axi_line_pkg;

  typedef struct packed {
    logic [63:0]  awaddr;
    logic         awvalid;
    logic [511:0] wdata;
    logic [63:0]  wstrb;
    logic         wlast;
    logic         wvalid;
    logic         bready;
    logic [63:0]  araddr;
    logic         arvalid;
    logic         rready;
  } axi_request_t;

  typedef struct packed {
    logic         awready;
    logic         wready;
    logic [1:0]   bresp;
    logic         bvalid;
    logic         arready;
    logic [511:0] rdata;
    logic [1:0]   rresp;
    logic         rlast;
    logic         rvalid;
  } axi_response_t;

endpackage

// SPDX-License-Identifier: Apache-2.0
// TCP service: returns the bytes that it receives, and closes when the peer has closed.
//
// A kernel after tcp_stream, with AXI-Streams; `tuser` has the types of tcp_stream_pkg. Combinational.
module my_layer
  import tcp_stream_pkg::*;
#(
    parameter int unsigned DataWidth = 64,  // filled in by Bombus
    localparam int unsigned FromWidth = $bits(from_peer_t),
    localparam int unsigned ToWidth = $bits(to_peer_t)
) (
    input  logic [  DataWidth-1:0] kernel_rx_tdata_i,
    input  logic [DataWidth/8-1:0] kernel_rx_tkeep_i,
    input  logic                   kernel_rx_tvalid_i,
    output logic                   kernel_rx_tready_o,
    input  logic                   kernel_rx_tlast_i,
    input  logic [  FromWidth-1:0] kernel_rx_tuser_i,
    output logic [  DataWidth-1:0] kernel_tx_tdata_o,
    output logic [DataWidth/8-1:0] kernel_tx_tkeep_o,
    output logic                   kernel_tx_tvalid_o,
    input  logic                   kernel_tx_tready_i,
    output logic                   kernel_tx_tlast_o,
    output logic [    ToWidth-1:0] kernel_tx_tuser_o
);

  localparam string Entry = "";  // not reachable from the mesh

  from_peer_t from;
  to_peer_t   to;
  assign from = kernel_rx_tuser_i;
  assign to = '{done: from.ended, close: from.closed, session: from.session, default: '0};

  // The bytes sent: change them here.
  assign kernel_tx_tdata_o = kernel_rx_tdata_i;
  assign kernel_tx_tkeep_o = kernel_rx_tkeep_i;
  assign kernel_tx_tvalid_o = kernel_rx_tvalid_i;
  assign kernel_tx_tlast_o = kernel_rx_tlast_i;
  assign kernel_tx_tuser_o = to;
  assign kernel_rx_tready_o = kernel_tx_tready_i;

endmodule

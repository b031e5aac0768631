// SPDX-License-Identifier: Apache-2.0
// Sends every datagram back to its sender.
module mirror_kernel #(
    parameter int unsigned DataWidth = 512,  // filled in by Bombus
    localparam int unsigned UserWidth = $bits(udp_stream_pkg::datagram_t)
) (
    input  logic [  DataWidth-1:0] kernel_rx_tdata_i,
    input  logic [DataWidth/8-1:0] kernel_rx_tkeep_i,
    input  logic                   kernel_rx_tvalid_i,
    output logic                   kernel_rx_tready_o,
    input  logic                   kernel_rx_tlast_i,
    input  logic [  UserWidth-1:0] kernel_rx_tuser_i,
    output logic [  DataWidth-1:0] kernel_tx_tdata_o,
    output logic [DataWidth/8-1:0] kernel_tx_tkeep_o,
    output logic                   kernel_tx_tvalid_o,
    input  logic                   kernel_tx_tready_i,
    output logic                   kernel_tx_tlast_o,
    output logic [  UserWidth-1:0] kernel_tx_tuser_o
);

  localparam string Entry = "";  // not reachable from the mesh

  assign kernel_tx_tdata_o  = kernel_rx_tdata_i;
  assign kernel_tx_tkeep_o  = kernel_rx_tkeep_i;
  assign kernel_tx_tvalid_o = kernel_rx_tvalid_i;
  assign kernel_tx_tlast_o  = kernel_rx_tlast_i;
  assign kernel_tx_tuser_o  = kernel_rx_tuser_i;
  assign kernel_rx_tready_o = kernel_tx_tready_i;

endmodule

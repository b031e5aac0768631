// SPDX-License-Identifier: Apache-2.0
// A server that answers each request with the number of bytes received until the peer closed its
// side, as 4 bytes, lowest first.
module count_kernel
  import tcp_stream_pkg::*;
#(
    parameter int unsigned DataWidth = 512,  // filled in by Bombus
    parameter int unsigned NumSessions = 16,
    localparam int unsigned FromWidth = $bits(from_peer_t),
    localparam int unsigned ToWidth = $bits(to_peer_t)
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataWidth-1:0] kernel_rx_tdata_i,
    input logic [DataWidth/8-1:0] kernel_rx_tkeep_i,
    input logic kernel_rx_tvalid_i,
    output logic kernel_rx_tready_o,
    input logic kernel_rx_tlast_i,
    input logic [FromWidth-1:0] kernel_rx_tuser_i,
    output logic [DataWidth-1:0] kernel_tx_tdata_o,
    output logic [DataWidth/8-1:0] kernel_tx_tkeep_o,
    output logic kernel_tx_tvalid_o,
    input logic kernel_tx_tready_i,
    output logic kernel_tx_tlast_o,
    output logic [ToWidth-1:0] kernel_tx_tuser_o
);

  localparam string Entry = "";  // not reachable from the mesh

  from_peer_t from;
  to_peer_t   to_q;
  assign from = kernel_rx_tuser_i;
  wire [$clog2(NumSessions)-1:0] index = from.session[$clog2(NumSessions)-1:0];
  wire taken = kernel_rx_tvalid_i & kernel_rx_tready_o;

  logic [31:0] counts[NumSessions];
  logic [31:0] count_q;
  logic sends_q, answers_q;
  assign kernel_rx_tready_o = ~sends_q;
  always_ff @(posedge clk_i) begin
    if (kernel_tx_tready_i) sends_q <= 1'b0;
    if (taken) begin
      counts[index] <= from.opened ? '0 : counts[index] + 32'($countones(kernel_rx_tkeep_i));
      count_q <= counts[index];
      to_q <= '{close: from.closed, done: from.ended, session: from.session, default: '0};
      answers_q <= from.closed;
      sends_q <= from.closed | from.ended;
    end
    if (rst_i) sends_q <= 1'b0;
  end

  assign kernel_tx_tdata_o  = DataWidth'(count_q);
  assign kernel_tx_tkeep_o  = answers_q ? (DataWidth / 8)'(4'hF) : '0;
  assign kernel_tx_tvalid_o = sends_q;
  assign kernel_tx_tlast_o  = 1'b1;
  assign kernel_tx_tuser_o  = to_q;

endmodule

// SPDX-License-Identifier: Apache-2.0
// A client: connects to a server when fetch_go_i rises, sends a request, and counts the bytes
// received until the server closes.
module fetch_kernel
  import tcp_stream_pkg::*;
#(
    parameter int unsigned DataWidth = 512,  // filled in by Bombus
    parameter logic [31:0] PeerIp = 32'h0A4D0003,
    parameter int unsigned PeerPort = 80,
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
    output logic [ToWidth-1:0] kernel_tx_tuser_o,

    input logic fetch_go_i,
    output logic fetch_done_o,  // it has ended
    output logic fetch_failed_o,
    output logic [31:0] fetch_bytes_o,

    output logic busy_o
);

  localparam string Entry = "";  // not reachable from the mesh

  localparam int unsigned RequestBytes = 18;
  localparam logic [8*RequestBytes-1:0] Request = "GET / HTTP/1.0\r\n\r\n";
  logic [8*RequestBytes-1:0] request;  // the first byte lowest
  for (genvar n = 0; n < RequestBytes; n++) begin : gen_byte
    assign request[8*n+:8] = Request[8*(RequestBytes-1-n)+:8];
  end

  from_peer_t from;
  to_peer_t   to_q;
  connect_t   server;
  logic go_q, sends_q;
  assign from = kernel_rx_tuser_i;
  assign server = '{peer_port: 16'(PeerPort), ip: PeerIp};
  // At most one message out per message in
  assign kernel_rx_tready_o = ~sends_q;
  wire taken = kernel_rx_tvalid_i & kernel_rx_tready_o;

  // The bytes of a beat are counted in one cycle and added in the next, for the sake of the clock.
  logic [$clog2(DataWidth/8):0] bytes, bytes_q;
  keep_count #(
      .NumBytes(DataWidth / 8)
  ) u_bytes (
      .keep_i (kernel_rx_tkeep_i),
      .bytes_o(bytes)
  );

  logic [DataWidth-1:0] data_q;
  logic [7:0] length_q;
  always_ff @(posedge clk_i) begin
    go_q <= fetch_go_i;
    bytes_q <= taken ? bytes : '0;
    fetch_bytes_o <= fetch_bytes_o + 32'(bytes_q);
    if (kernel_tx_tready_i) sends_q <= 1'b0;
    if (taken) begin
      to_q <= '{close: from.closed, done: from.ended, session: from.session, default: '0};
      data_q <= DataWidth'(request);
      length_q <= from.opened ? 8'(RequestBytes) : 8'd0;
      sends_q <= from.opened | from.closed | from.ended;
      if (from.ended | from.failed) fetch_done_o <= 1'b1;
      if (from.failed) fetch_failed_o <= 1'b1;
    end
    if (fetch_go_i & ~go_q) begin
      to_q <= '{connect: 1'b1, default: '0};
      data_q <= DataWidth'(server);
      length_q <= 8'($bits(connect_t) / 8);
      sends_q <= 1'b1;
      fetch_done_o <= 1'b0;
      fetch_failed_o <= 1'b0;
      bytes_q <= '0;
      fetch_bytes_o <= '0;
    end
    if (rst_i) begin
      go_q <= 1'b0;
      sends_q <= 1'b0;
      fetch_done_o <= 1'b0;
      fetch_failed_o <= 1'b0;
      fetch_bytes_o <= '0;
    end
  end

  assign kernel_tx_tdata_o = data_q;
  assign kernel_tx_tvalid_o = sends_q;
  assign kernel_tx_tlast_o = 1'b1;
  assign kernel_tx_tuser_o = to_q;
  assign busy_o = sends_q | (bytes_q != '0);
  for (genvar n = 0; n < DataWidth / 8; n++) begin : gen_keep
    assign kernel_tx_tkeep_o[n] = n < 32'(length_q);
  end

endmodule

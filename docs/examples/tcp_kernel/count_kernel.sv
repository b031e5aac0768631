// SPDX-License-Identifier: Apache-2.0
// A server that answers each request with the number of bytes received until the peer closed its
// side, as 4 bytes, lowest first. It listens while count_closed_i is low.
module count_kernel
  import tcp_stream_pkg::*;
#(
    parameter int unsigned DataWidth = 512,  // filled in by Bombus
    parameter int unsigned NumSessions = 16,
    parameter int unsigned Port = 700,
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

    input  logic count_closed_i,
    output logic busy_o
);

  localparam string Entry = "";  // not reachable from the mesh

  // The bytes of a beat are counted in one cycle and added in the next, for the sake of the clock.
  logic [$clog2(DataWidth/8):0] bytes, bytes_q;
  from_peer_t from_q;
  logic valid_q, sends_q;
  keep_count #(
      .NumBytes(DataWidth / 8)
  ) u_bytes (
      .keep_i (kernel_rx_tkeep_i),
      .bytes_o(bytes)
  );
  assign kernel_rx_tready_o = ~sends_q;  // both steps wait while an answer leaves
  always_ff @(posedge clk_i) begin
    if (~sends_q) begin
      valid_q <= kernel_rx_tvalid_i;
      from_q  <= kernel_rx_tuser_i;
      bytes_q <= bytes;
    end
    if (rst_i) valid_q <= 1'b0;
  end

  to_peer_t to_q;
  logic [31:0] counts[NumSessions];
  logic [31:0] count_q;  // to be sent; or a port
  logic answers_q, open_q;
  wire [$clog2(NumSessions)-1:0] index = from_q.session[$clog2(NumSessions)-1:0];
  always_ff @(posedge clk_i) begin
    if (kernel_tx_tready_i) sends_q <= 1'b0;
    if (valid_q & ~sends_q) begin
      counts[index] <= from_q.opened ? '0 : counts[index] + 32'(bytes_q);
      count_q <= counts[index];
      to_q <= '{close: from_q.closed, done: from_q.ended, session: from_q.session, default: '0};
      answers_q <= from_q.closed;
      sends_q <= from_q.closed | from_q.ended;
    end else if (~sends_q & (open_q == count_closed_i)) begin
      count_q <= Port;
      to_q <= '{listen: ~open_q, unlisten: open_q, default: '0};
      answers_q <= 1'b1;
      sends_q <= 1'b1;
      open_q <= ~open_q;
    end
    if (rst_i) {sends_q, open_q} <= '0;
  end

  assign kernel_tx_tdata_o = DataWidth'(count_q);
  assign kernel_tx_tkeep_o = answers_q ? (DataWidth / 8)'(4'hF) : '0;
  assign kernel_tx_tvalid_o = sends_q;
  assign kernel_tx_tlast_o = 1'b1;
  assign kernel_tx_tuser_o = to_q;
  assign busy_o = valid_q | sends_q;

endmodule

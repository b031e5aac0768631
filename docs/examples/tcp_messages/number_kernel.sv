// SPDX-License-Identifier: Apache-2.0
// Answers each message of a session with its number, from 1 on, and its length. Messages begin with
// the number of the bytes that follow: 2 bytes, as all numbers here with the highest byte first. An
// answer has 6 bytes after its length: the number (4) and the length that the message gave (2).
module number_kernel
  import tcp_stream_pkg::*;
#(
    parameter int unsigned DataWidth = 512,  // filled in by Bombus
    parameter int unsigned NumSessions = 16,
    localparam int unsigned FromWidth = $bits(from_peer_t),
    localparam int unsigned ToWidth = $bits(to_peer_t)
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataWidth-1:0] message_rx_tdata_i,
    input logic [DataWidth/8-1:0] message_rx_tkeep_i,
    input logic message_rx_tvalid_i,
    output logic message_rx_tready_o,
    input logic message_rx_tlast_i,
    input logic [FromWidth-1:0] message_rx_tuser_i,
    output logic [DataWidth-1:0] message_tx_tdata_o,
    output logic [DataWidth/8-1:0] message_tx_tkeep_o,
    output logic message_tx_tvalid_o,
    input logic message_tx_tready_i,
    output logic message_tx_tlast_o,
    output logic [ToWidth-1:0] message_tx_tuser_o,

    output logic busy_o
);

  localparam string Entry = "";  // not reachable from the mesh

  localparam int unsigned AnswerBytes = 8;

  from_peer_t from;
  to_peer_t   to_q;
  logic sends_q, answers_q, inside_q;
  logic [31:0] counts[NumSessions];
  logic [31:0] number_q;
  logic [15:0] length_q;  // as it came: the first byte lowest
  assign from = message_rx_tuser_i;
  assign message_rx_tready_o = ~sends_q;
  wire taken = message_rx_tvalid_i & message_rx_tready_o;
  wire notice = ~message_rx_tkeep_i[0];
  wire [$clog2(NumSessions)-1:0] index = from.session[$clog2(NumSessions)-1:0];
  wire [31:0] number = counts[index] + 32'd1;

  always_ff @(posedge clk_i) begin
    if (message_tx_tready_i) sends_q <= 1'b0;
    if (taken) begin
      inside_q <= ~message_rx_tlast_i;
      if (~inside_q) length_q <= message_rx_tdata_i[15:0];
      if (message_rx_tlast_i) begin
        counts[index] <= notice ? '0 : number;
        number_q <= number;
        answers_q <= ~notice;
        to_q <= '{close: from.closed, done: from.ended, session: from.session, default: '0};
        sends_q <= ~notice | from.closed | from.ended;
      end
    end
    if (rst_i) {sends_q, inside_q} <= '0;
  end

  assign message_tx_tdata_o = DataWidth'({length_q, bombus_pkg::swap32(number_q), 8'd6, 8'd0});
  assign message_tx_tkeep_o = answers_q ? (DataWidth / 8)'((1 << AnswerBytes) - 1) : '0;
  assign message_tx_tvalid_o = sends_q;
  assign message_tx_tlast_o = 1'b1;
  assign message_tx_tuser_o = to_q;
  assign busy_o = sends_q;

endmodule

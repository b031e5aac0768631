// SPDX-License-Identifier: Apache-2.0
// Control messages over TCP: between tcp_stream (kernel_rx_*_i, kernel_tx_*_o) and a controller
// with OverTcp (kernel_rx_*_o, kernel_tx_*_i), in the same tile. The bytes of each connection
// become whole messages, by the length in their header. tuser on the controller's side, in both
// directions, is that of the request (tcp_stream_pkg::from_peer_t).
//
// A connection is closed when its peer has closed it, after the answers to all of its requests. A
// message that is longer than any request resets its connection.
//
// Latency: that of tcp_framer. Throughput: one beat per cycle.
module control_tcp
  import control_pkg::*;
  import tcp_stream_pkg::*;
#(
    parameter int unsigned DataWidth = 512,  // filled in by Bombus
    parameter int unsigned NumSessions = 16,
    parameter bit Sealed = 1,  // as of the controller
    parameter int unsigned RingBytes = 16384,  // of each session: a power of two
    localparam int unsigned KeepWidth = DataWidth / 8,
    localparam int unsigned FromWidth = $bits(from_peer_t),
    localparam int unsigned ToWidth = $bits(to_peer_t)
) (
    input logic clk_i,
    input logic rst_i,

    // tcp_stream
    input logic [DataWidth-1:0] kernel_rx_tdata_i,
    input logic [KeepWidth-1:0] kernel_rx_tkeep_i,
    input logic kernel_rx_tvalid_i,
    output logic kernel_rx_tready_o,
    input logic kernel_rx_tlast_i,
    input logic [FromWidth-1:0] kernel_rx_tuser_i,
    output logic [DataWidth-1:0] kernel_tx_tdata_o,
    output logic [KeepWidth-1:0] kernel_tx_tkeep_o,
    output logic kernel_tx_tvalid_o,
    input logic kernel_tx_tready_i,
    output logic kernel_tx_tlast_o,
    output logic [ToWidth-1:0] kernel_tx_tuser_o,

    // The controller
    output logic [DataWidth-1:0] kernel_rx_tdata_o,
    output logic [KeepWidth-1:0] kernel_rx_tkeep_o,
    output logic kernel_rx_tvalid_o,
    input logic kernel_rx_tready_i,  // in the first beat of a message: the one before is answered
    output logic kernel_rx_tlast_o,
    output logic [FromWidth-1:0] kernel_rx_tuser_o,
    input logic [DataWidth-1:0] kernel_tx_tdata_i,
    input logic [KeepWidth-1:0] kernel_tx_tkeep_i,
    input logic kernel_tx_tvalid_i,
    output logic kernel_tx_tready_o,
    input logic kernel_tx_tlast_i,
    input logic [FromWidth-1:0] kernel_tx_tuser_i,

    output logic [3:0] event_o,
    output logic busy_o
);

  localparam string Entry = "";  // not reachable from the mesh
  localparam string Agrees = "num_sessions>=tcp.num_sessions sealed=controller.sealed";
  typedef enum int unsigned {
    EventMessage,
    EventLong,
    EventBadLength,
    EventCut,
    NumEvents
  } event_e;

  localparam int unsigned OtherBytes = 4 * (HeaderWords + (Sealed ? TagWords : 0));

  from_peer_t from, answered;
  to_peer_t to;
  logic framed_valid, framed_ready, message_ready, framer_busy;
  logic gives;  // a notice is acknowledged
  tcp_framer #(
      .DataWidth(DataWidth),
      .NumSessions(NumSessions),
      .LengthOffset(LengthOffset),
      .LengthBytes(2),
      .LengthIsBig(1'b0),
      .LengthBias(int'(OtherBytes)),
      .MaxBytes(4 * MaxBodyWords + OtherBytes),
      .RingBytes(RingBytes)
  ) u_framer (
      .clk_i,
      .rst_i,
      .kernel_rx_tdata_i,
      .kernel_rx_tkeep_i,
      .kernel_rx_tvalid_i,
      .kernel_rx_tready_o,
      .kernel_rx_tlast_i,
      .kernel_rx_tuser_i,
      .kernel_tx_tdata_o,
      .kernel_tx_tkeep_o,
      .kernel_tx_tvalid_o,
      .kernel_tx_tready_i,
      .kernel_tx_tlast_o,
      .kernel_tx_tuser_o,
      .message_rx_tdata_o(kernel_rx_tdata_o),
      .message_rx_tkeep_o(kernel_rx_tkeep_o),
      .message_rx_tvalid_o(framed_valid),
      .message_rx_tready_i(framed_ready),
      .message_rx_tlast_o(kernel_rx_tlast_o),
      .message_rx_tuser_o(from),
      .message_tx_tdata_i(kernel_tx_tdata_i),
      .message_tx_tkeep_i(kernel_tx_tkeep_i & {KeepWidth{~gives}}),
      .message_tx_tvalid_i(kernel_tx_tvalid_i | gives),
      .message_tx_tready_o(message_ready),
      .message_tx_tlast_i(kernel_tx_tlast_i | gives),
      .message_tx_tuser_i(to),
      .event_o,
      .busy_o(framer_busy)
  );

  // A notice is acknowledged when the controller has answered all messages before it.
  wire is_notice = ~kernel_rx_tkeep_o[0];
  wire acknowledges = from.closed | from.ended;
  assign gives = framed_valid & is_notice & acknowledges & kernel_rx_tready_i & ~kernel_tx_tvalid_i;
  assign kernel_rx_tvalid_o = framed_valid & ~is_notice;
  assign kernel_rx_tuser_o = from;
  always_comb begin
    if (!is_notice) framed_ready = kernel_rx_tready_i;
    else framed_ready = ~acknowledges | (gives & message_ready);
  end

  assign answered = kernel_tx_tuser_i;
  assign kernel_tx_tready_o = message_ready;
  always_comb begin
    to = '{session: answered.session, default: '0};
    if (gives) to = '{close: from.closed, done: from.ended, session: from.session, default: '0};
  end

  assign busy_o = framer_busy;

  wire unused = ^{answered};

endmodule

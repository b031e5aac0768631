// SPDX-License-Identifier: Apache-2.0
// UDP for a kernel with plain AXI-Streams: each message is a datagram, with its addresses as a
// side-band signal (udp_stream_pkg). The ports kernel_* are connected to those of a kernel in the
// same tile, or raised to the top level by the design file (docs/protocols/udp/kernels.md).
//
// A datagram from the kernel is forwarded once it has been received whole. One that is longer than
// MaxBytes, or has a partial beat before its last one, is counted and discarded.
//
// Latency: 1 cycle to the kernel; from the kernel 3 cycles after the last beat. Throughput: one
// beat per cycle each way.
`include "bombus_assert.svh"

module udp_stream
  import bombus_pkg::*;
  import udp_stream_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 512,  // filled in by Bombus
    parameter int unsigned UdpPort = 7,  // Bombus reads it and binds the port to this layer
    parameter int unsigned MaxBytes = 2048,
    localparam int unsigned KeepWidth = DataWidth / 8,
    localparam int unsigned UserWidth = $bits(datagram_t)
) (
    input logic clk_i,
    input logic rst_i,

    output logic [DataWidth-1:0] kernel_rx_tdata_o,
    output logic [KeepWidth-1:0] kernel_rx_tkeep_o,
    output logic kernel_rx_tvalid_o,
    input logic kernel_rx_tready_i,
    output logic kernel_rx_tlast_o,
    output logic [UserWidth-1:0] kernel_rx_tuser_o,
    input logic [DataWidth-1:0] kernel_tx_tdata_i,
    input logic [KeepWidth-1:0] kernel_tx_tkeep_i,
    input logic kernel_tx_tvalid_i,
    output logic kernel_tx_tready_o,
    input logic kernel_tx_tlast_i,
    input logic [UserWidth-1:0] kernel_tx_tuser_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic [2:0] event_o,
    output logic busy_o
);

  if (UdpPort < 1 || UdpPort > 65535) begin : gen_bad_port
    $error("udp_stream: UdpPort must be 1 to 65535");
  end
  if (MaxBytes < 2 * KeepWidth || MaxBytes > 8192 || MaxBytes != 2 ** $clog2(
          MaxBytes
      )) begin : gen_bad_length
    $error("udp_stream: MaxBytes must be a power of two, two beats to 8192");
  end

  localparam string Entry = "udp_stream";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  typedef enum logic [0:0] {NextUdpTx} next_e;
  typedef enum int unsigned {
    EventReceived,
    EventSent,
    EventTooLong,
    NumEvents
  } event_e;

  localparam int unsigned LengthWidth = $clog2(MaxBytes + 1);

  // ---- To the kernel ----

  packet_meta_t in_meta;
  datagram_t sender;
  assign in_meta = packet_meta_t'(in_i.meta);
  assign sender = '{
          mac_port: in_meta.mac_port,
          vlan: in_meta.vlan,
          ip: in_meta.ip,
          peer_port: in_meta.l4.ports.src_port,
          own_port: in_meta.l4.ports.dst_port
      };
  to_axi_stream #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .UserWidth(UserWidth)
  ) u_rx (
      .user_i  (sender),
      .tdata_o (kernel_rx_tdata_o),
      .tkeep_o (kernel_rx_tkeep_o),
      .tvalid_o(kernel_rx_tvalid_o),
      .tready_i(kernel_rx_tready_i),
      .tlast_o (kernel_rx_tlast_o),
      .tuser_o (kernel_rx_tuser_o),
      .*
  );

  // ---- From the kernel ----

  datagram_t piece, destination_q;
  logic [LengthWidth-1:0] piece_length;
  logic piece_valid, piece_last, sending, gather_busy, out_ready;
  beat_t sent, out;
  logic sent_valid;
  logic cut_q;  // the previous piece was part of the same oversized message
  logic empty_q;  // an empty datagram is being sent
  wire  begins = piece_valid & ~sending & ~empty_q;
  wire  discards = cut_q | ~piece_last;
  axi_gather #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .UserWidth(UserWidth),
      .MaxBytes(MaxBytes)
  ) u_tx (
      .clk_i,
      .rst_i,
      .tdata_i(kernel_tx_tdata_i),
      .tkeep_i(kernel_tx_tkeep_i),
      .tvalid_i(kernel_tx_tvalid_i),
      .tready_o(kernel_tx_tready_o),
      .tlast_i(kernel_tx_tlast_i),
      .tuser_i(kernel_tx_tuser_i),
      .piece_valid_o(piece_valid),
      .piece_user_o(piece),
      .piece_length_o(piece_length),
      .piece_last_o(piece_last),
      .begin_i(begins),
      .discard_i(discards),
      .sending_o(sending),
      .out_o(sent),
      .out_valid_o(sent_valid),
      .out_ready_i(out_ready),
      .busy_o(gather_busy)
  );
  always_ff @(posedge clk_i) begin
    if (begins) destination_q <= piece;
    if (rst_i) begin
      cut_q   <= 1'b0;
      empty_q <= 1'b0;
    end else begin
      if (begins) cut_q <= ~piece_last;
      if (begins & ~discards & (piece_length == '0)) empty_q <= 1'b1;
      else if (out_ready) empty_q <= 1'b0;
    end
  end

  packet_meta_t out_meta;
  always_comb begin
    out_meta = '0;
    out_meta.mac_port = destination_q.mac_port;
    out_meta.vlan = destination_q.vlan;
    out_meta.ip = destination_q.ip;
    out_meta.l4.ports = '{src_port: destination_q.own_port, dst_port: destination_q.peer_port};
    out = sent;
    if (empty_q) begin
      out.data  = '0;
      out.bytes = '0;
      out.last  = 1'b1;
    end
    out.kind = $bits(out.kind)'(KindPacket);
    out.meta = $bits(out.meta)'(out_meta);
  end
  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .in_i(out),
      .in_valid_i(sent_valid | empty_q),
      .in_ready_o(out_ready),
      .*
  );

  always_ff @(posedge clk_i) begin
    event_o[EventReceived] <= in_valid_i & in_ready_o & in_i.last & ~rst_i;
    event_o[EventSent] <= out_valid_o & out_ready_i & out_o.last & ~rst_i;
    event_o[EventTooLong] <= begins & ~piece_last & ~cut_q & ~rst_i;
  end

  assign busy_o = kernel_rx_tvalid_o | gather_busy | empty_q | out_valid_o;

  `BOMBUS_ASSERT(EmptyIsAlone, !(empty_q && sent_valid))

endmodule

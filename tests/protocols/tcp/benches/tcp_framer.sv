// SPDX-License-Identifier: Apache-2.0
// tcp_framer. Streams in: chunks of tcp_stream, messages of the kernel; out: messages for the
// kernel, messages for tcp_stream. An item, from bit 0 on: tdata, tkeep, tlast, tuser. Status:
// busy_o. Events: event_o.
`include "bench.svh"

module bench
  import tcp_stream_pkg::*;
#(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned NumSessions = 4,
    parameter int unsigned MessageBytes = 0,
    parameter int unsigned LengthOffset = 0,
    parameter int unsigned LengthBytes = 2,
    parameter bit LengthIsBig = 1,
    parameter int LengthBias = 0,
    parameter int unsigned MaxBytes = 300,
    parameter bit SkipsLong = 0,
    parameter int unsigned RingBytes = 4096,
    localparam int unsigned KeepWidth = DataWidth / 8,
    localparam int unsigned UserWidth = $bits(from_peer_t),
    localparam int unsigned ItemBits = DataWidth + KeepWidth + 1 + UserWidth
) (
    `BENCH_PORTS(2, ItemBits, 2, ItemBits, 1, 1)
);

  `BENCH_SHAPE

  typedef struct packed {
    logic [UserWidth-1:0] user;
    logic last;
    logic [KeepWidth-1:0] keep;
    logic [DataWidth-1:0] data;
  } axi_t;
  axi_t chunk, sent, message, back;
  assign chunk = in_i[0][ItemBits-1:0];
  assign sent = in_i[1][ItemBits-1:0];
  assign out_o[0] = $bits(out_o[0])'(message);
  assign out_o[1] = $bits(out_o[1])'(back);

  to_peer_t to_stream;
  assign back.user = UserWidth'(to_stream);
  assign event_o[63:4] = '0;
  tcp_framer #(
      .DataWidth(DataWidth),
      .NumSessions(NumSessions),
      .MessageBytes(MessageBytes),
      .LengthOffset(LengthOffset),
      .LengthBytes(LengthBytes),
      .LengthIsBig(LengthIsBig),
      .LengthBias(LengthBias),
      .MaxBytes(MaxBytes),
      .SkipsLong(SkipsLong),
      .RingBytes(RingBytes)
  ) u_framer (
      .clk_i,
      .rst_i,
      .kernel_rx_tdata_i(chunk.data),
      .kernel_rx_tkeep_i(chunk.keep),
      .kernel_rx_tvalid_i(in_valid_i[0]),
      .kernel_rx_tready_o(in_ready_o[0]),
      .kernel_rx_tlast_i(chunk.last),
      .kernel_rx_tuser_i(chunk.user),
      .kernel_tx_tdata_o(back.data),
      .kernel_tx_tkeep_o(back.keep),
      .kernel_tx_tvalid_o(out_valid_o[1]),
      .kernel_tx_tready_i(out_ready_i[1]),
      .kernel_tx_tlast_o(back.last),
      .kernel_tx_tuser_o(to_stream),
      .message_rx_tdata_o(message.data),
      .message_rx_tkeep_o(message.keep),
      .message_rx_tvalid_o(out_valid_o[0]),
      .message_rx_tready_i(out_ready_i[0]),
      .message_rx_tlast_o(message.last),
      .message_rx_tuser_o(message.user),
      .message_tx_tdata_i(sent.data),
      .message_tx_tkeep_i(sent.keep),
      .message_tx_tvalid_i(in_valid_i[1]),
      .message_tx_tready_o(in_ready_o[1]),
      .message_tx_tlast_i(sent.last),
      .message_tx_tuser_i(sent.user[$bits(to_peer_t)-1:0]),
      .event_o(event_o[3:0]),
      .busy_o(status_o[0])
  );

endmodule

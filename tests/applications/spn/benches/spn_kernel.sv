// SPDX-License-Identifier: Apache-2.0
// A compiled layer of the name `model`, on the transport of a macro: SPN_UDP, SPN_ETHERNET or
// SPN_TCP. In: beats. Out: beats; with SPN_TCP, from_peer_t and to_peer_t are their metadata, and
// there is no length. Events: 2 drops, 4 events. Status: busy.
`include "bombus_types.svh"
`include "bench.svh"

module bench #(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned Copies = 1,
    parameter int unsigned MaxReplyBytes = 1472,
    parameter bit Float = 0,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(DataWidth)
) (
    `BENCH_PORTS(1, BeatBits, 1, BeatBits, 1, 1)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)

  beat_t in, out;
  logic busy;
  assign in = beat_t'(in_i[0]);
`ifdef SPN_TCP
  localparam int unsigned Bytes = DataWidth / 8;
  logic [Bytes-1:0] in_keep, out_keep;
  tcp_stream_pkg::to_peer_t to;
  always_comb begin
    for (int unsigned n = 0; n < Bytes; n++) in_keep[n] = !in.last || n < 32'(in.bytes);
    out.meta   = $bits(out.meta)'(to);
    out.length = '0;
    out.kind   = '0;
    out.bytes  = $bits(out.bytes)'($countones(out_keep));
  end
  model #(
      .DataWidth(DataWidth),
      .Copies(Copies),
      .Float(Float),
      .MaxReplyBytes(MaxReplyBytes)
  ) u_layer (
      .clk_i,
      .rst_i,
      .message_rx_tdata_i(in.data),
      .message_rx_tkeep_i(in_keep),
      .message_rx_tvalid_i(in_valid_i[0]),
      .message_rx_tready_o(in_ready_o[0]),
      .message_rx_tlast_i(in.last),
      .message_rx_tuser_i($bits(tcp_stream_pkg::from_peer_t)'(in.meta)),
      .message_tx_tdata_o(out.data),
      .message_tx_tkeep_o(out_keep),
      .message_tx_tvalid_o(out_valid_o[0]),
      .message_tx_tready_i(out_ready_i[0]),
      .message_tx_tlast_o(out.last),
      .message_tx_tuser_o(to),
      .drop_o(event_o[1:0]),
      .event_o(event_o[5:2]),
      .busy_o(busy)
  );
`else
`ifdef SPN_ETHERNET
  bombus_pkg::host_t [0:0] host_i;
  always_comb begin
    host_i = '0;
    host_i[0].mac = 48'h02b00b050001;
  end
`endif
  model #(
      .beat_t(beat_t),
      .Copies(Copies),
      .Float(Float),
      .MaxReplyBytes(MaxReplyBytes)
  ) u_layer (
      .clk_i,
      .rst_i,
`ifdef SPN_ETHERNET
      .host_i,
`endif
      .in_i(in),
      .in_valid_i(in_valid_i[0]),
      .in_ready_o(in_ready_o[0]),
      .out_o(out),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .drop_o(event_o[1:0]),
      .drop_message_o(),
      .event_o(event_o[5:2]),
      .busy_o(busy)
  );
`endif
  assign out_o[0] = $bits(out_o[0])'(out);
  assign event_o[63:6] = '0;
  assign status_o = busy ^ (control_i & 1'b0);

endmodule

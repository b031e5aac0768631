// SPDX-License-Identifier: Apache-2.0
// The buffers of TCP in parallel. Streams in: data and segments of the send buffer, data and reads
// of the receive buffer; an item is a beat. Streams out: packets, responses (an item is next hop
// and beat), requests of the send buffer. Events: drops of the send buffer, drops and events of the
// receive buffer, events of the send buffer. Kinds: tcp_data 2, tcp_event 3. Applications have the
// ports 80 and 443.
`include "bombus_types.svh"
`include "bench.svh"

module bench
  import tcp_pkg::*;
#(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned NumSessions = 3,
    parameter int unsigned RingBeats = 16,
    localparam int unsigned RingBytes = RingBeats * DataWidth / 8,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(DataWidth, $bits(tcp_event_meta_t))
) (
    `BENCH_PORTS(4, BeatBits, 3, BeatBits + 1, 1, 2)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth, tcp_event_meta_t)

  beat_t packet, answer, request;
  logic next;
  assign out_o[0] = {1'b0, packet};
  assign out_o[1] = {next, answer};
  assign out_o[2] = {1'b0, request};

  tcp_send_buffer #(
      .beat_t(beat_t),
      .NumSessions(NumSessions),
      .RingBytes(RingBytes)
  ) u_send (
      .clk_i,
      .rst_i,
      .data_i(beat_t'(in_i[0])),
      .data_valid_i(in_valid_i[0]),
      .data_ready_o(in_ready_o[0]),
      .segment_i(beat_t'(in_i[1])),
      .segment_valid_i(in_valid_i[1]),
      .segment_ready_o(in_ready_o[1]),
      .out_o(packet),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .request_o(request),
      .request_valid_o(out_valid_o[2]),
      .request_ready_i(out_ready_i[2]),
      .drop_o(event_o[3:0]),
      .event_o(event_o[10]),
      .busy_o(status_o[0])
  );

  tcp_receive_buffer #(
      .beat_t(beat_t),
      .NumSessions(NumSessions),
      .RingBytes(RingBytes),
      .KindTcpData(2),
      .KindTcpEvent(3),
      .NumBound(2),
      .NumBoundHops(2),
      .BoundKeys({16'd443, 16'd80}),
      .BoundHops({8'd1, 8'd0})
  ) u_receive (
      .clk_i,
      .rst_i,
      .data_i(beat_t'(in_i[2])),
      .data_valid_i(in_valid_i[2]),
      .data_ready_o(in_ready_o[2]),
      .read_i(beat_t'(in_i[3])),
      .read_valid_i(in_valid_i[3]),
      .read_ready_o(in_ready_o[3]),
      .answer_o(answer),
      .answer_valid_o(out_valid_o[1]),
      .answer_ready_i(out_ready_i[1]),
      .answer_next_o(next),
      .drop_o(event_o[7:4]),
      .event_o(event_o[9:8]),
      .busy_o(status_o[1])
  );

  assign event_o[63:11] = '0;

endmodule

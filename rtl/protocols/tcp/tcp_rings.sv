// SPDX-License-Identifier: Apache-2.0
// The bytes of all sessions, in a ring of RingBytes for each: stores messages of kind tcp_data
// (ring_write) and reads ranges of the bytes (ring_read).
//
// A read accepted after the last beat of a write returns the written bytes.
//
// Latency: 1 cycle for a write; 9 cycles for a read. Throughput: one beat per cycle in each
// direction, no gap between messages. Writes never stall.
`include "bombus_assert.svh"

module tcp_rings
  import tcp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumSessions = 16,
    parameter int unsigned RingBytes = 65536,  // of a session, a power of two, at least 256
    localparam int unsigned SessionWidth = NumSessions > 1 ? $clog2(NumSessions) : 1,
    localparam int unsigned PositionWidth = $clog2(RingBytes)
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t data_i,
    input  logic  data_valid_i,
    output logic  kept_o,         // a message was stored; in the cycle of its last write
    output logic  bad_session_o,  // a message was dropped: see ring_write
    output logic  bad_length_o,

    input  logic [ SessionWidth-1:0] request_session_i,
    input  logic [PositionWidth-1:0] request_position_i,
    input  logic [             14:0] request_length_i,    // in bytes; 0: a beat without bytes
    input  logic                     request_valid_i,
    output logic                     request_ready_o,

    output logic [ $bits(data_i.data)-1:0] out_data_o,
    output logic [$bits(data_i.bytes)-1:0] out_bytes_o,
    output logic                           out_last_o,
    output logic                           out_valid_o,
    input  logic                           out_ready_i,

    output logic busy_o
);

  localparam int unsigned DataBytes = $bits(data_i.data) / 8;
  typedef logic [$bits(data_i.bytes)-1:0] count_t;

  logic write;
  logic [SessionWidth-1:0] write_session, read_session;
  logic [PositionWidth-1:0] write_position, read_position;
  count_t write_first, write_end, read_end;
  logic [DataBytes*8-1:0] write_data, read_data;

  ring_write #(
      .beat_t(beat_t),
      .NumSessions(NumSessions),
      .RingBytes(RingBytes)
  ) u_write (
      .clk_i,
      .rst_i,
      .in_i(data_i),
      .in_meta_i(tcp_data_meta_t'(data_i.meta)),
      .in_valid_i(data_valid_i),
      .write_o(write),
      .write_session_o(write_session),
      .write_position_o(write_position),
      .write_first_o(write_first),
      .write_end_o(write_end),
      .write_data_o(write_data),
      .bad_session_o,
      .bad_length_o
  );

  logic ends_q;  // the last beat of a message was received
  always_ff @(posedge clk_i) ends_q <= data_valid_i & data_i.last;
  assign kept_o = ends_q & write;

  ring_memory #(
      .DataBytes  (DataBytes),
      .NumSessions(NumSessions),
      .RingBytes  (RingBytes)
  ) u_memory (
      .clk_i,
      .write_i(write),
      .write_session_i(write_session),
      .write_position_i(write_position),
      .write_first_i(write_first),
      .write_end_i(write_end),
      .write_data_i(write_data),
      .read_session_i(read_session),
      .read_position_i(read_position),
      .read_end_i(read_end),
      .read_data_o(read_data)
  );

  logic reading;
  ring_read #(
      .DataBytes(DataBytes),
      .SessionWidth(SessionWidth),
      .PositionWidth(PositionWidth)
  ) u_read (
      .clk_i,
      .rst_i,
      .request_session_i,
      .request_position_i,
      .request_length_i,
      .request_valid_i,
      .request_ready_o,
      .read_session_o(read_session),
      .read_position_o(read_position),
      .read_end_o(read_end),
      .read_data_i(read_data),
      .out_data_o,
      .out_bytes_o,
      .out_last_o,
      .out_valid_o,
      .out_ready_i,
      .busy_o(reading)
  );

  assign busy_o = write | ends_q | reading;

  `BOMBUS_ASSERT(RequestsFitRing,
                 !request_valid_i || 32'(request_length_i) <= RingBytes + DataBytes)

endmodule

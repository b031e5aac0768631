// SPDX-License-Identifier: Apache-2.0
// Turns messages of kind tcp_data into writes of a ring_memory: byte n of a message is byte start +
// n of the session's stream; the first skip bytes are not written.
//
// A message for a session that does not exist, or with more bytes to write than the ring has, is
// dropped.
//
// Latency: 1 cycle. Throughput: one beat per cycle, no gap between messages; the input never
// stalls.
`include "bombus_assert.svh"

module ring_write
  import tcp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumSessions = 16,
    parameter int unsigned RingBytes = 65536,  // a power of two
    localparam int unsigned SessionWidth = NumSessions > 1 ? $clog2(NumSessions) : 1,
    localparam int unsigned PositionWidth = $clog2(RingBytes)
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t          in_i,
    input tcp_data_meta_t in_meta_i,  // metadata of its first beat
    input logic           in_valid_i,

    output logic                         write_o,
    output logic [     SessionWidth-1:0] write_session_o,
    output logic [    PositionWidth-1:0] write_position_o,
    output logic [$bits(in_i.bytes)-1:0] write_first_o,
    output logic [$bits(in_i.bytes)-1:0] write_end_o,
    output logic [ $bits(in_i.data)-1:0] write_data_o,

    output logic bad_session_o,  // a message was dropped
    output logic bad_length_o
);

  if (NumSessions < 1 || NumSessions > MaxSessions) begin : gen_bad_sessions
    $error("ring_write: NumSessions must be 1 to %0d", MaxSessions);
  end
  if (RingBytes < 256 || RingBytes != 2 ** PositionWidth) begin : gen_bad_ring
    $error("ring_write: RingBytes must be a power of two, at least 256");
  end

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  typedef logic [$bits(in_i.bytes)-1:0] count_t;

  logic first, dropping_q;
  bombus_pkg::length_t skip_q;  // bytes still to skip
  wire bombus_pkg::length_t skip = first ? in_meta_i.skip : skip_q;
  wire bad_session = 32'(in_meta_i.session) >= NumSessions;
  wire bad_length = 32'(in_i.length) > RingBytes + 32'(in_meta_i.skip);
  wire drop = first ? bad_session | bad_length : dropping_q;

  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i),
      .last_i (in_i.last),
      .first_o(first)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_o <= 1'b0;
      bad_session_o <= 1'b0;
      bad_length_o <= 1'b0;
    end else begin
      write_o <= in_valid_i & ~drop;
      bad_session_o <= in_valid_i & first & bad_session;
      bad_length_o <= in_valid_i & first & ~bad_session & bad_length;
    end
  end

  always_ff @(posedge clk_i) begin
    write_data_o  <= in_i.data;
    write_first_o <= skip >= 14'(DataBytes) ? count_t'(DataBytes) : count_t'(skip);
    write_end_o   <= in_i.last ? in_i.bytes : count_t'(DataBytes);
    if (in_valid_i) begin
      dropping_q <= drop;
      skip_q <= skip >= 14'(DataBytes) ? skip - 14'(DataBytes) : '0;
      if (first) begin
        write_session_o  <= SessionWidth'(in_meta_i.session);
        write_position_o <= PositionWidth'(in_meta_i.start);
      end else begin
        write_position_o <= write_position_o + PositionWidth'(DataBytes);
      end
    end
  end

  `BOMBUS_ASSERT(SessionExists, !write_o || 32'(write_session_o) < NumSessions)

endmodule

// SPDX-License-Identifier: Apache-2.0
// Reads bytes of a ring_memory as beats: one message of length bytes per request, starting at the
// given position. Length 0 gives one beat without bytes.
//
// Reads are issued ahead of the output as long as the FIFO has room for their data.
//
// Latency: 9 cycles, including the memory. Throughput: one beat per cycle, no gap between messages.
`include "bombus_assert.svh"

module ring_read #(
    parameter int unsigned DataBytes = 64,
    parameter int unsigned SessionWidth = 4,
    parameter int unsigned PositionWidth = 16,
    localparam int unsigned ByteWidth = $clog2(DataBytes)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [ SessionWidth-1:0] request_session_i,
    input  logic [PositionWidth-1:0] request_position_i,
    input  logic [             14:0] request_length_i,
    input  logic                     request_valid_i,
    output logic                     request_ready_o,

    output logic [ SessionWidth-1:0]      read_session_o,
    output logic [PositionWidth-1:0]      read_position_o,
    output logic [      ByteWidth:0]      read_end_o,
    input  logic [    DataBytes-1:0][7:0] read_data_i,

    output logic [DataBytes*8-1:0] out_data_o,
    output logic [    ByteWidth:0] out_bytes_o,
    output logic                   out_last_o,
    output logic                   out_valid_o,
    input  logic                   out_ready_i,

    output logic busy_o
);

  if (DataBytes != 2 ** ByteWidth || DataBytes < 8) begin : gen_bad_bytes
    $error("ring_read: DataBytes must be a power of two, at least 8");
  end
  if (SessionWidth < 1 || PositionWidth <= ByteWidth) begin : gen_bad_widths
    $error("ring_read: sessions need a bit, and a ring more than a beat");
  end

  localparam int unsigned ReadCycles = 7;  // latency of ring_memory
  localparam int unsigned Depth = 16;  // of the FIFO, which has room for all outstanding reads
  typedef logic [ByteWidth:0] count_t;
  typedef logic [14-ByteWidth:0] beats_t;

  typedef struct packed {
    logic   last;
    count_t bytes;
  } head_t;

  // ---- The current request ----

  logic reading_q, last_q, room_q;
  beats_t more_q;  // beats after this one
  count_t last_bytes_q;
  wire reads = reading_q & room_q;
  assign request_ready_o = ~reading_q | (reads & last_q);
  wire taken = request_valid_i & request_ready_o;
  // Index of the last beat; that beat is full if the rest is zero.
  wire beats_t beats = beats_t'(request_length_i >> ByteWidth);
  wire [ByteWidth-1:0] rest = request_length_i[ByteWidth-1:0];
  wire fills = rest == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) reading_q <= 1'b0;
    else if (request_ready_o) reading_q <= request_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (taken) begin
      read_session_o <= request_session_i;
      read_position_o <= request_position_i;
      more_q <= beats - beats_t'(fills);
      last_q <= (beats == '0) | (fills & (beats == beats_t'(1)));
      last_bytes_q <= {fills & (beats != '0), rest};
    end else if (reads) begin
      read_position_o <= read_position_o + PositionWidth'(DataBytes);
      more_q <= more_q - 1'b1;
      last_q <= more_q == beats_t'(1);
    end
  end
  assign read_end_o = last_q ? last_bytes_q : count_t'(DataBytes);

  // ---- In parallel with the memory ----

  logic  [ReadCycles-1:0] valid_q;
  head_t [ReadCycles-1:0] head_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) valid_q <= '0;
    else valid_q <= {valid_q[ReadCycles-2:0], reads};
    head_q <= {head_q[ReadCycles-2:0], head_t'{last: last_q, bytes: read_end_o}};
  end

  // ---- Data read ----

  logic [$clog2(Depth):0] level_q;  // beats in the memory pipeline or in the FIFO
  wire pop = out_valid_o & out_ready_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      level_q <= '0;
      room_q  <= 1'b1;
    end else if (reads != pop) begin
      level_q <= reads ? level_q + 1'b1 : level_q - 1'b1;
      room_q  <= pop | (level_q != ($clog2(Depth) + 1)'(Depth - 1));
    end
  end

  head_t head;
  logic  unused_ready;
  head_fifo #(
      .head_t(head_t),
      .body_t(logic [DataBytes*8-1:0]),
      .Depth (Depth)
  ) u_beats (
      .clk_i,
      .rst_i,
      .in_head_i (head_q[ReadCycles-1]),
      .in_body_i (read_data_i),
      .in_valid_i(valid_q[ReadCycles-1]),
      .in_ready_o(unused_ready),
      .out_head_o(head),
      .out_body_o(out_data_o),
      .out_valid_o,
      .out_ready_i
  );
  assign out_bytes_o = head.bytes;
  assign out_last_o = head.last;
  assign busy_o = reading_q | (level_q != '0);

  `BOMBUS_ASSERT(BeatsHaveRoom, !valid_q[ReadCycles-1] || unused_ready)
  `BOMBUS_ASSERT(LevelIsLegal, 32'(level_q) <= Depth)

endmodule

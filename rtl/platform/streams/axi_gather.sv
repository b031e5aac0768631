// SPDX-License-Identifier: Apache-2.0
// Gathers the bytes of an AXI-Stream into pieces of known length before they are forwarded:
// messages of up to MaxBytes as a whole, longer ones in several pieces. A partial beat before the
// last beat of its message also ends a piece; a beat without bytes adds nothing.
//
// piece_* describe the front piece; begin_i starts sending its beats, or drops them with discard_i.
// The next piece can begin when sending_o is low. piece_user_o is the tuser of the message's first
// beat. A piece without bytes has no beats. A beat at the output has the length of its piece; its
// kind and metadata are zero.
//
// Latency: 2 cycles after the last beat of a piece. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module axi_gather #(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 512,
    parameter int unsigned UserWidth = 1,
    parameter int unsigned MaxBytes = 2048,
    localparam int unsigned DataBytes = DataWidth / 8,
    localparam int unsigned CountWidth = $clog2(DataBytes) + 1,
    localparam int unsigned LengthWidth = $clog2(MaxBytes + 1)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [DataWidth-1:0] tdata_i,
    input  logic [DataBytes-1:0] tkeep_i,
    input  logic                 tvalid_i,
    output logic                 tready_o,
    input  logic                 tlast_i,
    input  logic [UserWidth-1:0] tuser_i,

    output logic                   piece_valid_o,
    output logic [  UserWidth-1:0] piece_user_o,
    output logic [LengthWidth-1:0] piece_length_o,
    output logic                   piece_last_o,    // last piece of its message
    input  logic                   begin_i,
    input  logic                   discard_i,
    output logic                   sending_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic busy_o
);

  localparam int unsigned Beats = MaxBytes / DataBytes;
  localparam int unsigned Depth = 2 * Beats;
  localparam int unsigned UsedWidth = $clog2(Depth) + 1;

  if (DataWidth < 16 || DataWidth % 8 != 0 || UserWidth < 1) begin : gen_bad_width
    $error("axi_gather: DataWidth must be a multiple of 8, from 16; UserWidth at least 1");
  end
  if (MaxBytes < 2 * DataBytes || MaxBytes != 2 ** $clog2(MaxBytes)) begin : gen_bad_length
    $error("axi_gather: MaxBytes must be a power of two, at least two beats");
  end

  // ---- Input ----

  typedef struct packed {
    logic [UserWidth-1:0] user;
    logic [LengthWidth-1:0] length;
    logic last;
  } piece_t;
  typedef struct packed {
    logic [DataWidth-1:0]  data;
    logic [CountWidth-1:0] bytes;
  } word_t;

  logic [ CountWidth-1:0] bytes;
  logic [LengthWidth-1:0] count_q;
  logic [  UserWidth-1:0] user_q;
  logic [  UsedWidth-1:0] used_q;
  logic first, room_q, piece_room;
  piece_t piece, front;
  word_t word, sent;
  logic word_valid, unused_head;

  keep_count #(
      .NumBytes(DataBytes)
  ) u_bytes (
      .keep_i (tkeep_i),
      .bytes_o(bytes)
  );
  wire [LengthWidth-1:0] sum = count_q + LengthWidth'(bytes);
  wire full = tkeep_i[DataBytes-1];
  wire some = |tkeep_i;
  wire fills = full & (count_q == LengthWidth'(MaxBytes - DataBytes));
  // A partial beat ends a piece, so count_q is a whole number of beats and pieces never share one.
  wire ends = tlast_i | fills | (~full & some);
  wire taken = tvalid_i & tready_o;
  wire stores = taken & some;
  logic discarding_q;
  wire drains = word_valid & sending_o & (discarding_q | out_ready_i);
  assign tready_o = room_q & piece_room;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (tlast_i),
      .first_o(first)
  );
  assign piece = '{user: first ? tuser_i : user_q, length: sum, last: tlast_i};
  assign word.bytes = bytes;
  for (genvar n = 0; n < DataBytes; n++) begin : gen_mask
    assign word.data[8*n+:8] = tkeep_i[n] ? tdata_i[8*n+:8] : '0;
  end

  always_ff @(posedge clk_i) begin
    if (taken) begin
      user_q  <= piece.user;
      count_q <= ends ? '0 : sum;
    end
    used_q <= used_q + UsedWidth'(stores) - UsedWidth'(drains);
    room_q <= used_q < UsedWidth'(Depth - 2);
    if (rst_i) begin
      count_q <= '0;
      used_q  <= '0;
      room_q  <= 1'b0;
    end
  end

  head_fifo #(
      .head_t(logic),
      .body_t(piece_t),
      .Depth (16)
  ) u_pieces (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  (piece),
      .in_valid_i (taken & ends),
      .in_ready_o (piece_room),
      .out_head_o (unused_head),
      .out_body_o (front),
      .out_valid_o(piece_valid_o),
      .out_ready_i(begin_i)
  );
  block_fifo #(
      .data_t(word_t),
      .Depth (Depth)
  ) u_words (
      .clk_i,
      .rst_i,
      .data_i (word),
      .write_i(stores),
      .data_o (sent),
      .valid_o(word_valid),
      .ready_i(drains)
  );

  // ---- Output ----

  logic [LengthWidth-1:0] left_q, length_q;
  wire last = left_q <= LengthWidth'(DataBytes);
  assign piece_user_o   = front.user;
  assign piece_length_o = front.length;
  assign piece_last_o   = front.last;
  always_comb begin
    out_o = '0;
    out_o.data = sent.data;
    out_o.bytes = sent.bytes;
    out_o.last = last;
    out_o.length = 14'(length_q);
  end
  assign out_valid_o = word_valid & sending_o & ~discarding_q;
  always_ff @(posedge clk_i) begin
    if (drains) begin
      left_q <= left_q - LengthWidth'(DataBytes);
      if (last) sending_o <= 1'b0;
    end
    if (begin_i) length_q <= front.length;
    if (begin_i & piece_valid_o & (front.length != '0)) begin
      sending_o <= 1'b1;
      discarding_q <= discard_i;
      left_q <= front.length;
    end
    if (rst_i) sending_o <= 1'b0;
  end

  assign busy_o = ~first | piece_valid_o | sending_o | (used_q != '0) | (count_q != '0);

  `BOMBUS_ASSERT(NoOverflow, used_q <= UsedWidth'(Depth))

endmodule

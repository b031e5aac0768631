// SPDX-License-Identifier: Apache-2.0
// CRC-32 of IEEE 802.3 over a stream of beats. The register starts at zero; the initial value and
// the final inversion are left to the user.
//
// Only the last beat may have fewer bytes than the bus; the bytes after the last one must be zero.
// They are shifted in like the others, and the last stages, one per bit of their number, remove
// them again.
//
// Latency: 9 cycles from the last beat. Throughput: one beat per cycle. No backpressure.
module crc32 #(
    parameter  int unsigned DataBytes = 64,
    localparam int unsigned BytesBits = $clog2(DataBytes) + 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataBytes*8-1:0] data_i,
    input logic [  BytesBits-1:0] bytes_i,  // with last_i, at least 1
    input logic                   valid_i,
    input logic                   last_i,

    output logic [31:0] crc_o,
    output logic        valid_o
);

  if (DataBytes < 8 || DataBytes != 2 ** $clog2(DataBytes)) begin : gen_bad_bytes
    $error("crc32: DataBytes must be a power of two, at least 8");
  end

  localparam int unsigned DataWidth = DataBytes * 8;
  localparam int unsigned NumWords = DataBytes / 8;
  localparam int unsigned NumUndo = $clog2(DataBytes);
  localparam logic [31:0] Polynomial = 32'hEDB88320;  // reflected: the first bit is the lowest

  typedef logic [31:0] crc_t;
  typedef logic [31:0][DataWidth-1:0] beat_rows_t;
  typedef logic [31:0][31:0] rows_t;

  function automatic crc_t forward(crc_t crc);
    return (crc >> 1) ^ (crc[0] ? Polynomial : '0);
  endfunction
  function automatic crc_t backward(crc_t crc);
    return ((crc ^ (crc[31] ? Polynomial : '0)) << 1) | 32'(crc[31]);
  endfunction

  // All sums are parities of masked words: they become trees of XOR gates instead of chains.

  // For each bit of the register: the bits of a beat that contribute to it.
  function automatic beat_rows_t make_beat_rows();
    beat_rows_t rows;
    crc_t crc;
    crc = Polynomial;
    for (int unsigned i = 0; i < DataWidth; i++) begin
      for (int unsigned b = 0; b < 32; b++) begin
        rows[b][DataWidth-1-i] = crc[b];
      end
      crc = forward(crc);
    end
    return rows;
  endfunction
  localparam beat_rows_t BeatRows = make_beat_rows();

  // The same for a register from which 2^power zero bytes are removed.
  function automatic rows_t make_undo(int unsigned power);
    rows_t rows;
    crc_t  crc;
    for (int unsigned i = 0; i < 32; i++) begin
      crc = crc_t'(1) << i;
      for (int unsigned n = 0; n < 8 * 2 ** power; n++) crc = backward(crc);
      for (int unsigned b = 0; b < 32; b++) rows[b][i] = crc[b];
    end
    return rows;
  endfunction

  // ---- The bits of a beat: groups of 64, then all ----

  logic [31:0][NumWords-1:0] words, words_q;
  crc_t beat, beat_q;
  always_comb begin
    for (int unsigned b = 0; b < 32; b++) begin
      for (int unsigned w = 0; w < NumWords; w++) begin
        words[b][w] = ^(data_i[64*w+:64] & BeatRows[b][64*w+:64]);
      end
      beat[b] = ^words_q[b];
    end
  end

  // ---- The register ----

  crc_t crc_q, moved;
  always_comb begin
    for (int unsigned b = 0; b < 32; b++) moved[b] = ^{beat_q[b], crc_q & BeatRows[b][31:0]};
  end

  typedef struct packed {
    logic valid;
    logic last;
    logic [NumUndo-1:0] missing;  // in bytes
  } side_t;
  side_t [1:0] side_q;
  side_t undo_q[NumUndo+1];
  crc_t undone_q[NumUndo+1];
  always_ff @(posedge clk_i) begin
    words_q <= words;
    beat_q  <= beat;
    side_q  <= {side_q[0], side_t'{valid_i, last_i, NumUndo'(BytesBits'(DataBytes) - bytes_i)}};
    if (side_q[1].valid) crc_q <= side_q[1].last ? '0 : moved;
    undone_q[0] <= moved;
    undo_q[0] <= side_q[1];
    undo_q[0].valid <= side_q[1].valid & side_q[1].last;
    if (rst_i) begin
      crc_q <= '0;
      side_q[0].valid <= 1'b0;
      side_q[1].valid <= 1'b0;
      undo_q[0].valid <= 1'b0;
    end
  end

  // ---- Remove the zeros after the last byte ----

  for (genvar n = 0; n < NumUndo; n++) begin : gen_undo
    localparam rows_t Undo = make_undo(n);
    crc_t undone;
    always_comb begin
      for (int unsigned b = 0; b < 32; b++) undone[b] = ^(undone_q[n] & Undo[b]);
    end
    always_ff @(posedge clk_i) begin
      undone_q[n+1] <= undo_q[n].missing[n] ? undone : undone_q[n];
      undo_q[n+1]   <= undo_q[n];
      if (rst_i) undo_q[n+1].valid <= 1'b0;
    end
  end

  assign crc_o   = undone_q[NumUndo];
  assign valid_o = undo_q[NumUndo].valid;

endmodule

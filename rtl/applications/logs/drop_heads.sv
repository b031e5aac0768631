// SPDX-License-Identifier: Apache-2.0
// Keeps the first bytes of the latest messages of an observed stream, by their number.
//
// The bytes of message number_i are complete_o once its last collected beat has been transferred,
// and gone_o when Kept - 1 later ones are; head_o and note_o have them in the next cycle.
module drop_heads
  import bombus_pkg::*;
  import log_pkg::*;
#(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned NumBytes = 64,
    parameter int unsigned Kept = 64
) (
    input logic clk_i,
    input logic rst_i,

    input observed_beat_t beat_i,
    input logic [DataWidth-1:0] data_i,

    input logic [15:0] number_i,
    output logic complete_o,
    output logic gone_o,
    output logic [NumBytes*8-1:0] head_o,
    output drop_entry_t note_o
);

  if (Kept < 4 || Kept > 4096 || Kept != 2 ** $clog2(Kept)) begin : gen_bad_kept
    $error("drop_heads: Kept must be a power of two, 4 to 4096");
  end
  localparam int unsigned AddressBits = $clog2(Kept);
  typedef logic [AddressBits-1:0] address_t;

  typedef struct packed {
    logic last;
    logic [DataWidth-1:0] data;
  } seen_t;
  typedef struct packed {
    packet_meta_t meta;
    length_t length;
    logic is_packet;
  } note_t;
  typedef struct packed {
    logic [NumBytes*8-1:0] bytes;
    note_t note;
  } kept_t;

  kept_t found, found_q, kept;
  logic found_valid, found_valid_q;
  wire seen_t seen = '{last: beat_i.last, data: data_i};
  wire note_t note =
  '{
      meta: beat_i.is_packet ? beat_i.meta : '0,
      length: beat_i.length,
      is_packet: beat_i.is_packet
  }
  ;
  log_head #(
      .beat_t  (seen_t),
      .note_t  (note_t),
      .NumBytes(NumBytes)
  ) u_head (
      .clk_i,
      .rst_i,
      .beat_i (seen),
      .taken_i(beat_i.taken),
      .note_i (note),
      .bytes_o(found.bytes),
      .note_o (found.note),
      .valid_o(found_valid)
  );

  logic [15:0] heads_q;  // messages whose bytes are complete
  always_ff @(posedge clk_i) begin
    found_q <= found;
    found_valid_q <= found_valid & ~rst_i;
    if (rst_i) heads_q <= '0;
    else heads_q <= heads_q + 16'(found_valid_q);
  end
  sized_memory #(
      .data_t(kept_t),
      .Depth (Kept)
  ) u_kept (
      .clk_i,
      .write_addr_i(address_t'(heads_q)),
      .data_i(found_q),
      .write_i(found_valid_q),
      .read_addr_i(address_t'(number_i)),
      .data_o(kept)
  );

  wire [15:0] later = heads_q - number_i;  // messages from this one on that are complete
  assign complete_o = later != '0 & ~later[15];
  assign gone_o = later >= 16'(Kept);
  assign head_o = kept.bytes;
  always_comb begin
    note_o = '0;
    note_o.meta = kept.note.meta;
    note_o.length = 16'(kept.note.length);
    note_o.is_packet = kept.note.is_packet;
  end

endmodule

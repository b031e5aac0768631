// SPDX-License-Identifier: Apache-2.0
// Cuts messages of a mesh into packets for another board (cluster_bridge_pkg).
//
// MaxWords: words of the longest packet, a multiple of those of a link's beat. The packets of a
// message follow each other. Kinds: identity of each kind of message by its number.
//
// Latency: 1 cycle, without a mesh that is wider or narrower than the link. Throughput: one beat of
// the mesh or of the link per cycle, and the header of each packet.
`include "cluster_types.svh"
`include "bombus_assert.svh"

module bridge_pack
  import bombus_pkg::*;
  import cluster_pkg::*;
  import cluster_bridge_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 512,
    parameter type packet_t = logic,  // CLUSTER_BEAT_T at the link's width
    parameter int unsigned MaxWords = 240,
    parameter logic [3:0] Target = '0,
    parameter int unsigned NumKinds = 1,
    parameter logic [NumKinds-1:0][31:0] Identities = '0
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t in_i,
    input logic in_valid_i,
    output logic in_ready_o,
    input board_t board_i,  // destination, with the first beat of a message

    // Of the header, destination and length are set.
    output packet_t out_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output logic busy_o
);

  localparam int unsigned MetaBits = $bits(in_i.meta);
  localparam int unsigned HeaderWords = header_words(MetaBits);
  localparam int unsigned DataBytes = DataWidth / 8;
  localparam int unsigned PieceBytes = piece_bytes(MaxWords, MetaBits, DataWidth);
  localparam int unsigned PieceBeats = PieceBytes / DataBytes;
  localparam int unsigned KindBits = $bits(in_i.kind);
  typedef logic [$clog2(PieceBeats+1)-1:0] beats_t;
  `CLUSTER_BEAT_T(wide_t, DataWidth)

  if (MaxWords > 255 || PieceBeats < 1) begin : gen_bad_words
    $error("bridge_pack: MaxWords must be at most 255, with room for a beat after the header");
  end

  // ---- Pieces ----

  logic   first;  // the input beat begins a message
  beats_t beats_q;  // of the piece, before this one
  bombus_pkg::length_t left_q, length_q;
  logic [KindBits-1:0] kind_q;
  logic [MetaBits-1:0] meta_q;
  beat_t cut;
  logic cut_ready;

  wire taken = in_valid_i & in_ready_o;
  wire ends = in_i.last | beats_q == beats_t'(PieceBeats - 1);
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(first)
  );
  wire bombus_pkg::length_t left = first ? in_i.length : left_q;
  always_comb begin
    cut = in_i;
    cut.last = ends;
    if (~in_i.last) cut.bytes = $bits(cut.bytes)'(DataBytes);  // so far without meaning
  end
  assign in_ready_o = cut_ready;
  always_ff @(posedge clk_i) begin
    if (taken & first) begin
      length_q <= in_i.length;
      kind_q   <= in_i.kind;
      meta_q   <= in_i.meta;
    end
    if (taken) begin
      if (ends) left_q <= left - bombus_pkg::length_t'(PieceBytes);
      else if (first) left_q <= left;
      beats_q <= ends ? '0 : beats_q + 1'b1;
    end
    if (rst_i) beats_q <= '0;
  end

  // ---- Header ----

  wire [KindBits-1:0] kind = first ? in_i.kind : kind_q;
  logic [31:0] identity;
  always_comb begin
    identity = '0;
    for (int unsigned n = 0; n < NumKinds; n++) begin
      if (32'(kind) == n) identity |= Identities[n];
    end
  end
  piece_t piece;
  assign piece = '{
          identity: identity,
          target: Target,
          length: first ? in_i.length : length_q,
          left: left
      };
  logic [HeaderWords-1:0][WordBits-1:0] header;
  assign header = {((HeaderWords - 1) * WordBits)'(first ? in_i.meta : meta_q), piece};

  wire bombus_pkg::length_t bytes = left > bombus_pkg::length_t'(PieceBytes) ?
      bombus_pkg::length_t'(PieceBytes) : left;
  wire [7:0] words = 8'(HeaderWords) + 8'((bytes + bombus_pkg::length_t'(7)) >> 3);
  logic [7:0] words_q;
  board_t board_q, sent_board_q;  // of the message at the input, and of the packet at the output
  wire board_t board = first ? board_i : board_q;

  beat_t framed;
  logic framed_valid, framed_ready, framed_first;
  prepend #(
      .beat_t(beat_t),
      .HeaderBytes(HeaderWords * 8)
  ) u_prepend (
      .clk_i,
      .rst_i,
      .in_i(cut),
      .in_valid_i,
      .in_ready_o(cut_ready),
      .header_i(header),
      .skip_i(1'b0),
      .out_o(framed),
      .out_valid_o(framed_valid),
      .out_ready_i(framed_ready),
      .out_first_o(framed_first)
  );
  wide_t wide;
  always_comb begin
    wide = '0;
    wide.header.length = framed_first ? words : words_q;
    wide.header.destination = framed_first ? board : sent_board_q;
    wide.last = framed.last;
    wide.data = framed.data;
  end
  always_ff @(posedge clk_i) begin
    if (taken & first) board_q <= board_i;
    if (framed_valid & framed_first) begin
      words_q <= words;
      sent_board_q <= board;
    end
  end

  bridge_width #(
      .in_t (wide_t),
      .out_t(packet_t)
  ) u_width (
      .clk_i,
      .rst_i,
      .in_i(wide),
      .in_valid_i(framed_valid),
      .in_ready_o(framed_ready),
      .out_o,
      .out_valid_o,
      .out_ready_i
  );
  assign busy_o = ~first | framed_valid | out_valid_o;

  `BOMBUS_ASSERT(KindIsKnown, !(in_valid_i && first) || 32'(in_i.kind) < NumKinds)

endmodule

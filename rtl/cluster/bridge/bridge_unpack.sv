// SPDX-License-Identifier: Apache-2.0
// Puts packets from other boards together to messages of a mesh (cluster_bridge_pkg).
//
// A message of one packet is forwarded as it is received. The pieces of a longer one are stored
// until it is complete, separately for each source, so that no message waits in the mesh for a
// packet, and packets of several sources may be mixed. A source's messages keep their order.
// in_ready_o depends on the output only: packets always leave the endpoint, whatever its senders
// do.
//
// Dropped and counted: packets that fit no message (drop_o), and with the next message of its
// source, a message whose rest is missing, as after a reset of the sender.
//
// Sources: the boards that may send. Kinds: identity of each kind of message by its number.
// MaxBytes: payload of the longest message; up to one packet's, nothing is stored.
//
// Latency: 3 cycles and the header. Throughput: one beat of the mesh or of the link per cycle.
// While a stored message is sent, packets of its source wait.
`include "cluster_types.svh"
`include "bombus_assert.svh"

module bridge_unpack
  import cluster_pkg::*;
  import cluster_bridge_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 512,
    parameter type packet_t = logic,  // CLUSTER_BEAT_T at the link's width
    parameter int unsigned MaxWords = 240,
    parameter int unsigned MaxBytes = bombus_pkg::MaxFrameBytes,
    parameter logic [3:0] Target = '0,
    parameter int unsigned NumSources = 1,
    parameter logic [NumSources-1:0][7:0] Sources = '0,
    parameter int unsigned NumKinds = 1,
    parameter logic [NumKinds-1:0][31:0] Identities = '0,
    localparam int unsigned NumDrops = 4
) (
    input logic clk_i,
    input logic rst_i,

    input  packet_t in_i,
    input  logic    in_valid_i,
    output logic    in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic [NumDrops-1:0] drop_o,  // cluster_receive: drop_e
    output logic busy_o
);

  localparam int unsigned MetaBits = $bits(out_o.meta);
  localparam int unsigned HeaderWords = header_words(MetaBits);
  localparam int unsigned DataBytes = DataWidth / 8;
  localparam int unsigned BeatWords = DataWidth / WordBits;
  localparam int unsigned PieceBytes = piece_bytes(MaxWords, MetaBits, DataWidth);
  localparam int unsigned KindBits = $bits(out_o.kind);
  localparam int unsigned CountBits = $clog2(DataBytes) + 1;
  localparam bit Stores = MaxBytes > PieceBytes;
  typedef bombus_pkg::length_t bytes_t;
  typedef logic [CountBits-1:0] count_t;
  `CLUSTER_BEAT_T(wide_t, DataWidth)

  // ---- Beats of the mesh's width, without the header ----

  typedef struct packed {
    board_t source;
    logic   fits;    // the packet has as many words as its header says
  } note_t;
  typedef struct packed {
    note_t meta;
    logic length;
    logic kind;
    logic last;
    count_t bytes;
    logic [DataWidth-1:0] data;
  } framed_t;

  wide_t wide;
  logic wide_valid, wide_ready, wide_first;
  bridge_width #(
      .in_t (packet_t),
      .out_t(wide_t)
  ) u_width (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .out_o(wide),
      .out_valid_o(wide_valid),
      .out_ready_i(wide_ready)
  );
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(wide_valid & wide_ready),
      .last_i (wide.last),
      .first_o(wide_first)
  );

  function automatic bytes_t of_piece(piece_t piece);
    return piece.left > bytes_t'(PieceBytes) ? bytes_t'(PieceBytes) : piece.left;
  endfunction

  piece_t wide_piece;
  assign wide_piece = piece_t'(wide.data[WordBits-1:0]);
  wire bytes_t wide_bytes = of_piece(wide_piece);
  logic [2:0] padding_q;  // bytes of the last word beyond the message
  wire [2:0] padding = wide_first ? 3'(-wide_bytes) : padding_q;
  wire length_t words = wide.header.length - length_t'(1);
  wire count_t last_bytes = (count_t'(words % length_t'(BeatWords)) + count_t'(1)) * count_t'(8) -
      count_t'(padding);
  framed_t framed;
  assign framed = '{
          meta: '{
              source: wide.header.source,
              fits:
              wide.header.length
              ==
              length_t
              '(
              HeaderWords
              ) +
              length_t
              '(
              (wide_bytes + bytes_t'(7)) >> 3
              )
          },
          length: 1'b0,
          kind: 1'b0,
          last: wide.last,
          bytes: wide.last ? last_bytes : count_t'(DataBytes),
          data: wide.data
      };
  always_ff @(posedge clk_i) if (wide_valid & wide_first) padding_q <= padding;

  framed_t part;
  logic part_valid, part_ready, part_first;
  logic [HeaderWords-1:0][WordBits-1:0] header;
  strip #(
      .beat_t(framed_t),
      .HeaderBytes(HeaderWords * 8)
  ) u_strip (
      .clk_i,
      .rst_i,
      .in_i(framed),
      .in_valid_i(wide_valid),
      .in_ready_o(wide_ready),
      .keep_i(1'b0),
      .out_o(part),
      .out_valid_o(part_valid),
      .out_ready_i(part_ready),
      .out_first_o(part_first),
      .header_o(header)
  );

  // ---- Fate of a packet ----

  typedef logic [$clog2(NumSources+1)-1:0] source_t;
  typedef logic [KindBits-1:0] kind_t;
  piece_t piece;
  assign piece = piece_t'(header[0]);
  source_t source;
  kind_t   kind;
  logic has_source, has_kind;
  always_comb begin
    source = '0;
    has_source = 1'b0;
    for (int unsigned n = 0; n < NumSources; n++) begin
      if (part.meta.source == Sources[n]) begin
        source |= source_t'(n);
        has_source = 1'b1;
      end
    end
  end
  always_comb begin
    kind = '0;
    has_kind = 1'b0;
    for (int unsigned n = 0; n < NumKinds; n++) begin
      if (piece.identity == Identities[n]) begin
        kind |= kind_t'(n);
        has_kind = 1'b1;
      end
    end
  end

  typedef enum logic [1:0] {
    Forward,
    Store,
    Discard
  } fate_e;
  fate_e fate, fate_q;
  logic [NumDrops-1:0] reason;
  bytes_t [NumSources-1:0] expected_q;  // bytes that are missing in a source's message
  logic [NumSources-1:0] full_q;  // its message is complete and waits to leave
  bytes_t expected;
  logic is_full, leaving;
  always_comb begin
    expected = '0;
    is_full  = 1'b0;
    for (int unsigned n = 0; n < NumSources; n++) begin
      if (source == source_t'(n)) begin
        expected |= expected_q[n];
        is_full |= full_q[n];
      end
    end
  end

  wire is_start = piece.left == piece.length;
  wire is_whole = piece.length <= bytes_t'(PieceBytes);
  wire is_end = piece.left <= bytes_t'(PieceBytes);
  wire is_sound = part.meta.fits & piece.target == Target & piece.left <= piece.length &
      piece.length <= bytes_t'(MaxBytes) & (piece.left != '0 | piece.length == '0);
  wire is_next = is_start | (piece.left == expected);
  always_comb begin
    reason = '0;
    if (~has_source) reason[1] = 1'b1;
    else if (~has_kind) reason[0] = 1'b1;
    else if (~is_sound) reason[2] = 1'b1;
    else if (~is_next) reason[3] = 1'b1;
    if (reason != '0) fate = Discard;
    else fate = is_whole ? Forward : Store;
    if (~part_first) begin
      reason = '0;
      fate   = fate_q;
    end
  end
  // Its rest never came: the source has begun another message.
  wire  abandons = part_first & (fate != Discard) & is_start & (expected != '0);
  wire  waits = part_first & is_full;
  wire  goes = part_valid & part_ready;

  logic ready_out;  // of the output's register
  always_comb begin
    unique case (fate)
      Forward: part_ready = ready_out & ~leaving & ~waits;
      Store:   part_ready = ~waits;
      default: part_ready = 1'b1;
    endcase
  end
  logic forwarding_q;  // the rest of a packet follows
  always_ff @(posedge clk_i) begin
    if (goes & part_first) fate_q <= fate;
    if (goes) forwarding_q <= (fate == Forward) & ~part.last;
    if (rst_i) forwarding_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    drop_o <= (goes & part_first) ? reason | (NumDrops'(abandons) << 3) : '0;
    if (rst_i) drop_o <= '0;
  end

  beat_t forwarded, stored;
  kind_t kind_q;
  bytes_t length_q;
  logic [MetaBits-1:0] meta_q;
  wire [MetaBits-1:0] meta = MetaBits'(header[HeaderWords-1:1]);
  always_ff @(posedge clk_i) begin
    if (part_valid & part_first) begin
      kind_q   <= kind;
      length_q <= piece.length;
      meta_q   <= meta;
    end
  end
  always_comb begin
    forwarded = '0;
    forwarded.meta = part_first ? meta : meta_q;
    forwarded.length = part_first ? piece.length : length_q;
    forwarded.kind = part_first ? kind : kind_q;
    forwarded.last = part.last;
    forwarded.bytes = part.bytes;
    forwarded.data = part.data;
  end

  // ---- Messages of several packets ----

  logic stored_valid, stored_ready;
  if (Stores) begin : gen_stores
    localparam int unsigned Beats = (MaxBytes + DataBytes - 1) / DataBytes;
    localparam int unsigned IndexBits = $clog2(Beats);
    typedef logic [IndexBits-1:0] index_t;
    typedef struct packed {
      logic [MetaBits-1:0] meta;
      bytes_t length;
      kind_t kind;
    } message_t;
    localparam int unsigned Depth = NumSources * 2 ** IndexBits;
    logic [DataWidth-1:0] memory[Depth];
    message_t messages_q[NumSources];
    index_t written_q[NumSources];
    source_t source_q, leaving_q;
    wire source_t into = part_first ? source : source_q;
    index_t place;
    always_comb begin
      place = '0;
      for (int unsigned n = 0; n < NumSources; n++) begin
        if (into == source_t'(n) & ~(part_first & is_start)) place |= written_q[n];
      end
    end
    wire writes = goes & (fate == Store);
    wire [$clog2(Depth)-1:0] write_address = $clog2(Depth)'({into, place});
    logic is_end_q;
    bytes_t left_q;
    wire ends = part_first ? is_end : is_end_q;
    wire bytes_t left = part_first ? piece.left : left_q;
    always_ff @(posedge clk_i) begin
      if (writes) memory[write_address] <= part.data;
    end

    // One stored message leaves at a time.
    index_t read_q;
    bytes_t rest_q;
    logic read_valid_q, read_last_q;
    count_t read_bytes_q;
    logic [DataWidth-1:0] data_q;
    message_t message_q;
    logic reading_q;
    wire [$clog2(Depth)-1:0] read_address = $clog2(Depth)'({leaving_q, read_q});
    wire steps = ~read_valid_q | stored_ready;
    wire is_last = rest_q <= bytes_t'(DataBytes);
    source_t chosen;
    message_t next_message;
    always_comb begin
      chosen = '0;
      for (int unsigned n = NumSources; n > 0; n--) begin
        if (full_q[n-1]) chosen = source_t'(n - 1);
      end
    end
    always_comb begin
      next_message = '0;
      for (int unsigned n = 0; n < NumSources; n++) begin
        if (chosen == source_t'(n)) next_message |= messages_q[n];
      end
    end
    // A message that is being forwarded ends first.
    wire begins = ~reading_q & ~read_valid_q & (full_q != '0) & ~forwarding_q &
        ~(goes & fate == Forward & ~part.last);
    assign leaving = reading_q | read_valid_q;
    always_ff @(posedge clk_i) begin
      if (steps & reading_q) begin
        data_q <= memory[read_address];
        read_bytes_q <= is_last ? count_t'(rest_q) : count_t'(DataBytes);
        read_last_q <= is_last;
        read_q <= read_q + 1'b1;
        rest_q <= rest_q - bytes_t'(DataBytes);
      end
      if (steps) read_valid_q <= reading_q;
      if (begins) begin
        leaving_q <= chosen;
        message_q <= next_message;
        rest_q <= next_message.length;
        read_q <= '0;
        reading_q <= 1'b1;
      end else if (steps & reading_q & is_last) begin
        reading_q <= 1'b0;
      end
      if (rst_i) begin
        read_valid_q <= 1'b0;
        reading_q <= 1'b0;
      end
    end
    always_comb begin
      stored = '0;
      stored.meta = message_q.meta;
      stored.length = message_q.length;
      stored.kind = message_q.kind;
      stored.last = read_last_q;
      stored.bytes = read_bytes_q;
      stored.data = data_q;
    end
    assign stored_valid = read_valid_q;

    always_ff @(posedge clk_i) begin
      if (part_valid & part_first) begin
        source_q <= source;
        is_end_q <= is_end;
        left_q   <= piece.left;
      end
    end
    for (genvar n = 0; n < NumSources; n++) begin : gen_source
      always_ff @(posedge clk_i) begin
        if (writes & into == source_t'(n)) begin
          written_q[n] <= place + 1'b1;
          if (part_first & is_start) begin
            messages_q[n] <= '{meta: meta, length: piece.length, kind: kind};
          end
        end
        // Expected only once the piece is complete.
        if (abandons & goes & source == source_t'(n)) expected_q[n] <= '0;
        if (writes & part.last & into == source_t'(n)) begin
          expected_q[n] <= ends ? '0 : left - bytes_t'(PieceBytes);
          if (ends) full_q[n] <= 1'b1;
        end
        if (stored_valid & stored_ready & read_last_q & leaving_q == source_t'(n)) begin
          full_q[n] <= 1'b0;
        end
        if (rst_i) begin
          expected_q[n] <= '0;
          full_q[n] <= 1'b0;
        end
      end
    end
    `BOMBUS_ASSERT(StoredFits, !writes || 32'(place) < Beats)
  end else begin : gen_none
    assign stored = '0;
    assign stored_valid = 1'b0;
    assign leaving = 1'b0;
    assign expected_q = '0;
    assign full_q = '0;
  end

  wire forwards = part_valid & (fate == Forward) & ~leaving & ~waits;
  assign stored_ready = ready_out;
  stream_register #(
      .data_t(beat_t)
  ) u_register (
      .clk_i,
      .rst_i,
      .in_i(leaving ? stored : forwarded),
      .in_valid_i(leaving ? stored_valid : forwards),
      .in_ready_o(ready_out),
      .out_o,
      .out_valid_o,
      .out_ready_i
  );
  assign busy_o = wide_valid | part_valid | leaving | out_valid_o | (full_q != '0);

endmodule

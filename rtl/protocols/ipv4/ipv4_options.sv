// SPDX-License-Identifier: Apache-2.0
// Removes the options of IPv4 packets (RFC 791) and checks them.
//
// Input and output are whole packets with their header. The output is the same packet with a header
// of 20 bytes, and beside it the result of the check. The header's checksum is updated, not
// verified (RFC 1624): an error stays an error. A packet that ends inside its header is output
// unchanged, but without its payload.
//
// Packets with options are rare, so the logic is small, not fast. Buffers at input and output
// decouple it: packets enter and leave at one beat per cycle, in order. The input never stalls: a
// packet that does not fit is dropped.
//
// Throughput: 32 bits per cycle, options 8 bits per cycle. Latency: the whole packet and about 20
// cycles.
`include "bombus_assert.svh"

module ipv4_options
  import bombus_pkg::*;
  import ipv4_pkg::*;
#(
    parameter type beat_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t in_i,
    input message_number_t in_message_i,
    input logic in_valid_i,

    output beat_t           out_o,
    output message_number_t out_message_o,
    output options_t        out_options_o,
    output logic            out_valid_o,
    input  logic            out_ready_i,

    output logic drop_o,
    output message_number_t drop_message_o,
    output logic busy_o
);

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned OffsetWidth = $clog2(DataBytes);
  localparam int unsigned WordsPerBeat = DataBytes / 4;
  // At least one block RAM, with room for a frame of any length.
  localparam int unsigned Beats = DataBytes < 32 ? 16384 / DataBytes : 512;
  typedef logic [$clog2(WordsPerBeat)-1:0] index_t;
  typedef logic [11:0] words_t;
  typedef logic [$bits(in_i.bytes)-1:0] count_t;

  // The metadata fields that are meaningful before ipv4_rx.
  typedef struct packed {
    mac_port_t mac_port;
    vlan_t vlan;
    length_t length;
    logic [15:0] csum;
    message_number_t message;
  } kept_t;

  // ---- Input ----

  typedef struct packed {
    kept_t kept;  // in a packet's first row
    logic last;
    index_t last_index;  // in the last row: index of the packet's last word
    logic [DataBytes*8-1:0] data;
  } raw_t;
  raw_t in_q, raw;
  logic in_valid_q, full, lost_q, raw_valid, raw_ready;
  wire lost = lost_q | full;
  wire ends = in_valid_q & in_q.last;

  always_ff @(posedge clk_i) begin
    in_q.kept <= '{
        mac_port: in_i.meta.mac_port,
        vlan: in_i.meta.vlan,
        length: in_i.length,
        csum: in_i.meta.csum,
        message: in_message_i
    };
    in_q.last <= in_i.last;
    in_q.last_index <= index_t'((in_i.bytes - count_t'(1)) >> 2);
    in_q.data <= in_i.data;
  end

  frame_buffer #(
      .data_t(raw_t),
      .Depth (Beats)
  ) u_in (
      .clk_i,
      .rst_i,
      .data_i  (in_q),
      .write_i (in_valid_q & ~lost),
      .commit_i(ends & ~lost),
      .abort_i (ends & lost),
      .full_o  (full),
      .data_o  (raw),
      .valid_o (raw_valid),
      .ready_i (raw_ready)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_valid_q <= 1'b0;
      lost_q <= 1'b0;
    end else begin
      in_valid_q <= in_valid_i;
      if (in_valid_q) lost_q <= lost & ~in_q.last;
    end
    drop_o <= ~rst_i & ends & lost;
    drop_message_o <= in_q.kept.message;
  end

  // ---- Split the packets into words ----

  index_t index_q;  // word of the beat to be read next
  kept_t word_kept;  // with a packet's first word
  logic [31:0] word;
  logic word_valid, last_word;
  logic take;
  wire  fetch = raw_valid & (~word_valid | take);
  wire  packet_ends = raw.last & (index_q == raw.last_index);
  assign raw_ready = fetch & ((&index_q) | packet_ends);

  always_ff @(posedge clk_i) begin
    if (fetch) begin
      word <= raw.data[index_q*32+:32];
      last_word <= packet_ends;
      word_kept <= raw.kept;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      index_q <= '0;
      word_valid <= 1'b0;
    end else begin
      if (fetch) index_q <= raw_ready ? '0 : index_q + 1'b1;
      if (~word_valid | take) word_valid <= raw_valid;
    end
  end

  // ---- Process the packet word by word ----

  typedef enum logic [1:0] {
    StateHeader,   // read the fixed header
    StateOptions,  // read the options, byte by byte
    StateRewrite,  // write the header
    StatePayload   // copy, and pad the last beat with zeros
  } state_e;
  state_e state_q;
  logic ended_q;  // all words of the packet have been read
  logic [2:0] step_q;  // word of the header
  logic [1:0] byte_q;  // byte within a word of options
  logic [3:0] excess_q;  // words of options to remove
  logic [3:0] options_left_q;  // words of options not read yet
  logic cut_q;  // the packet ends inside its header
  kept_t kept_q;
  header_t header_q;  // shifts down by one word with each word read or written
  logic [21:0] sum_q;  // the checksum plus everything removed

  logic stalled;  // a full beat waits for room
  logic finish;  // the last beat is being sent
  logic store_q;  // a beat is full

  wire in_header = (state_q == StateHeader) & word_valid & ~stalled;
  wire in_options = (state_q == StateOptions) & word_valid & ~stalled;
  wire in_rewrite = (state_q == StateRewrite) & ~stalled;
  wire in_payload = (state_q == StatePayload) & word_valid & ~stalled & ~ended_q;
  wire in_padding = (state_q == StatePayload) & ~store_q & ended_q;
  assign take = in_header | (in_options & (&byte_q)) | in_payload;

  wire header_whole = step_q == 3'd4;
  wire header_read = in_header & (header_whole | last_word);
  wire cut = cut_q | ~header_whole;  // with header_read
  wire options_read = in_options & (&byte_q) & (options_left_q == 4'd1);

  // Option bytes are halves of words, the first one the high half.
  wire [7:0] option_byte = word[byte_q*8+:8];
  wire [15:0] option_half = byte_q[0] ? {8'b0, option_byte} : {option_byte, 8'b0};
  // The amount by which the words with IHL and length decrease.
  wire [15:0] removed = {4'b0, excess_q, 2'b0, excess_q, 2'b0};

  logic [31:0] header_word;
  always_comb begin
    header_word = header_q[31:0];
    if (step_q == 3'd0) begin
      header_word[3:0]   = header_q.ihl - excess_q;
      header_word[31:16] = swap16(swap16(header_q[31:16]) - {10'b0, excess_q, 2'b0});
    end
    if (step_q == 3'd2) header_word[31:16] = swap16(sum_q[15:0]);
  end

  always_ff @(posedge clk_i) begin
    if (in_header | in_rewrite) header_q <= {word, header_q[$bits(header_t)-1:32]};
    if (in_header & (step_q == '0)) begin
      kept_q   <= word_kept;
      excess_q <= word[3:0] - HeaderWords;
      cut_q    <= word_kept.length < {8'b0, word[3:0], 2'b0};
    end
    if (header_read) begin
      cut_q <= cut;
      options_left_q <= excess_q;
      if (cut) excess_q <= '0;
      // Four words are in header_q; the checksum is in the third.
      sum_q <= 22'(swap16(header_q[127:112])) + (cut ? '0 : 22'(removed));
    end
    if (in_options) begin
      sum_q <= sum_q + 22'(option_half);
      if (&byte_q) options_left_q <= options_left_q - 1'b1;
    end
    // Two steps fold in the carries before the checksum is written.
    if (in_rewrite) sum_q <= 22'(sum_q[15:0]) + 22'(sum_q[21:16]);
    if (in_rewrite & (step_q == '0)) kept_q.length <= kept_q.length - {8'b0, excess_q, 2'b0};
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StateHeader;
      ended_q <= 1'b0;
      step_q  <= '0;
      byte_q  <= '0;
    end else begin
      if (take) ended_q <= last_word;
      if (in_header) step_q <= header_read ? '0 : step_q + 1'b1;
      if (in_rewrite) step_q <= header_whole ? '0 : step_q + 1'b1;
      if (in_options) byte_q <= byte_q + 1'b1;
      if (header_read) state_q <= cut ? StateRewrite : StateOptions;
      if (options_read) state_q <= StateRewrite;
      if (in_rewrite & header_whole) state_q <= StatePayload;
      if (finish) begin
        state_q <= StateHeader;
        ended_q <= 1'b0;
      end
    end
  end

  options_t found;
  option_parser u_parser (
      .clk_i,
      .clear_i(header_read),
      .byte_i(option_byte),
      .valid_i(in_options),
      .malformed_o(found.malformed),
      .source_route_o(found.source_route)
  );
  assign found.present = 1'b1;

  // ---- Output ----

  typedef struct packed {
    options_t options;
    kept_t kept;
    logic last;
    logic [DataBytes*8-1:0] data;
  } bare_t;
  logic [DataBytes*8-1:0] data_q;  // filled from the top
  index_t fill_q;  // words in data_q
  logic out_full;

  wire push = in_rewrite | (in_payload & ~cut_q) | in_padding;
  wire last = (state_q == StatePayload) & ended_q;
  wire write = store_q & ~out_full;
  assign stalled = store_q & out_full;
  assign finish  = write & last;

  always_ff @(posedge clk_i) begin
    if (push) begin
      data_q <= {in_rewrite ? header_word : in_padding ? 32'b0 : word, data_q[DataBytes*8-1:32]};
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fill_q  <= '0;
      store_q <= 1'b0;
    end else begin
      if (push) fill_q <= fill_q + 1'b1;
      if (~stalled) store_q <= push & (&fill_q);
    end
  end

  bare_t bare;
  logic bare_valid, bare_ready;
  frame_buffer #(
      .data_t(bare_t),
      .Depth (Beats)
  ) u_out (
      .clk_i,
      .rst_i,
      .data_i  ('{options: found, kept: kept_q, last: last, data: data_q}),
      .write_i (write),
      .commit_i(finish),
      .abort_i (1'b0),
      .full_o  (out_full),
      .data_o  (bare),
      .valid_o (bare_valid),
      .ready_i (bare_ready)
  );

  wire [OffsetWidth-1:0] bytes = bare.kept.length[OffsetWidth-1:0];
  typedef struct packed {
    message_number_t message;
    options_t options;
    beat_t beat;
  } out_t;
  out_t out_d, out;
  always_comb begin
    out_d.message = bare.kept.message;
    out_d.options = bare.options;
    out_d.beat = '0;
    out_d.beat.data = bare.data;
    out_d.beat.last = bare.last;
    out_d.beat.bytes = (bare.last & (bytes != '0)) ? count_t'(bytes) : count_t'(DataBytes);
    out_d.beat.kind = $bits(out_d.beat.kind)'(KindPacket);
    out_d.beat.length = bare.kept.length;
    out_d.beat.meta.mac_port = bare.kept.mac_port;
    out_d.beat.meta.vlan = bare.kept.vlan;
    out_d.beat.meta.csum = bare.kept.csum;
  end
  stream_register #(
      .data_t(out_t)
  ) u_register (
      .clk_i,
      .rst_i,
      .in_i(out_d),
      .in_valid_i(bare_valid),
      .in_ready_o(bare_ready),
      .out_o(out),
      .out_valid_o,
      .out_ready_i
  );
  assign out_o = out.beat;
  assign out_message_o = out.message;
  assign out_options_o = out.options;

  logic [$clog2(Beats)+1:0] packets_q;  // packets inside
  wire enters = ends & ~lost;
  wire leaves = out_valid_o & out_ready_i & out_o.last;
  always_ff @(posedge clk_i) begin
    if (rst_i) packets_q <= '0;
    else if (enters & ~leaves) packets_q <= packets_q + 1'b1;
    else if (leaves & ~enters) packets_q <= packets_q - 1'b1;
  end
  assign busy_o = in_valid_q | (packets_q != '0);

  `BOMBUS_ASSERT(NoUnderflow, !(leaves && packets_q == '0))

endmodule

// SPDX-License-Identifier: Apache-2.0
// Sends the messages of a witness, with the addresses: those of one beat, and those with entries
// (vr_log_sender), the beats of which are assembled in the output register.
//
// Latency: 1 cycle. Throughput: one beat per cycle, of those with entries as vr_log_sender states.
`include "bombus_assert.svh"

module vr_reply
  import bombus_pkg::*;
  import vr_pkg::*;
  import vr_state_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 12345,
    parameter int unsigned LineBits = 11,  // of the number of a line in the log
    parameter int unsigned FragmentLines = 22
) (
    input logic clk_i,
    input logic rst_i,

    input logic     set_address_i,  // of a replica
    input replica_t set_slot_i,
    input address_t address_i,

    input logic                  emit_i,       // a message of one beat
    input logic           [ 7:0] type_i,
    input logic                  to_source_i,  // of the received message, or to a replica
    input replica_t              to_slot_i,
    input packet_meta_t          source_i,     // metadata of the received message
    input words_t                word_i,       // its fields
    input replica_state_t        now_i,        // state of the witness
    input logic           [63:0] nonce_i,
    input st_e                   st_i,         // of the received message
    input logic                  valid_i,      // the read is valid
    input logic                  refused_i,    // the set-up is refused

    input  logic                 renew_i,       // ids of fragments begin at the nonce
    input  logic                 send_log_i,    // a StateTransfer, or
    input  logic                 is_vote_i,     // a DoViewChange
    input  logic  [LineBits-1:0] first_i,       // line
    input  logic  [  LineBits:0] lines_i,
    output logic  [LineBits-1:0] read_addr_o,
    output logic                 read_next_o,
    input  line_t                read_line_i,
    input  logic                 read_valid_i,
    output logic                 log_busy_o,

    output logic free_o,  // takes a message or a beat

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);

  if (UdpPort < 1 || UdpPort > 65535) begin : gen_bad_port
    $error("vr_reply: UdpPort must be 1 to 65535");
  end
  if (FragmentLines < 2 || FragmentLines > 140) begin : gen_bad_fragment
    $error("vr_reply: FragmentLines must be 2 to 140");
  end

  logic log_valid, log_last, log_joins, log_begins;
  line_t log_line;
  logic [LineBytes-1:0] log_writes, log_clears;
  logic [LineBits:0] entries;  // lines
  logic [8*FragmentBytes-1:0] fragment;
  logic [6:0] log_bytes;
  length_t log_length;
  vr_log_sender #(
      .LineBits(LineBits),
      .FragmentLines(FragmentLines)
  ) u_log (
      .clk_i,
      .rst_i,
      .number_i(renew_i),
      .nonce_i,
      .start_i(send_log_i),
      .is_vote_i,
      .first_i,
      .lines_i,
      .read_addr_o,
      .read_next_o,
      .read_line_i,
      .read_valid_i,
      .joins_o(log_joins),
      .begins_o(log_begins),
      .line_o(log_line),
      .writes_o(log_writes),
      .clears_o(log_clears),
      .entries_o(entries),
      .fragment_o(fragment),
      .register_i(out_o.data),
      .bytes_o(log_bytes),
      .last_o(log_last),
      .length_o(log_length),
      .valid_o(log_valid),
      .ready_i(free_o),
      .busy_o(log_busy_o)
  );

  assign free_o = ~out_valid_o | out_ready_i;

  // ---- The message ----

  // Each field is chosen among at most four wide sources (one LUT6 for each bit), one of which is
  // the line of vr_log_sender, or it has few bits. No message is emitted while that joins lines.
  wire is_ok = type_i == TypePrepareOk;
  wire is_change = type_i == TypeStartViewChange;
  wire is_recovery = type_i == TypeRecovery;
  wire is_set_up = type_i == TypeSetUpReply;
  wire is_read = type_i == TypeValidateReadReply;
  wire is_vote = type_i == TypeDoViewChange;
  wire is_transfer = type_i == TypeStateTransfer;
  wire is_request = type_i == TypeRequestStateTransfer;
  wire fetches = st_i == StFetch;

  words_t line_word, read_word, out_word;
  logic [3:0][63:0] wide_0, wide_1, number_1, wide_2, wide_3;
  logic [1:0] choice_0, choice_1, choice_number, choice_2, choice_3;
  logic [NumWords-1:0] clears;  // fields of few bits: resets of registers, not multiplexers
  logic [5:0] out_bytes;
  assign line_word = words_of(log_line);
  // A byte, then the fields.
  assign read_word = {
    128'b0,
    64'({now_i.own, 56'b0}),
    64'({word_i[2][7:0], 56'b0}),
    {word_i[1][7:0], word_i[2][63:8]},
    {7'b0, valid_i, word_i[1][63:8]}
  };
  assign wide_0 = {line_word[0], read_word[0], 64'(now_i.log_view), 64'(now_i.view)};
  assign number_1 = {nonce_i, 64'(now_i.committed), 64'(now_i.last), 64'(number_t'(word_i[1]))};
  assign wide_1 = {line_word[1], read_word[1], 64'(now_i.log_view), number_1[choice_number]};
  assign wide_2 = {line_word[2], 64'(now_i.last), 64'(now_i.view), 64'(now_i.committed)};
  assign wide_3 = {line_word[3], read_word[3], 64'(now_i.last), 64'(now_i.committed)};
  always_comb begin
    choice_0 = {is_read, is_request & ~fetches};
    choice_1 = {is_read, is_vote};
    choice_number = {is_recovery, is_recovery | (is_ok & (st_i == StAcknowledge)) | fetches};
    if (is_transfer | (is_request & ~fetches)) choice_number = 2'd2;
    choice_2 = {is_vote, is_set_up};
    choice_3 = {is_read, is_set_up};
    if (log_joins) {choice_0, choice_1, choice_2, choice_3} = '1;
    out_word[0] = wide_0[choice_0];
    out_word[1] = wide_1[choice_1];
    out_word[2] = wide_2[choice_2];
    out_word[3] = wide_3[choice_3];
    out_word[4] = log_joins ? line_word[4] : 64'(now_i.committed);
    out_word[5] = log_joins ? line_word[5] : 64'(now_i.cleaned);
    clears = '0;
    if (~log_joins) begin
      clears[0]   = is_recovery | is_set_up;
      clears[1]   = is_change | is_set_up;
      clears[2]   = is_ok | is_recovery | is_request | is_transfer | is_read;
      clears[3]   = is_change | is_recovery | is_request | is_transfer;
      clears[5:4] = {2{~is_set_up}};
    end
    for (int unsigned w = 0; w < NumWords; w++) if (clears[w]) out_word[w] = '0;
    if (clears[0]) begin
      out_word[0][63:32] = Version;
      out_word[0][2:0]   = is_recovery ? now_i.own : now_i.state;
    end
    if (clears[1]) begin
      out_word[1][2:0] = now_i.own;
      out_word[1][32]  = refused_i & is_set_up;
    end
    if (clears[2] & is_ok) out_word[2][2:0] = now_i.own;
    if (clears[2] & is_transfer) out_word[2][LineBits+6:0] = {entries, 6'b0};
    if (clears[2] & is_read) out_word[2] = read_word[2];
    if (clears[4] & is_vote) out_word[4][2:0] = now_i.own;
    if (clears[5] & is_vote) out_word[5][LineBits+6:0] = {entries, 6'b0};
    out_bytes = 6'd29;
    if (is_ok) out_bytes = 6'd45;
    else if (is_change | is_transfer) out_bytes = 6'd37;
    else if (is_set_up | is_vote) out_bytes = 6'd61;
    else if (is_read) out_bytes = 6'd38;
  end

  line_t out_data;
  wire [LineBits:0] size_lines = is_vote | is_transfer ? entries : '0;
  always_comb begin
    out_data = log_line;
    if (~log_joins) begin
      out_data = '0;
      out_data[39:0] = {type_i, Magic};
      out_data[40+:64] = swap64(64'({size_lines, out_bytes - 6'(HeaderBytes)}));
    end
    for (int unsigned w = 0; w < NumWords; w++) out_data[104+64*w+:64] = swap64(out_word[w]);
    if (log_begins) out_data[8*FragmentBytes-1:0] = fragment;
  end

  (* ram_style = "distributed" *) address_t addresses[MaxReplicas];
  packet_meta_t out_meta;
  always_comb begin
    out_meta = '0;
    out_meta.mac_port = RoutedPort;
    out_meta.ip = addresses[to_slot_i].ip;
    out_meta.l4.ports.dst_port = addresses[to_slot_i].port;
    if (to_source_i) begin
      out_meta = source_i;
      out_meta.csum = '0;
      out_meta.l4.ports.dst_port = source_i.l4.ports.src_port;
    end
    out_meta.l4.ports.src_port = 16'(UdpPort);
  end

  always_ff @(posedge clk_i) begin
    if (set_address_i) addresses[set_slot_i] <= address_i;
    if (free_o) begin
      out_valid_o <= emit_i | log_valid;
      out_o.kind  <= '0;
      out_o.meta  <= out_meta;
      for (int unsigned b = 0; b < LineBytes; b++) begin
        if (log_writes[b]) out_o.data[8*b+:8] <= log_clears[b] ? '0 : out_data[8*b+:8];
      end
      out_o.last   <= ~log_valid | log_last;
      out_o.bytes  <= log_valid ? log_bytes : 7'(out_bytes);
      out_o.length <= log_valid ? log_length : length_t'(out_bytes);
    end
    if (rst_i) out_valid_o <= 1'b0;
  end

  `BOMBUS_ASSERT(OneMessage, !(emit_i && log_valid))

endmodule

// SPDX-License-Identifier: Apache-2.0
// Builds TCP headers (RFC 9293, 3.1): of the segments that sessions send, and of the resets that
// answer segments without a session (3.10.7.1).
//
// A header is sent as one message of kind tcp_segment; the receiver appends the payload. Options:
// MSS, SACK permitted, timestamps and window scale with a SYN, otherwise timestamps and SACK (RFC
// 2018, 3). The seed of the checksum is the sum of the pseudo-header.
//
// Latency: 4 cycles. Throughput: one header per cycle at 512 bits, otherwise one beat.
`include "bombus_assert.svh"

module tcp_transmit
  import bombus_pkg::*;
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumMacPorts = 1,
    parameter int unsigned OwnMss = 1460,
    parameter int unsigned OwnScale = 0,
    parameter bit Sack = 1,  // reports gaps by SACK
    parameter int unsigned KindTcpSegment = 1
) (
    input logic clk_i,
    input logic rst_i,
    input host_t [NumMacPorts-1:0] host_i,
    input long_time_t long_time_i,

    input  departure_t        departure_i,
    input  logic              departure_valid_i,
    input  tuple_t            tuple_i,            // tuple of its session
    input  vlan_t             vlan_i,
    input  logic       [31:0] stamp_offset_i,     // of its timestamps
    output logic              departure_room_o,   // room for eight more

    // Sends a reset for this segment; dropped if the queue is full
    input  segment_t refused_i,
    input  logic     refused_valid_i,
    output logic     refused_lost_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output logic  busy_o
);

  localparam int unsigned DataBytes = $bits(out_o.data) / 8;
  localparam int unsigned Words = MaxHeaderBytes / 4;
  localparam int unsigned SlotBytes = (MaxHeaderBytes + DataBytes - 1) / DataBytes * DataBytes;
  localparam int unsigned FixedWords = HeaderBytes / 4;

  if (NumMacPorts < 1 || NumMacPorts > MaxMacPorts) begin : gen_bad_ports
    $error("tcp_transmit: NumMacPorts must be from 1 to MaxMacPorts");
  end
  if (OwnMss < LeastMss || OwnMss > 8960) begin : gen_bad_mss
    $error("tcp_transmit: OwnMss must be 64 to 8960");
  end
  if (OwnScale > 14) begin : gen_bad_scale
    $error("tcp_transmit: OwnScale must be 0 to 14 (RFC 7323, 2.3)");
  end

  // ---- Waiting segments ----

  typedef struct packed {
    departure_t departure;
    tuple_t tuple;
    vlan_t vlan;
    logic [31:0] stamp;
  } entry_t;
  // RFC 7323, 5.4 and 7.1: a clock of 1,024 us with an offset for each connection.
  logic [31:0] stamp_q;
  always_ff @(posedge clk_i) stamp_q <= long_time_i[10+:32];
  wire entry_t entry_in =
  '{departure: departure_i, tuple: tuple_i, vlan: vlan_i, stamp: stamp_q + stamp_offset_i}
  ;
  entry_t entry;
  logic departure_valid, departure_take, unused_departure_ready, unused_departure_head;
  logic [4:0] waiting_q;
  logic departure_leaves_q;
  head_fifo #(
      .head_t(logic),
      .body_t(entry_t),
      .Depth (16)
  ) u_departures (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  (entry_in),
      .in_valid_i (departure_valid_i),
      .in_ready_o (unused_departure_ready),
      .out_head_o (unused_departure_head),
      .out_body_o (entry),
      .out_valid_o(departure_valid),
      .out_ready_i(departure_take)
  );
  always_ff @(posedge clk_i) begin
    departure_leaves_q <= departure_valid & departure_take & ~rst_i;
    if (rst_i) waiting_q <= '0;
    else waiting_q <= waiting_q + 5'(departure_valid_i) - 5'(departure_leaves_q);
    departure_room_o <= waiting_q < 5'd6;
  end

  typedef struct packed {
    tuple_t tuple;
    vlan_t  vlan;
    seq_t   seq;
    seq_t   ack;
    seq_t   acked;    // sequence length of the refused segment; used if it has no ACK
    logic   has_ack;
  } refusal_t;
  refusal_t refusal_in, refusal;
  logic refusal_valid, refusal_take, refusal_ready, unused_refusal_head;
  assign refusal_in = '{
          tuple: '{
              mac_port: refused_i.mac_port,
              ip: refused_i.ip,
              peer_port: refused_i.src_port,
              own_port: refused_i.dst_port
          },
          vlan: refused_i.vlan,
          seq: refused_i.seq,
          ack: refused_i.ack,
          acked: 32'(refused_i.length) + 32'(refused_i.flags.syn) + 32'(refused_i.flags.fin),
          has_ack: refused_i.flags.ack
      };
  head_fifo #(
      .head_t(logic),
      .body_t(refusal_t),
      .Depth (16)
  ) u_refusals (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  (refusal_in),
      .in_valid_i (refused_valid_i),
      .in_ready_o (refusal_ready),
      .out_head_o (unused_refusal_head),
      .out_body_o (refusal),
      .out_valid_o(refusal_valid),
      .out_ready_i(refusal_take)
  );
  always_ff @(posedge clk_i) refused_lost_o <= refused_valid_i & ~refusal_ready & ~rst_i;

  // ---- Selection ----

  entry_t chosen, chosen_q;
  logic chosen_valid_q;
  // The three stages advance together, so that ready passes through only one of them.
  logic moves;
  always_comb begin
    chosen = entry;
    if (!Sack) {chosen.departure.num_sacks, chosen.departure.sacks} = '0;
    if (~departure_valid) begin
      chosen = '{departure: '0, tuple: refusal.tuple, vlan: refusal.vlan, stamp: '0};
      chosen.departure.seq = refusal.has_ack ? refusal.ack : '0;
      chosen.departure.ack = refusal.has_ack ? '0 : refusal.seq + refusal.acked;
      chosen.departure.flags.rst = 1'b1;
      chosen.departure.flags.ack = ~refusal.has_ack;
    end
  end
  assign departure_take = moves;
  assign refusal_take   = moves & ~departure_valid;
  always_ff @(posedge clk_i) begin
    if (moves) chosen_q <= chosen;
  end

  // ---- The header ----

  logic [NumMacPorts-1:0][31:0] own_ips;
  logic [31:0] own_ip;
  for (genvar p = 0; p < NumMacPorts; p++) begin : gen_ip
    assign own_ips[p] = host_i[p].ip;
  end
  wire tuple_t tuple = chosen_q.tuple;
  by_mac_port #(
      .data_t(logic [31:0]),
      .NumMacPorts(NumMacPorts)
  ) u_ip (
      .all_i (own_ips),
      .port_i(tuple.mac_port),
      .one_o (own_ip)
  );

  typedef struct packed {
    logic [Words-1:0][31:0] header;  // in wire order, first byte lowest
    logic [3:0] words;
    tcp_segment_meta_t meta;
    ones_pkg::saved_t sum;
  } made_t;
  made_t made, made_q;
  logic made_valid_q;
  departure_t d;
  header_t fixed;
  logic [3:0] words;
  assign d = chosen_q.departure;

  localparam logic [31:0] WordMss = swap32({OptionMss, 8'd4, 16'(OwnMss)});
  localparam logic [31:0] WordScale = swap32({OptionNop, OptionScale, 8'd3, 8'(OwnScale)});
  localparam logic [31:0] WordSack = swap32({OptionNop, OptionNop, OptionSackPermitted, 8'd2});
  localparam logic [31:0] WordStamps = swap32({OptionNop, OptionNop, OptionTimestamps, 8'd10});
  localparam logic [31:0] WordSackStamps = swap32(
      {OptionSackPermitted, 8'd2, OptionTimestamps, 8'd10}
  );

  // With timestamps, there is room for only three blocks.
  localparam int unsigned MaxStampedBlocks = MaxSackBlocks - 1;
  wire has_sacks = d.num_sacks != '0;
  wire [31:0] word_sacks = swap32({OptionNop, OptionNop, OptionSack, 2'b0, d.num_sacks, 3'd2});
  logic [2*MaxSackBlocks-1:0][31:0] sack_words;
  for (genvar b = 0; b < MaxSackBlocks; b++) begin : gen_sack
    assign sack_words[2*b]   = swap32(d.sacks[b].left);
    assign sack_words[2*b+1] = swap32(d.sacks[b].right);
  end

  always_comb begin
    made  = '0;
    words = 4'(FixedWords);
    if (d.flags.syn) begin
      made.header[FixedWords] = WordMss;
      words = words + 4'd1;
      if (d.has_timestamps) begin
        made.header[FixedWords+1] = d.sack_permitted ? WordSackStamps : WordStamps;
        made.header[FixedWords+2] = swap32(chosen_q.stamp);
        made.header[FixedWords+3] = swap32(d.ts_echo);
        words = words + 4'd3;
        if (d.has_scale) made.header[FixedWords+4] = WordScale;
      end else begin
        if (d.sack_permitted) made.header[FixedWords+1] = WordSack;
        else if (d.has_scale) made.header[FixedWords+1] = WordScale;
        if (d.sack_permitted & d.has_scale) made.header[FixedWords+2] = WordScale;
        words = words + 4'(d.sack_permitted);
      end
      words = words + 4'(d.has_scale);
    end else if (d.has_timestamps) begin
      made.header[FixedWords] = WordStamps;
      made.header[FixedWords+1] = swap32(chosen_q.stamp);
      made.header[FixedWords+2] = swap32(d.ts_echo);
      words = words + 4'd3;
      if (has_sacks) begin
        made.header[FixedWords+3] = word_sacks;
        made.header[Words-1:FixedWords+4] = sack_words[2*MaxStampedBlocks-1:0];
        words = words + 4'd1 + {d.num_sacks, 1'b0};
      end
    end else if (has_sacks) begin
      made.header[FixedWords] = word_sacks;
      made.header[FixedWords+8:FixedWords+1] = sack_words;
      words = words + 4'd1 + {d.num_sacks, 1'b0};
    end
    fixed = '{
        src_port: swap16(tuple.own_port),
        dst_port: swap16(tuple.peer_port),
        seq: swap32(d.seq),
        ack: swap32(d.ack),
        offset: {words, 4'b0},
        flags: d.flags,
        window: swap16(d.window),
        csum: '0,
        urgent: '0
    };
    made.header[FixedWords-1:0] = fixed;
    made.words = words;
    made.meta.session = d.session;
    made.meta.start = d.seq + 32'(d.flags.syn);
    made.meta.payload_length = d.length;
    made.meta.packet.mac_port = tuple.mac_port;
    made.meta.packet.vlan = chosen_q.vlan;
    made.meta.packet.ip = tuple.ip;
    made.meta.packet.tos = {6'b0, d.ect, 1'b0};  // RFC 3168, 5: ECT(0)
    made.meta.packet.l4.ip_tx = '{
        protocol: ProtocolTcp,
        csum_pos: csum_pos_t'(CsumWord),
        reserved: '0
    };
    made.sum =
        ones_pkg::save({own_ip, tuple.ip, {2'b0, d.length}, 16'({words, 2'b0}) + 16'(ProtocolTcp)});
  end

  always_ff @(posedge clk_i) begin
    if (moves) made_q <= made;
  end

  // ---- Sum, then output beat by beat ----

  typedef struct packed {
    logic [SlotBytes*8-1:0] header;
    logic [5:0] bytes;
    tcp_segment_meta_t meta;
    ones_pkg::split_t sum;
  } sent_t;
  sent_t sent, sent_q;
  logic sent_valid_q, beat_ready;
  always_comb begin
    sent.header = '0;
    sent.header[MaxHeaderBytes*8-1:0] = made_q.header;
    sent.bytes = {made_q.words, 2'b0};
    sent.meta = made_q.meta;
    sent.sum = ones_pkg::split_saved(made_q.sum);
  end
  assign moves = ~sent_valid_q | beat_ready;
  always_ff @(posedge clk_i) begin
    if (moves) sent_q <= sent;
    if (rst_i) {sent_valid_q, made_valid_q, chosen_valid_q} <= '0;
    else if (moves) begin
      {sent_valid_q, made_valid_q, chosen_valid_q} <= {
        made_valid_q, chosen_valid_q, departure_valid | refusal_valid
      };
    end
  end

  beat_t beat;
  tcp_segment_meta_t meta;
  logic out_ready, last;
  logic [$bits(beat.bytes)-1:0] beat_bytes;
  logic [DataBytes*8-1:0] beat_data;
  always_comb begin
    meta = sent_q.meta;
    meta.packet.csum = ones_pkg::join_up(sent_q.sum, 1'b0);
    beat = '0;
    beat.meta = $bits(beat.meta)'(meta);
    beat.kind = $bits(beat.kind)'(KindTcpSegment);
    beat.length = 14'(sent_q.bytes);
    beat.last = last;
    beat.bytes = beat_bytes;
    beat.data = beat_data;
  end

  if (SlotBytes == DataBytes) begin : gen_one
    assign last = 1'b1;
    assign beat_bytes = $bits(beat_bytes)'(sent_q.bytes);
    assign beat_data = sent_q.header;
  end else begin : gen_beats
    localparam int unsigned Beats = SlotBytes / DataBytes;
    typedef logic [$clog2(Beats)-1:0] index_t;
    index_t index_q;
    wire [Beats-1:0][DataBytes*8-1:0] parts = sent_q.header;
    wire [6:0] left = 7'(sent_q.bytes) - 7'(index_q) * 7'(DataBytes);
    assign last = left <= 7'(DataBytes);
    assign beat_bytes = last ? $bits(beat_bytes)'(left) : $bits(beat_bytes)'(DataBytes);
    assign beat_data = parts[index_q];
    always_ff @(posedge clk_i) begin
      if (rst_i) index_q <= '0;
      else if (sent_valid_q & out_ready) index_q <= last ? '0 : index_q + 1'b1;
    end
  end

  assign beat_ready = out_ready & last;
  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .in_i(beat),
      .in_valid_i(sent_valid_q),
      .in_ready_o(out_ready),
      .*
  );

  assign busy_o = (waiting_q != '0) | refusal_valid | chosen_valid_q | made_valid_q |
      sent_valid_q | out_valid_o;

  `BOMBUS_ASSERT(DeparturesHaveRoom, !departure_valid_i || unused_departure_ready)

endmodule

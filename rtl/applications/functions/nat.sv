// SPDX-License-Identifier: Apache-2.0
// Translates addresses of peers, 1:1 (basic NAT; RFC 3022, 2.1), by a table that software changes
// under traffic (address_map).
//
// Received: after ipv4_rx, before a transport layer or icmp_echo; the source of a packet is
// replaced. Before tcp_errors, the peer in an ICMP error about a sent packet is replaced. Otherwise
// to be sent, before ipv4_tx; the destination is replaced. The two layers of a design thus have
// tables with opposite entries. A packet with an address that is in no entry is unchanged or, with
// DropsUnknown, dropped and counted.
//
// Checksums of UDP and TCP contain the address in the pseudo-header. meta.csum changes
// incrementally (RFC 1624): the sum of a received packet, the seed of one to be sent. An ICMP error
// to be sent quotes the packet of its destination; the address and the checksum of the quoted
// header change, too (RFC 3022, 4.3). So a peer never sees an address of the other side.
//
// All beats of a message use what its first beat has found. Latency: 3 cycles. Throughput: one beat
// per cycle.
module nat
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type mapping_t = logic,  // from nat.rdl
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter bit Received = 1,
    parameter bit DropsUnknown = 0,
    parameter int unsigned NumEntries = 1024,  // a power of two
    localparam int unsigned IndexWidth = $clog2(NumEntries)
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic            [0:0] out_next_o,
    output logic            [0:0] drop_o,
    output message_number_t [0:0] drop_message_o,
    output logic            [1:0] event_o,
    output logic                  busy_o,

    input  logic                      mapping_request_i,
    input  logic     [IndexWidth-1:0] mapping_index_i,
    input  logic                      mapping_write_i,
    input  mapping_t                  mapping_wdata_i,
    output mapping_t                  mapping_rdata_o,
    output logic                      mapping_done_o
);

  localparam string Entry = "";  // takes the messages of the tile named by `before`
  localparam bit StandsBefore = 1'b1;
  localparam string Precedes = Received ? "" : "ipv4_tx";
  localparam string Needs = Received ? "0=nat.received" : "1=nat.received";
  localparam bit Forwards = 1'b1;
  localparam string Takes = Received ? "packet icmp_error" : "packet routed_packet";
  localparam string Sends = "taken";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowAddress;
  typedef enum logic [0:0] {NextTranslated} next_e;
  typedef enum int unsigned {
    DropUnknown,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventTranslated,
    EventRefused,  // a write of an entry
    NumEvents
  } event_e;

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;

  // ---- Look-up ----

  packet_meta_t in_meta, read_meta;
  beat_t read, beat;
  assign in_meta   = packet_meta_t'(in_i.meta);
  assign read_meta = packet_meta_t'(read.meta);
  logic stage_valid, stage_ready, first, hit_q, refused, looks_up;
  typedef struct packed {
    logic [15:0] sum;   // what the old address adds to a sum that changes
    logic [15:0] csum;  // meta.csum with it
    logic [31:0] ip;
  } from_t;
  from_t from, from_q;
  wire [31:0] read_words = Received ? read_meta.ip : ~read_meta.ip;
  always_comb begin
    from.ip   = read_meta.ip;
    from.sum  = ones_pkg::join_up(ones_pkg::split(read_words[31:16], read_words[15:0]), 1'b0);
    from.csum = ones_pkg::join_up(ones_pkg::split_saved({read_words, read_meta.csum}), 1'b0);
  end
  logic [31:0] to_q;
  message_number_t message;
  map_lookup #(
      .beat_t(beat_t),
      .kept_t(from_t),
      .NumEntries(NumEntries)
  ) u_lookup (
      .clk_i,
      .rst_i,
      .in_i,
      .from_i(in_meta.ip),
      .in_valid_i,
      .in_ready_o,
      .read_o(read),
      .kept_i(from),
      .out_o(beat),
      .out_first_o(first),
      .out_message_o(message),
      .kept_o(from_q),
      .hit_o(hit_q),
      .to_o(to_q),
      .out_valid_o(stage_valid),
      .out_ready_i(stage_ready),
      .busy_o(looks_up),
      .request_i(mapping_request_i),
      .write_i(mapping_write_i),
      .index_i(mapping_index_i),
      .wdata_valid_i(mapping_wdata_i.valid),
      .wdata_from_i(mapping_wdata_i.from_ip),
      .wdata_to_i(mapping_wdata_i.to_ip),
      .done_o(mapping_done_o),
      .rdata_valid_o(mapping_rdata_o.valid),
      .rdata_from_o(mapping_rdata_o.from_ip),
      .rdata_to_o(mapping_rdata_o.to_ip),
      .refused_o(refused)
  );

  // ---- Sums ----

  // Received: minus the new address; to be sent: plus it.
  wire [31:0] to_words = Received ? ~to_q : to_q;

  // A tile that only receives ICMP errors has shorter metadata.
  localparam int unsigned MetaBits = $bits(
      beat.meta
  ) < $bits(
      packet_meta_t
  ) ? $bits(
      beat.meta
  ) : $bits(
      packet_meta_t
  );
  packet_meta_t meta, sent_meta;
  assign meta = packet_meta_t'(beat.meta);
  wire [7:0] protocol = Received ? meta.l4.ip_rx.protocol : meta.l4.ip_tx.protocol;
  // Metadata of an icmp_error have the address in the same bits, and no sum.
  wire is_packet = ~Received | 32'(beat.kind) == KindPacket;
  wire has_pseudo_header = is_packet & (protocol == ProtocolUdp | protocol == ProtocolTcp);
  wire has_seed = meta.l4.ip_tx.csum_pos != '0;
  // Received: the transport layer adds the new address to a sum that matches the old one.
  wire [15:0] csum = ones_pkg::join_up(ones_pkg::split_saved({to_words, from_q.csum}), 1'b0);
  always_comb begin
    sent_meta = meta;
    if (hit_q) begin
      sent_meta.ip = to_q;
      if (has_pseudo_header & (Received | has_seed)) sent_meta.csum = csum;
    end
  end

  // ---- The quotation of an ICMP error ----

  beat_t sent;
  if (Received) begin : gen_no_quote
    always_comb begin
      sent = beat;
      sent.meta[MetaBits-1:0] = sent_meta[MetaBits-1:0];
    end
  end else begin : gen_quote
    // Checksum and source of the quoted header are bytes 18 to 23 of the message, which all widths
    // have in one beat.
    localparam int unsigned QuoteByte = icmp_pkg::HeaderBytes + 10;
    localparam int unsigned QuoteBeat = QuoteByte / DataBytes;
    localparam int unsigned QuoteBit = QuoteByte % DataBytes * 8;
    logic [1:0] beat_q;  // of the message, saturating
    logic is_error_q;
    // In wire order the first byte is the lowest.
    wire [7:0] kind = beat.data[7:0];
    wire is_error = first ? (protocol == ProtocolIcmp) & (kind inside {
        icmp_pkg::TypeUnreachable, icmp_pkg::TypeTimeExceeded, icmp_pkg::TypeParameterProblem})
        : is_error_q;
    wire [1:0] here = first ? '0 : beat_q;
    wire [15:0] quoted_csum = swap16(beat.data[QuoteBit+:16]);
    wire [15:0] quoted_sum = ones_pkg::join_up(
        ones_pkg::split_saved(ones_pkg::save({~quoted_csum, from_q.sum, to_words, 32'b0})), 1'b0
    );
    wire [31:0] quoted_ip = swap32(beat.data[QuoteBit+16+:32]);
    wire quotes = is_error & hit_q & here == 2'(QuoteBeat) & quoted_ip == from_q.ip;
    always_ff @(posedge clk_i) begin
      if (stage_valid & stage_ready) begin
        is_error_q <= is_error;
        beat_q <= &here ? here : here + 1'b1;
      end
    end
    // A header's checksum is the complement of its sum.
    always_comb begin
      sent = beat;
      sent.meta[MetaBits-1:0] = sent_meta[MetaBits-1:0];
      if (quotes) begin
        sent.data[QuoteBit+:16] = swap16(~quoted_sum);
        sent.data[QuoteBit+16+:32] = swap32(to_q);
      end
    end
  end

  // ---- Output ----

  wire reasons = DropsUnknown & ~hit_q;
  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .CutsReady(CutsReady)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sent),
      .in_valid_i(stage_valid),
      .in_ready_o(stage_ready),
      .in_first_i(first),
      .in_next_i(NextTranslated),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  always_ff @(posedge clk_i) begin
    drop_message_o <= {NumDrops{message}};
    event_o[EventTranslated] <= stage_valid & stage_ready & first & hit_q & ~rst_i;
    event_o[EventRefused] <= refused & ~rst_i;
  end
  assign busy_o = looks_up | out_valid_o;

endmodule

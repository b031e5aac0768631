// Ethernet transmit: finds the destination's MAC address, puts the header in
// front. The VLAN tag stays in the metadata for mac_tx.
//
// Packets look up their next hop (meta.ip, VLAN) in the ARP cache, which
// lives here; the arp layer fills it by KindArpUpdate messages. A packet
// without a binding goes to the arp layer as KindUnresolved, with an Ethernet
// header whose destination is meaningless in front. ARP bodies (KindArp) bring their destination along.
//
// Latency: 2 cycles. Throughput: one beat per cycle; an update takes 3.
module eth_tx
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned MaxAgeS = 300  // seconds that an unconfirmed binding lives, up to 500
) (
    input logic         clk_i,
    input logic         rst_i,
    input host_t        host_i,
    input logic  [31:0] time_us_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output next_e       out_next_o,
    output logic  [0:0] drop_o,
    output logic  [1:0] event_o,
    output logic        busy_o
);

  localparam next_e Entry = NextEthTx;
  localparam bit Replicable = 0;  // what ARP learns is in one place
  localparam logic [31:0] NextHops = 32'(1) << NextMacTx | 32'(1) << NextArp;
  localparam logic [31:0] RareHops = 32'(1) << NextArp;
  typedef enum int unsigned {
    DropUnknownKind,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventArpMiss,
    EventArpUpdate,
    NumEvents
  } event_e;

  typedef struct packed {
    logic [15:0] ether_type;
    logic [47:0] src;
    logic [47:0] dst;
  } header_t;  // wire bytes, first byte lowest
  localparam int unsigned HeaderBytes = $bits(header_t) / 8;

  // ---- Look up: the table is read while a message's first beat comes in ----

  logic first_q;
  logic lookup_hit;
  logic [47:0] lookup_mac;
  logic cache_busy;
  logic key_ready, key_valid;
  meta_arp_t in_arp;
  assign in_arp = in_i.meta;
  // Metadata counts with a first beat only; behind it there may be anything.
  wire   in_is_update = first_q & (in_i.meta.kind == KindArpUpdate);

  beat_t look;
  logic look_valid, look_ready;

  // Behind an update the stream waits until the table is written.
  wire in_go = in_valid_i & ~cache_busy;
  assign in_ready_o = key_ready & ~cache_busy;
  assign key_valid  = in_go & ~in_is_update;

  always_ff @(posedge clk_i) begin
    if (rst_i) first_q <= 1'b1;
    else if (in_valid_i & in_ready_o) first_q <= in_i.last;
  end

  stream_register #(
      .data_t(beat_t)
  ) u_look (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i(key_valid),
      .in_ready_o(key_ready),
      .out_o(look),
      .out_valid_o(look_valid),
      .out_ready_i(look_ready)
  );

  arp_cache #(
      .MaxAgeS(MaxAgeS)
  ) u_cache (
      .clk_i,
      .rst_i,
      .time_us_i,
      .busy_o(cache_busy),
      .idle_i(~look_valid),
      .lookup_i(in_valid_i & in_ready_o & first_q),
      .update_i(in_is_update),
      .vlan_i(in_i.meta.vlan),
      .ip_i(in_is_update ? in_arp.ip : in_i.meta.ip),
      .mac_i(in_arp.mac),
      .only_refresh_i(in_arp.only_refresh),
      .hit_o(lookup_hit),
      .mac_o(lookup_mac)
  );

  // ---- Header: the answer belongs to the message in `look` ----

  meta_t meta;
  meta_arp_t arp_meta;
  assign meta = look.meta;
  assign arp_meta = look.meta;
  // Valid with a message's first beat.
  wire is_arp = meta.kind == KindArp;
  wire hit = lookup_hit | is_arp;

  header_t header;
  assign header = '{
          dst: swap48(is_arp ? arp_meta.mac : lookup_mac),
          src: swap48(host_i.mac),
          ether_type: swap16(is_arp ? EtherTypeArp : EtherTypeIpv4)
      };
  beat_t framed, sent;
  logic framed_valid, framed_ready, framed_first;
  prepend #(
      .beat_t(beat_t),
      .HeaderBytes(HeaderBytes)
  ) u_header (
      .clk_i,
      .rst_i,
      .in_i(look),
      .in_valid_i(look_valid),
      .in_ready_o(look_ready),
      .header_i(header),
      .skip_i(1'b0),
      .out_o(framed),
      .out_valid_o(framed_valid),
      .out_ready_i(framed_ready),
      .out_first_o(framed_first)
  );

  wire known_kind = (meta.kind == KindPacket) | is_arp;

  always_comb begin
    sent = framed;
    sent.meta.kind = hit ? KindPacket : KindUnresolved;
    sent.meta.length = meta.length + 14'(HeaderBytes);
    if (is_arp) begin
      sent.meta.l4 = '0;
    end else if (hit & (meta.l4.ip_tx.csum_pos != '0)) begin
      sent.meta.l4.ip_tx.csum_pos = meta.l4.ip_tx.csum_pos + 8'(HeaderBytes / 2);
    end
  end

  drop_register #(
      .beat_t  (beat_t),
      .NumDrops(NumDrops)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sent),
      .in_valid_i(framed_valid),
      .in_ready_o(framed_ready),
      .in_first_i(framed_first),
      .in_next_i(hit ? NextMacTx : NextArp),
      .in_drop_i(~known_kind),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) event_o <= '0;
    else begin
      event_o[EventArpMiss]   <= framed_valid & framed_ready & framed_first & ~hit;
      event_o[EventArpUpdate] <= in_valid_i & in_ready_o & in_is_update;
    end
  end

  assign busy_o = look_valid | out_valid_o;

endmodule

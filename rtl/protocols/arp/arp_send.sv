// SPDX-License-Identifier: Apache-2.0
// Sends the messages of ARP to eth_tx: the reply to a received request; an update of the cache
// (kind arp_update) for other received messages; the ARP request for a request of eth_tx; and
// announcements (RFC 5227, 3). Messages for the network are ARP bodies (kind arp). A reply updates
// the cache, too, so that a request results in no more beats than it has itself.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module arp_send
  import bombus_pkg::*;
  import arp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumMacPorts = 1,
    parameter int unsigned KindArp = 1,
    parameter int unsigned KindArpUpdate = 2
) (
    input logic clk_i,
    input logic rst_i,
    input host_t [NumMacPorts-1:0] host_i,

    input message_t message_i,
    input logic message_valid_i,
    output logic message_ready_o,
    input logic [NumMacPorts-1:0] announce_i,  // announce this port; held until announced_o

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    // One-cycle pulses per message sent.
    output logic update_sent_o,
    output logic reply_sent_o,
    output logic request_sent_o,
    output logic [NumMacPorts-1:0] announced_o
);

  localparam int unsigned DataBytes = $bits(out_o.data) / 8;
  localparam int unsigned BodyBeats = (BodyBytes + DataBytes - 1) / DataBytes;
  localparam int unsigned LastBytes = BodyBytes - (BodyBeats - 1) * DataBytes;
  typedef logic [$clog2(BodyBeats+1)-1:0] index_t;

  logic   announcing_q;
  index_t index_q;

  // MAC port of the message, and the port's addresses.
  mac_port_t announced_port_q, port;
  assign port = announcing_q ? announced_port_q : message_i.mac_port;
  host_t host;
  by_mac_port #(
      .NumMacPorts(NumMacPorts)
  ) u_host (
      .all_i (host_i),
      .port_i(port),
      .one_o (host)
  );

  wire   answer = ~announcing_q & ~message_i.question & message_i.answer;
  wire   update = ~announcing_q & ~message_i.question & ~message_i.answer;
  wire   valid = announcing_q | message_valid_i;
  wire   ready = ~out_valid_o | out_ready_i;

  body_t body;
  assign body = '{
          mac_type: swap16(MacTypeEthernet),
          ip_type: swap16(EtherTypeIpv4),
          mac_bytes: 8'd6,
          ip_bytes: 8'd4,
          operation: swap16(answer ? OperationReply : OperationRequest),
          sender_mac: swap48(host.mac),
          sender_ip: swap32(host.ip),
          target_mac: answer ? swap48(message_i.mac) : '0,
          target_ip: swap32(announcing_q ? host.ip : message_i.ip)
      };
  wire [BodyBeats*DataBytes*8-1:0] body_bits = (BodyBeats * DataBytes * 8)'(body);

  neighbour_t meta;
  always_comb begin
    meta = '0;
    meta.only_refresh = ~message_i.learn;
    meta.is_binding = answer & (message_i.ip != '0);
    if (NumMacPorts > 1) meta.mac_port = port;
    meta.vlan = announcing_q ? '0 : message_i.vlan;
    meta.ip = message_i.ip;
    {meta.mac_high, meta.mac_low} = announcing_q ? '1 : message_i.mac;
  end

  beat_t beat;
  always_comb begin
    beat.meta   = meta;
    beat.kind   = $bits(beat.kind)'(update ? KindArpUpdate : KindArp);
    beat.length = update ? '0 : 14'(BodyBytes);
    beat.data   = '0;
    for (int unsigned b = 0; b < BodyBeats; b++) begin
      if ((index_q == index_t'(b)) & ~update) beat.data = body_bits[b*DataBytes*8+:DataBytes*8];
    end
    beat.last  = update | (index_q == index_t'(BodyBeats - 1));
    beat.bytes = $bits(beat.bytes)'(update ? 0 : beat.last ? LastBytes : DataBytes);
  end

  wire done = valid & ready & beat.last;
  assign update_sent_o  = done & update;
  assign reply_sent_o   = done & answer;
  assign request_sent_o = done & ~announcing_q & message_i.question;
  for (genvar p = 0; p < NumMacPorts; p++) begin : gen_announced
    assign announced_o[p] = done & announcing_q &
        ((NumMacPorts == 1) | (announced_port_q == mac_port_t'(p)));
  end
  assign message_ready_o = request_sent_o | reply_sent_o | update_sent_o;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      announcing_q <= 1'b0;
      index_q <= '0;
      out_valid_o <= 1'b0;
    end else begin
      if (ready) out_valid_o <= valid;
      if (valid & ready) index_q <= beat.last ? '0 : index_q + 1'b1;
      // Changes only between messages.
      if (done | ~valid) announcing_q <= |(announce_i & ~announced_o) & (~done | message_ready_o);
    end
  end
  always_ff @(posedge clk_i) begin
    if (ready) out_o <= beat;
    if (done | ~valid) begin
      for (int unsigned p = NumMacPorts; p > 0; p--) begin
        if (announce_i[p-1] & ~announced_o[p-1]) announced_port_q <= mac_port_t'(p - 1);
      end
    end
  end

  `BOMBUS_ASSERT(BeatExists, 32'(index_q) < BodyBeats)
  `BOMBUS_ASSERT(PortExists, !announcing_q || 32'(announced_port_q) < NumMacPorts)

endmodule

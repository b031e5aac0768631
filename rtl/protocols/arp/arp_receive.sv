// SPDX-License-Identifier: Apache-2.0
// Receives ARP messages (RFC 826) from eth_rx and requests from eth_tx; checks and classifies them.
// The input never stalls.
//
// A sender's binding may be added if it is in the subnet of the port and requests the host's
// address; otherwise its message only refreshes an existing binding (RFC 826: merge) or answers a
// question. A probe (sender 0.0.0.0) has no binding to learn (RFC 5227, 2.1.1), but is answered.
//
// Latency: 1 cycle after the message's last beat. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module arp_receive
  import bombus_pkg::*;
  import arp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumMacPorts = 1,
    parameter int unsigned KindArpQuestion = 3
) (
    input logic clk_i,
    input logic rst_i,
    input host_t [NumMacPorts-1:0] host_i,

    input beat_t in_i,
    input logic  in_valid_i,

    output message_t message_o,
    output logic message_valid_o,
    // One-cycle pulses. Other messages are output at message_o, or are of no use.
    output logic malformed_o,
    output logic conflict_o,  // another host claims the port's address
    output logic request_o,
    output logic reply_o,
    output logic foreign_o,  // a request from outside of the subnet: answered, not learned
    output logic busy_o
);

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned BodyBeats = (BodyBytes + DataBytes - 1) / DataBytes;
  typedef logic [$clog2(BodyBeats+1)-1:0] index_t;

  logic first, done_q;
  index_t index_q;  // beats collected
  logic [BodyBeats*DataBytes*8-1:0] collected_q;
  packet_meta_t meta_q;
  length_t length_q;
  logic is_question_q;
  always_ff @(posedge clk_i) begin
    if (in_valid_i) begin
      for (int unsigned b = 0; b < BodyBeats; b++) begin
        if (index_q == index_t'(b)) collected_q[b*DataBytes*8+:DataBytes*8] <= in_i.data;
      end
      if (first) begin
        meta_q <= in_i.meta;
        length_q <= in_i.length;
        is_question_q <= 32'(in_i.kind) == KindArpQuestion;
      end
    end
  end
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i),
      .last_i (in_i.last),
      .first_o(first)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      index_q <= '0;
      done_q  <= 1'b0;
    end else begin
      done_q <= in_valid_i & in_i.last;
      if (in_valid_i) begin
        if (in_i.last) index_q <= '0;
        else if (index_q != index_t'(BodyBeats)) index_q <= index_q + 1'b1;
      end
    end
  end

  body_t body;
  arp_question_meta_t question_meta;
  assign body = collected_q[BodyBytes*8-1:0];
  assign question_meta = meta_q;

  wire [31:0] sender_ip = swap32(body.sender_ip);
  wire is_request = swap16(body.operation) == OperationRequest;
  wire is_reply = swap16(body.operation) == OperationReply;
  wire ethernet_ipv4 = (swap16(
      body.mac_type
  ) == MacTypeEthernet) & (swap16(
      body.ip_type
  ) == EtherTypeIpv4) & (body.mac_bytes == 8'd6) & (body.ip_bytes == 8'd4);
  wire well_formed = (length_q >= 14'(BodyBytes)) &
      ethernet_ipv4 & (is_request | is_reply) & ~body.sender_mac[0] & body.sender_mac != '0;
  host_t host;
  by_mac_port #(
      .NumMacPorts(NumMacPorts)
  ) u_host (
      .all_i (host_i),
      .port_i(meta_q.mac_port),
      .one_o (host)
  );
  wire conflict = sender_ip == host.ip;
  wire in_subnet = ((sender_ip ^ host.ip) & host.netmask) == '0;
  wire for_us = swap32(body.target_ip) == host.ip;
  wire accepted = done_q & well_formed & ~conflict;

  always_comb begin
    message_o = '{
        question: 1'b0,
        answer: is_request & for_us,
        learn: is_request & for_us & in_subnet,
        mac_port: NumMacPorts > 1 ? meta_q.mac_port : '0,  // constant with a single port
        vlan: meta_q.vlan,
        ip: sender_ip,
        mac: swap48(body.sender_mac)
    };
    if (is_question_q) begin
      message_o.question = 1'b1;
      message_o.ip = question_meta.ip;
      message_o.mac = {question_meta.mac_high, question_meta.mac_low};
    end
  end

  assign message_valid_o = (done_q & is_question_q) |
      (accepted & ((sender_ip != '0) | message_o.answer));
  assign malformed_o = done_q & ~is_question_q & ~well_formed;
  assign conflict_o = done_q & ~is_question_q & well_formed & conflict;
  assign request_o = accepted & is_request;
  assign reply_o = accepted & is_reply;
  assign foreign_o = accepted & is_request & for_us & ~in_subnet & (sender_ip != '0);
  assign busy_o = done_q | ~first;

  `BOMBUS_ASSERT(BeatsBounded, 32'(index_q) <= BodyBeats)

endmodule

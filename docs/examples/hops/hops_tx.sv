// SPDX-License-Identifier: Apache-2.0
// Sends answers, from an address of its own and with the highest TTL, so that the client can count
// the hops of the return path too.
//
// Latency: 1 cycle. Throughput: one answer per cycle.
module hops_tx
  import bombus_pkg::*;
  import hops_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned SourceIp = 0,  // 0: the host's
    parameter int unsigned KindRoutedPacket = 2  // filled in by Bombus
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output logic  busy_o
);

  localparam string Entry = "hops_tx";
  localparam string Takes = "hops";
  localparam string Sends = "routed_packet";
  typedef enum logic [0:0] {NextIpv4Tx} next_e;

  hops_meta_t asked;
  assign asked = hops_meta_t'(in_i.meta);

  ipv4_pkg::routed_packet_meta_t routed;
  beat_t answer;
  always_comb begin
    routed = '0;
    routed.source = SourceIp;
    routed.ttl = 8'd255;
    routed.packet.mac_port = asked.mac_port;
    routed.packet.vlan = asked.vlan;
    routed.packet.ip = asked.ip;
    routed.packet.l4.ip_tx.protocol = ProtocolHops;

    answer = '0;
    answer.kind = $bits(answer.kind)'(KindRoutedPacket);
    answer.length = length_t'(BodyBytes);
    answer.meta = $bits(answer.meta)'(routed);
    answer.data = $bits(answer.data)'(asked.body);
    answer.bytes = $bits(answer.bytes)'(BodyBytes);
    answer.last = 1'b1;
  end

  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(answer),
      .in_valid_i,
      .in_ready_o,
      .out_o,
      .out_valid_o,
      .out_ready_i
  );

  assign busy_o = out_valid_o;

endmodule

// SPDX-License-Identifier: Apache-2.0
// ICMP (RFC 792): the header, and the kinds of messages that request and report errors.
package icmp_pkg;

  // Metadata of kind unreachable: up to 8 bytes of the payload of a packet that is not
  // accepted by a layer. Known header fields occupy the same bits as in a packet.
  typedef struct packed {
    bombus_pkg::mac_port_t mac_port;
    bombus_pkg::vlan_t     vlan;
    logic [7:0]            tos;
    logic                  dont_fragment;
    logic [15:0]           payload_length;  // in bytes, of the whole packet
    logic [31:0]           ip;              // source address
    bombus_pkg::ip_rx_t    header;
  } unreachable_meta_t;

  // Metadata of kind unreachable for a received packet with payload_length bytes of payload
  function automatic unreachable_meta_t unreachable_meta(bombus_pkg::packet_meta_t packet,
                                                         bombus_pkg::length_t payload_length);
    unreachable_meta_t meta;
    meta = '{
        mac_port: packet.mac_port,
        vlan: packet.vlan,
        tos: packet.tos,
        dont_fragment: packet.dont_fragment,
        payload_length: 16'(payload_length),
        ip: packet.ip,
        header: packet.l4.ip_rx
    };
    return meta;
  endfunction

  // Metadata of kind icmp_error: an error that a node on the path to a peer reports about a packet
  // sent from here (RFC 792). Data: the 4 bytes of that packet after its ports.
  typedef struct packed {
    bombus_pkg::mac_port_t mac_port;
    logic [7:0]            kind;       // the type
    logic [7:0]            code;
    logic [15:0]           mtu;        // of TypeUnreachable with CodeTooBig (RFC 1191, 4); may be 0
    logic [31:0]           ip;         // of the peer
    logic [15:0]           peer_port;
    logic [15:0]           own_port;
  } icmp_error_meta_t;

  // In wire order; the first byte is in the lowest bits.
  typedef struct packed {
    logic [31:0] rest;  // depends on the type
    logic [15:0] csum;
    logic [7:0]  code;
    logic [7:0]  kind;  // the type
  } header_t;

  parameter int unsigned HeaderBytes = $bits(header_t) / 8;
  parameter int unsigned CsumWord = 1;  // position of the checksum, in 16-bit words

  parameter logic [7:0] TypeEchoReply = 8'd0;
  parameter logic [7:0] TypeUnreachable = 8'd3;
  parameter logic [7:0] TypeEchoRequest = 8'd8;
  parameter logic [7:0] TypeTimeExceeded = 8'd11;
  parameter logic [7:0] TypeParameterProblem = 8'd12;
  parameter logic [7:0] CodeProtocol = 8'd2;  // of TypeUnreachable
  parameter logic [7:0] CodePort = 8'd3;
  parameter logic [7:0] CodeTooBig = 8'd4;  // fragmentation needed, and not allowed

endpackage

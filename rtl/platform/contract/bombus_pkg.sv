// SPDX-License-Identifier: Apache-2.0
// Types shared by every layer, router and tile: the metadata of a packet and the addresses of a MAC
// port. Each other kind of message has its metadata in a package in the directory of the layers
// that use it.
//
// Python (bombus.design.rtl) reads names, offsets and widths from this file, so each is defined
// only here.
package bombus_pkg;

  // Length in bytes of the longest frame on a MAC port, without FCS and preamble.
  parameter int unsigned MaxFrameBytes = 9600;
  typedef logic [$clog2(MaxFrameBytes + 1)-1:0] length_t;  // a number of payload bytes (14 bits)

  // MAC ports of a design are numbered from 0. Up to three need two bits in the metadata. A design
  // with more defines BOMBUS_MAC_PORTS in its own copy of this file, and its links are wider.
`ifndef BOMBUS_MAC_PORTS
  `define BOMBUS_MAC_PORTS 3
`endif
  parameter int unsigned MaxMacPorts = `BOMBUS_MAC_PORTS > 3 ? `BOMBUS_MAC_PORTS : 3;
  parameter int unsigned MostMacPorts = 8;  // as many numbers as a register has (eth_tx.rdl)
  typedef logic [$clog2(MaxMacPorts + 1)-1:0] mac_port_t;
  // The port of a message that starts in the design: its route selects the port (mac_route).
  parameter mac_port_t RoutedPort = '1;

  // Numbers of the kinds of messages. Bombus numbers the kinds that a design uses and sets them as
  // parameters (docs/architecture.md, "Kinds of messages").
  parameter int unsigned KindPacket = 0;  // a packet: frame, datagram, segment or payload
  parameter int unsigned KindNone = '1;  // a kind that no layer of the design sends

  // IEEE 802.1Q tag: tci = PCP(3), DEI(1), VID(12).
  typedef struct packed {
    logic        valid;
    logic [15:0] tci;
  } vlan_t;

  // Transport ports: between a transport layer and an application.
  typedef struct packed {
    logic [15:0] src_port;
    logic [15:0] dst_port;
  } ports_t;

  // From ipv4_rx to the transport layers: the fields kept from the IP header.
  typedef struct packed {
    logic [7:0]  protocol;
    logic [15:0] id;
    logic [7:0]  ttl;
  } ip_rx_t;

  // From the transport layers through ipv4_tx to the MAC egress buffer.
  //
  // csum_pos: position, in 16-bit words from the first payload byte of this message, of the
  // checksum field that the egress buffer fills; 0: no checksum. A layer that prepends a header of
  // n bytes adds n/2. The field reaches the end of the longest frame.
  typedef logic [$clog2(MaxFrameBytes / 2)-1:0] csum_pos_t;
  typedef struct packed {
    logic [7:0]                    protocol;
    csum_pos_t                     csum_pos;
    logic [23-$bits(csum_pos_t):0] reserved;
  } ip_tx_t;

  typedef union packed {
    ports_t ports;
    ip_rx_t ip_rx;
    ip_tx_t ip_tx;
  } l4_t;

  // Metadata of a packet, valid with the first flit of its message (108 bits). Multi-byte fields
  // are numbers (host order), not wire bytes. The host's own address is not included: layers that
  // need it take it from host_t.
  typedef struct packed {
    mac_port_t   mac_port;       // receiving or sending MAC port
    vlan_t       vlan;
    logic [7:0]  tos;            // DSCP and ECN (RFC 2474, RFC 3168)
    logic        dont_fragment;  // DF of the received header
    // Received, up to the transport layers: one's complement sum of the message's payload (as in
    // Linux's CHECKSUM_COMPLETE); of a frame, from byte 14 on.
    //
    // To be sent, with a csum_pos: the seed, which is added to the sum of the frame's bytes from 14
    // on to give the checksum for the field at csum_pos. A layer that prepends a header subtracts
    // the header's sum (zero for an IPv4 header).
    //
    // Otherwise zero, also to and from applications, except in a frame of a packet processor, where
    // it identifies the sender (rpu).
    logic [15:0] csum;
    // The peer: source of a received packet, destination of a packet to be sent; from ipv4_tx on,
    // the next hop.
    logic [31:0] ip;
    l4_t         l4;
  } packet_meta_t;

  // Addresses of a MAC port: registers, writable at run time.
  typedef struct packed {
    logic [47:0] mac;
    logic [31:0] ip;
    logic [31:0] netmask;
    logic [31:0] gateway;  // 0: no gateway
  } host_t;

  // An entry of the routing table of new messages: registers, writable at run time.
  parameter int unsigned MaxRoutes = 16;
  typedef struct packed {
    logic        valid;
    mac_port_t   mac_port;
    logic [5:0]  length;    // prefix length in bits
    logic [31:0] network;
    logic [31:0] gateway;   // 0: the destinations are on the link
  } route_t;

  // A register access of a layer that is a master of registers (register_hub).
  typedef struct packed {
    logic        more;     // the next request taken is one of this master, too
    logic        write;
    logic [31:0] address;  // of a byte; a multiple of 4
    logic [31:0] wdata;
  } register_request_t;

  // Which message a dropped one is: those of the layer's first input count from 0 (message_number).
  typedef struct packed {
    logic        known;
    logic [15:0] number;  // modulo 65,536
  } message_number_t;

  // A beat at the first input of a layer, for a layer that observes its tile.
  typedef struct packed {
    packet_meta_t meta;       // of a packet
    logic         is_packet;
    length_t      length;
    logic         last;
    logic         taken;
  } observed_beat_t;

  // EtherTypes and protocol numbers (IANA).
  parameter logic [15:0] EtherTypeIpv4 = 16'h0800;
  parameter logic [15:0] EtherTypeArp = 16'h0806;
  parameter logic [15:0] EtherTypeVlan = 16'h8100;
  parameter logic [7:0] ProtocolIcmp = 8'd1;
  parameter logic [7:0] ProtocolTcp = 8'd6;
  parameter logic [7:0] ProtocolUdp = 8'd17;

  // One's complement sum of two 16-bit words (RFC 1071).
  function automatic logic [15:0] csum_add(logic [15:0] a, logic [15:0] b);
    logic [16:0] sum;
    sum = {1'b0, a} + {1'b0, b};
    return sum[15:0] + {15'b0, sum[16]};
  endfunction

  // Whether length >= least, for a constant least. No carry chain: a carry chain adds delay before
  // its first and after its last bit.
  function automatic logic at_least(length_t length, length_t least);
    at_least = 1'b1;
    for (int unsigned b = 0; b < $bits(length_t); b++) begin
      at_least = least[b] ? length[b] & at_least : length[b] | at_least;
    end
  endfunction

  // Byte-swaps a wire field to a number and back.
  function automatic logic [15:0] swap16(logic [15:0] x);
    return {x[7:0], x[15:8]};
  endfunction
  function automatic logic [31:0] swap32(logic [31:0] x);
    return {x[7:0], x[15:8], x[23:16], x[31:24]};
  endfunction
  function automatic logic [47:0] swap48(logic [47:0] x);
    return {x[7:0], x[15:8], x[23:16], x[31:24], x[39:32], x[47:40]};
  endfunction

endpackage

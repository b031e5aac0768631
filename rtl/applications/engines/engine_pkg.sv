// SPDX-License-Identifier: Apache-2.0
// Types for packets that visit a sequence of engines: their metadata, and the positions of their
// header fields.
package engine_pkg;
  import bombus_pkg::*;

  parameter int unsigned NumSteps = 15;
  parameter int unsigned RuleCount = 16;
  parameter int unsigned FlowCount = 64;

  typedef logic [3:0] engine_t;  // number of an engine; 0: the sequence has ended
  typedef logic [$clog2(FlowCount)-1:0] flow_t;
  // Keys of next hops: engines by number, and above them exits by MAC port.
  parameter int unsigned FirstExit = 16;

  // Metadata of kind engine_packet: a frame and its processing steps.
  typedef struct packed {
    engine_t [NumSteps-1:0] steps;  // engines still to visit, the next one lowest
    flow_t flow;
    logic [31:0] hash;  // set by engine_hash; zero before
    logic is_udp;  // an IPv4 header without options, and UDP or TCP, unfragmented
    logic is_tcp;
    logic discard;  // refused by an engine
    logic lost;  // its next engine does not exist
    vlan_t vlan;
    mac_port_t mac_port;  // output port
  } engine_packet_meta_t;

  // First byte of each field in a frame without VLAN tag.
  parameter int unsigned EtherTypeByte = 12;
  parameter int unsigned Ipv4Byte = 14;
  parameter int unsigned FragmentByte = Ipv4Byte + 6;
  parameter int unsigned ProtocolByte = Ipv4Byte + 9;
  parameter int unsigned AddressByte = Ipv4Byte + 12;  // source, then destination
  parameter int unsigned PortByte = Ipv4Byte + 20;  // source port, then destination port
  parameter int unsigned UdpChecksumByte = PortByte + 6;
  parameter int unsigned TcpChecksumByte = PortByte + 16;
  parameter int unsigned UdpPayloadByte = PortByte + 8;

  // At this width, all of these are in the first beat.
  parameter int unsigned DataWidth = 512;

endpackage

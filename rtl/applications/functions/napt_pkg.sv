// SPDX-License-Identifier: Apache-2.0
// Types of napt.
package napt_pkg;

  // Bytes that are read of a packet without IP options: up to the TCP checksum, of an ICMP error up
  // to the eighth byte after the quoted IP header.
  parameter int unsigned PacketBytes = 38;
  parameter int unsigned ErrorBytes = 56;

  // Bits 4 and 1 of the IP protocol, inverted: enough to tell the three apart.
  typedef enum logic [1:0] {
    ProtocolNone,
    ProtocolUdp,
    ProtocolTcp,
    ProtocolEcho   // ICMP echo; its identifier is the port
  } protocol_e;

  function automatic protocol_e protocol_of(logic [7:0] ip_protocol);
    return protocol_e'({~ip_protocol[4], ~ip_protocol[1]});
  endfunction

  // An inside endpoint, to which a port of the outside address belongs.
  typedef struct packed {
    protocol_e   protocol;
    logic [31:0] ip;
    logic [15:0] port;
  } endpoint_t;

  typedef struct packed {
    logic syn;
    logic ack;
    logic fin;
    logic rst;
  } flags_t;

  // What was seen of a TCP connection.
  typedef struct packed {
    logic answered;     // a segment from outside
    logic established;  // a segment from inside after that
    logic fin_inside;
    logic fin_outside;
    logic rst;          // from outside since the last segment from inside, or that one itself
  } tcp_state_t;

  // Time of the last packet from inside, in units of 2^UnitShift us (about 1.05 s).
  parameter int unsigned UnitShift = 20;
  typedef logic [15:0] stamp_t;

  typedef struct packed {
    stamp_t seen;
    tcp_state_t tcp;
    endpoint_t endpoint;  // ProtocolNone: the place is free
  } session_t;

  // A packet, as its headers describe it.
  typedef struct packed {
    logic from_inside;
    logic is_error;  // an ICMP error; endpoint and port are those of the quoted packet
    logic has_csum;  // not UDP without checksum
    logic has_quoted_csum;  // the quoted packet has a transport checksum
    logic is_fragment;
    logic is_unsupported;  // protocol may have any value then
    logic is_expired;  // by its time to live
    logic has_bad_source;
    protocol_e protocol;
    logic [31:0] ip;  // address and port to be replaced
    logic [15:0] port;
    flags_t flags;
    logic [15:0] csum;
    logic [15:0] quote_csum;  // of the quoted IP header
    logic [15:0] quoted_csum;  // of the quoted transport; 65,535 of TCP, which is not read
  } packet_t;

  typedef ones_pkg::word_t [1:0] sum_t;  // a one's complement sum, as two words

  // What happens to a packet.
  typedef struct packed {
    logic        is_served;        // not translated: to the stack
    logic        from_inside;
    logic        is_error;
    logic        has_csum;
    logic        has_quoted_csum;
    protocol_e   protocol;
    logic        is_new;           // the session is
    logic        no_session;
    logic        no_port;
    logic        is_fragment;
    logic        is_unsupported;
    logic        is_expired;
    logic        has_bad_source;
    logic [31:0] ip;               // the new address
    logic [15:0] port;             // the new port is this plus index
    logic [15:0] index;
    logic        has_index;        // the message's checksum changes by it
    sum_t        own;              // complement of the new checksum of the message, without index
    sum_t        quoted;           // of the quoted packet, without index and a checksum of TCP
    sum_t        quote;            // of the quoted IP header
  } verdict_t;

endpackage

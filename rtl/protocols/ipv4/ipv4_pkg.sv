// SPDX-License-Identifier: Apache-2.0
// IPv4 (RFC 791): the header and its options.
package ipv4_pkg;

  // Wire bytes, first byte lowest, without options.
  typedef struct packed {
    logic [31:0] dst;
    logic [31:0] src;
    logic [15:0] csum;
    logic [7:0]  protocol;
    logic [7:0]  ttl;
    logic [15:0] fragment;  // flags and offset
    logic [15:0] id;
    logic [15:0] length;
    logic [7:0]  tos;
    logic [3:0]  version;
    logic [3:0]  ihl;       // header length in words of 32 bits
  } header_t;

  parameter int unsigned HeaderBytes = $bits(header_t) / 8;
  parameter logic [3:0] HeaderWords = 4'd5;
  parameter logic [3:0] Version = 4'd4;

  // Result of ipv4_options for a packet.
  typedef struct packed {
    logic present;
    logic malformed;     // an option's length is bad
    logic source_route;  // a source route with hops left
  } options_t;


  // Metadata of kind routed_packet: a packet to be sent, for which the sender sets more of the
  // header. Zero in all fields gives the header of an ordinary packet.
  typedef struct packed {
    logic [31:0]              source;        // local address; 0: the host's
    logic [7:0]               ttl;           // 0: the default
    logic [15:0]              id;            // meaningful with may_fragment (RFC 6864)
    logic                     may_fragment;  // Don't Fragment is clear
    bombus_pkg::packet_meta_t packet;
  } routed_packet_meta_t;

endpackage

// SPDX-License-Identifier: Apache-2.0
// ICMP (RFC 792): the header.
package icmp_pkg;

  // Wire bytes, first byte lowest.
  typedef struct packed {
    logic [31:0] rest;  // depends on the type
    logic [15:0] csum;
    logic [7:0]  code;
    logic [7:0]  kind;  // the type
  } header_t;

  parameter int unsigned HeaderBytes = $bits(header_t) / 8;
  parameter int unsigned CsumWord = 1;  // place of the checksum, in 16-bit words

  parameter logic [7:0] TypeEchoReply = 8'd0;
  parameter logic [7:0] TypeUnreachable = 8'd3;
  parameter logic [7:0] TypeEchoRequest = 8'd8;
  parameter logic [7:0] CodeProtocol = 8'd2;  // of TypeUnreachable
  parameter logic [7:0] CodePort = 8'd3;

endpackage

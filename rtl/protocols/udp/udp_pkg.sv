// SPDX-License-Identifier: Apache-2.0
// UDP (RFC 768): the header.
package udp_pkg;

  // In wire order; the first byte is in the lowest bits.
  typedef struct packed {
    logic [15:0] csum;
    logic [15:0] length;
    logic [15:0] dst_port;
    logic [15:0] src_port;
  } header_t;

  parameter int unsigned HeaderBytes = $bits(header_t) / 8;
  parameter int unsigned CsumWord = 3;  // position of the checksum, in 16-bit words

endpackage

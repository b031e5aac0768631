// SPDX-License-Identifier: Apache-2.0
// VXLAN (RFC 7348, 5): an Ethernet frame is the payload of a UDP datagram.
package vxlan_pkg;

  // In wire order; the first byte is in the lowest bits.
  typedef struct packed {
    logic [7:0]  reserved_after;
    logic [23:0] vni;
    logic [23:0] reserved_before;
    logic [7:0]  flags;
  } header_t;

  parameter logic [7:0] FlagVni = 8'h08;  // the VNI is valid
  parameter logic [15:0] DefaultPort = 16'd4789;

  // Headers of a datagram, UDP and VXLAN, before the inner frame.
  parameter int unsigned HeaderBytes = udp_pkg::HeaderBytes + $bits(header_t) / 8;

  function automatic logic [23:0] swap24(logic [23:0] x);
    return {x[7:0], x[15:8], x[23:16]};
  endfunction

endpackage

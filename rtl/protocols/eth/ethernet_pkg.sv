// SPDX-License-Identifier: Apache-2.0
// The Ethernet header (IEEE 802.3 clause 3), without the VLAN tag, which mac_rx and mac_tx move
// between frame and metadata.
package ethernet_pkg;

  // In wire order; the first byte is in the lowest bits.
  typedef struct packed {
    logic [15:0] ether_type;
    logic [47:0] src;
    logic [47:0] dst;
  } header_t;

  parameter int unsigned HeaderBytes = $bits(header_t) / 8;

endpackage

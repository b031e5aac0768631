// SPDX-License-Identifier: Apache-2.0
// Side-band fields of udp_stream (tuser of the first beat of a datagram), for kernels that do not
// handle messages of the mesh. A kernel that returns the received fields answers the sender.
package udp_stream_pkg;

  typedef struct packed {
    // All ones in a datagram that the design originates: selected by its route
    bombus_pkg::mac_port_t mac_port;
    bombus_pkg::vlan_t vlan;
    logic [31:0] ip;  // address of the peer
    logic [15:0] peer_port;
    logic [15:0] own_port;
  } datagram_t;

endpackage

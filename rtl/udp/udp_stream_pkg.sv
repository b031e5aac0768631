// SPDX-License-Identifier: Apache-2.0
// What udp_stream says beside a datagram (tuser of its first beat), for kernels that know nothing of
// messages. Who hands back what has come answers.
package udp_stream_pkg;

  typedef struct packed {
    bombus_pkg::mac_port_t mac_port;  // all ones in a datagram that starts here: by its route
    bombus_pkg::vlan_t vlan;
    logic [31:0] ip;  // of the peer
    logic [15:0] peer_port;
    logic [15:0] own_port;
  } datagram_t;

endpackage

// SPDX-License-Identifier: Apache-2.0
// Types shared by the parts of ARP: the message (RFC 826), the key of a neighbour, and the kinds
// of messages between eth_tx and arp.
package arp_pkg;
  import bombus_pkg::*;

  // ARP message for Ethernet and IPv4: in wire order, first byte lowest.
  typedef struct packed {
    logic [31:0] target_ip;
    logic [47:0] target_mac;
    logic [31:0] sender_ip;
    logic [47:0] sender_mac;
    logic [15:0] operation;
    logic [7:0]  ip_bytes;
    logic [7:0]  mac_bytes;
    logic [15:0] ip_type;
    logic [15:0] mac_type;
  } body_t;

  parameter int unsigned BodyBytes = $bits(body_t) / 8;
  parameter logic [15:0] MacTypeEthernet = 16'd1;
  parameter logic [15:0] OperationRequest = 16'd1;
  parameter logic [15:0] OperationReply = 16'd2;

  // Metadata of the kinds arp, arp_update and arp_question; a neighbour's address occupies the same
  // bits as the address of a packet.
  typedef struct packed {
    mac_port_t mac_port;
    vlan_t vlan;
    logic [6:0] reserved;
    logic is_binding;  // ARP body: its destination also is a binding, as in an update
    logic only_refresh;  // update: refresh an existing binding, do not add one
    logic [15:0] mac_high;  // update: the binding; ARP body, question: destination
    logic [31:0] ip;  // update: address of the binding; question: the address to resolve
    logic [31:0] mac_low;
  } neighbour_t;

  typedef neighbour_t arp_meta_t;  // an ARP body to be framed by eth_tx
  typedef neighbour_t arp_update_meta_t;  // a binding for the ARP cache
  parameter bit ArpUpdateHasPayload = 1'b0;
  typedef neighbour_t arp_question_meta_t;  // request of eth_tx for a neighbour's MAC address

  // A received message that `arp` must handle.
  typedef struct packed {
    logic        question;  // from eth_tx: send a request for `ip` to `mac`
    logic        answer;    // a request for the host's address
    logic        learn;     // a new binding may be added: the message is for the host
    mac_port_t   mac_port;
    vlan_t       vlan;
    logic [31:0] ip;
    logic [47:0] mac;
  } message_t;

  // A neighbour: VLAN (0: none) and address. With several MAC ports, port_bits bits of the port
  // number are added above them.
  typedef struct packed {
    logic [11:0] vid;
    logic [31:0] ip;
  } key_t;

  // A tag with VID 0 carries a priority only (IEEE 802.1Q, 9.6): no VLAN.
  function automatic key_t key_of(vlan_t vlan, logic [31:0] ip);
    return '{vid: vlan.valid ? vlan.tci[11:0] : '0, ip: ip};
  endfunction

  // Width of the MAC port number in a key.
  function automatic int unsigned port_bits(int unsigned num_mac_ports);
    return num_mac_ports > 1 ? $clog2(num_mac_ports) : 0;
  endfunction
  parameter int unsigned MaxKeyBits = $bits(mac_port_t) + $bits(key_t);

  // Whether two keys are equal, in three levels of LUTs: one for each three bits, then a tree.
  // Narrower keys are extended by zeros.
  function automatic logic same_keys(logic [MaxKeyBits-1:0] a, logic [MaxKeyBits-1:0] b);
    logic [(MaxKeyBits+2)/3-1:0] differs;
    for (int unsigned g = 0; g < $bits(differs); g++) begin
      differs[g] = 3'(a >> (3 * g)) != 3'(b >> (3 * g));
    end
    return ~|differs;
  endfunction

  // Seed of the hashes, as software writes it.
  parameter int unsigned SecretBits = 64;

endpackage

// SPDX-License-Identifier: Apache-2.0
// A protocol that reports the distance of the client: a request is 8 bytes; the answer repeats
// the first 7, and its last byte is the TTL with which the request arrived.
package hops_pkg;

  // For experiments (RFC 3692).
  parameter logic [7:0] ProtocolHops = 8'd253;

  // In wire order; the first byte is in the lowest bits.
  typedef struct packed {
    logic [7:0]  ttl;
    logic [55:0] token;
  } body_t;

  parameter int unsigned BodyBytes = $bits(body_t) / 8;

  // Metadata of kind hops: what to answer, and to whom. No payload.
  typedef struct packed {
    bombus_pkg::mac_port_t mac_port;
    bombus_pkg::vlan_t     vlan;
    logic [31:0]           ip;
    body_t                 body;
  } hops_meta_t;

endpackage

// SPDX-License-Identifier: Apache-2.0
// Types of the access control list: the fields of a packet that rules compare, and a rule.
package acl_pkg;

  // Properties of a packet that are compared as one byte. Flags: RFC 9293, section 3.1.
  typedef struct packed {
    logic       is_fragment;  // other than the first: has no ports
    logic       has_ports;    // TCP or UDP, and not such a fragment
    logic [5:0] flags;        // URG ACK PSH RST SYN FIN; 0 without has_ports or without TCP
  } state_t;

  typedef struct packed {
    logic [31:0] source;
    logic [31:0] destination;
    logic [15:0] source_port;       // 0 without has_ports
    logic [15:0] destination_port;
    logic [7:0]  protocol;
    state_t      state;
  } key_t;
  parameter int unsigned KeyBytes = $bits(key_t) / 8;

  // A field with a mask matches if value and packet agree in the bits of the mask.
  typedef struct packed {
    logic        valid;
    logic        allow;
    logic        established;             // only packets of established flows
    logic [2:0]  mark;
    logic [7:0]  state_mask;
    logic [7:0]  state;
    logic [7:0]  protocol_mask;
    logic [7:0]  protocol;
    logic [15:0] destination_port_last;
    logic [15:0] destination_port_first;
    logic [15:0] source_port_last;
    logic [15:0] source_port_first;
    logic [31:0] destination_mask;
    logic [31:0] destination;
    logic [31:0] source_mask;
    logic [31:0] source;
  } rule_t;

  typedef struct packed {
    logic       allow;
    logic [2:0] mark;
  } action_t;

  // Both directions of a TCP or UDP connection, by the fields of the packets that are received.
  typedef struct packed {
    logic [31:0] peer;
    logic [31:0] host;
    logic [15:0] peer_port;
    logic [15:0] host_port;
    logic [7:0]  protocol;
  } acl_flow_meta_t;
  parameter bit AclFlowHasPayload = 1'b0;

  // The tables of a look-up, each addressed by a byte of the key: one for each byte outside the
  // ports, two for each byte of a port (acl_columns).
  parameter int unsigned NumTables = 18;

  // The byte of the key, the highest first, that addresses a table.
  function automatic int unsigned byte_of_table(int unsigned table_number);
    if (table_number < 8) return table_number;  // addresses
    if (table_number < 16) return 8 + (table_number - 8) / 2;  // ports
    return 12 + (table_number - 16);  // protocol, state
  endfunction

endpackage

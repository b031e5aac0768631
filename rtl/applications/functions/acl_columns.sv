// SPDX-License-Identifier: Apache-2.0
// One rule's bits in the tables of acl_rules, for one value of the byte that addresses them.
//
// A field with a mask has a bit for each of its bytes: the byte agrees. A port has two bits for its
// high byte, the code of high_e, and two for its low byte: not below the first port, and not above
// the last one. A range within one high byte needs both at once: its first bit has them. A range
// whose last port is below its first one matches nothing.
//
// Latency: 0 cycles. Source: StrideBV (Ganegedara, Jiang, Prasanna 2014) for prefixes.
module acl_columns
  import acl_pkg::*;
(
    input rule_t rule_i,
    input logic [7:0] byte_i,
    output logic [NumTables-1:0] bits_o
);

  // What the high byte of a port says of a range.
  typedef enum logic [1:0] {
    HighOutside,
    HighInside,  // whatever the low byte is
    HighFirst,  // the low byte decides, by its first bit
    HighLast  // by its second one
  } high_e;

  function automatic logic [3:0] port_bits(logic [15:0] first, logic [15:0] last,
                                           logic [7:0] value);
    high_e high;
    logic  is_narrow;
    is_narrow = first[15:8] == last[15:8];
    if (first[15:8] > last[15:8]) high = HighOutside;
    else if (value == first[15:8]) high = HighFirst;
    else if (value == last[15:8]) high = HighLast;
    else if (value > first[15:8] && value < last[15:8]) high = HighInside;
    else high = HighOutside;
    port_bits = {
      value <= last[7:0], value >= first[7:0] && (!is_narrow || value <= last[7:0]), high
    };
  endfunction

  wire [7:0][7:0] address = {rule_i.source, rule_i.destination};
  wire [7:0][7:0] address_mask = {rule_i.source_mask, rule_i.destination_mask};
  always_comb begin
    for (int unsigned n = 0; n < 8; n++) begin
      bits_o[n] = ((byte_i ^ address[7-n]) & address_mask[7-n]) == '0;
    end
    bits_o[11:8] = port_bits(rule_i.source_port_first, rule_i.source_port_last, byte_i);
    bits_o[15:12] = port_bits(rule_i.destination_port_first, rule_i.destination_port_last, byte_i);
    bits_o[16] = ((byte_i ^ rule_i.protocol) & rule_i.protocol_mask) == '0;
    bits_o[17] = rule_i.valid & ((byte_i ^ rule_i.state) & rule_i.state_mask) == '0;
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// Types of the accelerators that judge frames by their addresses.
package source_judge_pkg;

  // Properties of a frame, kept while its address is looked up.
  typedef struct packed {
    logic [7:0] slot;
    logic is_ipv4;
    logic may_hide;
  } judged_frame_t;

  // Bits of event_o.
  typedef enum int unsigned {
    EventListed,
    EventMayHide,
    EventOther,
    NumEvents
  } judged_e;

  // Headers after which IPv4 may follow. EtherTypes: of the IEEE Registration Authority.
  function automatic logic may_carry_ipv4(logic [15:0] ether_type);
    return ether_type inside {16'h22F3,  // TRILL
    16'h6558,  // transparent Ethernet bridging
    16'h8847,  // MPLS
    16'h8848, 16'h8864,  // PPPoE, sessions
    16'h880B,  // PPP
    16'h88E5,  // MACsec
    16'h88E7,  // IEEE 802.1ah: MAC in MAC
    16'h8903,  // FabricPath
    16'h8926,  // VN-Tag
    16'h893F,  // IEEE 802.1BR: E-Tag
    16'h894F  // network service header
    };
  endfunction

endpackage

// SPDX-License-Identifier: Apache-2.0
// Frames that carry links between boards over Ethernet.
//
// A frame has a header of 24 bytes, and beats of one link as they are, bytes in the order of their
// lanes. Frames below 60 bytes are padded with zeros. Each end of each link has a MAC address.
//
// Source for links over lossy Ethernet: Caulfield et al., "A cloud-scale acceleration
// architecture", MICRO 2016, section V (LTL). Here frames are only numbered; the link, which
// tolerates lost beats, retransmits missing packets.
package cluster_ethernet_pkg;

  localparam int unsigned HeaderBytes = 24;
  localparam int unsigned MinBytes = 60;  // of a frame, without FCS

  typedef logic [47:0] address_t;
  typedef logic [19:0] number_t;  // of a frame, modulo 2**20
  typedef logic [10:0] beats_t;

  typedef struct packed {
    logic    zero;
    number_t number;
    beats_t  beats;   // of the link
  } numbering_t;

  // In the order of the wire, the first byte highest.
  typedef struct packed {
    address_t destination;
    address_t source;
    logic [15:0] ether_type;
    logic [15:0] zero;
    numbering_t numbering;
    cluster_crc_pkg::crc_t crc;  // CRC-32C of numbering
  } header_t;

  typedef logic [8*HeaderBytes-1:0] lanes_t;  // the first byte lowest

  // A header in lanes. It is its own inverse.
  function automatic lanes_t swapped(lanes_t given);
    lanes_t found;
    for (int unsigned b = 0; b < HeaderBytes; b++) begin
      found[8*b+:8] = given[8*(HeaderBytes-1-b)+:8];
    end
    return found;
  endfunction

  // An end of a link.
  typedef struct packed {
    logic [1:0] link;  // its number on its board
    cluster_pkg::board_t board;
  } end_t;

  function automatic address_t address(logic [31:0] prefix, end_t link_end);
    return {prefix, 6'b0, link_end};
  endfunction

endpackage

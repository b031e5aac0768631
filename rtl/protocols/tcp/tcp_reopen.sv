// SPDX-License-Identifier: Apache-2.0
// Holds a SYN that has ended the TIME-WAIT of its connection (RFC 9293, 3.6.1: MAY-2) until the
// session is removed from the table, and offers it again, before other segments: without a payload,
// which was discarded (sack_only), and with our initial sequence number as its acknowledgement.
// out_o has only the fields of the SYN that tcp_lookup needs early; it takes the others from syn_o.
//
// Latency: none for segments, at least 16 cycles for a SYN.
`include "bombus_assert.svh"

module tcp_reopen
  import tcp_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    // From tcp_core
    input  segment_t syn_i,
    input  seq_t     first_i,  // our initial sequence number
    input  logic     valid_i,  // only with room_o; the removal of the session follows
    output logic     room_o,
    input  logic     frees_i,  // sessions wait for their removal

    input  segment_t segment_i,
    input  logic     segment_valid_i,
    output logic     segment_ready_o,

    output segment_t out_o,
    output logic     out_valid_o,
    input  logic     out_ready_i,
    output segment_t syn_o,        // while taken_i has not followed
    input  logic     taken_i
);

  segment_t syn_q;
  logic held_q, offers_q, offered_q;
  logic [3:0] wait_q;  // until frees_i shows the removal
  assign room_o = ~held_q;
  assign syn_o  = syn_q;
  always_comb begin
    out_o = segment_i;
    if (offers_q) begin
      out_o.mac_port = syn_q.mac_port;
      out_o.ip = syn_q.ip;
      out_o.src_port = syn_q.src_port;
      out_o.dst_port = syn_q.dst_port;
      out_o.flags = syn_q.flags;
      out_o.sack_only = 1'b1;
    end
  end
  assign out_valid_o = offers_q | segment_valid_i;
  assign segment_ready_o = out_ready_i & ~offers_q;
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      syn_q <= syn_i;
      // A SYN has no use for these.
      syn_q.tos <= '0;
      syn_q.length <= '0;
      syn_q.options.ts_echo <= '0;
      syn_q.options.has_sack <= 1'b0;
      syn_q.options.sack <= '0;
      syn_q.sack_only <= 1'b1;
      syn_q.ack <= first_i;
    end
    wait_q <= valid_i ? '1 : wait_q - 4'(wait_q != '0);
    if (rst_i) begin
      held_q <= 1'b0;
      offers_q <= 1'b0;
      offered_q <= 1'b0;
    end else begin
      held_q <= valid_i | (held_q & ~taken_i);
      offered_q <= held_q & ~taken_i & (offered_q | (offers_q & out_ready_i));
      offers_q <= offers_q ? ~out_ready_i : held_q & ~offered_q & (wait_q == '0) & ~frees_i;
    end
  end

  `BOMBUS_ASSERT(HoldsOne, !(valid_i && held_q))
  `BOMBUS_ASSERT(OffersWhatItHolds, !offers_q || held_q)

endmodule

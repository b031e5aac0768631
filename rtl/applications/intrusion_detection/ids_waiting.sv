// SPDX-License-Identifier: Apache-2.0
// A few TCP segments ahead of a gap that wait in rule_matcher: selects the segment to be tried
// again, and the time at which the missing bytes before it are skipped.
//
// A segment is tried again when the state of its flow has changed. The waiting time is limited:
// after it, the segment of the flow nearest to the gap is tried, and the missing bytes are skipped.
// No segment waits while the core is stopped.
//
// Latency: 2 cycles from a change to an offer.
`include "bombus_assert.svh"

module ids_waiting #(
    parameter int unsigned Entries = 3,
    parameter int unsigned SlotWidth = 4,
    parameter int unsigned RowWidth = 12,  // of an index of a flow's state
    parameter int unsigned WaitCycles = 75000
) (
    input logic clk_i,
    input logic rst_i,
    input logic stopped_i,

    // A segment is ahead: a new one, or the one taken last.
    input logic ahead_i,
    input logic is_again_i,
    input logic [SlotWidth-1:0] slot_i,
    input logic [RowWidth-1:0] row_i,
    input logic [15:0] gap_i,  // missing bytes, at most 65,535
    output logic is_full_o,
    input logic leaves_i,  // the one taken last is no longer ahead

    input logic changes_i,  // the state of the flow at row_i has changed

    output logic [SlotWidth-1:0] slot_o,
    output logic skips_o,
    output logic valid_o,
    output logic settled_o,  // no other offer can follow
    input logic ready_i
);

  localparam int unsigned TimeWidth = $clog2(WaitCycles + 1);

  if (Entries < 1 || Entries > 8) begin : gen_bad_entries
    $error("ids_waiting: Entries must be 1 to 8");
  end
  if (SlotWidth < 1 || RowWidth < 1) begin : gen_bad_widths
    $error("ids_waiting: SlotWidth and RowWidth must be at least 1");
  end
  if (WaitCycles < 1 || WaitCycles == '1) begin : gen_bad_cycles
    $error("ids_waiting: WaitCycles must be 1 to 2^32 - 2");
  end

  logic [Entries-1:0] valid_q, again_q, late_q, free, taken_q;
  logic [Entries-1:0][SlotWidth-1:0] slot_q;
  logic [Entries-1:0][RowWidth-1:0] row_q;
  logic [Entries-1:0][15:0] gap_q;
  logic [Entries-1:0][TimeWidth-1:0] left_q;

  // ---- Selection ----

  logic [Entries-1:0] again, skipping, offer_q, offer;
  always_comb begin
    for (int unsigned a = 0; a < Entries; a++) begin
      logic is_late, is_nearest;
      is_late = 1'b0;
      is_nearest = 1'b1;
      for (int unsigned b = 0; b < Entries; b++)
      if (valid_q[b] & row_q[a] == row_q[b]) begin
        is_late |= late_q[b];
        is_nearest &= a <= b ? gap_q[a] <= gap_q[b] : gap_q[a] < gap_q[b];
      end
      skipping[a] = valid_q[a] & is_late & is_nearest;
    end
    again = valid_q & again_q;
    offer = |again ? again : skipping;
    offer &= ~offer + 1'b1;
  end
  wire changed = leaves_i | ahead_i & is_again_i | ready_i;
  always_ff @(posedge clk_i) begin
    offer_q   <= changed | rst_i ? '0 : offer;
    skips_o   <= ~|again;
    settled_o <= ~changed;
    if (ready_i) taken_q <= offer_q;
  end
  assign valid_o = |offer_q;
  always_comb begin
    slot_o = '0;
    for (int unsigned n = 0; n < Entries; n++) if (offer_q[n]) slot_o |= slot_q[n];
  end

  // ---- Entries ----

  assign free = ~valid_q & (valid_q + 1'b1);
  wire [Entries-1:0] writes = {Entries{ahead_i}} & (is_again_i ? taken_q : free);
  always_ff @(posedge clk_i) begin
    is_full_o <= &valid_q | stopped_i;
    for (int unsigned n = 0; n < Entries; n++) begin
      if (writes[n]) begin
        valid_q[n] <= 1'b1;
        again_q[n] <= 1'b0;
        slot_q[n]  <= slot_i;
        row_q[n]   <= row_i;
        gap_q[n]   <= gap_i;
      end else if (changes_i & row_i == row_q[n]) again_q[n] <= 1'b1;
      if (leaves_i & taken_q[n]) valid_q[n] <= 1'b0;
      if (~valid_q[n]) begin
        left_q[n] <= TimeWidth'(WaitCycles);
        late_q[n] <= 1'b0;
      end else begin
        left_q[n] <= left_q[n] - 1'b1;
        late_q[n] <= late_q[n] | left_q[n] == '0 | stopped_i;
      end
    end
    if (rst_i) valid_q <= '0;
  end

  `BOMBUS_ASSERT(OffersOneEntry, $onehot0(offer_q))
  `BOMBUS_ASSERT(WritesOneEntry, !ahead_i || $onehot(writes))

endmodule

// SPDX-License-Identifier: Apache-2.0
// Ranges of a stream received beyond missing bytes: adds a range and merges it with those that it
// touches. The ranges neither overlap nor touch, and fill the slots from 0 on, the latest first or
// in the order of their positions (Sorted).
//
// Positions are the lower bits of sequence numbers. Ranges that begin at or before the base are
// removed. Three cycles: distances from the base, comparisons, new ranges. One range per cycle.
module tcp_ranges #(
    parameter int unsigned NumRanges = 4,
    parameter int unsigned Width = 18,  // positions are less than 2**(Width-1) apart
    parameter bit Sorted = 0
) (
    input logic clk_i,

    // First cycle
    input logic [NumRanges-1:0] valid_i,
    input logic [NumRanges-1:0] mark_i,  // a bit stored with the range
    input logic [NumRanges-1:0][Width-1:0] left_i,
    input logic [NumRanges-1:0][Width-1:0] right_i,  // first byte after the range
    input logic [Width-1:0] base_i,
    input logic [Width-1:0] add_left_i,  // the range to be added
    input logic [Width-1:0] add_right_i,

    // Third cycle
    input logic add_i,
    input logic remove_i,  // removes the ranges that it touches, without adding it
    input logic [Width-1:0] left_3_i,  // same as add_left_i
    input logic [Width-1:0] right_3_i,
    input logic mark_3_i,  // mark of the added range
    output logic room_o,  // there is room for the range
    output logic known_o,  // all of its bytes are already covered
    output logic reaches_o,  // a range that it touches ends at its end or later,
    output logic [Width-1:0] reach_o,  // at this position
    output logic reach_wraps_o,  // reach is less than the base as an unsigned number

    // The previous ranges, and which of them are beyond the base; the new ranges
    output logic [NumRanges-1:0] current_3_o,
    output logic [NumRanges-1:0] valid_3_o,
    output logic [NumRanges-1:0] mark_3_o,
    output logic [NumRanges-1:0][Width-1:0] left_3_o,
    output logic [NumRanges-1:0][Width-1:0] right_3_o,
    output logic [NumRanges-1:0] left_wraps_3_o,
    output logic [NumRanges-1:0] right_wraps_3_o,
    output logic [NumRanges-1:0] valid_o,
    output logic [NumRanges-1:0] mark_o,
    output logic [NumRanges-1:0][Width-1:0] left_o,
    output logic [NumRanges-1:0][Width-1:0] right_o
);

  if (NumRanges < 1 || NumRanges > 16) begin : gen_bad_ranges
    $error("tcp_ranges: NumRanges must be 1 to 16");
  end
  if (Width < 4 || Width > 32) begin : gen_bad_width
    $error("tcp_ranges: Width must be 4 to 32");
  end

  typedef logic [NumRanges-1:0] slots_t;
  typedef logic [Width-1:0] position_t;
  typedef logic signed [Width-1:0] distance_t;

  // ---- First cycle: distances from the base ----

  logic [NumRanges-1:0] valid_2_q, mark_2_q, left_wraps_2_q, right_wraps_2_q;
  position_t [NumRanges-1:0] left_2_q, right_2_q, from_2_q, to_2_q;
  distance_t add_from_q, add_to_q;
  always_ff @(posedge clk_i) begin
    valid_2_q  <= valid_i;
    mark_2_q   <= mark_i;
    left_2_q   <= left_i;
    right_2_q  <= right_i;
    add_from_q <= add_left_i - base_i;
    add_to_q   <= add_right_i - base_i;
    for (int unsigned r = 0; r < NumRanges; r++) begin
      {left_wraps_2_q[r], from_2_q[r]} <= {1'b0, left_i[r]} - {1'b0, base_i};
      {right_wraps_2_q[r], to_2_q[r]}  <= {1'b0, right_i[r]} - {1'b0, base_i};
    end
  end

  // ---- Second cycle: compare positions ----

  logic [NumRanges-1:0] current, meets, leads, trails, ahead;
  logic [NumRanges-1:0] meets_q, leads_q, trails_q, ahead_q, current_q;
  assign current_3_o = current_q;
  always_comb begin
    for (int unsigned r = 0; r < NumRanges; r++) begin
      current[r] = valid_2_q[r] & (distance_t'(from_2_q[r]) > 0);
      ahead[r]   = distance_t'(to_2_q[r]) < add_from_q;  // relative to the range to be added
      meets[r]   = current[r] & ~ahead[r] & (distance_t'(from_2_q[r]) <= add_to_q);
      leads[r]   = distance_t'(from_2_q[r]) <= add_from_q;
      trails[r]  = distance_t'(to_2_q[r]) >= add_to_q;
    end
  end
  always_ff @(posedge clk_i) begin
    current_q <= current;
    meets_q <= meets;
    ahead_q <= ahead;
    leads_q <= meets & leads;
    trails_q <= meets & trails;
    room_o <= |meets | ~&current;
    known_o <= |(meets & leads & trails);
    valid_3_o <= valid_2_q;
    mark_3_o <= mark_2_q;
    left_3_o <= left_2_q;
    right_3_o <= right_2_q;
    left_wraps_3_o <= left_wraps_2_q;
    right_wraps_3_o <= right_wraps_2_q;
  end

  // ---- Third cycle: the new ranges ----

  assign reaches_o = |trails_q;
  position_t merged_left, merged_right;
  always_comb begin
    // At most one bit is set in each.
    reach_o = '0;
    reach_wraps_o = 1'b0;
    merged_left = '0;
    for (int unsigned r = 0; r < NumRanges; r++) begin
      if (trails_q[r]) reach_o |= right_3_o[r];
      if (trails_q[r]) reach_wraps_o |= right_wraps_3_o[r];
      if (leads_q[r]) merged_left |= left_3_o[r];
    end
    if (leads_q == '0) merged_left = left_3_i;
    merged_right = trails_q == '0 ? right_3_i : reach_o;
  end

  wire [NumRanges-1:0] kept = current_q & ~({NumRanges{add_i | remove_i}} & meets_q);
  slots_t added;  // slot of the added range, one-hot
  slots_t [NumRanges-1:0] slot;  // new slot of each
  always_comb begin
    slots_t next_slot;
    next_slot = slots_t'(1);
    added = slots_t'(1);
    for (int unsigned r = 0; r < NumRanges; r++) begin
      slot[r] = '0;
      if (kept[r]) begin
        slot[r]   = add_i & ~(Sorted & ahead_q[r]) ? next_slot << 1 : next_slot;
        next_slot = next_slot << 1;
        if (Sorted & ahead_q[r]) added = added << 1;
      end
    end
    valid_o = '0;
    mark_o  = '0;
    left_o  = '0;
    right_o = '0;
    for (int unsigned s = 0; s < NumRanges; s++) begin
      for (int unsigned r = 0; r < NumRanges; r++) begin
        if (slot[r][s]) begin
          valid_o[s] = 1'b1;
          mark_o[s] |= mark_3_o[r];
          left_o[s] |= left_3_o[r];
          right_o[s] |= right_3_o[r];
        end
      end
      if (add_i & added[s]) begin
        valid_o[s] = 1'b1;
        mark_o[s] |= mark_3_i;
        left_o[s] |= merged_left;
        right_o[s] |= merged_right;
      end
    end
  end

endmodule

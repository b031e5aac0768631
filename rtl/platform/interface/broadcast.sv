// SPDX-License-Identifier: Apache-2.0
// Broadcast of words among the members of a group: one word at a time, received by all in the same
// cycle.
//
// A member offers a word until its wait_o is low; members are served in turn. Latency: 1 cycle.
// Throughput: one word per cycle.
`include "bombus_assert.svh"

module broadcast #(
    parameter int unsigned NumMembers = 4,
    parameter int unsigned Width = 37
) (
    input logic clk_i,
    input logic rst_i,

    input logic [NumMembers-1:0] offer_i,
    input logic [NumMembers-1:0][Width-1:0] word_i,
    output logic [NumMembers-1:0] wait_o,

    output logic given_o,
    output logic [Width-1:0] got_o
);

  if (NumMembers < 2 || NumMembers > 256) begin : gen_bad_members
    $error("broadcast: NumMembers must be 2 to 256");
  end
  if (Width < 1) begin : gen_bad_width
    $error("broadcast: Width must be at least 1");
  end

  // The first member with a word after the last one served, or the first of all if none of those
  // has a word. It is selected in groups, each of whose words is selected in parallel with the
  // group, and by masks, since round_robin grows with the cube of its inputs.
  localparam int unsigned GroupSize = 4;
  localparam int unsigned NumGroups = (NumMembers + GroupSize - 1) / GroupSize;
  localparam int unsigned NumPositions = NumGroups * GroupSize;
  typedef logic [NumGroups-1:0] groups_t;
  typedef logic [NumGroups-1:0][GroupSize-1:0] members_t;

  members_t after_q;  // the members after the last one served
  members_t offers, offers_after, first, grant, after;
  groups_t offer, offer_after, group;
  logic [NumPositions-1:0][Width-1:0] words;
  logic [Width-1:0] word;
  assign words = (NumPositions * Width)'(word_i);
  assign offers = NumPositions'(offer_i);
  assign offers_after = offers & after_q;
  wire any_after = |offers_after;
  assign wait_o = ~NumMembers'(grant);

  // Whether any bit below a position is set.
  function automatic logic any_before(groups_t bits, int unsigned position);
    return |(bits & ((groups_t'(1) << position) - 1'b1));
  endfunction
  function automatic logic any_in_group_before(logic [GroupSize-1:0] bits, int unsigned position);
    return |(bits & ((GroupSize'(1) << position) - 1'b1));
  endfunction

  always_comb begin
    for (int unsigned g = 0; g < NumGroups; g++) begin
      offer[g] = |offers[g];
      offer_after[g] = |offers_after[g];
    end
    for (int unsigned g = 0; g < NumGroups; g++) begin
      logic [GroupSize-1:0] candidates;
      group[g] = any_after ? offer_after[g] & ~any_before(offer_after, g) :
          offer[g] & ~any_before(offer, g);
      candidates = offer_after[g] ? offers_after[g] : offers[g];
      for (int unsigned m = 0; m < GroupSize; m++) begin
        first[g][m] = candidates[m] & ~any_in_group_before(candidates, m);
        after[g][m] = group[g] & any_in_group_before(first[g], m);
      end
      grant[g] = first[g] & {GroupSize{group[g]}};
    end
    for (int unsigned g = 0; g < NumGroups; g++) begin
      after[g] |= {GroupSize{any_before(group, g)}};
    end
  end

  always_comb begin
    for (int unsigned b = 0; b < Width; b++) begin
      groups_t bits;
      for (int unsigned g = 0; g < NumGroups; g++) begin
        logic [GroupSize-1:0] group_bits;
        for (int unsigned m = 0; m < GroupSize; m++) group_bits[m] = words[GroupSize*g+m][b];
        bits[g] = |(group_bits & first[g]);
      end
      word[b] = |(bits & group);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) after_q <= '1;
    else if (|offer_i) after_q <= after;
    given_o <= |offer_i & ~rst_i;
    got_o   <= word;
  end

  `BOMBUS_ASSERT(GrantsOneMember, $onehot0(grant))

endmodule

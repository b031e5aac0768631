// SPDX-License-Identifier: Apache-2.0
// Selects the replica with the fewest unfinished messages; among equals the next one after the last
// selection.
//
// Other tiles may send to the replicas, too. Each reports its messages by pulses (dispatched_o,
// others_i), and all receive the same done_i, so each tile tracks the whole load. Simultaneous
// messages are counted one per cycle; a done_i cancels a message that is not yet counted.
//
// Loads are counted up to 2^LoadWidth - 1. Further messages are not counted, and a done_i without a
// counted message is ignored, so a count that is too low is corrected when the replica has finished
// its messages. A count that is too high remains until the slot is written, so a message must not
// be lost on its way to the replica. A replica whose message is lost is out: it is not chosen again
// until its load is reset. A replica is also out while its slot leads elsewhere (redirected_i with
// clear_i); a few messages may still take the slot. When a replica becomes out, the other loads
// are reset, so that the least load is known.
//
// With Limit, a replica that has reached this load receives no more messages. A message may take a
// replica in a cycle if, in the cycle before, scarce_o was low, or has_room_o was high and no
// replica was taken. Messages sent by other tiles in the last two cycles are not yet counted, so a
// load may exceed Limit by 2 for each of these tiles (replicas_pkg::UncountedMessages).
//
// Loads are not compared with each other. Two flip-flops per replica indicate whether it has the
// least load or one more. A load changes by at most one per cycle, and so does the least load. The
// choice is registered too, and take_i may be late: the next state is computed for both of its
// values. done_i takes effect in the choice after next, clear_i one cycle later.
`include "bombus_assert.svh"

module least_loaded #(
    parameter int unsigned NumReplicas = 4,
    parameter int unsigned LoadWidth = noc_pkg::LoadWidth,  // at least 2
    parameter int unsigned NumOthers = 0,  // other tiles that send
    parameter int unsigned Limit = 0,  // of a load; 0: none
    localparam int unsigned OtherWidth = NumOthers > 0 ? NumOthers : 1,
    localparam int unsigned IndexWidth = NumReplicas > 1 ? $clog2(NumReplicas) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic take_i,  // a message takes choice_o
    input logic lost_i,  // with take_i: the message is lost
    input logic [NumReplicas-1:0] done_i,  // a replica has finished a message
    input logic [NumReplicas-1:0][OtherWidth-1:0] others_i,  // another tile has sent it a message
    input logic [NumReplicas-1:0] clear_i,  // reset its load to zero
    input logic redirected_i,  // with clear_i: its slot leads elsewhere
    output logic [NumReplicas-1:0] dispatched_o,  // a message has been sent to it
    output logic [IndexWidth-1:0] choice_o,
    output logic has_room_o,  // if not taken now, choice_o stays, and has room
    output logic scarce_o  // the next choice may have no room
);

  if (NumReplicas < 1 || LoadWidth < 2) begin : gen_bad_shape
    $error("least_loaded: NumReplicas must be at least 1, LoadWidth at least 2");
  end
  if (Limit >= 2 ** LoadWidth) begin : gen_bad_limit
    $error("least_loaded: Limit must be less than 2^LoadWidth");
  end

  typedef logic [LoadWidth-1:0] load_t;
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [NumReplicas-1:0] replicas_t;

  load_t [NumReplicas-1:0] loads_q;
  replicas_t least_q, more_q;  // replicas with the least load, and with one more
  load_t two_more_q, three_more_q;  // the least load plus 2, plus 3
  replicas_t excluded_q;
  logic recount_q;  // loads have been reset: the least one is zero
  index_t choice_q;
  assign choice_o = choice_q;

  replicas_t is_choice, is_after;  // bit i: i is after the last choice
  always_comb begin
    for (int unsigned i = 0; i < NumReplicas; i++) begin
      is_choice[i] = choice_q == index_t'(i);
      is_after[i]  = 32'(choice_q) < i;
    end
  end

  // ---- Loads ----

  replicas_t is_zero, is_full;
  replicas_t other_counted, done;  // a message of another tile counts; a message is finished
  replicas_t uncounted, many_uncounted;  // at least one is not yet counted; at least two
  wire lost = take_i & lost_i;
  wire clear = lost | (|clear_i);
  wire clear_all = lost | (redirected_i & (|clear_i));
  for (genvar i = 0; i < NumReplicas; i++) begin : gen_load
    assign is_zero[i] = loads_q[i] == '0;
    assign is_full[i] = &loads_q[i];
    wire own = take_i & is_choice[i];
    wire up = own | other_counted[i];
    always_ff @(posedge clk_i) begin
      if (rst_i | clear_i[i]) excluded_q[i] <= redirected_i & ~rst_i;
      else if (lost & is_choice[i]) excluded_q[i] <= 1'b1;
      if (rst_i | clear_all | clear_i[i]) loads_q[i] <= '0;
      else if (up & ~done[i] & ~is_full[i]) loads_q[i] <= loads_q[i] + 1'b1;
      else if (done[i] & ~up & ~is_zero[i]) loads_q[i] <= loads_q[i] - 1'b1;
      dispatched_o[i] <= own & ~lost_i & ~excluded_q[i] & ~rst_i;
    end
    if (NumOthers == 0) begin : gen_alone
      assign other_counted[i] = 1'b0;
      assign done[i] = done_i[i];
      assign {many_uncounted[i], uncounted[i]} = '0;
      wire unused = ^others_i[i];
    end else begin : gen_others
      // Messages of other tiles that are not yet counted: one is counted in each cycle in which
      // this tile sends none. Those beyond the maximum are never counted.
      localparam int unsigned WaitWidth = NumOthers < 3 ? 3 : $clog2(2 * NumOthers + 3);
      localparam int unsigned Most = 2 ** WaitWidth - 1;
      logic [WaitWidth-1:0] others_q;
      typedef logic [$clog2(Most+OtherWidth+1)-1:0] sum_t;
      sum_t arrived, remaining;
      wire waits = others_q != '0;
      wire counted = waits & (done_i[i] | ~own);
      assign other_counted[i] = waits & ~done_i[i];
      assign done[i] = done_i[i] & ~waits;
      assign uncounted[i] = waits | (|others_i[i]);
      assign many_uncounted[i] = |others_q[WaitWidth-1:1];
      always_comb begin
        arrived = sum_t'(others_q);
        for (int unsigned n = 0; n < NumOthers; n++) arrived += sum_t'(others_i[i][n]);
        remaining = arrived - sum_t'(counted);
      end
      always_ff @(posedge clk_i) begin
        if (rst_i | clear_i[i]) others_q <= '0;
        else others_q <= remaining > sum_t'(Most) ? WaitWidth'(Most) : WaitWidth'(remaining);
      end
    end
  end

  // ---- Replicas with the least load, and with one more ----

  logic [NumReplicas-1:0][3:0] above;  // bit n: the load is n above the least load
  always_comb begin
    for (int unsigned i = 0; i < NumReplicas; i++) begin
      above[i] = {
        loads_q[i] == three_more_q,
        loads_q[i] == two_more_q,
        recount_q ? loads_q[i] == load_t'(1) : more_q[i],
        recount_q ? is_zero[i] : least_q[i]
      } & {4{~excluded_q[i]}};
    end
  end

  logic [1:0] falls, stays;  // the least load does; index: the choice is taken
  replicas_t [1:0] least, more;
  for (genvar taken = 0; taken < 2; taken++) begin : gen_case
    replicas_t fewer, same, one, two;  // load after this cycle, relative to the current least load
    always_comb begin
      for (int unsigned i = 0; i < NumReplicas; i++) begin
        automatic logic up = (taken == 1 && is_choice[i]) || other_counted[i];
        {two[i], one[i], same[i], fewer[i]} = {above[i][2:0], 1'b0};
        if (up & ~done[i] & ~is_full[i]) begin
          {two[i], one[i], same[i], fewer[i]} = {above[i][1:0], 2'b00};
        end else if (done[i] & ~up & ~is_zero[i]) begin
          {two[i], one[i], same[i], fewer[i]} = above[i];
        end
      end
      falls[taken] = |fewer;
      stays[taken] = |same;
      least[taken] = falls[taken] ? fewer : stays[taken] ? same : one;
      more[taken]  = falls[taken] ? same : stays[taken] ? one : two;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      least_q   <= '1;
      more_q    <= '0;
      recount_q <= 1'b0;
    end else begin
      least_q   <= least[take_i];
      more_q    <= more[take_i];
      recount_q <= clear;
    end
    if (rst_i | clear) begin
      two_more_q   <= load_t'(2);
      three_more_q <= load_t'(3);
    end else if (falls[take_i]) begin
      two_more_q   <= two_more_q - 1'b1;
      three_more_q <= two_more_q;
    end else if (~stays[take_i]) begin
      two_more_q   <= three_more_q;
      three_more_q <= three_more_q + 1'b1;
    end
  end

  // ---- Room ----

  if (Limit == 0) begin : gen_no_limit
    assign has_room_o = 1'b1;
    assign scarce_o   = 1'b0;
    wire unused = ^{uncounted, many_uncounted};
  end else begin : gen_limit
    // No room in the next cycle, if the replica is not taken in this one; perhaps no room, if it
    // may be taken. Uncounted messages are at most one that waits, and one that arrives from each
    // other tile.
    replicas_t closed, perhaps;
    for (genvar i = 0; i < NumReplicas; i++) begin : gen_closed
      wire shut = excluded_q[i] | many_uncounted[i];
      assign closed[i]  = shut | fills(loads_q[i], uncounted[i], Limit);
      assign perhaps[i] = shut | fills(loads_q[i], uncounted[i], Limit - 1);
    end
    // While all replicas are out, the loads are unknown.
    assign has_room_o = |(least_q & is_choice & ~closed) | ~|least_q;
    assign scarce_o   = |((least_q | more_q | is_choice) & perhaps);
  end
  function automatic logic fills(load_t load, logic is_uncounted, int limit);
    return int'(load) >= limit | (is_uncounted & int'(load) >= limit - 1 - int'(NumOthers));
  endfunction

  // ---- The next choice, if the current one is taken ----

  // First the replicas with the least load, then those with one more. Each group starts after the
  // last choice; the last choice itself is excluded.
  localparam int unsigned NumSets = 4;
  localparam int unsigned Leaves = NumSets << IndexWidth;
  logic [NumSets-1:0][(1<<IndexWidth)-1:0] sets;
  typedef struct packed {
    logic   found;
    index_t index;
  } first_t;
  always_comb begin
    sets = '0;
    sets[0][NumReplicas-1:0] = least_q & is_after;
    sets[1][NumReplicas-1:0] = least_q & ~is_choice & ~is_after;
    sets[2][NumReplicas-1:0] = more_q & is_after;
    sets[3][NumReplicas-1:0] = more_q & ~is_choice & ~is_after;
  end
  // A tree: root 0; the children of n are 2n + 1 and 2n + 2.
  for (genvar n = 0; n < 2 * Leaves - 1; n++) begin : gen_tree
    first_t first;
    if (n < Leaves - 1) begin : gen_node
      assign first = gen_tree[2*n+1].first.found ? gen_tree[2*n+1].first : gen_tree[2*n+2].first;
    end else begin : gen_leaf
      localparam int unsigned Leaf = n - (Leaves - 1);
      assign first = '{
              found: sets[Leaf>>IndexWidth][Leaf%(1<<IndexWidth)],
              index: index_t'(Leaf)
          };
    end
  end

  wire advance = take_i | ~|(least_q & is_choice);
  always_ff @(posedge clk_i) begin
    if (rst_i) choice_q <= '0;
    else if (advance & gen_tree[0].first.found) choice_q <= gen_tree[0].first.index;
  end

  `BOMBUS_ASSERT(ChoiceExists, 32'(choice_q) <= NumReplicas - 1)

endmodule

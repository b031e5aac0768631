// SPDX-License-Identifier: Apache-2.0
// State of the replica that a witness is: its view, the numbers of its log, and what recovery and
// view changes need. vr_control decides when it changes.
//
// facts_o: those that the state determines; the others are 0. They are valid from the second cycle
// of a message on.
`include "bombus_assert.svh"

module vr_replica
  import vr_pkg::*;
  import vr_header_pkg::*;
  import vr_state_pkg::*;
#(
    parameter int unsigned RetryUs = 1000  // until a request is repeated
) (
    input logic        clk_i,
    input logic        rst_i,
    input logic [31:0] time_us_i,

    input st_e      st_i,
    input st_e      st_next_i,
    input actions_t actions_i,
    input logic     finish_i,
    input logic     sends_i,    // a message of one beat, if there is room
    input logic     free_i,     // there is
    input header_t  header_i,
    input words_t   word_i,

    input logic            recovers_i,  // begins recovery
    input replica_t        index_i,     // own
    input replica_t        replicas_i,
    input logic     [63:0] nonce_i,

    input number_t before_i,     // operation before the entries
    input number_t installed_i,  // last operation with them
    input number_t reported_i,   // as committed; in StInstalled at most that one
    input logic    jumps_i,      // the entries begin after the present log

    output replica_state_t       now_o,
    output facts_t               facts_o,
    output logic                 answered_o,  // recovery begins to fetch the log, after base_o
    output number_t              base_o,
    output logic                 frees_o,     // the log begins after clean_o
    output number_t              clean_o,
    output number_t              from_o,      // entries after it are sent
    output replica_t             leader_o,    // of the view of the message, after StModulo
    output logic           [3:0] slot_o,      // replica whose turn it is
    output logic                 timer_o
);

  if (RetryUs < 1 || RetryUs > 1000000) begin : gen_bad_retry
    $error("vr_replica: RetryUs must be 1 to 1000000");
  end

  state_e state_q;
  replica_t own_q, replicas_q, leader_q;
  number_t view_q, log_view_q, last_q, committed_q, cleaned_q;
  // No request is repeated before this time: those of recovery, and then that for state transfer.
  logic [31:0] again_at_q;
  logic asked_q;  // not long ago
  wire number_t word_view = number_t'(word_i[0]);
  wire replica_t word_replica = word_i[1][2:0];
  wire number_t word_op = number_t'(word_i[1]);
  wire number_t word_2 = number_t'(word_i[2]);

  logic leader_busy;
  logic [5:0] leader_place;
  vr_leader u_leader (
      .clk_i,
      .replicas_i(replicas_q),
      .start_i(st_i == StDecide || st_i == StJudge),  // the states before StModulo
      .place_o(leader_place),
      .bit_i(header_i.is_response ? word_2[leader_place] : word_view[leader_place]),
      .step_i(st_i == StModulo),
      .leader_o,
      .busy_o(leader_busy)
  );

  // ---- Recovery and view change ----

  logic [MaxReplicas-1:0] votes_q;
  number_t least_q;
  logic repeated_q, had_quorum_q;
  logic reached_q, highest_later_q, highest_same_q;
  number_t highest_q, target_q;
  replica_t highest_leader_q;
  wire [3:0] num_votes = 4'($countones(votes_q));
  wire replica_t quorum = replica_t'(replicas_q >> 1);
  logic has_quorum_q, all_answered_q;  // one cycle after the votes
  logic nothing_to_fetch_q;  // one cycle after the last answer
  logic reaches_q;  // the installed entries reach the target
  wire  restarts = recovers_i | (st_i == StRestart);
  assign answered_o = (st_i == StReached) & all_answered_q;

  // ---- Truncation: cleanUpTo, at most the last committed operation ----

  logic committed_frees_q;
  assign clean_o = header_i.clean_is_later ? committed_q : number_t'(word_i[3]);
  assign frees_o = actions_i.cleans &
      (header_i.clean_is_later ? committed_frees_q : header_i.clean_frees);

  // ---- Facts. The results are used some cycles after the state changes. ----

  logic retry_due_q, from_group_q, expected_q;
  wire from_group = (word_i[1] < 64'(replicas_q)) & (word_replica != own_q);
  wire expected = (state_q == StateRecovering) & (word_i[1] == nonce_i) & ~word_i[0][0] &
      (word_i[0][31:0] < 32'(replicas_q));
  // A deadline may be up to 2^31 us late.
  wire [31:0] late = time_us_i - again_at_q;
  wire [31:0] next_time = time_us_i + 32'(RetryUs);
  always_comb begin
    facts_o = '0;
    facts_o.from_group = from_group_q;
    facts_o.expected = expected_q;
    facts_o.same_log = (state_q != StateViewChange) & ~header_i.later;
    facts_o.reaches = reaches_q;
    facts_o.all_answered = all_answered_q;
    facts_o.nothing_to_fetch = nothing_to_fetch_q;
    facts_o.has_quorum = has_quorum_q;
    facts_o.had_quorum = had_quorum_q;
    facts_o.repeated = repeated_q;
    facts_o.may_ask = ~asked_q;
    facts_o.retry_due = retry_due_q & timer_o;
    facts_o.leader_busy = leader_busy;
  end
  assign now_o = '{
          state: state_q,
          own: own_q,
          replicas: replicas_q,
          leader: leader_q,
          view: view_q,
          log_view: log_view_q,
          last: last_q,
          committed: committed_q,
          cleaned: cleaned_q
      };

  // What is committed, and where the log begins. Entries that are not installed also report the
  // committed operations of the same log.
  wire jumps = (st_i == StRoom) & (st_next_i == StCopy) & jumps_i;
  wire reports = (st_i == StRoom) & finish_i & facts_o.same_log;
  wire exceeds = reports & (reported_i > last_q);
  wire number_t start = answered_o ? base_o : before_i;
  number_t [3:0] committed_choices;
  assign committed_choices = {start, last_q, reported_i, word_op};
  wire to_start = answered_o | jumps;
  wire to_last = exceeds | (actions_i.commits & ~header_i.op_held);
  always_ff @(posedge clk_i) begin
    if (to_start | exceeds | actions_i.commits |
        ((reports | (st_i == StInstalled)) & (reported_i > committed_q))) begin
      committed_q <= committed_choices[{to_start|to_last, to_start|~(to_last|actions_i.commits)}];
    end
    if (to_start | frees_o) cleaned_q <= to_start ? start : clean_o;
    if (restarts | rst_i) begin
      committed_q <= '0;
      cleaned_q   <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    nothing_to_fetch_q <= target_q == base_o;
    reaches_q <= installed_i >= target_q;
    has_quorum_q <= num_votes >= {1'b0, quorum};
    all_answered_q <= (num_votes > {1'b0, quorum}) & reached_q;
    committed_frees_q <= committed_q != cleaned_q;  // never below it
    retry_due_q <= ~late[31] & (st_i != StRecover) & (st_i != StFetch);
    if (~late[31]) asked_q <= 1'b0;
    highest_later_q <= word_2 > highest_q;
    highest_same_q  <= word_2 == highest_q;
    if (st_i == StCheck) begin
      from_group_q <= from_group;
      expected_q   <= expected;
    end

    // Normal operation.
    if (state_q == StateNormal) log_view_q <= view_q;
    if (actions_i.appends) last_q <= word_op;
    if (st_i == StAsk && sends_i && free_i) begin
      asked_q <= 1'b1;
      again_at_q <= next_time;
    end

    // Recovery.
    if (recovers_i) begin
      own_q <= index_i;
      replicas_q <= replicas_i;
    end
    if (st_i == StRecover) begin  // replicas that may lead
      if (free_i) slot_o <= slot_o + 4'd2;
    end else if (st_i == StSpread) begin
      if (free_i | ~sends_i) slot_o <= slot_o + 4'd1;
    end else slot_o <= '0;
    if ((st_i == StRecover || st_i == StFetch) && finish_i) begin
      again_at_q <= next_time;
    end
    if (st_i == StResponse) begin
      votes_q[word_i[0][2:0]] <= 1'b1;
      if (highest_later_q) begin
        highest_q <= word_2;
        reached_q <= 1'b0;
      end
      if ((highest_later_q | highest_same_q) && word_i[0][2:0] == leader_o) begin
        reached_q <= 1'b1;
        highest_leader_q <= leader_o;
        target_q <= number_t'(word_i[3]);
        base_o <= number_t'(word_i[5]);
      end
    end
    if (answered_o) begin
      view_q   <= highest_q;
      leader_q <= highest_leader_q;
      last_q   <= base_o;
      state_q  <= StateFetching;
      if (nothing_to_fetch_q) begin
        state_q <= StateNormal;
        timer_o <= 1'b0;
      end
    end

    // View change.
    if (st_i == StChange) begin
      had_quorum_q <= ~header_i.later & has_quorum_q;
      repeated_q   <= ~header_i.later & votes_q[word_replica] & ~word_replica[0];
      if (header_i.later) begin
        state_q  <= StateViewChange;
        view_q   <= word_view;
        leader_q <= leader_o;
        votes_q  <= MaxReplicas'(1) << word_replica;
        least_q  <= committed_q;
        asked_q  <= 1'b0;
      end else votes_q[word_replica] <= 1'b1;
    end
    if ((st_i == StSpread || st_i == StChangeReply) && word_2 < least_q) least_q <= word_2;
    if (st_i == StDecide && header_i.is_request) from_o <= word_op;
    if (st_i == StQuorum) from_o <= least_q;
    if (st_i == StSettle && from_o < cleaned_q) from_o <= cleaned_q;

    // Entries
    if (st_i == StCopy && st_next_i == StInstalled) begin
      last_q  <= installed_i;
      asked_q <= 1'b0;
    end
    if (st_i == StInstalled) begin
      if (state_q != StateFetching || reaches_q) begin
        state_q <= StateNormal;
        view_q  <= word_view;
        timer_o <= 1'b0;
        if (header_i.later) leader_q <= leader_o;
      end
    end

    // Last, so that it is the reset of registers.
    if (restarts | rst_i) begin
      state_q <= StateRecovering;
      view_q <= '0;
      log_view_q <= '0;
      last_q <= '0;
      votes_q <= '0;
      highest_q <= '0;
      reached_q <= 1'b0;
      asked_q <= 1'b0;
      timer_o <= 1'b1;
    end
    if (rst_i) begin
      state_q <= StateOff;
      own_q <= '0;
      replicas_q <= '0;
      leader_q <= '0;
      timer_o <= 1'b0;
    end
  end

  // ---- Invariants ----

  wire active = (state_q == StateNormal) | (state_q == StateViewChange);
  wire is_off = (state_q == StateOff) | (state_q == StateRecovering);
  `BOMBUS_ASSERT(ViewNeverFalls, is_off || $past(view_q) <= view_q)
  `BOMBUS_ASSERT(LogView, !active || log_view_q <= view_q)
  `BOMBUS_ASSERT(Order, st_i != StIdle || (cleaned_q <= committed_q && committed_q <= last_q))

endmodule

// SPDX-License-Identifier: Apache-2.0
// Scheduler of tcp_core: selects the event that starts in a cycle, and follows it through the
// pipeline. An event starts only while its session has no other event in the pipeline. Priorities:
// an expired timer first, then received segments and departures alternately. A session that
// registers inspect has priority over all, and is no event.
//
// Latency: none. Throughput: one event per cycle.
`include "bombus_assert.svh"

module tcp_scheduler
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter bit Evicts = 0,  // overdue handshakes are ended to make room
    parameter bit EvictsIdle = 0,  // ... and idle connections
    localparam int unsigned IndexWidth = $clog2(NumSessions),
    localparam type index_t = logic [IndexWidth-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input  index_t arrival_i,
    input  logic   arrival_valid_i,
    output logic   arrival_ready_o,
    input  index_t queued_i,         // session with something to send
    input  logic   queued_valid_i,
    output logic   queued_ready_o,
    input  index_t expired_i,        // tcp_timers
    input  logic   expired_class_i,
    input  logic   expired_valid_i,
    output logic   expired_ready_o,

    input logic report_room_i,
    input logic departure_room_i,
    input logic stall_i,  // no event starts
    input logic inspect_i,  // no event starts
    input index_t inspect_session_i,
    input logic evict_i,  // see tcp_core
    input index_t idle_i,  // session to be checked after all handshakes
    input logic idle_valid_i,

    // Cycle 0
    output index_t index_o,
    output logic   follows_o, // the session of the event in cycle 4 starts an event

    // Cycles 1 to 4
    output action_e kind_1_o,
    output index_t index_1_o,
    output action_e kind_2_o,
    output index_t index_2_o,
    output logic class_2_o,  // of the timer
    output logic write_3_o,  // there is an event
    output index_t index_3_o,
    output logic evict_3_o,  // it checks whether the session is to be evicted
    input logic evicts_3_i,  // ... and its handshake is overdue
    output index_t index_4_o,
    input logic renews_4_i,  // the requests of the session are written
    input logic orders_4_i  // timers of the session are set or cleared
);

  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_scheduler: NumSessions must be a power of two, 2 to 16384");
  end

  // Sessions whose numbers agree in these bits are treated as one: with more than 32 sessions, an
  // event sometimes waits for one of another session, but the comparison stays short.
  localparam int unsigned SameBits = IndexWidth < 5 ? IndexWidth : 5;
  function automatic logic same(index_t a, index_t b);
    return a[SameBits-1:0] == b[SameBits-1:0];
  endfunction
  function automatic logic is_free(index_t index);
    return
        ~((kind_1_o != ActionNone & same(index, index_1_o)) |
          (kind_2_o != ActionNone & same(index, index_2_o)) | (write_3_o & same(index, index_3_o)) |
          (renews_4_i & same(index, index_4_o)));  // the requests are written later
  endfunction

  // A SYN without room starts a search: one session after the other is checked, without changing
  // it, until an overdue handshake is found and ended, or all sessions have been checked. Numbers
  // are assigned in order, so the oldest handshakes are checked first. Checks take at most every
  // eighth cycle, even during a flood of SYNs, so that the others remain for segments of open
  // connections. After such a search, the idle session is checked.
  localparam bit Checks = Evicts | EvictsIdle;
  logic [IndexWidth:0] checks_q;
  logic [2:0] check_wait_q;  // cycles since the last check
  index_t check_index_q;
  logic evict_1_q, evict_2_q;
  wire searches = Evicts & (checks_q != '0);
  logic due_q, search_q;  // a check is due, of a session of the search
  index_t check_session_q;
  // Chosen without expired_valid_i of this cycle, which is known late.
  logic offered_q;
  wire check = due_q & ~offered_q;
  wire index_t next_index = check ? check_session_q : expired_i;

  // An expiry or a check starts only while no event of its session is in cycles 1 to 3. It is valid
  // only if the timer has not been set or cleared since (tcp_timers), which happens three cycles
  // after an event has been written. These comparisons are made one cycle ahead, with the pipeline
  // as it will be then, so that little logic is left in the cycle of the selection. Only whether
  // the event in cycle 4 changes timers is not known earlier.
  index_t index_5_q, index_6_q;
  logic orders_5_q, orders_6_q, class_1_q;
  logic expiry_q, expiry_check_q, expiry_search_q, expiry_class_q;
  logic   expiry_follows_q;  // the session has an event in cycle 4
  index_t expiry_index_q;
  logic can_expire, can_arrive, can_depart, departures_first_q;
  logic starts_expiry, starts_arrival, starts_departure;
  wire next_starts = (starts_arrival & arrival_i == next_index) |
      (starts_departure & queued_i == next_index);
  wire next_waits = next_starts | (kind_1_o != ActionNone & index_1_o == next_index) |
      (kind_2_o != ActionNone & index_2_o == next_index) |
      (orders_4_i & index_4_o == next_index) | (orders_5_q & index_5_q == next_index) |
      (orders_6_q & index_6_q == next_index);
  always_ff @(posedge clk_i) begin
    expiry_q <= (expired_valid_i | check) & ~next_waits & ~starts_expiry & ~rst_i;
    offered_q <= expired_valid_i;
    expiry_check_q <= check;
    expiry_search_q <= check & search_q;
    expiry_class_q <= expired_class_i;
    expiry_index_q <= next_index;
    expiry_follows_q <= write_3_o & index_3_o == next_index;
  end
  assign can_expire = expiry_q & ~(expiry_follows_q & (orders_4_i | renews_4_i)) & report_room_i &
      (departure_room_i | ~(EvictsIdle & expiry_check_q));
  assign can_arrive = arrival_valid_i & is_free(arrival_i) & report_room_i;
  assign can_depart = queued_valid_i & is_free(queued_i) & departure_room_i & report_room_i;

  // Each condition is computed separately, so that none depends on another: an expiry has priority,
  // then arrivals and departures alternate.
  wire none_starts = stall_i | rst_i | inspect_i;
  assign starts_expiry = can_expire & ~none_starts;
  wire others_start = ~can_expire & ~none_starts;
  assign starts_arrival = can_arrive & ~(can_depart & departures_first_q) & others_start;
  assign starts_departure = can_depart & (departures_first_q | ~can_arrive) & others_start;
  assign arrival_ready_o = starts_arrival;
  assign queued_ready_o = starts_departure;
  assign expired_ready_o = starts_expiry & ~expiry_check_q;
  // Compared before the selection, for the sake of timing.
  assign follows_o = (starts_expiry & expiry_index_q == index_4_o) |
      (starts_arrival & arrival_i == index_4_o) | (starts_departure & queued_i == index_4_o);
  action_e kind;
  always_comb begin
    kind = ActionNone;
    if (starts_expiry) kind = ActionExpiry;
    if (starts_arrival) kind = ActionArrival;
    if (starts_departure) kind = ActionDeparture;
    index_o = queued_i;
    if (starts_arrival) index_o = arrival_i;
    if (can_expire) index_o = expiry_index_q;
    if (inspect_i) index_o = inspect_session_i;
  end

  always_ff @(posedge clk_i) begin
    if (starts_departure) departures_first_q <= 1'b0;
    else if (starts_arrival) departures_first_q <= 1'b1;
    index_1_o  <= index_o;
    index_2_o  <= index_1_o;
    index_3_o  <= index_2_o;
    index_4_o  <= index_3_o;
    index_5_q  <= index_4_o;
    index_6_q  <= index_5_q;
    orders_5_q <= orders_4_i & ~rst_i;
    orders_6_q <= orders_5_q & ~rst_i;
    class_1_q  <= expiry_class_q | expiry_check_q;
    class_2_o  <= class_1_q;
    evict_1_q  <= expiry_check_q;
    evict_2_q  <= evict_1_q;
    evict_3_o  <= Checks & evict_2_q & (kind_2_o == ActionExpiry) & ~rst_i;
    write_3_o  <= (kind_2_o != ActionNone) & ~rst_i;
    if (rst_i) {kind_1_o, kind_2_o} <= {ActionNone, ActionNone};
    else {kind_1_o, kind_2_o} <= {kind, kind_1_o};
  end

  always_ff @(posedge clk_i) begin
    if (rst_i | ~Checks) begin
      checks_q <= '0;
      check_wait_q <= '0;
      check_index_q <= '0;
      due_q <= 1'b0;
      search_q <= 1'b0;
      check_session_q <= '0;
    end else begin
      due_q <= (searches | (EvictsIdle & idle_valid_i)) & (&check_wait_q) &
          ~(starts_expiry & expiry_check_q);
      search_q <= searches;
      check_session_q <= searches ? check_index_q : idle_i;
      if (starts_expiry & expiry_check_q) check_wait_q <= '0;
      else if (~&check_wait_q) check_wait_q <= check_wait_q + 1'b1;
      if (evicts_3_i) checks_q <= '0;
      else if (starts_expiry & expiry_search_q) checks_q <= checks_q - 1'b1;
      if (starts_expiry & expiry_search_q) check_index_q <= check_index_q + 1'b1;
      if (evict_i) checks_q <= (IndexWidth + 1)'(NumSessions);
    end
  end

  wire unused_offered = expired_valid_i & (expired_i == expiry_index_q) &
      (expired_class_i == expiry_class_q);
  `BOMBUS_ASSERT(TakenExpiryIsOffered, !expired_ready_o || unused_offered)
  `BOMBUS_ASSERT(OneStarts, $onehot0({starts_expiry, starts_arrival, starts_departure}))

endmodule

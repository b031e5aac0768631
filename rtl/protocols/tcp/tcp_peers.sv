// SPDX-License-Identifier: Apache-2.0
// Limit of the sessions that one peer opens: a counter for each address, selected by a keyed hash
// of it. Addresses whose hashes agree share a counter, and their limit.
//
// There are four counters for each session, at least 256 and at most 16,384.
//
// One session is opened or freed at a time: ready_o is low for three cycles after each, in which
// the answers for its peer may be old. It is also low while the counters are cleared after reset,
// one per cycle. Whether a peer is full is read twice, by its own hash and by the one held, so that
// no address depends on load_i, which is late.
`include "bombus_assert.svh"

module tcp_peers
  import tcp_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned MaxPerPeer = NumSessions / 2,  // NumSessions: no limit
    localparam int unsigned NumCounters =
        NumSessions < 64 ? 256 : NumSessions > 4096 ? 16384 : 4 * NumSessions,
    localparam type counter_t = logic [$clog2(NumCounters)-1:0],
    localparam type number_t = logic [$clog2(NumSessions)-1:0]
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] key_i,

    input peer_t peer_i,
    input logic load_i,  // it is held
    output counter_t counter_o,  // that of the peer held
    output logic full_o,  // ... which has as many sessions as it may have

    output logic ready_o,
    input logic open_i,  // a session is opened
    input logic counts_i,  // ... by its peer,
    input counter_t counter_i,  // which has this counter
    input number_t open_session_i,
    input logic free_i,  // a session is freed
    input number_t free_session_i
);

  if (MaxPerPeer < 1 || MaxPerPeer > NumSessions) begin : gen_bad_limit
    $error("tcp_peers: MaxPerPeer must be from 1 to NumSessions");
  end
  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_peers: NumSessions must be a power of two, 2 to 16384");
  end

  if (MaxPerPeer >= NumSessions) begin : gen_no_limit
    wire unused_in = &{clk_i, rst_i, key_i, peer_i, load_i, open_i, counts_i, counter_i};
    wire unused_session = &{open_session_i, free_i, free_session_i};
    assign counter_o = '0;
    assign full_o = 1'b0;
    assign ready_o = 1'b1;
  end else begin : gen_limit
    typedef logic [$clog2(MaxPerPeer+1)-1:0] count_t;
    typedef struct packed {
      logic counts;
      counter_t counter;
    } entry_t;
    counter_t hash, clear_q;
    logic clearing_q, loaded_q, ready_q, full_loaded, full_held;
    logic [1:0] updates_q;  // a session was opened or freed one or two cycles ago
    logic opens_1_q, opens_2_q, opened_counts_q;
    entry_t freed, changed, changed_q;
    counter_t opened_counter_q;
    count_t count, next;
    wire write = updates_q[1] & changed_q.counts;
    wire full = next == count_t'(MaxPerPeer);
    wire counter_t write_counter = clearing_q ? clear_q : changed_q.counter;
    keyed_hash #(
        .DataWidth($bits(peer_t)),
        .HashWidth($bits(counter_t))
    ) u_hash (
        .data_i(peer_i),
        .seed_i(peer_t'(key_i)),
        .hash_o(hash)
    );
    // Counters of sessions opened by peers, to be found when they are freed.
    sized_memory #(
        .data_t(entry_t),
        .Depth(NumSessions),
        .LutDepth(SessionLutDepth)
    ) u_sessions (
        .clk_i,
        .write_addr_i(open_session_i),
        .data_i('{counts: counts_i, counter: counter_i}),
        .write_i(open_i),
        .read_addr_i(free_session_i),
        .data_o(freed)
    );
    assign changed = opens_1_q ? '{counts: opened_counts_q, counter: opened_counter_q} : freed;
    sized_memory #(
        .data_t(count_t),
        .Depth(NumCounters),
        .LutDepth(256)
    ) u_counts (
        .clk_i,
        .write_addr_i(write_counter),
        .data_i(clearing_q ? '0 : next),
        .write_i(clearing_q | write),
        .read_addr_i(changed.counter),
        .data_o(count)
    );
    assign next = opens_2_q ? count + 1'b1 : count - 1'b1;
    sized_memory #(
        .data_t(logic),
        .Depth(NumCounters),
        .LutDepth(256)
    ) u_full_loaded (
        .clk_i,
        .write_addr_i(write_counter),
        .data_i(~clearing_q & full),
        .write_i(clearing_q | write),
        .read_addr_i(hash),
        .data_o(full_loaded)
    );
    sized_memory #(
        .data_t(logic),
        .Depth(NumCounters),
        .LutDepth(256)
    ) u_full_held (
        .clk_i,
        .write_addr_i(write_counter),
        .data_i(~clearing_q & full),
        .write_i(clearing_q | write),
        .read_addr_i(counter_o),
        .data_o(full_held)
    );
    assign full_o = loaded_q ? full_loaded : full_held;
    always_ff @(posedge clk_i) begin
      if (load_i) counter_o <= hash;
      loaded_q <= load_i;
      {opened_counts_q, opened_counter_q} <= {counts_i, counter_i};
      opens_1_q <= open_i;
      opens_2_q <= opens_1_q;
      changed_q <= changed;
      if (rst_i) begin
        updates_q <= '0;
        ready_q <= 1'b0;
        clear_q <= '0;
        clearing_q <= 1'b1;
      end else begin
        updates_q <= {updates_q[0], open_i | free_i};
        ready_q   <= ~(open_i | free_i | (|updates_q) | clearing_q);
        clear_q   <= clear_q + 1'b1;
        if (&clear_q) clearing_q <= 1'b0;
      end
    end
    assign ready_o = ready_q;

    `BOMBUS_ASSERT(FreesWhatIsOpen, !write || opens_2_q || count != '0)
    `BOMBUS_ASSERT(OpensUpToTheLimit, !write || !opens_2_q || count != count_t'(MaxPerPeer))
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// Large session table: NumSessions numbers, each free or assigned to a key.
//
// Cuckoo hashing: a key has a line in each of three tables, selected by a hash with a secret seed
// (keyed_hash), and is stored in one of them or in the stash. A new key is stored in a free line.
// If none is free, it is stored in the stash, and a move begins: the key replaces the entry of one
// of its lines, chosen pseudo-randomly, and the replaced entry moves to the stash, until an entry
// finds a free line. Moves use cycles without an operation; while the stash is full, they have
// priority, for at most Patience moves. The tables have 1.5 lines per session, so that all
// NumSessions keys find room except with negligible probability.
//
// Memories are block RAM: for few sessions tcp_session_match is smaller.
//
// Latency: 4 cycles from valid_i & ready_o to done_o. Throughput: a look-up per cycle. ready_o is
// low for two cycles after an insertion, a removal or a move, so that the next operation sees its
// effect; for four after an insertion while the stash is in use. ready_o is also low while the
// memories are cleared after reset, one line per cycle.
`include "bombus_assert.svh"

module tcp_session_table
  import tcp_pkg::*;
#(
    parameter int unsigned KeyWidth = 64,
    parameter int unsigned NumSessions = 1024,
    parameter int unsigned NumLines = NumSessions / 2,
    parameter int unsigned Patience = 256,
    localparam type key_t = logic [KeyWidth-1:0],
    localparam type number_t = logic [$clog2(NumSessions)-1:0],
    localparam type count_t = logic [$clog2(NumSessions):0]
) (
    input logic clk_i,
    input logic rst_i,
    input key_t seed_i, // fixed from the first insertion on; must be kept secret

    input logic valid_i,
    output logic ready_o,  // independent of the inputs
    input session_op_e op_i,
    input key_t key_i,  // for find and insert
    input number_t session_i,  // for remove

    output logic done_o,
    output logic hit_o,  // the session existed: found, not inserted again, or removed
    output logic new_o,  // inserted
    output number_t session_o,  // with hit_o or new_o

    // The key of a session, one cycle later. Undefined for a free session.
    input number_t read_session_i,
    output key_t read_key_o,

    output count_t free_o  // free session numbers
);

  localparam int unsigned NumWays = 3;
  localparam int unsigned StashSize = 2;
  localparam int unsigned LineBits = $clog2(NumLines);
  typedef logic [LineBits-1:0] line_t;
  typedef logic [NumWays-1:0] ways_t;
  typedef logic [$clog2(Patience)-1:0] patience_t;
  typedef struct packed {
    logic valid;
    key_t key;
    number_t session;
  } entry_t;

  if (!is_num_sessions(
          NumSessions, 2
      ) || NumLines < 2 || NumLines != 2 ** LineBits || KeyWidth < 1) begin : gen_bad_shape
    $error(
        "tcp_session_table: NumSessions (2 to %0d), NumLines (from 2): powers of two", MaxSessions
    );
  end
  if (Patience < 2 || Patience != 2 ** $clog2(Patience)) begin : gen_bad_patience
    $error("tcp_session_table: Patience must be a power of two, at least 2");
  end

  logic clear_q, list_ready;
  line_t clear_line_q;
  logic  available;  // a free session

  // ---- 0: select the next operation ----

  typedef struct packed {
    logic valid;
    logic move;  // otherwise op
    session_op_e op;
  } step_t;
  step_t step0, step1_q, step2_q, step3_q, step4_q;

  function automatic logic writes(step_t step);
    return step.valid & (step.move | (step.op != SessionFind));
  endfunction

  function automatic logic inserts(step_t step);
    return step.valid & ~step.move & (step.op == SessionInsert);
  endfunction

  entry_t [StashSize-1:0] stash_q;
  logic   [StashSize-1:0] stashed;
  for (genvar s = 0; s < StashSize; s++) begin : gen_stashed
    assign stashed[s] = stash_q[s].valid;
  end
  patience_t patience, patience_q;  // moves since an entry was removed or the stash was not full
  logic spent_q;  // patience_q has reached its limit
  logic mover_q, mover;  // the stash entry of the last move, and of the next
  wire shadow = writes(step1_q) | writes(step2_q);
  wire forced = (&stashed) & ~spent_q;
  // The next move must read the entries that this one writes.
  wire move = ~clear_q & ~shadow & ~writes(step3_q) & (|stashed) & (forced | ~valid_i);
  // Stash slots are reserved for entries in the pipeline.
  wire crowded = (|stashed) & (inserts(step3_q) | inserts(step4_q));
  assign ready_o = ~clear_q & list_ready & ~shadow & ~crowded & ~forced;
  assign mover   = stashed[~mover_q] ? ~mover_q : mover_q;
  assign step0   = '{valid: (valid_i & ready_o) | move, move: move, op: op_i};

  // ---- 1: key and hash ----

  key_t request_key_q, stored_key_q;
  logic by_key_q, by_session_q;  // otherwise the key is that of a stash entry
  key_t key1, key2_q, key3_q, key4_q;
  number_t session1_q, session2_q, session3_q, session4_q;
  logic [NumWays-1:0][LineBits-1:0] line1, line2_q, line3_q, line4_q;
  always_comb begin
    key1 = stash_q[mover_q].key;
    if (by_key_q) key1 = request_key_q;
    if (by_session_q) key1 = stored_key_q;
  end
  keyed_hash #(
      .DataWidth(KeyWidth),
      .HashWidth(NumWays * LineBits)
  ) u_hash (
      .data_i(key1),
      .seed_i,
      .hash_o(line1)
  );

  always_ff @(posedge clk_i) begin
    request_key_q <= key_i;
    by_key_q <= ~move & (op_i != SessionRemove);
    by_session_q <= ~move & (op_i == SessionRemove);
    {key4_q, key3_q, key2_q} <= {key3_q, key2_q, key1};
    {session4_q, session3_q, session2_q, session1_q} <= {
      session3_q, session2_q, session1_q, session_i
    };
    {line4_q, line3_q, line2_q} <= {line3_q, line2_q, line1};
  end

  // ---- 2, 3: read and compare ----

  entry_t [NumWays-1:0] entry_q;
  entry_t entry;  // entry to write
  logic [NumWays-1:0] write, match, match_q, vacant_q, way3_q, way4_q;
  logic [StashSize-1:0] stash_match, stash_match_q;
  number_t [NumWays-1:0] found_q;
  entry_t victim, victim_q;

  for (genvar w = 0; w < NumWays; w++) begin : gen_way
    sized_memory #(
        .data_t(entry_t),
        .Depth(NumLines),
        .LutDepth(0)
    ) u_lines (
        .clk_i,
        .write_addr_i(clear_q ? clear_line_q : line4_q[w]),
        .data_i(entry),
        .write_i(clear_q | write[w]),
        .read_addr_i(line2_q[w]),
        .data_o(entry_q[w])
    );
  end
  // Also compares the session number: the key stored for a freed number may meanwhile belong to
  // another session.
  wire same_session = step3_q.valid & ~step3_q.move & (step3_q.op == SessionRemove);
  always_comb begin
    for (int unsigned w = 0; w < NumWays; w++) begin
      match[w] = entry_q[w].valid & (entry_q[w].key == key3_q) &
          (~same_session | (entry_q[w].session == session3_q));
    end
    for (int unsigned s = 0; s < StashSize; s++) begin
      stash_match[s] = stash_q[s].valid & (stash_q[s].key == key3_q) &
          (~same_session | (stash_q[s].session == session3_q));
    end
  end

  // A pseudo-random way other than the one of the entry itself, from a 7-bit LFSR with period 127
  // (x^7 + x^6 + 1).
  logic [6:0] random_q;
  ways_t [StashSize-1:0] from_q;
  wire ways_t from = from_q[mover_q];
  always_comb begin
    victim = '0;
    for (int unsigned w = 0; w < NumWays; w++) if (way3_q[w]) victim |= entry_q[w];
  end
  always_ff @(posedge clk_i) begin
    random_q <= rst_i ? '1 : {random_q[5:0], random_q[6] ^ random_q[5]};
    way3_q <= random_q[0] ? {from[1:0], from[2]} : {from[0], from[2:1]};
    way4_q <= way3_q;
    match_q <= match;
    stash_match_q <= stash_match;
    victim_q <= victim;
    for (int unsigned w = 0; w < NumWays; w++) begin
      vacant_q[w] <= ~entry_q[w].valid;
      found_q[w]  <= entry_q[w].session;
    end
  end

  // ---- 4: response and write ----

  number_t free, found;
  wire have_vacant = |vacant_q;
  wire ways_t first_vacant = vacant_q & (~vacant_q + 1'b1);
  wire in_table = |match_q;
  wire is_move = step4_q.valid & step4_q.move & stash_q[mover_q].valid;
  wire is_op = step4_q.valid & ~step4_q.move;
  wire remove = is_op & (step4_q.op == SessionRemove);
  wire add = inserts(step4_q) & ~hit_o & available & (have_vacant | ~&stashed);
  wire drop = remove & hit_o;

  always_comb begin
    found = '0;
    for (int unsigned w = 0; w < NumWays; w++) if (match_q[w]) found |= found_q[w];
    for (int unsigned s = 0; s < StashSize; s++) begin
      if (stash_match_q[s]) found |= stash_q[s].session;
    end
  end
  assign done_o = is_op;
  assign hit_o = in_table | (|stash_match_q);
  assign new_o = add;
  assign session_o = hit_o ? found : free;

  always_comb begin
    entry = '{
        valid: ~step4_q.valid | step4_q.move | (step4_q.op != SessionRemove),
        key: key4_q,
        session: step4_q.move ? stash_q[mover_q].session : free
    };
    if (clear_q) entry = '0;
    write = '0;
    if (add) write = first_vacant;
    if (is_move) write = have_vacant ? first_vacant : way4_q;
    if (drop) write = match_q;
  end
  always_ff @(posedge clk_i) begin
    if (add & ~have_vacant) begin
      stash_q[stashed[0]] <= entry;
      from_q[stashed[0]]  <= ways_t'(1);  // any value is valid
    end
    if (is_move) begin
      from_q[mover_q] <= way4_q;
      stash_q[mover_q] <= victim_q;
      stash_q[mover_q].valid <= ~have_vacant;
    end
    for (int unsigned s = 0; s < StashSize; s++) begin
      if (rst_i | (drop & stash_match_q[s])) stash_q[s].valid <= 1'b0;
    end
  end

  always_comb begin
    patience = patience_q;
    if (~&stashed | drop) patience = '0;
    else if (step1_q.valid & step1_q.move & ~spent_q) patience = patience_q + 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clear_q <= 1'b1;
      clear_line_q <= '0;
      step1_q <= '0;
      step2_q <= '0;
      step3_q <= '0;
      step4_q <= '0;
      patience_q <= '0;
      spent_q <= 1'b0;
      mover_q <= 1'b0;
    end else begin
      clear_q <= clear_q & ~&clear_line_q;
      clear_line_q <= clear_line_q + 1'b1;
      step1_q <= step0;
      step2_q <= step1_q;
      step3_q <= step2_q;
      step4_q <= step3_q;
      if (move) mover_q <= mover;
      patience_q <= patience;
      spent_q <= &patience;
    end
  end

  // ---- Keys by session: one port for insert and remove, one for readers ----

  // A key is written before it is known whether its number will be assigned; the key of a free
  // number is undefined.
  (* ram_style = "block" *) key_t key_ram[NumSessions];
  wire insert2 = inserts(step2_q) & available;
  wire number_t key_session = insert2 ? free : session_i;
  always_ff @(posedge clk_i) begin
    if (insert2) key_ram[key_session] <= key2_q;
    stored_key_q <= key_ram[key_session];
  end
  always_ff @(posedge clk_i) read_key_o <= key_ram[read_session_i];

  // ---- Free numbers ----

  free_list #(
      .NumNumbers(NumSessions)
  ) u_free (
      .clk_i,
      .rst_i,
      .ready_o(list_ready),
      .count_o(free_o),
      .available_o(available),
      .number_o(free),
      .take_i(add),
      .give_i(drop),
      .given_i(session4_q)
  );

  `BOMBUS_ASSERT(OneMatch, !is_op || $onehot0({match_q, stash_match_q}))

endmodule

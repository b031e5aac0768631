// SPDX-License-Identifier: Apache-2.0
// Small session table: NumSessions numbers, each free or assigned to a key. All keys are in
// registers and compared at once (for more sessions: tcp_session_table).
//
// Latency: 4 cycles from valid_i & ready_o to done_o, as for tcp_session_table; three would
// suffice. Throughput: a look-up per cycle. ready_o is low for two cycles after an insertion or a
// removal, so that the next operation sees its effect.
`include "bombus_assert.svh"

module tcp_session_match
  import tcp_pkg::*;
#(
    parameter int unsigned KeyWidth = 64,
    parameter int unsigned NumSessions = 16,
    localparam type key_t = logic [KeyWidth-1:0],
    localparam type number_t = logic [$clog2(NumSessions)-1:0]
) (
    input logic clk_i,
    input logic rst_i,

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

    output logic [$clog2(NumSessions):0] free_o  // free session numbers
);

  if (!is_num_sessions(NumSessions, 2) || NumSessions > 64 || KeyWidth < 1) begin : gen_bad_shape
    $error("tcp_session_match: NumSessions must be a power of two, 2 to 64");
  end

  // ---- 0, 1, 2: compare groups of three bits (one LUT each), then whole keys ----

  localparam int unsigned GroupBits = 3;
  localparam int unsigned NumGroups = (KeyWidth + GroupBits - 1) / GroupBits;

  typedef struct packed {
    logic valid;
    session_op_e op;
  } step_t;
  step_t step1_q, step2_q, step3_q;
  key_t key1_q, key2_q, key3_q;
  number_t session1_q, session2_q;
  logic [NumSessions-1:0][NumGroups-1:0] same, same_q;
  key_t [NumSessions-1:0] keys_q;
  logic [NumSessions-1:0] used_q, match, match_q;
  logic list_ready, available;

  assign ready_o = list_ready & ~(step1_q.valid & (step1_q.op != SessionFind)) &
      ~(step2_q.valid & (step2_q.op != SessionFind));
  always_comb begin
    for (int unsigned s = 0; s < NumSessions; s++) begin
      for (int unsigned g = 0; g < NumGroups; g++) begin
        same[s][g] = GroupBits'(keys_q[s] >> (GroupBits * g)) ==
            GroupBits'(key1_q >> (GroupBits * g));
      end
      match[s] = used_q[s] &
          (step2_q.op == SessionRemove ? session2_q == number_t'(s) : &same_q[s]);
    end
  end
  always_ff @(posedge clk_i) begin
    {key3_q, key2_q, key1_q} <= {key2_q, key1_q, key_i};
    {session2_q, session1_q} <= {session1_q, session_i};
    same_q <= same;
    match_q <= match;
    step1_q.op <= op_i;
    step2_q.op <= step1_q.op;
    step3_q.op <= step2_q.op;
    step1_q.valid <= ~rst_i & valid_i & ready_o;
    step2_q.valid <= ~rst_i & step1_q.valid;
    step3_q.valid <= ~rst_i & step2_q.valid;
  end

  // ---- 3: write ----

  typedef struct packed {
    logic done;
    logic hit;
    logic made;
    number_t session;
  } answer_t;
  answer_t answer, answer_q;

  number_t free, found;
  wire hit = |match_q;
  wire add = step3_q.valid & (step3_q.op == SessionInsert) & ~hit & available;
  wire drop = step3_q.valid & (step3_q.op == SessionRemove) & hit;
  always_comb begin
    found = '0;
    for (int unsigned s = 0; s < NumSessions; s++) if (match_q[s]) found |= number_t'(s);
  end
  assign answer = '{done: step3_q.valid, hit: hit, made: add, session: hit ? found : free};

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < NumSessions; s++) begin
      if (add & (free == number_t'(s))) keys_q[s] <= key3_q;
      if (rst_i | (drop & match_q[s])) used_q[s] <= 1'b0;
      else if (add & (free == number_t'(s))) used_q[s] <= 1'b1;
    end
  end

  (* ram_style = "distributed" *) key_t key_ram[NumSessions];
  always_ff @(posedge clk_i) begin
    if (add) key_ram[free] <= key3_q;
    read_key_o <= key_ram[read_session_i];
  end

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
      .given_i(found)
  );

  always_ff @(posedge clk_i) begin
    answer_q <= answer;
    if (rst_i) answer_q.done <= 1'b0;
  end
  assign done_o = answer_q.done;
  assign hit_o = answer_q.hit;
  assign new_o = answer_q.made;
  assign session_o = answer_q.session;

  `BOMBUS_ASSERT(OneMatch, !step3_q.valid || $onehot0(match_q))

endmodule

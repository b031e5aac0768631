// SPDX-License-Identifier: Apache-2.0
// tcp_session_match against a model with one key per session: a key has at most one session, a
// session one key, and responses and keys read are correct. Proved for all time, by induction, for
// few sessions with short keys. The list of free numbers returns an arbitrary free number
// (free_list_formal).
module tcp_session_match_formal
  import tcp_pkg::*;
(
    input logic clk_i,
    input logic rst_i,
    input logic valid_i,
    input logic [1:0] op_i,
    input logic [3:0] key_i,
    input logic [1:0] session_i,
    input logic [1:0] read_session_i
);

  localparam int unsigned NumSessions = 4;
  localparam int unsigned Latency = 4;
  typedef logic [3:0] key_t;
  typedef logic [1:0] number_t;

  logic ready, done, hit, is_new;
  number_t session;
  key_t read_key;
  logic [2:0] free;
  tcp_session_match #(
      .KeyWidth(4),
      .NumSessions(NumSessions)
  ) u_match (
      .clk_i,
      .rst_i,
      .valid_i,
      .ready_o(ready),
      .op_i(session_op_e'(op_i)),
      .key_i,
      .session_i,
      .done_o(done),
      .hit_o(hit),
      .new_o(is_new),
      .session_o(session),
      .read_session_i,
      .read_key_o(read_key),
      .free_o(free)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb begin
    assume (rst_i == ~started_q);
    assume (op_i != 2'd3);
    // free_list
    if (u_match.list_ready) begin
      assume (u_match.available == ~&u_match.used_q);
      if (u_match.available) assume (~u_match.used_q[u_match.free]);
    end
  end

  // ---- Requests, until they are answered ----

  typedef struct packed {
    logic valid;
    logic [1:0] op;
    key_t key;
    number_t session;
  } ask_t;
  ask_t [Latency:1] asked_q;
  wire ask_t asked = asked_q[Latency];
  always_ff @(posedge clk_i) begin
    if (rst_i) asked_q <= '0;
    else asked_q <= {asked_q[Latency-1:1], valid_i & ready, op_i, key_i, session_i};
  end

  // ---- Reference model ----

  logic [NumSessions-1:0] used_q, used, same;
  key_t [NumSessions-1:0] keys_q, keys;
  logic was_used_q;
  key_t was_key_q;
  always_comb begin
    for (int unsigned s = 0; s < NumSessions; s++) begin
      same[s] = used_q[s] & (keys_q[s] == asked.key);
    end
    used = used_q;
    keys = keys_q;
    if (done & is_new) begin
      used[session] = 1'b1;
      keys[session] = asked.key;
    end else if (done & hit & (asked.op == SessionRemove)) begin
      used[asked.session] = 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    was_used_q <= ~rst_i & used[read_session_i];
    was_key_q <= keys[read_session_i];
    used_q <= rst_i ? '0 : used;
    keys_q <= keys;
  end

  always_comb begin
    if (started_q) begin
      assert (done == asked.valid);
      if (was_used_q) assert (read_key == was_key_q);
      if (done & (asked.op != SessionRemove)) begin
        assert (hit == |same);
        if (hit) assert (same[session]);
      end
      if (done & (asked.op == SessionRemove)) begin
        assert (hit == used_q[asked.session]);
        if (hit) assert (session == asked.session);
      end
      if (done) assert (is_new == ((asked.op == SessionInsert) & ~hit & ~&used_q));
      if (done & is_new) assert (~used_q[session]);
      // Only a number in use is returned.
      if (u_match.drop) assert (u_match.used_q[u_match.found]);
    end
  end

  // ---- Invariants between registers and model ----

  always_comb begin
    if (started_q) begin
      assert (u_match.used_q == used);
      for (int unsigned s = 0; s < NumSessions; s++) begin
        if (used[s]) assert (u_match.keys_q[s] == keys[s] & u_match.key_ram[s] == keys[s]);
        for (int unsigned t = 0; t < s; t++) begin
          if (used[s] & used[t]) assert (keys[s] != keys[t]);
        end
      end
      assert (u_match.step1_q.valid == asked_q[1].valid);
      assert (u_match.step2_q.valid == asked_q[2].valid);
      assert (u_match.step3_q.valid == asked_q[3].valid);
      if (asked_q[1].valid) begin
        assert ({u_match.step1_q.op, u_match.key1_q, u_match.session1_q} ==
                {asked_q[1].op, asked_q[1].key, asked_q[1].session});
      end
      if (asked_q[2].valid) begin
        assert ({u_match.step2_q.op, u_match.key2_q, u_match.session2_q} ==
                {asked_q[2].op, asked_q[2].key, asked_q[2].session});
        for (int unsigned s = 0; s < NumSessions; s++) begin
          if (used[s]) assert ((&u_match.same_q[s]) == (keys[s] == asked_q[2].key));
        end
      end
      if (asked_q[3].valid) begin
        assert ({u_match.step3_q.op, u_match.key3_q} == {asked_q[3].op, asked_q[3].key});
        for (int unsigned s = 0; s < NumSessions; s++) begin
          assert (u_match.match_q[s] == (used[s] & (asked_q[3].op == SessionRemove ?
              asked_q[3].session == number_t'(s) : keys[s] == asked_q[3].key)));
        end
      end
      if (~u_match.list_ready) begin
        assert (used == '0);
        for (int unsigned i = 1; i <= Latency; i++) assert (~asked_q[i].valid);
      end
      // No operation follows directly after one that may change a session.
      for (int unsigned i = 1; i <= Latency; i++) begin
        if (asked_q[i].valid) assert (asked_q[i].op != 2'd3);
        for (int unsigned j = 1; j < i; j++) begin
          if (asked_q[i].valid & asked_q[i].op != SessionFind & i - j < 3) begin
            assert (~asked_q[j].valid);
          end
        end
      end
    end
  end

  // Cover: a session is inserted, found and removed again.
  logic [1:0] made_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) made_q <= '0;
    else if (done & is_new) made_q[0] <= 1'b1;
    else if (done & hit & (asked.op == SessionFind)) made_q[1] <= 1'b1;
  end
  always_comb if (started_q) cover ((&made_q) & (used_q == '0));

endmodule

// SPDX-License-Identifier: Apache-2.0
// tcp_session_table against a model with one key per session: no entry is lost or duplicated, a
// number is free or in one entry, and responses, free numbers and keys read are correct. Proved for
// all time, by induction, for few sessions with short keys and any seed.
module tcp_session_table_formal
  import tcp_pkg::*;
(
    input logic clk_i,
    input logic rst_i,
    input logic [2:0] seed_i,
    input logic valid_i,
    input logic [1:0] op_i,
    input logic [2:0] key_i,
    input logic [1:0] session_i,
    input logic [1:0] read_session_i
);

  localparam int unsigned NumSessions = 4;
  localparam int unsigned NumLines = 2;
  localparam int unsigned NumWays = 3;
  localparam int unsigned Latency = 4;
  typedef logic [2:0] key_t;
  typedef logic [1:0] number_t;
  typedef logic [2:0] count_t;

  logic [2:0] seed_q;
  always_ff @(posedge clk_i) if (rst_i) seed_q <= seed_i;

  logic ready, done, hit, is_new;
  number_t session;
  key_t read_key;
  count_t free;
  tcp_session_table #(
      .KeyWidth(3),
      .NumSessions(NumSessions),
      .NumLines(NumLines),
      .Patience(2)
  ) u_table (
      .clk_i,
      .rst_i,
      .seed_i(seed_q),
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

  logic [NumSessions-1:0] used_q, same;
  key_t [NumSessions-1:0] keys_q;
  count_t num_used;
  logic was_used_q;
  key_t was_key_q;
  always_comb begin
    num_used = '0;
    for (int unsigned s = 0; s < NumSessions; s++) begin
      same[s] = used_q[s] & (keys_q[s] == asked.key);
      num_used += count_t'(used_q[s]);
    end
  end
  always_ff @(posedge clk_i) begin
    was_used_q <= ~rst_i & used_q[read_session_i];
    was_key_q  <= keys_q[read_session_i];
    if (rst_i) used_q <= '0;
    else if (done & is_new) begin
      used_q[session] <= 1'b1;
      keys_q[session] <= asked.key;
    end else if (done & hit & (asked.op == SessionRemove)) begin
      used_q[asked.session] <= 1'b0;
    end
  end

  always_comb begin
    if (started_q) begin
      assert (done == asked.valid);
      assert (32'(free) == NumSessions - 32'(num_used));
      if (was_used_q) assert (read_key == was_key_q);
      if (done & (asked.op != SessionRemove)) begin
        assert (hit == |same);
        if (hit) assert (same[session]);
      end
      if (done & (asked.op == SessionRemove)) begin
        assert (hit == used_q[asked.session]);
        if (hit) assert (session == asked.session);
      end
      assert (is_new == (done & (asked.op == SessionInsert) & ~hit & (free != '0)));
      if (is_new) assert (~used_q[session]);
    end
  end

  // ---- Invariants between memories and model ----

  logic [NumSessions-1:0][NumWays-1:0] line;
  for (genvar s = 0; s < NumSessions; s++) begin : gen_hash
    keyed_hash #(
        .DataWidth(3),
        .HashWidth(NumWays)
    ) u_hash (
        .data_i(keys_q[s]),
        .seed_i(seed_q),
        .hash_o(line[s])
    );
  end

  typedef struct packed {
    logic valid;
    key_t key;
    number_t session;
  } entry_t;
  localparam int unsigned NumPlaces = NumWays * NumLines + 2;
  entry_t [NumPlaces-1:0] place;
  for (genvar w = 0; w < NumWays; w++) begin : gen_way
    for (genvar l = 0; l < NumLines; l++) begin : gen_line
      assign place[w*NumLines+l] = u_table.gen_way[w].u_lines.gen_block.ram[l];
    end
  end
  assign place[NumPlaces-1:NumPlaces-2] = u_table.stash_q;

  wire running = started_q & ~u_table.clear_q & ~u_table.u_free.fill_q;
  number_t at, other;
  logic [NumSessions-1:0] held;
  always_comb begin
    held = '0;
    if (running) begin
      for (int unsigned p = 0; p < NumPlaces; p++) begin
        if (place[p].valid) begin
          assert (used_q[place[p].session]);
          assert (keys_q[place[p].session] == place[p].key);
          assert (~held[place[p].session]);
          if (p < NumWays * NumLines)
            assert (32'(line[place[p].session][p/NumLines]) == p % NumLines);
          held[place[p].session] = 1'b1;
        end
      end
      assert (held == used_q);
      for (int unsigned s = 0; s < 2; s++) begin
        if (u_table.stash_q[s].valid) assert ($countones(u_table.from_q[s]) == 1);
      end
      for (int unsigned s = 0; s < NumSessions; s++) begin
        for (int unsigned t = 0; t < s; t++) begin
          if (used_q[s] & used_q[t]) assert (keys_q[s] != keys_q[t]);
        end
        if (used_q[s]) assert (u_table.key_ram[s] == keys_q[s]);
      end
      assert (u_table.u_free.write_q == number_t'(u_table.u_free.read_q + number_t'(free)));
      assert (u_table.u_free.next_q == number_t'(u_table.u_free.read_q + 1'b1));
      if (free != '0)
        assert (u_table.u_free.number_o ==
                u_table.u_free.u_memory.gen_distributed.ram[u_table.u_free.read_q]);
      for (int unsigned i = 0; i < NumSessions; i++) begin
        at = number_t'(u_table.u_free.read_q + number_t'(i));
        if (i < 32'(free)) begin
          assert (~used_q[u_table.u_free.u_memory.gen_distributed.ram[at]]);
          for (int unsigned j = 0; j < i; j++) begin
            other = number_t'(u_table.u_free.read_q + number_t'(j));
            assert (u_table.u_free.u_memory.gen_distributed.ram[at] !=
                    u_table.u_free.u_memory.gen_distributed.ram[other]);
          end
        end
      end
    end else if (started_q) begin
      assert (used_q == '0 && free == 3'd4 && u_table.u_free.read_q == '0);
      for (int unsigned p = 0; p < NumPlaces; p++) begin
        if (p >= NumWays * NumLines || ~u_table.clear_q || p % NumLines < 32'(u_table.clear_line_q))
          assert (~place[p].valid);
      end
      for (int unsigned i = 0; i < NumSessions; i++) begin
        if (i < 32'(u_table.u_free.write_q) || ~u_table.u_free.fill_q)
          assert (u_table.u_free.u_memory.gen_distributed.ram[i] == number_t'(i));
      end
      for (int unsigned i = 1; i <= Latency; i++) assert (~asked_q[i].valid);
    end
  end

  // Cover: a session is inserted and removed again.
  logic made_q;
  always_ff @(posedge clk_i) made_q <= ~rst_i & (made_q | is_new);
  always_comb if (started_q) cover (made_q & (num_used == '0) & ~is_new);

endmodule

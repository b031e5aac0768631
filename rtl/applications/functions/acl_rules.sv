// SPDX-License-Identifier: Apache-2.0
// The first of NumRules ordered rules that matches a packet's fields.
//
// Each table holds, for every value of a byte of the key, one bit for each rule (acl_columns). A
// look-up reads all tables, combines the bits of each rule and takes the first rule left. The
// tables have two banks in one block RAM. Rules are written whole into a memory of their own, which
// look-ups do not see; commit_i fills the bank that is not in use from it, and then all later
// look-ups use that bank and the default given with commit_i. A look-up uses one bank throughout.
//
// Filling takes 2,048 * NumRules / 8 cycles and a few. rule_done_o waits for its end; a commit
// meanwhile takes effect after it. After reset there are no rules, whatever was written before, and
// rule_done_o waits NumRules cycles.
//
// Rules with `established` match only look-ups with established_i. This is known late, so the first
// rule is sought among all rules, and among those without `established`.
//
// Latency: 3 cycles. Throughput: one look-up per cycle. Cost: NumTables * NumRules bits of block
// RAM 512 deep. Source: Lakshman and Stiliadis 1998; StrideBV (Ganegedara, Jiang, Prasanna 2014).
module acl_rules
  import acl_pkg::*;
#(
    parameter int unsigned NumRules = 512,
    parameter bit DefaultAllow = 1,  // until the first commit is complete
    parameter bit Established = 0,  // 0: rules with `established` never match
    parameter type tag_t = logic,  // travels with a look-up
    localparam type index_t = logic [$clog2(NumRules)-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input  key_t    key_i,
    input  tag_t    tag_i,
    input  logic    valid_i,
    input  logic    established_i,  // with valid_o
    output logic    valid_o,
    output tag_t    tag_o,
    output logic    found_o,   // a rule matches
    output index_t  index_o,   // with found_o: its number
    output action_t action_o,  // of the rule, or the default

    input logic rule_write_i,  // held until rule_done_o
    input index_t rule_index_i,
    input rule_t rule_i,
    output logic rule_done_o,
    input logic commit_i,
    input logic default_allow_i,  // with commit_i
    output logic filling_o
);

  if (NumRules < 16 || NumRules > 1024 || NumRules != 2 ** $clog2(NumRules)) begin : gen_bad_rules
    $error("acl: NumRules must be a power of two from 16 to 1024");
  end

  localparam int unsigned LaneRules = 8;  // a lane: the bits that are written at once
  localparam int unsigned NumLanes = NumRules / LaneRules;
  typedef logic [$clog2(NumLanes)-1:0] lane_t;
  typedef logic [NumLanes-1:0][LaneRules-1:0] row_t;  // a bit for each rule

  // ---- The memory of rules ----

  rule_t store[NumRules];
  logic cleared_q;
  index_t clear_q;
  assign rule_done_o = rule_write_i & cleared_q & ~filling_o;
  always_ff @(posedge clk_i) begin
    if (~cleared_q) store[clear_q] <= '0;
    else if (rule_done_o) store[rule_index_i] <= rule_i;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      cleared_q <= 1'b0;
      clear_q   <= '0;
    end else if (~cleared_q) begin
      clear_q   <= clear_q + 1'b1;
      cleared_q <= clear_q == '1;
    end
  end

  // ---- Filling the other bank: a lane after the other, all values of a byte, rule by rule ----

  typedef struct packed {
    lane_t lane;
    logic [7:0] value;
    logic [$clog2(LaneRules)-1:0] rule;
  } step_t;
  step_t step_q, read_q, write_q;
  logic filling_q, read_valid_q, write_valid_q, pending_q, last_q, swap_q;
  logic bank_q;  // in use
  logic loaded_q;  // it has rules
  // The default of each bank, of the fill under way, and of the last commit.
  logic [1:0] default_q;
  logic filling_default_q, pending_default_q;
  rule_t rule_q;
  logic [NumTables-1:0] columns;
  logic [NumTables-1:0][LaneRules-1:0] lanes_q;
  logic [LaneRules-1:0] established_lane_q;

  wire is_filling = filling_q | read_valid_q | write_valid_q | last_q | swap_q;
  assign filling_o = is_filling | pending_q | commit_i;
  acl_columns u_columns (
      .rule_i(rule_q),
      .byte_i(read_q.value),
      .bits_o(columns)
  );
  always_ff @(posedge clk_i) begin
    rule_q  <= store[{step_q.lane, step_q.rule}];
    read_q  <= step_q;
    write_q <= read_q;
    for (int unsigned t = 0; t < NumTables; t++) begin
      lanes_q[t] <= {columns[t], lanes_q[t][LaneRules-1:1]};
    end
    established_lane_q <= {rule_q.established, established_lane_q[LaneRules-1:1]};
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      filling_q <= 1'b0;
      read_valid_q <= 1'b0;
      write_valid_q <= 1'b0;
      pending_q <= 1'b0;
      last_q <= 1'b0;
      swap_q <= 1'b0;
      bank_q <= 1'b0;
      loaded_q <= 1'b0;
      step_q <= '0;
      default_q <= {2{DefaultAllow}};
      filling_default_q <= DefaultAllow;
      pending_default_q <= DefaultAllow;
    end else begin
      if (commit_i) pending_default_q <= default_allow_i;
      pending_q <= commit_i | (pending_q & (is_filling | ~cleared_q));
      if (filling_q) begin
        step_q <= step_q + 1'b1;
        filling_q <= step_q != '1;
      end else if (pending_q & cleared_q & ~is_filling) begin
        filling_q <= 1'b1;
        filling_default_q <= pending_default_q;
      end
      read_valid_q <= filling_q;
      last_q <= read_valid_q & read_q == '1;
      write_valid_q <= read_valid_q & read_q.rule == '1;
      swap_q <= last_q;
      if (swap_q) begin
        bank_q <= ~bank_q;
        loaded_q <= 1'b1;
        default_q[~bank_q] <= filling_default_q;
      end
    end
  end

  // ---- Cycle 1: the tables ----

  row_t [NumTables-1:0] rows;
  wire [KeyBytes-1:0][7:0] key_bytes = key_i;
  for (genvar t = 0; t < NumTables; t++) begin : gen_table
    (* ram_style = "block" *) row_t ram[512];
    wire [7:0] value = key_bytes[KeyBytes-1-byte_of_table(t)];
    row_t row_q;
    always_ff @(posedge clk_i) begin
      row_q <= ram[{bank_q, value}];
      if (write_valid_q) begin
        for (int unsigned n = 0; n < NumLanes; n++) begin
          if (write_q.lane == lane_t'(n)) ram[{~bank_q, write_q.value}][n] <= lanes_q[t];
        end
      end
    end
    assign rows[t] = row_q;
  end

  // ---- Cycle 2: the rules that match ----

  typedef struct packed {
    logic valid;
    logic bank;
    logic loaded;
    tag_t tag;
  } stage_t;
  stage_t tables_q, matches_q, first_q;
  logic [NumRules-1:0] matches_d;

  // Of the bits of a range, as acl_columns sets them.
  function automatic row_t in_range(row_t [3:0] bits);
    return (~bits[1] & bits[0]) | (bits[1] & ~bits[0] & bits[2]) | (bits[1] & bits[0] & bits[3]);
  endfunction
  always_comb begin
    matches_d = in_range(rows[11:8]) & in_range(rows[15:12]) & rows[16] & rows[17];
    for (int unsigned t = 0; t < 8; t++) matches_d &= rows[t];
  end

  // Rules with `established`, of both banks.
  row_t [1:0] established_q;
  always_ff @(posedge clk_i) begin
    if (write_valid_q) established_q[~bank_q][write_q.lane] <= established_lane_q;
  end
  wire [NumRules-1:0] plain_d = matches_d & ~established_q[tables_q.bank];

  // ---- Cycles 2 and 3: the first of them, and its action ----

  logic any_plain_q;
  index_t index_plain_q;
  acl_first #(
      .NumRules(NumRules)
  ) u_first_plain (
      .clk_i,
      .matches_i(plain_d),
      .loaded_i (matches_q.loaded),
      .any_o    (any_plain_q),
      .index_o  (index_plain_q)
  );
  logic   any;
  index_t index;
  if (Established) begin : gen_established
    logic   any_q;
    index_t index_q;
    acl_first #(
        .NumRules(NumRules)
    ) u_first (
        .clk_i,
        .matches_i(matches_d),
        .loaded_i (matches_q.loaded),
        .any_o    (any_q),
        .index_o  (index_q)
    );
    assign any   = established_i ? any_q : any_plain_q;
    assign index = established_i ? index_q : index_plain_q;
  end else begin : gen_plain
    assign any   = any_plain_q;
    assign index = index_plain_q;
    wire unused = established_i;
  end

  (* ram_style = "distributed" *) action_t actions[2*NumRules];
  always_ff @(posedge clk_i) begin
    if (read_valid_q && read_q.value == '0) begin
      actions[{~bank_q, read_q.lane, read_q.rule}] <= '{allow: rule_q.allow, mark: rule_q.mark};
    end
  end

  always_ff @(posedge clk_i) begin
    tables_q  <= '{valid: valid_i & ~rst_i, bank: bank_q, loaded: loaded_q, tag: tag_i};
    matches_q <= tables_q;
    first_q   <= matches_q;
    if (rst_i) begin
      matches_q.valid <= 1'b0;
      first_q.valid   <= 1'b0;
    end
  end
  assign valid_o = first_q.valid;
  assign tag_o = first_q.tag;
  assign found_o = any;
  assign index_o = index;
  assign action_o = any ? actions[{first_q.bank, index}] : '{
          allow: default_q[first_q.bank],
          mark: '0
      };

endmodule

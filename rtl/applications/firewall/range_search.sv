// SPDX-License-Identifier: Apache-2.0
// Determines whether a key is in one of many ranges: a pipelined binary search among sorted
// boundaries, one step per stage.
//
// Boundaries are the first key of a range and the first key after it, in ascending order; a key is
// inside a range if an odd number of boundaries is not above it. The first count_i boundaries are
// used; the others are taken to be above all keys. Each stage has its own memory, twice the size of
// that of the stage before, written by boundary number.
//
// The list begins at boundary 0, or with upper_i at boundary 2^(Stages-1). A search keeps the
// count_i and upper_i of the cycle in which it begins. So one list can be written while searches
// use the other half, and both inputs change at once for a search. A search whose own half is
// written meanwhile may see old and new boundaries.
//
// Latency: Stages + 1 cycles. Throughput: one key per cycle.
module range_search #(
    parameter int unsigned Stages = 11,  // for 2^Stages - 1 boundaries
    parameter type tag_t = logic  // travels with the key
) (
    input logic clk_i,
    input logic rst_i,

    input logic valid_i,
    input logic [31:0] key_i,
    input tag_t tag_i,
    output logic valid_o,
    output logic covered_o,
    output logic [Stages-1:0] range_o,  // with covered_o: number of the range, from 0
    output tag_t tag_o,

    input logic write_i,
    input logic [Stages-1:0] write_index_i,
    input logic [31:0] write_boundary_i,
    input logic [Stages-1:0] count_i,
    input logic upper_i
);

  if (Stages < 1 || Stages > 17) begin : gen_bad_stages
    $error("range_search: Stages must be 1 to 17");
  end

  typedef struct packed {
    logic upper;
    logic [Stages-1:0] count;  // number of boundaries in use
  } list_t;
  localparam logic [Stages-1:0] Half = Stages'(2 ** (Stages - 1));

  for (genvar s = 0; s < Stages; s++) begin : gen_stage
    // Compares with boundary 2^Level - 1 after those already found not to be above the key.
    localparam int unsigned Level = Stages - 1 - s;
    localparam int unsigned Entries = 2 ** s;
    localparam int unsigned AddrWidth = s == 0 ? 1 : s;

    logic valid, valid_q;
    logic [31:0] key, key_q;
    tag_t tag, tag_q;
    list_t list, list_q;
    logic [Stages-1:0] found, found_q;  // boundaries not above the key, and all of the lower half
    if (s == 0) begin : gen_first
      assign valid = valid_i;
      assign key   = key_i;
      assign tag   = tag_i;
      // The boundary of the first step is in the lower half: it does not apply to the upper one.
      assign list  = '{upper: upper_i, count: count_i | (upper_i ? Half : '0)};
      assign found = upper_i ? Half : '0;
    end else begin : gen_later
      assign valid = gen_stage[s-1].valid_q;
      assign key   = gen_stage[s-1].key_q;
      assign tag   = gen_stage[s-1].tag_q;
      assign list  = gen_stage[s-1].list_q;
      assign found = gen_stage[s-1].now;
    end

    logic [31:0] memory[Entries];
    wire is_here = write_index_i[Level:0] == (Level + 1)'(2 ** Level - 1);
    always_ff @(posedge clk_i) begin
      if (write_i & is_here) memory[AddrWidth'(write_index_i>>(Level+1))] <= write_boundary_i;
    end

    logic [31:0] boundary_q;
    logic is_there_q;
    always_ff @(posedge clk_i) begin
      boundary_q <= memory[AddrWidth'(found>>(Level+1))];
      is_there_q <= (found | Stages'(2 ** Level - 1)) < list.count;
      found_q <= found;
      list_q <= list;
      key_q <= key;
      tag_q <= tag;
      valid_q <= valid & ~rst_i;
    end
    wire is_reached = is_there_q & key_q >= boundary_q;
    wire [Stages-1:0] now = found_q | (is_reached ? Stages'(2 ** Level) : '0);
  end

  always_ff @(posedge clk_i) begin
    valid_o <= gen_stage[Stages-1].valid_q & ~rst_i;
    covered_o <= gen_stage[Stages-1].now[0];
    range_o <= (gen_stage[Stages-1].now & ~(gen_stage[Stages-1].list_q.upper ? Half : '0)) >> 1;
    tag_o <= gen_stage[Stages-1].tag_q;
  end

endmodule

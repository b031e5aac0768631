// SPDX-License-Identifier: Apache-2.0
// Table of routes of a network interface, in LUTRAM, written as words of the register port
// (next_hop of registers.rdl). After reset it is filled from Init, one entry per cycle; the outputs
// are valid once filled_o is high.
//
// Each reader has a range of the entries, in a memory of its own. Its index is relative to the
// first entry of the range; an index beyond the range has no route.
//
// A word may lead to a group of replicas instead of a tile, with noc_pkg::choice_e in y; with
// NumGroups = 0 such a word gives no route.
//
// With Fixed, the routes are constants, and the table is neither filled nor written.
//
// Read: combinational. Write: 1 cycle, not before filled_o.
`include "bombus_assert.svh"

module route_table
  import noc_pkg::*;
#(
    parameter type word_t = logic,  // struct: valid, is_group, port, y, x, 8 bits each
    parameter type route_t = logic,  // struct: valid, dir, request, x, y, port
    parameter int unsigned NumEntries = 32,
    parameter int unsigned NumReads = 1,
    parameter int unsigned ReadWidth = NumEntries > 1 ? $clog2(NumEntries) : 1,
    parameter logic [NumReads-1:0][15:0] First = '0,  // first entry of each reader, ascending
    parameter word_t [NumEntries-1:0] Init = '0,
    parameter bit Fixed = 0,
    parameter int unsigned NumGroups = 0,
    parameter place_t Place = WholeMesh,
    localparam int unsigned IndexWidth = NumEntries > 1 ? $clog2(NumEntries) : 1,
    localparam int unsigned GroupWidth = NumGroups > 1 ? $clog2(NumGroups) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic                   write_i,
    input logic  [IndexWidth-1:0] write_index_i,
    input word_t                  word_i,

    input  logic   [NumReads-1:0][ ReadWidth-1:0] index_i,
    output route_t [NumReads-1:0]                 route_o,
    output logic   [NumReads-1:0]                 is_group_o,
    output logic   [NumReads-1:0][GroupWidth-1:0] group_o,
    output logic   [NumReads-1:0][           1:0] choice_o,    // how the group chooses: choice_e

    output logic filled_o
);

  if (NumEntries < 1 || NumEntries > 65536) begin : gen_bad_entries
    $error("route_table: NumEntries must be 1 to 65536");
  end
  if (NumReads < 1 || ReadWidth < 1) begin : gen_bad_reads
    $error("route_table: NumReads and ReadWidth must be at least 1");
  end
  if (First[0] != '0) begin : gen_bad_first
    $error("route_table: First[0] must be 0");
  end
  for (genvar r = 0; r < NumReads; r++) begin : gen_check_range
    if (range_end(r) <= 32'(First[r]) || range_end(r) > NumEntries) begin : gen_bad_range
      $error("route_table: First must ascend, and stay below NumEntries");
    end
  end

  function automatic int unsigned range_end(int unsigned read);
    for (int unsigned r = 0; r < NumReads; r++) begin
      if (r == read + 1) return 32'(First[r]);
    end
    return NumEntries;
  endfunction
  if (NumGroups > 256) begin : gen_bad_groups
    $error("route_table: NumGroups must be at most 256");
  end
  // Of the mesh; positions below the first wrap around, and are outside.
  function automatic bit is_inside(int unsigned x, int unsigned y);
    return x - Place.first_x < Place.columns && y - Place.first_y < Place.rows;
  endfunction
  if (Place.first_x > 255 || Place.columns > 256 - Place.first_x ||
      Place.first_y > 255 || Place.rows > 256 - Place.first_y) begin : gen_bad_mesh
    $error("route_table: positions of the mesh must be 0 to 255");
  end else if (!is_inside(Place.x, Place.y)) begin : gen_bad_position
    $error("route_table: x and y of Place must be a position of the mesh");
  end

  // A router makes no U-turn, so a message cannot be sent to its own tile. Nor may it leave the
  // mesh, where it would block a link permanently: a word outside the mesh gives no route.
  function automatic route_t make_route(word_t word);
    route_t route;
    route.dir = first_dir(heading(8'(Place.x), 8'(Place.y), word.x, word.y));
    route.x = word.x[$bits(route.x)-1:0];
    route.y = word.y[$bits(route.y)-1:0];
    route.port = word.port[$bits(route.port)-1:0];
    route.valid = word.valid & ~word.is_group & (route.dir != DirLocal);
    if (!is_inside(32'(word.x), 32'(word.y))) route.valid = 1'b0;
    if (32'(word.port) >= 2 ** $bits(route.port)) route.valid = 1'b0;
    route.request = route.valid ? NumDirs'(1) << route.dir : '0;
    return route;
  endfunction

  localparam int unsigned LastGroup = NumGroups > 0 ? NumGroups - 1 : 0;

  // The group of replicas of a word, if any.
  typedef struct packed {
    logic valid;
    logic [1:0] choice;
    logic [GroupWidth-1:0] index;
  } group_t;

  function automatic group_t make_group(word_t word);
    return
    '{
        valid: NumGroups > 0 && word.valid && word.is_group && 32'(word.x) <= LastGroup,
        choice: word.y[1:0],
        index: word.x[GroupWidth-1:0]
    }
    ;
  endfunction

  logic write;
  logic [IndexWidth-1:0] write_index;
  word_t word;
  if (Fixed) begin : gen_fixed
    assign {write, write_index, word} = '0;
    assign filled_o = 1'b1;
    wire unused = ^{clk_i, rst_i, write_i, write_index_i, word_i, write, write_index, word};
  end else begin : gen_written
    logic [IndexWidth-1:0] fill_q;
    assign write = write_i | ~filled_o;
    `BOMBUS_ASSERT(WritesWhenFilled, !(write_i && !filled_o))
    assign write_index = filled_o ? write_index_i : fill_q;
    assign word = filled_o ? word_i : Init[fill_q];
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        fill_q   <= '0;
        filled_o <= 1'b0;
      end else if (~filled_o) begin
        fill_q   <= fill_q + 1'b1;
        filled_o <= fill_q == IndexWidth'(NumEntries - 1);
      end
    end
  end

  for (genvar r = 0; r < NumReads; r++) begin : gen_read
    localparam int unsigned Begin = 32'(First[r]);
    localparam int unsigned Count = range_end(r) - Begin;
    localparam int unsigned Bits = Count > 1 ? $clog2(Count) : 1;
    route_t route;
    group_t group;
    if (Fixed) begin : gen_constant
      route_t [Count-1:0] routes;
      group_t [Count-1:0] groups;
      for (genvar i = 0; i < Count; i++) begin : gen_entry
        assign routes[i] = make_route(Init[Begin+i]);
        assign groups[i] = make_group(Init[Begin+i]);
      end
      // Compared, not indexed: a synthesis tool would make this a ROM and move the index register
      // after it, so that the look-up would be in the path that computes the index.
      always_comb begin
        route = '0;
        group = '0;
        for (int unsigned i = 0; i < Count; i++) begin
          if (32'(index_i[r]) == i) begin
            route |= routes[i];
            group |= groups[i];
          end
        end
      end
    end else begin : gen_memory
      wire [Bits-1:0] index = Bits'(index_i[r]);
      wire [31:0] offset = 32'(write_index) - Begin;
      wire is_written = write && offset < Count;
      (* ram_style = "distributed" *) route_t routes[Count];
      always_ff @(posedge clk_i) begin
        if (is_written) routes[offset[Bits-1:0]] <= make_route(word);
      end
      assign route = routes[index];
      if (NumGroups == 0) begin : gen_no_groups
        assign group = '0;
      end else begin : gen_groups
        (* ram_style = "distributed" *) group_t groups[Count];
        always_ff @(posedge clk_i) begin
          if (is_written) groups[offset[Bits-1:0]] <= make_group(word);
        end
        assign group = groups[index];
      end
    end

    logic has_entry;
    if (Fixed || Count == 2 ** ReadWidth) begin : gen_all
      assign has_entry = 1'b1;
    end else begin : gen_some
      assign has_entry = 32'(index_i[r]) < Count;
    end
    always_comb begin
      route_o[r] = route;
      route_o[r].valid = route.valid & has_entry;
      route_o[r].request = route.request & {NumDirs{has_entry}};
    end
    assign is_group_o[r] = group.valid & has_entry;
    assign group_o[r] = group.index;
    assign choice_o[r] = group.choice;
  end

endmodule

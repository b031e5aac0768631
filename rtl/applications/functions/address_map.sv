// SPDX-License-Identifier: Apache-2.0
// Exact-match map of addresses, 1:1, in block RAM, that software changes under traffic. By default
// the addresses are those of IPv4.
//
// Software writes entries by number. Their addresses are in four hash tables with one place for an
// address in each, half full at most (cuckoo hashing with four functions; Fotakis et al., 2005). An
// address whose places are occupied replaces another one, which waits in a register and moves on.
// The register is searched with the tables: an address that moves is always found.
//
// One write of memory or of the register changes what a look-up finds, so it finds the old or the
// new target of an address, never a mixture. While an entry gets another address, both are found
// for some cycles. A write is refused, and changes nothing, if another entry has the address. It is
// also refused while an address that has found no place in MaxMoves moves keeps the register
// occupied, which at this load does not happen by chance. Each write that removes an address lets
// that one try again.
//
// Look-up: hit_o and to_o belong to the last address read, from the cycle after it on. read_i may
// arrive late. Throughput: one per cycle; writes do not delay look-ups. A read by software takes 4
// cycles, a write about 15, and 5 for each move. After reset the map is empty, and the register
// port waits for NumEntries cycles.
`include "bombus_assert.svh"

module address_map #(
    parameter  int unsigned FromWidth  = 32,                 // at least $clog2(NumEntries)
    parameter  int unsigned ToWidth    = 32,
    parameter  int unsigned NumEntries = 1024,
    localparam int unsigned IndexWidth = $clog2(NumEntries)
) (
    input logic clk_i,
    input logic rst_i,

    input logic read_i,
    input logic [FromWidth-1:0] from_i,
    output logic hit_o,
    output logic [ToWidth-1:0] to_o,

    // Register port: an entry
    input  logic                  request_i,      // held until done_o
    input  logic                  write_i,
    input  logic [IndexWidth-1:0] index_i,
    input  logic                  wdata_valid_i,
    input  logic [ FromWidth-1:0] wdata_from_i,
    input  logic [   ToWidth-1:0] wdata_to_i,
    output logic                  done_o,         // one cycle
    output logic                  rdata_valid_o,  // with done_o
    output logic [ FromWidth-1:0] rdata_from_o,
    output logic [   ToWidth-1:0] rdata_to_o,
    output logic                  refused_o       // one-cycle pulse
);

  localparam int unsigned NumTables = 4;
  localparam int unsigned MaxMoves = 255;
  localparam int unsigned PlaceWidth = IndexWidth - 1;  // of a table

  if (NumEntries < 16 || NumEntries > 65536 || NumEntries != 2 ** IndexWidth) begin : gen_bad_shape
    $error("address_map: NumEntries must be a power of two from 16 to 65536");
  end
  if (FromWidth <= PlaceWidth || ToWidth < 1) begin : gen_bad_widths
    $error("address_map: FromWidth must be at least %0d, ToWidth at least 1", IndexWidth);
  end

  typedef logic [NumTables-1:0][PlaceWidth-1:0] places_t;
  typedef struct packed {
    logic valid;
    logic [FromWidth-1:0] from;
    logic [ToWidth-1:0] to;
  } entry_t;

  // ---- Places of an address ----

  // Addresses that differ only in the lowest bits have different places. Only software adds
  // addresses, so the hash needs no seed.
  localparam int unsigned HighBits = FromWidth - PlaceWidth;
  logic [NumTables*PlaceWidth-1:0] read_hash, step_hash;
  logic [FromWidth-1:0] step_from, step_from_q;
  places_t read_place, step_place, step_place_q;
  keyed_hash #(
      .DataWidth(HighBits),
      .HashWidth(NumTables * PlaceWidth)
  ) u_read_hash (
      .data_i(from_i[FromWidth-1:PlaceWidth]),
      .seed_i('0),
      .hash_o(read_hash)
  );
  keyed_hash #(
      .DataWidth(HighBits),
      .HashWidth(NumTables * PlaceWidth)
  ) u_step_hash (
      .data_i(step_from[FromWidth-1:PlaceWidth]),
      .seed_i('0),
      .hash_o(step_hash)
  );
  assign read_place = read_hash ^ {NumTables{from_i[PlaceWidth-1:0]}};
  assign step_place = step_hash ^ {NumTables{step_from[PlaceWidth-1:0]}};

  // ---- Tables ----

  entry_t [NumTables-1:0] found, stored;
  logic [NumTables-1:0] table_request, table_write, table_done;
  entry_t table_wdata;
  for (genvar t = 0; t < NumTables; t++) begin : gen_table
    register_table #(
        .entry_t(entry_t),
        .NumEntries(2 ** PlaceWidth)
    ) u_table (
        .clk_i,
        .rst_i,
        .request_i(table_request[t]),
        .write_i(table_write[t]),
        .index_i(step_place_q[t]),
        .wdata_i(table_wdata),
        .done_o(table_done[t]),
        .rdata_o(stored[t]),
        .read_index_i(read_place[t]),
        .entry_o(found[t])
    );
  end

  // The entries by number, as software has written them.
  wire entry_t wanted = '{valid: wdata_valid_i, from : wdata_from_i, to: wdata_to_i};
  entry_t old, unused_entry;
  logic list_request, list_write, list_done;
  register_table #(
      .entry_t(entry_t),
      .NumEntries(NumEntries)
  ) u_list (
      .clk_i,
      .rst_i,
      .request_i(list_request),
      .write_i(list_write),
      .index_i,
      .wdata_i(wanted),
      .done_o(list_done),
      .rdata_o(old),
      .read_index_i('0),
      .entry_o(unused_entry)
  );

  // One LUT per three bits, followed by a tree.
  localparam int unsigned NumGroups = (FromWidth + 2) / 3;
  function automatic logic is_same(logic [FromWidth-1:0] a, logic [FromWidth-1:0] b);
    logic [NumGroups-1:0] differs;
    for (int unsigned g = 0; g < NumGroups; g++) begin
      differs[g] = 3'(a >> (3 * g)) != 3'(b >> (3 * g));
    end
    return ~|differs;
  endfunction

  // ---- Look-up ----

  // The register is read with the tables, so that an address that moves is found once.
  entry_t moving_q, moving_seen_q;
  logic [FromWidth-1:0] from_q;
  always_ff @(posedge clk_i) begin
    from_q <= from_i;
    moving_seen_q <= moving_q;
  end
  wire entry_t [NumTables:0] candidates = {moving_seen_q, found};
  logic [NumTables:0] match;
  logic [ToWidth-1:0] to, to_q;
  logic fresh_q, hit_q;  // the address was read in the cycle before
  always_comb begin
    to = '0;
    for (int unsigned c = 0; c <= NumTables; c++) begin
      match[c] = candidates[c].valid & is_same(candidates[c].from, from_q);
      to |= candidates[c].to & {ToWidth{match[c]}};  // an address is in one place only
    end
  end
  assign hit_o = fresh_q ? |match : hit_q;
  assign to_o  = fresh_q ? to : to_q;
  always_ff @(posedge clk_i) begin
    fresh_q <= read_i;
    hit_q   <= hit_o;
    to_q    <= to_o;
  end

  // ---- Writes by software ----

  typedef enum logic [2:0] {
    StateRest,
    StateOld,  // read the entry
    StateHash,
    StateRead,  // read the places of an address
    StateCompare,
    StateJudge,
    StateList,  // write the entry
    StateDone
  } state_e;
  typedef enum logic [1:0] {
    PhaseAdd,    // the new address
    PhaseWalk,   // the address that waits
    PhaseRemove  // the old address
  } phase_e;
  state_e state_q;
  phase_e phase_q;
  entry_t old_q, victim;
  logic refused_q;
  logic removed_q;  // the old address has been removed
  logic [6:0] random_q;  // a turn in order could walk in circles
  logic [1:0] last_q;
  logic [$clog2(MaxMoves+1)-1:0] moves_q;

  always_comb begin
    unique case (phase_q)
      PhaseWalk:   step_from = moving_q.from;
      PhaseRemove: step_from = old_q.from;
      default:     step_from = wanted.from;
    endcase
  end

  logic [NumTables-1:0] same_q, empty_q, target;
  logic same_moving_q, keeps_address_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned t = 0; t < NumTables; t++) begin
      same_q[t]  <= stored[t].valid & is_same(stored[t].from, step_from_q);
      empty_q[t] <= ~stored[t].valid;
    end
    same_moving_q   <= moving_q.valid & is_same(moving_q.from, step_from_q);
    keeps_address_q <= old_q.valid & is_same(old_q.from, wanted.from);
  end
  wire is_there = |same_q | same_moving_q;

  // Never the table that it has just left.
  wire [1:0] exchanged = random_q[1:0] == last_q ? random_q[1:0] + 1'b1 : random_q[1:0];
  assign victim = stored[exchanged];

  // What becomes of the step.
  wire judges = state_q == StateJudge;
  wire is_add = phase_q == PhaseAdd;
  wire is_walk = phase_q == PhaseWalk;
  wire changes = is_add & is_there & keeps_address_q;
  wire refuses = is_add & (is_there ? ~keeps_address_q : moving_q.valid);
  wire places = (is_add & ~is_there | is_walk) & ~refuses & |empty_q;
  wire exchanges = (is_add & ~is_there | is_walk) & ~refuses & ~|empty_q & ~(is_walk & &moves_q);
  always_comb begin
    target = '0;
    if (changes | phase_q == PhaseRemove) target = same_q;
    else if (places) target = empty_q & (~empty_q + 1'b1);
    else if (exchanges) target[exchanged] = 1'b1;
    unique case (phase_q)
      PhaseWalk:   table_wdata = moving_q;
      PhaseRemove: table_wdata = '0;
      default:     table_wdata = wanted;
    endcase
  end
  assign table_write   = target & {NumTables{judges}};
  assign table_request = table_write | {NumTables{state_q == StateRead}};
  assign list_request  = (state_q == StateOld) | (state_q == StateList);
  assign list_write    = state_q == StateList;
  assign done_o        = state_q == StateDone;
  assign rdata_valid_o = old_q.valid;
  assign rdata_from_o  = old_q.from;
  assign rdata_to_o    = old_q.to;

  wire removes_old = old_q.valid & ~(wanted.valid & keeps_address_q);
  always_ff @(posedge clk_i) begin
    random_q <= rst_i ? 7'd1 : {random_q[5:0], random_q[6] ^ random_q[5]};
    if (state_q == StateOld) old_q <= old;
    if (state_q == StateHash) begin
      step_place_q <= step_place;
      step_from_q  <= step_from;
    end
    if (judges & exchanges) last_q <= exchanged;
    if (state_q == StateRest) begin
      moves_q   <= '0;
      refused_q <= 1'b0;
      removed_q <= 1'b0;
    end else if (judges) begin
      if (phase_q == PhaseRemove) moves_q <= '0;
      else if (exchanges) moves_q <= moves_q + 1'b1;
      refused_q <= refuses;
      removed_q <= removed_q | phase_q == PhaseRemove;
    end
    if (judges & exchanges) moving_q <= victim;
    else if (judges & changes & same_moving_q) moving_q.to <= wanted.to;
    if (rst_i | (judges & (is_walk & places | phase_q == PhaseRemove & same_moving_q))) begin
      moving_q.valid <= 1'b0;
    end
  end

  // A read of the tables takes two cycles. They are filled before the list, which is longer.
  logic read_q;
  always_ff @(posedge clk_i) read_q <= state_q == StateRead & ~read_q;
  `BOMBUS_ASSERT(ReadInTwoCycles, !(state_q == StateRead && read_q) || &table_done)

  always_ff @(posedge clk_i) begin
    refused_o <= done_o & refused_q & ~rst_i;
    unique case (state_q)
      StateRest: if (request_i) state_q <= StateOld;
      StateOld: begin
        phase_q <= wanted.valid ? PhaseAdd : PhaseRemove;
        if (list_done) begin
          state_q <= ~write_i ? StateDone : wanted.valid | old.valid ? StateHash : StateList;
        end
      end
      StateHash: state_q <= StateRead;
      StateRead: if (read_q) state_q <= StateCompare;
      StateCompare: state_q <= StateJudge;
      StateJudge: begin
        state_q <= StateHash;
        if (refuses) state_q <= StateDone;
        else if (exchanges) phase_q <= PhaseWalk;
        else if (phase_q != PhaseRemove & removes_old & ~removed_q) phase_q <= PhaseRemove;
        else if (phase_q == PhaseRemove & moving_q.valid & ~same_moving_q) phase_q <= PhaseWalk;
        else state_q <= StateList;
      end
      StateList: if (list_done) state_q <= StateDone;
      default: state_q <= StateRest;
    endcase
    if (rst_i) state_q <= StateRest;
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// Expected output of router_virtual_channels: each flit by its output, with the right port at the
// next router, to a channel that was ready; the messages of a channel contiguous; the marked flit
// once, unchanged, after those that arrived before it on its channel and before those that arrived
// after it; a stable offer of the local output.
module vc_output_flits
  import noc_pkg::*;
  import legal_traffic_pkg::*;
  import vc_flit_pkg::*;
#(
    parameter int unsigned NumLanes = 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic started_i,
    input flit_t [NumDirs-1:0] flit_i,
    input logic [NumDirs-1:0][NumLanes-1:0] valid_i,
    input logic [NumDirs-1:0][NumLanes-1:0] ready_i,
    input logic [NumDirs-1:0] taken_i,
    input origin_t watched_i,
    input logic used_i,  // a flit has been marked
    input flit_t marked_i,
    input logic is_inside_i,  // the marked flit is inside
    output logic [NumDirs-1:0][NumLanes-1:0] ready_q_o,  // in the last cycle
    output logic [NumDirs-1:0][NumLanes-1:0] inside_o,  // by channel: part of a message has left
    output origin_t [NumDirs-1:0][NumLanes-1:0] owner_o,
    output logic waits_o,  // in the last cycle, the local output offered a flit that was not taken,
    output flit_t waiting_o  // this one
);

  always_ff @(posedge clk_i) begin
    ready_q_o <= ready_i;
    waits_o   <= ~rst_i & valid_i[DirLocal][0] & ~taken_i[DirLocal];
    waiting_o <= flit_i[DirLocal];
  end

  logic [NumDirs-1:0] leaves;  // a flit of the watched channel
  logic [NumDirs-1:0][NumLanes-1:0] moves, last;
  origin_t [NumDirs-1:0][NumLanes-1:0] from;
  for (genvar o = 0; o < NumDirs; o++) begin : gen_output
    assign leaves[o] = taken_i[o] & (flit_i[o].beat.from == watched_i);
    assign moves[o]  = taken_i[o] ? valid_i[o] : '0;
    assign last[o]   = {NumLanes{flit_i[o].beat.last}};
    assign from[o]   = {NumLanes{flit_i[o].beat.from}};
  end
  whole_message #(
      .mark_t(origin_t),
      .Count (NumLanes * NumDirs)
  ) u_leaving (
      .clk_i,
      .rst_i,
      .offered_i(valid_i),
      .taken_i(moves),
      .last_i(last),
      .mark_i(from),
      .inside_o,
      .mark_o(owner_o)
  );

  always_comb begin
    if (started_i & ~rst_i) begin
      assert ((valid_i[DirLocal] >> 1) == '0);
      if (waits_o) assert (valid_i[DirLocal][0] && flit_i[DirLocal] == waiting_o);
      for (int unsigned o = 0; o < NumDirs; o++) begin
        assert ($onehot0(valid_i[o]));
        if (o != int'(DirLocal)) assert ((valid_i[o] & ~ready_q_o[o]) == '0);
        if (taken_i[o]) begin
          assert (way_here(flit_i[o].x, flit_i[o].y) == dir_e'(o));
          assert (flit_i[o].dir == way_after(o, flit_i[o].x, flit_i[o].y));
          if (flit_i[o].beat.marked) begin
            // It leaves once, at its output, unchanged.
            assert (is_inside_i && marked_i.dir == dir_e'(o));
            assert (same_flit(flit_i[o], marked_i));
          end
        end
      end
      // Flits that arrived before it leave before it, the others after it.
      if (used_i & leaves[marked_i.dir]) begin
        if (flit_i[marked_i.dir].beat.late)
          assert (~is_inside_i);
          else assert (is_inside_i);
      end
    end
  end

endmodule

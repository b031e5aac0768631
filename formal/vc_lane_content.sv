// SPDX-License-Identifier: Apache-2.0
// Content of the queue of one channel at a mesh input of router_virtual_channels: flits that
// arrived by it, those of a message with one direction, and the marked flit at its tracked
// position.
module vc_lane_content
  import noc_pkg::*;
  import vc_flit_pkg::*;
#(
    parameter logic [NumDirs-1:0] Ports = '1,  // ports that exist, by dir_e
    parameter int unsigned Input = 1,  // dir_e
    parameter int unsigned Lane = 0,
    parameter int unsigned Depth = 4
) (
    input logic started_i,
    input logic ready_i,  // ready in the last cycle
    input logic [2:0] level_i,
    input entry_t [Depth-1:0] entry_i,  // oldest first
    input logic arriving_i,  // part of a message has arrived
    input dir_e arriving_dir_i,
    input logic leaving_i,  // part of a message has left
    input dir_e leaving_dir_i,
    input origin_t watched_i,
    input logic used_i,  // a flit has been marked
    input flit_t marked_i,
    input logic is_inside_i,  // it is in the queue of the watched channel
    input logic [2:0] ahead_i  // flits there ahead of it
);

  localparam origin_t Here = '{lane: 1'(Lane), source: 3'(Input)};
  wire is_here = is_inside_i && watched_i == Here;

  flit_t [Depth-1:0] flit;
  always_comb begin
    for (int unsigned n = 0; n < Depth; n++) flit[n] = entry_i[n].flit;
    if (started_i) begin
      if (ready_i) assert (32'(level_i) < Depth);
      if (level_i == '0) assert (leaving_i == arriving_i);
      if (leaving_i) begin
        assert (leaving_dir_i == (level_i != '0 ? flit[0].dir : arriving_dir_i));
      end
      for (int unsigned n = 0; n < Depth; n++) begin
        if (n < 32'(level_i)) begin
          assert (entry_i[n].dir == NumDirs'(1) << flit[n].dir);
          assert (entry_i[n].last == flit[n].beat.last);
          assert (flit[n].beat.from == Here);
          assert (is_good(Ports, Input, flit[n]));
          if (n + 1 == 32'(level_i)) begin  // the newest
            assert (arriving_i == ~flit[n].beat.last);
            assert (arriving_dir_i == flit[n].dir);
          end else if (~flit[n].beat.last) begin
            assert (flit[n].dir == flit[n+1].dir);
          end

          assert (flit[n].beat.marked == (is_here && 32'(ahead_i) == n));
          if (flit[n].beat.marked) assert (flit[n] == marked_i);
          if (watched_i == Here) begin
            assert (flit[n].beat.late == (used_i && ~(is_inside_i && n <= 32'(ahead_i))));
          end
        end
      end
    end
  end

endmodule

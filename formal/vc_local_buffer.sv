// SPDX-License-Identifier: Apache-2.0
// Content of the buffer at the local output of router_virtual_channels: whole messages, one after
// the other, and the marked flit until it leaves.
module vc_local_buffer
  import noc_pkg::*;
  import vc_flit_pkg::*;
#(
    parameter logic [NumDirs-1:0] Ports = '1  // ports that exist, by dir_e
) (
    input logic clk_i,
    input logic rst_i,
    input logic started_i,
    input logic [2:0] level_i,
    input local_entry_t [LocalDepth-1:0] entry_i,  // oldest first
    input logic leave_i,  // the oldest one leaves
    // Part of a message has entered, has left, and origin of the last flit.
    input logic in_inside_i,
    input origin_t in_owner_i,
    input logic out_inside_i,
    input origin_t out_owner_i,
    input logic marked_enters_i,
    input origin_t watched_i,
    input flit_t marked_i,
    input logic gone_i,  // the marked flit has left the router
    output logic is_inside_o  // it is in the buffer
);

  logic [2:0] ahead;
  queue_position u_position (
      .clk_i,
      .rst_i,
      .enter_i (marked_enters_i),
      .level_i,
      .leave_i,
      .inside_o(is_inside_o),
      .ahead_o (ahead)
  );

  flit_t [LocalDepth-1:0] flit;
  always_comb begin
    for (int unsigned n = 0; n < LocalDepth; n++) flit[n] = entry_i[n].flit;
    if (started_i) begin
      if (level_i != '0) begin
        if (out_inside_i) assert (flit[0].beat.from == out_owner_i);
      end else begin
        assert (in_inside_i == out_inside_i);
        if (in_inside_i) assert (in_owner_i == out_owner_i);
      end
      for (int unsigned n = 0; n < LocalDepth; n++) begin
        if (n < 32'(level_i)) begin
          assert (entry_i[n].last == flit[n].beat.last);
          assert (is_good(Ports, int'(flit[n].beat.from.source), flit[n]));
          assert (flit[n].dir == DirLocal);
          if (n + 1 == 32'(level_i)) begin  // the newest
            assert (in_inside_i == ~flit[n].beat.last);
            assert (in_owner_i == flit[n].beat.from);
          end else if (~flit[n].beat.last) begin
            assert (flit[n+1].beat.from == flit[n].beat.from);
          end

          assert (flit[n].beat.marked == (is_inside_o && 32'(ahead) == n));
          if (flit[n].beat.marked) assert (flit[n] == marked_i);
          if (flit[n].beat.from == watched_i) begin
            if (is_inside_o)
              assert (flit[n].beat.late == (n > 32'(ahead)));
              else if (~gone_i)
                assert (~flit[n].beat.late);
                else if (marked_i.dir == DirLocal) assert (flit[n].beat.late);
          end
        end
      end
      if (is_inside_o) assert (marked_i.dir == DirLocal && ahead < level_i);
    end
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// Legal input of router_virtual_channels: flits with a legal path, for a channel that was ready in
// the cycle before, and those of a message contiguous and with one direction.
module vc_legal_traffic
  import noc_pkg::*;
  import vc_flit_pkg::*;
#(
    parameter logic [NumDirs-1:0] Ports = '1,  // ports that exist, by dir_e
    parameter int unsigned NumLanes = 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic started_i,
    input flit_t [NumDirs-1:0] flit_i,
    input logic [NumDirs-1:0][NumLanes-1:0] valid_i,
    input logic [NumDirs-1:0][NumLanes-1:0] ready_i,
    output logic [NumDirs-1:0][NumLanes-1:0] ready_q_o,  // in the last cycle
    output logic [NumDirs-1:0][NumLanes-1:0] taken_o,
    output logic [NumDirs-1:0][NumLanes-1:0] arriving_o,  // part of a message has arrived
    output dir_e [NumDirs-1:0][NumLanes-1:0] arriving_dir_o
);

  logic [NumDirs-1:0][NumLanes-1:0] last;
  dir_e [NumDirs-1:0][NumLanes-1:0] dir;
  for (genvar i = 0; i < NumDirs; i++) begin : gen_input
    assign taken_o[i] = i == int'(DirLocal) ? valid_i[i] & ready_i[i] : valid_i[i];
    assign last[i] = {NumLanes{flit_i[i].beat.last}};
    assign dir[i] = {NumLanes{flit_i[i].dir}};
  end
  always_ff @(posedge clk_i) ready_q_o <= rst_i ? '0 : ready_i;

  whole_message #(
      .mark_t(dir_e),
      .Count (NumLanes * NumDirs),
      .Assume(1'b1)
  ) u_arriving (
      .clk_i,
      .rst_i,
      .offered_i(valid_i),
      .taken_i(taken_o),
      .last_i(last),
      .mark_i(dir),
      .inside_o(arriving_o),
      .mark_o(arriving_dir_o)
  );

  always_comb begin
    assume ((valid_i[DirLocal] >> 1) == '0);
    for (int unsigned i = 0; i < NumDirs; i++) begin
      if (Ports[i])
        assume (is_good(Ports, i, flit_i[i]));
        else assume (valid_i[i] == '0);
      assume ($onehot0(valid_i[i]));
      if (started_i && i != int'(DirLocal)) assume ((valid_i[i] & ~ready_q_o[i]) == '0);
    end
  end

endmodule

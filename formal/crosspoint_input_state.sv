// SPDX-License-Identifier: Apache-2.0
// In every crosspoint_input: the flits of a message enter one queue, if it may not be dropped; the
// local input takes a flit only if its queue has room. `state` is for the proofs of its users.
module crosspoint_input_state
  import noc_pkg::*;
#(
    parameter int unsigned Input = 0,  // dir_e
    parameter bit Lossless = 1,
    parameter logic [NumDirs-1:0] Queues = '1,
    parameter int unsigned Depth = 4,
    localparam type level_t = logic [$clog2(Depth):0]
) (
    input logic clk_i,
    input logic first_i,
    input logic [NumDirs-1:0] choice_i,
    input logic [NumDirs-1:0] open_i,  // queues that a flit may enter
    input level_t [NumDirs-1:0] level_i
);

  typedef struct packed {
    logic first;  // the next flit is a message's first
    logic [NumDirs-1:0] choice;  // otherwise: the queue of the message
  } state_t;
  wire state_t state = '{first: first_i, choice: choice_i};

  logic started_q = 1'b0;  // a reset has occurred
  always_ff @(posedge clk_i) started_q <= 1'b1;

  always_comb begin
    if (started_q && Lossless && ~first_i) begin
      assert ($onehot(choice_i) && (choice_i & ~Queues) == '0);
    end
    if (started_q && Lossless && Input == int'(DirLocal)) begin
      for (int unsigned c = 0; c < NumDirs; c++) begin
        if (open_i[c]) assert (32'(level_i[c]) < Depth);
      end
    end
  end

endmodule

bind crosspoint_input crosspoint_input_state #(
    .Input(Input),
    .Lossless(Lossless),
    .Queues(Queues),
    .Depth(Depth)
) u_state (
    .clk_i,
    .first_i (first),
    .choice_i(choice_q),
    .open_i  (open),
    .level_i
);

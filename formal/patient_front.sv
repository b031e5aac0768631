// SPDX-License-Identifier: Apache-2.0
// A front of router_virtual_channels that is next at its input, since its patience is exhausted:
// while it waits and has room, each other input starts at most one message at its output, and its
// own input none.
module patient_front
  import noc_pkg::*;
(
    input logic clk_i,
    input logic rst_i,
    input logic started_i,
    input logic [2:0] watched_i,  // its input
    input logic is_next_i,
    input logic waits_i,  // it is next, has room, and is not sent
    input logic [NumDirs-1:0] starts_i,  // inputs whose messages start at its output
    input logic [NumDirs-1:0][NumDirs-1:0] precedes_i  // the order of that output's arbiter
);

  wire [NumDirs-1:0] overtakes = waits_i ? starts_i : '0;
  logic [NumDirs-1:0][1:0] overtaken_q;  // messages of each input that have overtaken it
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumDirs; i++) begin
      if (rst_i | ~waits_i) overtaken_q[i] <= '0;
      else overtaken_q[i] <= overtaken_q[i] + 2'(overtakes[i]);
    end
  end

  always_comb begin
    if (started_i) begin
      if (~rst_i) assert (~overtakes[watched_i]);
      for (int unsigned i = 0; i < NumDirs; i++) begin
        assert (overtaken_q[i] <= 2'd1);
        if (overtaken_q[i] != '0) begin
          assert (is_next_i && i != 32'(watched_i));
          assert (precedes_i[watched_i][i]);
        end
      end
    end
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// Broadcast of words among the members of a group: one word at a time, received by all in the same
// cycle.
//
// A member offers a word until it need not wait; members take turns.
// Latency: 1 cycle. Throughput: one word per cycle.
module broadcast #(
    parameter int unsigned NumMembers = 4,
    parameter int unsigned Width = 37
) (
    input logic clk_i,
    input logic rst_i,

    input logic [NumMembers-1:0] offer_i,
    input logic [NumMembers-1:0][Width-1:0] word_i,
    output logic [NumMembers-1:0] wait_o,

    output logic given_o,
    output logic [Width-1:0] got_o
);

  if (NumMembers < 2 || NumMembers > 256) begin : gen_bad_members
    $error("broadcast: NumMembers must be 2 to 256");
  end
  if (Width < 1) begin : gen_bad_width
    $error("broadcast: Width must be at least 1");
  end

  logic [$clog2(NumMembers)-1:0] last_q, grant;
  logic [NumMembers-1:0] wins;
  round_robin #(
      .NumInputs(NumMembers)
  ) u_turn (
      .last_i(last_q),
      .request_i(offer_i),
      .grant_o(grant),
      .wins_o(wins)
  );
  assign wait_o = ~wins;
  always_ff @(posedge clk_i) begin
    last_q  <= rst_i ? '0 : grant;
    given_o <= |offer_i & ~rst_i;
    got_o   <= word_i[grant];
  end

endmodule

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

  typedef logic [NumMembers-1:0] members_t;

  // The first member that offers a word, of those behind the last one if any of these does. By
  // masks, since round_robin grows with the cube of its inputs.
  members_t behind_q;  // the members behind the last one that was received
  wire members_t later = offer_i & behind_q;
  wire any_later = |later;
  members_t earlier, earlier_later;  // a member before this one offers a word, also one of these
  members_t grant;
  assign wait_o = ~grant;

  logic [Width-1:0] word;
  always_comb begin
    word = '0;
    for (int unsigned n = 0; n < NumMembers; n++) begin
      earlier[n] = |(offer_i & ((members_t'(1) << n) - 1'b1));
      earlier_later[n] = |(later & ((members_t'(1) << n) - 1'b1));
      grant[n] = any_later ? later[n] & ~earlier_later[n] : offer_i[n] & ~earlier[n];
      word |= word_i[n] & {Width{grant[n]}};
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) behind_q <= '1;
    else if (|offer_i) behind_q <= any_later ? earlier_later : earlier;
    given_o <= |offer_i & ~rst_i;
    got_o   <= word;
  end

endmodule

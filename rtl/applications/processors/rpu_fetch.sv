// SPDX-License-Identifier: Apache-2.0
// Fetches instructions: the program counter and a branch target buffer.
//
// The memory outputs the instruction at pc_o in the same cycle as pc_o. An entry of the buffer
// holds a taken branch and its target; after a branch with an entry, the target is fetched without
// a gap. The prediction may be wrong: the core compares pc_o with the correct address and
// redirects.
`include "bombus_assert.svh"

module rpu_fetch #(
    parameter int unsigned CodeBytes = 16384,
    parameter int unsigned NumTargets = 4,
    localparam int unsigned PcWidth = $clog2(CodeBytes)
) (
    input logic clk_i,
    input logic rst_i,

    input logic advance_i,  // the instruction at pc_o is taken
    input logic redirect_i,  // continue at target_i instead
    input logic [31:2] target_i,

    // The branch at source_i was taken, to target_i (taken_i), or was not taken despite the guess.
    input logic learn_i,
    input logic taken_i,
    input logic [31:2] source_i,
    input logic [NumTargets-1:0] guess_i,  // guess_o when it was fetched

    output logic [31:2] pc_o,
    output logic [31:2] next_o,  // without a branch
    output logic [NumTargets-1:0] guess_o,  // the entries that match

    output logic code_enable_o,
    output logic [PcWidth-1:2] code_addr_o
);

  if (NumTargets < 2 || NumTargets > 16) begin : gen_bad_targets
    $error("rpu_fetch: NumTargets must be 2 to 16");
  end
  if (CodeBytes < 64 || CodeBytes > 1048576 || CodeBytes != 2 ** PcWidth) begin : gen_bad_code
    $error("rpu_fetch: CodeBytes must be a power of two, 64 to 1048576");
  end

  // Entries hold only the lower bits of an address: another branch with the same bits is
  // mispredicted.
  localparam int unsigned TagWidth = PcWidth < 11 ? PcWidth : 11;
  typedef logic [PcWidth-1:2] place_t;
  typedef logic [TagWidth-1:2] tag_t;

  logic [NumTargets-1:0] known_q, victim_q;
  tag_t   source_q[NumTargets];
  place_t target_q[NumTargets];

  place_t guessed;
  always_comb begin
    guessed = '0;
    for (int unsigned t = 0; t < NumTargets; t++) begin
      guess_o[t] = known_q[t] & source_q[t] == pc_o[TagWidth-1:2];
      guessed |= target_q[t] & {$bits(place_t) {guess_o[t]}};
    end
  end

  assign next_o = pc_o + 30'd1;
  logic [31:2] following;
  assign following = redirect_i ? target_i : |guess_o ? 30'(guessed) : next_o;
  assign code_enable_o = advance_i | redirect_i;
  assign code_addr_o = following[PcWidth-1:2];

  always_ff @(posedge clk_i) if (code_enable_o) pc_o <= following;

  wire [NumTargets-1:0] chosen = |guess_i ? guess_i : victim_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      known_q  <= '0;
      victim_q <= NumTargets'(1);
    end else if (learn_i) begin
      known_q <= taken_i ? known_q | chosen : known_q & ~guess_i;
      if (~|guess_i) victim_q <= {victim_q[NumTargets-2:0], victim_q[NumTargets-1]};
    end
  end
  for (genvar t = 0; t < NumTargets; t++) begin : gen_entry
    always_ff @(posedge clk_i) begin
      if (learn_i & taken_i & chosen[t]) begin
        source_q[t] <= source_i[TagWidth-1:2];
        target_q[t] <= target_i[PcWidth-1:2];
      end
    end
  end

  `BOMBUS_ASSERT(OneVictim, $onehot(victim_q))

endmodule

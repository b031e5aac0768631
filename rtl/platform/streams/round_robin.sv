// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter: grants the first request after the last winner, which has the lowest
// priority. Without a request the last winner stays. Combinational.
//
// wins_o[n] does not depend on request_i[n], so a late request does not delay it.
module round_robin #(
    parameter int unsigned NumInputs = 4,
    localparam type sel_t = logic [$clog2(NumInputs)-1:0]
) (
    input  sel_t                 last_i,     // last winner
    input  logic [NumInputs-1:0] request_i,
    output sel_t                 grant_o,
    output logic [NumInputs-1:0] wins_o      // bit n: input n is granted if it requests
);

  if (NumInputs < 2) begin : gen_bad_inputs
    $error("round_robin: NumInputs must be at least 2");
  end

  // Computes the choice for every possible last winner: last_i + k modulo a number that is not a
  // power of two would need dividers.
  sel_t [2**$clog2(NumInputs)-1:0] choice;
  always_comb begin
    for (int unsigned last = 0; last < 2 ** $clog2(NumInputs); last++) begin
      choice[last] = sel_t'(last);
      for (int unsigned k = NumInputs; k > 0; k--) begin
        if (request_i[(last+k)%NumInputs]) choice[last] = sel_t'((last + k) % NumInputs);
      end
    end
  end
  assign grant_o = choice[last_i];

  always_comb begin
    wins_o = '1;
    for (int unsigned last = 0; last < NumInputs; last++) begin
      for (int unsigned n = 0; n < NumInputs; n++) begin
        for (int unsigned rival = 0; rival < NumInputs; rival++) begin
          if ((rival + NumInputs - last - 1) % NumInputs <
              (n + NumInputs - last - 1) % NumInputs) begin
            if (last_i == sel_t'(last) && request_i[rival]) wins_o[n] = 1'b0;
          end
        end
      end
    end
  end

endmodule

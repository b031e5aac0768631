// SPDX-License-Identifier: Apache-2.0
// The first of NumRules rules that matches, in two steps: the first one of each four rules, then
// the first of these.
//
// Latency: 2 cycles. Throughput: one look-up per cycle.
module acl_first #(
    parameter  int unsigned NumRules = 512,
    localparam type         index_t  = logic [$clog2(NumRules)-1:0]
) (
    input logic clk_i,

    input  logic   [NumRules-1:0] matches_i,
    input  logic                  loaded_i,   // a cycle later: there are rules
    output logic                  any_o,
    output index_t                index_o     // with any_o
);

  localparam int unsigned GroupRules = 4;
  localparam int unsigned NumGroups = NumRules / GroupRules;
  logic [NumGroups-1:0] any_d, any_q;
  logic [NumGroups-1:0][$clog2(GroupRules)-1:0] index_d, index_q;
  for (genvar g = 0; g < NumGroups; g++) begin : gen_group
    first_set #(
        .NumBits(GroupRules)
    ) u_first (
        .bits_i (matches_i[GroupRules*g+:GroupRules]),
        .below_i('0),
        .any_o  (any_d[g]),
        .index_o(index_d[g])
    );
  end
  logic   any;
  index_t index;
  first_set #(
      .NumBits(NumGroups),
      .BelowWidth($clog2(GroupRules))
  ) u_first (
      .bits_i (any_q),
      .below_i(index_q),
      .any_o  (any),
      .index_o(index)
  );
  always_ff @(posedge clk_i) begin
    any_q   <= any_d;
    index_q <= index_d;
    any_o   <= any & loaded_i;
    index_o <= index;
  end

endmodule

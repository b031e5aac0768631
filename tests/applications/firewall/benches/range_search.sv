// SPDX-License-Identifier: Apache-2.0
// range_search. In: keys; boundaries to write, each with its number above. Out: the number of the
// range, the key, whether it is covered. Control: number of boundaries in use; bit 31: they are in the
// upper half.
`include "bench.svh"

module bench #(
    parameter int unsigned Stages = 5
) (
    `BENCH_PORTS(2, 64, 1, 64, 32, 1)
);

  `BENCH_SHAPE

  logic valid, covered;
  logic [Stages-1:0] range;
  logic [31:0] key;
  range_search #(
      .Stages(Stages),
      .tag_t (logic [31:0])
  ) u_search (
      .clk_i,
      .rst_i,
      .valid_i(in_valid_i[0]),
      .key_i(in_i[0][31:0]),
      .tag_i(in_i[0][31:0]),
      .valid_o(valid),
      .covered_o(covered),
      .range_o(range),
      .tag_o(key),
      .write_i(in_valid_i[1]),
      .write_index_i(in_i[1][32+:Stages]),
      .write_boundary_i(in_i[1][31:0]),
      .count_i(control_i[Stages-1:0]),
      .upper_i(control_i[31])
  );
  assign in_ready_o  = '1;
  assign out_valid_o = valid;
  assign out_o[0]    = {14'd0, 17'(range), key, covered};
  assign event_o     = '0;
  assign status_o    = valid;

endmodule

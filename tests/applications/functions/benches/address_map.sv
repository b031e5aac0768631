// SPDX-License-Identifier: Apache-2.0
// address_map. In: addresses to look up; accesses, from the top: write, index (16), valid, address
// before, address after. Out: whether it is found, and what it becomes; what an access reads, below
// whether the one before was refused. A look-up has its answer in the cycle after.
`include "bench.svh"

module bench #(
    parameter int unsigned NumEntries = 16
) (
    `BENCH_PORTS(2, 82, 2, 66, 1, 1)
);

  `BENCH_SHAPE

  logic hit, done, rdata_valid, refused, look_q;
  logic [31:0] to, rdata_from, rdata_to;
  address_map #(
      .NumEntries(NumEntries)
  ) u_map (
      .clk_i,
      .rst_i,
      .read_i(in_valid_i[0]),
      .from_i(in_i[0][31:0]),
      .hit_o(hit),
      .to_o(to),
      .request_i(in_valid_i[1]),
      .write_i(in_i[1][81]),
      .index_i(in_i[1][65+:$clog2(NumEntries)]),
      .wdata_valid_i(in_i[1][64]),
      .wdata_from_i(in_i[1][63:32]),
      .wdata_to_i(in_i[1][31:0]),
      .done_o(done),
      .rdata_valid_o(rdata_valid),
      .rdata_from_o(rdata_from),
      .rdata_to_o(rdata_to),
      .refused_o(refused)
  );

  logic [65:0] read_q;
  logic done_q;
  always_ff @(posedge clk_i) begin
    look_q <= in_valid_i[0] & ~rst_i;
    done_q <= done & ~rst_i;
    read_q <= {1'b0, rdata_valid, rdata_from, rdata_to};
  end
  assign in_ready_o = {done, 1'b1};
  assign out_valid_o = {done_q, look_q};
  assign out_o[0] = {33'd0, hit, to};
  assign out_o[1] = {refused, read_q[64:0]};
  assign event_o = '0;
  assign status_o = in_valid_i[1];

endmodule

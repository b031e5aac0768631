// SPDX-License-Identifier: Apache-2.0
// One's complement sum of a MAC port's IP address and a constant: the host's part of a header
// checksum or pseudo-header.
//
// Latency: 2 cycles after a change of host_i, 0 after one of port_i.
module host_sum
  import bombus_pkg::*;
#(
    parameter int unsigned NumMacPorts = 1,
    parameter logic [15:0] Constant = '0
) (
    input logic clk_i,
    input host_t [NumMacPorts-1:0] host_i,
    input mac_port_t port_i,
    output ones_pkg::word_t sum_o
);

  if (NumMacPorts < 1 || NumMacPorts > MaxMacPorts) begin : gen_bad_count
    $error("NumMacPorts must be from 1 to MaxMacPorts");
  end

  logic [NumMacPorts-1:0][17:0] unfolded_q;
  ones_pkg::word_t [NumMacPorts-1:0] sums_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumMacPorts; p++) begin
      unfolded_q[p] <= 18'(host_i[p].ip[31:16]) + 18'(host_i[p].ip[15:0]) + 18'(Constant);
      sums_q[p] <= csum_add(unfolded_q[p][15:0], {14'b0, unfolded_q[p][17:16]});
    end
  end

  by_mac_port #(
      .data_t(ones_pkg::word_t),
      .NumMacPorts(NumMacPorts)
  ) u_sum (
      .all_i(sums_q),
      .port_i,
      .one_o(sum_o)
  );

endmodule

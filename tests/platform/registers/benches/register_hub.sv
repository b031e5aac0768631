// SPDX-License-Identifier: Apache-2.0
// The hub with two masters, which write, and a target that responds in the next cycle.
//
// Streams in: `more` of the requests of each master. Stream out: the master of each request.
// Control: the target does not respond.
`include "bench.svh"

module bench (
    `BENCH_PORTS(2, 1, 1, 1, 1, 1)
);

  `BENCH_SHAPE

  bombus_pkg::register_request_t [1:0] request;
  logic [31:0] unused_response, wdata;
  logic [1:0] unused_valid;
  logic target_valid, responds_q, unused_write, unused_busy;
  logic [11:0] unused_addr;
  always_comb begin
    for (int unsigned n = 0; n < 2; n++) begin
      request[n] = '{more: in_i[n][0], write: 1'b1, address: '0, wdata: n};
    end
  end
  register_hub #(
      .NumMasters(2),
      .NumTargets(1)
  ) u_hub (
      .clk_i,
      .rst_i,
      .request_i(request),
      .request_valid_i(in_valid_i),
      .request_ready_o(in_ready_o),
      .response_o(unused_response),
      .response_valid_o(unused_valid),
      .response_ready_i('1),
      .target_valid_o(target_valid),
      .target_write_o(unused_write),
      .target_addr_o(unused_addr),
      .target_wdata_o(wdata),
      .target_ready_i(responds_q),
      .target_rdata_i('0),
      .busy_o(unused_busy)
  );
  always_ff @(posedge clk_i) responds_q <= target_valid & ~control_i[0] & ~rst_i;

  assign out_valid_o = target_valid;
  assign out_o = 8'(wdata);
  assign status_o = 1'b0;
  assign event_o = '0;

endmodule

// SPDX-License-Identifier: Apache-2.0
// acl_sent. In: beats. Out: beats; reports. Control: the time. Events: reported, unreported.
`include "bombus_types.svh"
`include "bench.svh"

module bench #(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned FirstServerPort = 1,
    parameter int unsigned LastServerPort = 0,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(DataWidth)
) (
    `BENCH_PORTS(1, BeatBits, 2, BeatBits, 32, 1)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)

  logic [1:0] events;
  beat_t flow;
  assign out_o[1] = $bits(out_o[1])'(flow.meta[$bits(acl_pkg::acl_flow_meta_t)-1:0]);
  acl_sent #(
      .beat_t(beat_t),
      .FirstServerPort(FirstServerPort),
      .LastServerPort(LastServerPort)
  ) u_sent (
      .clk_i,
      .rst_i,
      .time_us_i(control_i),
      .in_i(in_i[0][BeatBits-1:0]),
      .in_valid_i(in_valid_i[0]),
      .in_ready_o(in_ready_o[0]),
      .out_o(out_o[0][BeatBits-1:0]),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .flow_o(flow),
      .flow_valid_o(out_valid_o[1]),
      .flow_ready_i(out_ready_i[1]),
      .event_o(events),
      .busy_o(status_o)
  );
  assign event_o = 64'(events);

endmodule

// SPDX-License-Identifier: Apache-2.0
// A compiled layer of the name `model`. In: beats. Out: beats. Events: 2 drops, 4 events; bit 8:
// busy.
`include "bombus_types.svh"
`include "bench.svh"

module bench #(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned Copies = 1,
    parameter int unsigned MaxReplyBytes = 1472,
    parameter bit Float = 0,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(DataWidth)
) (
    `BENCH_PORTS(1, BeatBits, 1, BeatBits, 1, 1)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)

  beat_t out;
  logic  busy;
  model #(
      .beat_t(beat_t),
      .Copies(Copies),
      .Float(Float),
      .MaxReplyBytes(MaxReplyBytes)
  ) u_layer (
      .clk_i,
      .rst_i,
      .in_i(beat_t'(in_i[0])),
      .in_valid_i(in_valid_i[0]),
      .in_ready_o(in_ready_o[0]),
      .out_o(out),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .drop_o(event_o[1:0]),
      .drop_message_o(),
      .event_o(event_o[5:2]),
      .busy_o(busy)
  );
  assign out_o[0] = $bits(out_o[0])'(out);
  assign event_o[63:6] = '0;
  assign status_o = busy ^ (control_i & 1'b0);

endmodule

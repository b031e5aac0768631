// SPDX-License-Identifier: Apache-2.0
// An item in: reasons, next hop, beat; out: next hop, beat.
`include "bombus_types.svh"
`include "bench.svh"

module bench #(
    parameter bit CutsReady = 0,
    parameter int unsigned DataWidth = 64,
    localparam int unsigned NumDrops = 3,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(DataWidth)
) (
    `BENCH_PORTS(1, BeatBits + 5 + NumDrops, 1, BeatBits + 5, 1, 1)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)

  beat_t beat_in, beat_out;
  logic [NumDrops-1:0] reasons, drops;
  logic [4:0] next_in;
  logic [4:0] next_out;
  logic first_q;
  assign {reasons, next_in, beat_in} = in_i[0];
  assign out_o[0] = {next_out, beat_out};

  always_ff @(posedge clk_i) begin
    if (rst_i) first_q <= 1'b1;
    else if (in_valid_i[0] & in_ready_o[0]) first_q <= beat_in.last;
  end

  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .NextWidth(5),
      .CutsReady(CutsReady)
  ) u_register (
      .clk_i,
      .rst_i,
      .in_i(beat_in),
      .in_valid_i(in_valid_i[0]),
      .in_ready_o(in_ready_o[0]),
      .in_first_i(first_q),
      .in_next_i(next_in),
      .in_drop_i(reasons),
      .out_o(beat_out),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .out_next_o(next_out),
      .drop_o(drops)
  );

  assign status_o = control_i;
  assign event_o  = 64'(drops);

endmodule

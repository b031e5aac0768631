// SPDX-License-Identifier: Apache-2.0
// Merges of 1 to 5 inputs, side by side: inputs 0; 1, 2; 3, 4, 5; ... An item
// out: selected, beat.
`include "bombus_types.svh"
`include "bench.svh"

module bench #(
    localparam int unsigned DataWidth  = 64,
    localparam int unsigned MaxInputs  = 5,
    localparam int unsigned NumStreams = MaxInputs * (MaxInputs + 1) / 2,
    localparam int unsigned BeatBits   = bench_pkg::beat_bits(DataWidth)
) (
    `BENCH_PORTS(NumStreams, BeatBits, MaxInputs, BeatBits + MaxInputs, 1, 1)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)

  for (genvar n = 1; n <= MaxInputs; n++) begin : gen_merge
    localparam int unsigned First = n * (n - 1) / 2;
    beat_t [n-1:0] beats;
    beat_t merged;
    logic [n-1:0] selected;
    for (genvar k = 0; k < n; k++) begin : gen_input
      assign beats[k] = beat_t'(in_i[First+k]);
    end
    assign out_o[n-1] = {selected, merged};
    stream_merge #(
        .beat_t(beat_t),
        .NumInputs(n)
    ) u_merge (
        .clk_i,
        .rst_i,
        .in_i(beats),
        .in_valid_i(in_valid_i[First+:n]),
        .in_ready_o(in_ready_o[First+:n]),
        .out_o(merged),
        .out_valid_o(out_valid_o[n-1]),
        .out_ready_i({n{out_ready_i[n-1]}}),
        .selected_o(selected)
    );
  end

  assign status_o = control_i;
  assign event_o  = '0;

endmodule

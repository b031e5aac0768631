// SPDX-License-Identifier: Apache-2.0
// All data widths, side by side. An item in: beat; out: options_t, beat. Events: 16
// of each width (drop).
`include "bombus_types.svh"
`include "bench.svh"

module bench #(
    localparam int unsigned NumWidths = 4,
    localparam int unsigned BeatBits  = bench_pkg::beat_bits(512)
) (
    `BENCH_PORTS(NumWidths, BeatBits, NumWidths, BeatBits + 3, 1, NumWidths)
);

  `BENCH_SHAPE

  for (genvar n = 0; n < NumWidths; n++) begin : gen_width
    `BOMBUS_BEAT_T(beat_t, 64 << n)
    beat_t beat;
    ipv4_pkg::options_t options;
    assign out_o[n] = {options, beat};
    ipv4_options #(
        .beat_t(beat_t)
    ) u_options (
        .clk_i,
        .rst_i,
        .in_i(beat_t'(in_i[n])),
        .in_message_i('0),
        .in_valid_i(in_valid_i[n]),
        .out_o(beat),
        .out_message_o(),
        .out_options_o(options),
        .out_valid_o(out_valid_o[n]),
        .out_ready_i(out_ready_i[n]),
        .drop_o(event_o[16*n]),
        .drop_message_o(),
        .busy_o(status_o[n])
    );
    assign event_o[16*n+1+:15] = '0;
  end

  assign in_ready_o = '1;

endmodule

// SPDX-License-Identifier: Apache-2.0
// Strips of many header lengths, side by side. An item in: keep, beat; out:
// header, first, beat.
`include "bombus_types.svh"
`include "bench.svh"

module bench #(
    parameter  int unsigned DataWidth  = 64,
    localparam int unsigned NumLengths = 12,
    localparam int unsigned MaxLength  = 64,
    localparam int unsigned BeatBits   = bench_pkg::beat_bits(DataWidth)
) (
    `BENCH_PORTS(NumLengths, BeatBits + 1, NumLengths, BeatBits + 1 + 8 * MaxLength, 1, 1)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)

  localparam int unsigned Lengths[NumLengths] = '{2, 4, 6, 8, 12, 14, 16, 20, 24, 28, 32, 64};

  for (genvar n = 0; n < NumLengths; n++) begin : gen_length
    beat_t beat_in, beat_out;
    logic keep, first;
    logic [Lengths[n]*8-1:0] header;
    assign {keep, beat_in} = in_i[n];
    assign out_o[n] = {header, first, beat_out};
    strip #(
        .beat_t(beat_t),
        .HeaderBytes(Lengths[n])
    ) u_strip (
        .clk_i,
        .rst_i,
        .in_i(beat_in),
        .in_valid_i(in_valid_i[n]),
        .in_ready_o(in_ready_o[n]),
        .keep_i(keep),
        .out_o(beat_out),
        .out_valid_o(out_valid_o[n]),
        .out_ready_i(out_ready_i[n]),
        .out_first_o(first),
        .header_o(header)
    );
  end

  assign status_o = control_i;
  assign event_o  = '0;

endmodule

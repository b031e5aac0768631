// All data widths, side by side. An item in: words, beat; out: sum, first, beat.
`include "bombus_types.svh"
`include "bench.svh"

module bench #(
    localparam int unsigned NumWidths = 4,
    localparam int unsigned BeatBits  = bench_pkg::beat_bits(512)
) (
    `BENCH_PORTS(NumWidths, BeatBits + 4, NumWidths, BeatBits + 22, 1, NumWidths)
);

  `BENCH_SHAPE

  for (genvar n = 0; n < NumWidths; n++) begin : gen_width
    `BOMBUS_BEAT_T(beat_t, 64 << n)
    beat_t beat_in, beat_out;
    logic [3:0] words;
    logic [20:0] sum;
    logic first;
    assign {words, beat_in} = in_i[n];
    assign out_o[n] = {first ? sum : 21'b0, first, beat_out};
    ipv4_options #(
        .beat_t(beat_t)
    ) u_options (
        .clk_i,
        .rst_i,
        .in_i(beat_in),
        .in_valid_i(in_valid_i[n]),
        .in_ready_o(in_ready_o[n]),
        .words_i(words),
        .out_o(beat_out),
        .out_valid_o(out_valid_o[n]),
        .out_ready_i(out_ready_i[n]),
        .out_first_o(first),
        .sum_o(sum),
        .busy_o(status_o[n])
    );
  end

  assign event_o = '0;

endmodule

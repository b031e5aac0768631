// SPDX-License-Identifier: Apache-2.0
// All data widths, side by side. An item in: beat; out: tlast, tkeep, tdata. The
// second half of the streams out: counted bytes of the frames. Events: 8 of each
// width (drop, frame).
`include "bombus_types.svh"
`include "bench.svh"

module bench #(
    parameter bit DropsWhenFull = 1'b0,
    localparam int unsigned NumWidths = 4,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(512)
) (
    `BENCH_PORTS(NumWidths, BeatBits, 2 * NumWidths, 512 + 64 + 1, 1, NumWidths)
);

  `BENCH_SHAPE

  for (genvar n = 0; n < NumWidths; n++) begin : gen_width
    localparam int unsigned Width = 64 << n;
    `BOMBUS_BEAT_T(beat_t, Width)
    logic [  Width-1:0] data;
    logic [Width/8-1:0] keep;
    logic last, message, message_q;
    logic [1:0] drop;
    logic [13:0] bytes, bytes_q;

    mac_tx #(
        .beat_t(beat_t),
        .DropsWhenFull(DropsWhenFull),
        .DataWidth(Width)
    ) u_mac (
        .clk_i,
        .rst_i,
        .in_i(beat_t'(in_i[n])),
        .in_valid_i(in_valid_i[n]),
        .in_ready_o(in_ready_o[n]),
        .mac_tx_tdata_o(data),
        .mac_tx_tkeep_o(keep),
        .mac_tx_tvalid_o(out_valid_o[n]),
        .mac_tx_tready_i(out_ready_i[n]),
        .mac_tx_tlast_o(last),
        .drop_o(drop),
        .drop_message_o(),
        .mac_message_o(message),
        .mac_bytes_o(bytes),
        .busy_o(status_o[n]),
        .waits_o()
    );

    always_ff @(posedge clk_i) begin
      message_q <= message & ~rst_i;
      bytes_q   <= bytes;
    end
    assign out_o[n] = {last, keep, data};
    assign out_o[NumWidths+n] = bytes_q;
    assign out_valid_o[NumWidths+n] = message_q;
    assign event_o[8*n+:8] = {5'b0, drop[1], message, drop[0]};
  end
  assign event_o[63:8*NumWidths] = '0;

endmodule

// SPDX-License-Identifier: Apache-2.0
// eth_tx at two data widths side by side, with time that passes in steps.
//
// Control: tick. An item in: beat; out: next hop, beat. Status: time. Events: 16 of
// each width (8 drops, 8 events).
`include "bombus_types.svh"
`include "bench.svh"

module eth_tx_at_width
  import bombus_pkg::*;
#(
    parameter  int unsigned DataWidth = 64,
    localparam int unsigned BeatBits  = bench_pkg::beat_bits(DataWidth)
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    input logic [BeatBits-1:0] item_i,
    input logic in_valid_i,
    output logic in_ready_o,
    output logic [BeatBits+4:0] item_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output logic [15:0] counted_o
);

  `BOMBUS_BEAT_T(beat_t, DataWidth)

  beat_t in_i, out_o;
  logic out_next_o;
  logic [2:0] drop_o;
  logic [5:0] event_o;
  logic busy_o, timer_o;
  // As in test_layers.py.
  wire host_t host_i =
  '{mac: 48'h020000000001, ip: 32'h0A000001, netmask: 32'hFFFFFF00, gateway: 32'h0A0000FE}
  ;

  eth_tx #(.beat_t(beat_t)) u_layer (.*);

  assign in_i = item_i;
  assign item_o = {5'(out_next_o), out_o};
  assign counted_o = {8'(event_o), 8'(drop_o)};

endmodule

module bench #(
    localparam int unsigned BeatBits = bench_pkg::beat_bits(512)
) (
    `BENCH_PORTS(2, BeatBits, 2, BeatBits + 5, 16, 32)
);

  `BENCH_SHAPE

  timebase u_timebase (
      .clk_i,
      .rst_i,
      .tick_us_i(control_i),
      .time_us_o(status_o)
  );

  for (genvar n = 0; n < 2; n++) begin : gen_width
    eth_tx_at_width #(
        .DataWidth(n == 0 ? 64 : 512)
    ) u_layer (
        .clk_i,
        .rst_i,
        .time_us_i(status_o),
        .item_i(in_i[n]),
        .in_valid_i(in_valid_i[n]),
        .in_ready_o(in_ready_o[n]),
        .item_o(out_o[n]),
        .out_valid_o(out_valid_o[n]),
        .out_ready_i(out_ready_i[n]),
        .counted_o(event_o[16*n+:16])
    );
  end

  assign event_o[63:32] = '0;

endmodule

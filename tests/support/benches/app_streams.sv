// SPDX-License-Identifier: Apache-2.0
// An application layer, whose other side may be AXI-Streams (tcp_host, tcp_stream, udp_stream).
//
// Macros: LAYER, its instance, whose AXI-Streams are rx, out of the layer, and tx; NUM_EVENTS, the
// width of event_o; NUM_DROPS, that of drop_o, if it has one; META_T, the type of the metadata; AXI, READ, REQUEST and TIMER, if it has
// AXI-Streams, reads, requests, timer_o.
// Control: microseconds that pass in a cycle. Streams in: beats, AXI; out: beats, AXI, reads,
// requests. An item of an AXI-Stream, from bit 0 on: tdata, tkeep, tlast, tuser. Status: busy_o,
// timer_o.
`include "bombus_types.svh"
`include "bench.svh"

module app_layer
  import bombus_pkg::*;
#(
    parameter  int unsigned DataWidth = 64,
    localparam int unsigned KeepWidth = DataWidth / 8,
    localparam int unsigned UserWidth = 256,
    localparam int unsigned ItemBits  = DataWidth + KeepWidth + 1 + UserWidth
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    input logic [1:0][ItemBits-1:0] items_i,
    input logic [1:0] items_valid_i,
    output logic [1:0] items_ready_o,
    output logic [3:0][ItemBits-1:0] items_o,
    output logic [3:0] items_valid_o,
    input logic [3:0] items_ready_i,
    output logic [1:0] status_o,
    output logic [15:0] counted_o
);

  `BOMBUS_BEAT_T(beat_t, DataWidth, `META_T)
  `BOMBUS_BEAT_T(small_beat_t, 64, `META_T)
  typedef struct packed {
    logic [UserWidth-1:0] user;
    logic last;
    logic [KeepWidth-1:0] keep;
    logic [DataWidth-1:0] data;
  } axi_t;

  axi_t rx, tx;
  logic rx_valid, rx_ready, tx_valid, tx_ready;
  beat_t in_i, out_o;
  logic in_valid_i, in_ready_o, out_valid_o, out_ready_i;
  small_beat_t read_o, request_o;
  logic read_valid_o, read_ready_i, request_valid_o, request_ready_i;
  logic [`NUM_EVENTS-1:0] event_o;
  logic busy_o, timer_o;

  assign in_i = items_i[0][$bits(beat_t)-1:0];
  assign tx = items_i[1];
  assign {tx_valid, in_valid_i} = items_valid_i;
  assign items_ready_o = {tx_ready, in_ready_o};
  assign items_o[0] = ItemBits'(out_o);
  assign items_o[1] = rx;
  assign {rx_ready, out_ready_i} = items_ready_i[1:0];
  assign items_valid_o[1:0] = {rx_valid, out_valid_o};
`ifdef NUM_DROPS
  logic [`NUM_DROPS-1:0] drop_o;
  assign counted_o = 16'({drop_o, event_o});
`else
  assign counted_o = 16'(event_o);
`endif

`ifndef AXI
  assign rx = '0;
  assign rx_valid = 1'b0;
  assign tx_ready = 1'b0;
`endif
`ifdef READ
  assign items_o[2] = ItemBits'(read_o);
  assign items_valid_o[2] = read_valid_o;
  assign read_ready_i = items_ready_i[2];
`else
  assign items_o[2] = '0;
  assign items_valid_o[2] = 1'b0;
`endif
`ifdef REQUEST
  assign items_o[3] = ItemBits'(request_o);
  assign items_valid_o[3] = request_valid_o;
  assign request_ready_i = items_ready_i[3];
`else
  assign items_o[3] = '0;
  assign items_valid_o[3] = 1'b0;
`endif
`ifdef TIMER
  assign status_o = {timer_o, busy_o};
`else
  assign status_o = {1'b0, busy_o};
`endif

  `LAYER

endmodule

module bench #(
    parameter  int unsigned DataWidth = 64,
    localparam int unsigned ItemBits  = DataWidth + DataWidth / 8 + 257
) (
    `BENCH_PORTS(2, ItemBits, 4, ItemBits, 16, 2)
);

  `BENCH_SHAPE

  logic [31:0] time_us;
  timebase u_timebase (
      .clk_i,
      .rst_i,
      .tick_us_i(control_i),
      .time_us_o(time_us)
  );

  logic [1:0][ItemBits-1:0] items_in;
  logic [3:0][ItemBits-1:0] items_out;
  for (genvar n = 0; n < 2; n++) begin : gen_in
    assign items_in[n] = in_i[n][ItemBits-1:0];
  end
  for (genvar n = 0; n < 4; n++) begin : gen_out
    assign out_o[n] = $bits(out_o[n])'(items_out[n]);
  end

  app_layer #(
      .DataWidth(DataWidth)
  ) u_app (
      .clk_i,
      .rst_i,
      .time_us_i(time_us),
      .items_i(items_in),
      .items_valid_i(in_valid_i),
      .items_ready_o(in_ready_o),
      .items_o(items_out),
      .items_valid_o(out_valid_o),
      .items_ready_i(out_ready_i),
      .status_o,
      .counted_o(event_o[15:0])
  );
  assign event_o[63:16] = '0;

endmodule

// SPDX-License-Identifier: Apache-2.0
// Any layer with a stream in and a stream out, at several data widths side by side: FirstWidth
// bits, then each WidthRatio times the previous one.
//
// Macros: LAYER, its instance, connected by name, so that missing ports are left unconnected;
// NUM_DROPS, NUM_EVENTS and NEXT_BITS, the widths of drop_o, event_o and out_next_o; META_T, the
// type of the metadata, a packet's if it is not given; NUM_HOSTS, MAC ports, all with the same host,
// 1 if it is not given; SHOWN, what else of the first one is to be seen, up to 128 bits. Control:
// microseconds that pass in a cycle. An item in: beat; out: next hop, beat. Status: SHOWN, time.
// Events: 16 of each width, first those of drop_o.
`include "bombus_types.svh"
`include "bench.svh"

`ifndef META_T
`define META_T bombus_pkg::packet_meta_t
`endif
`ifndef NUM_HOSTS
`define NUM_HOSTS 1
`endif
`ifndef SHOWN
`define SHOWN '0
`endif

module layer_at_width
  import bombus_pkg::*;
#(
    parameter  int unsigned DataWidth = 64,
    localparam int unsigned BeatBits  = bench_pkg::beat_bits(DataWidth, $bits(`META_T))
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
    output logic [15:0] counted_o,
    output logic [127:0] shown_o
);

  `BOMBUS_BEAT_T(beat_t, DataWidth, `META_T)

  beat_t in_i, out_o;
  logic [`NEXT_BITS-1:0] out_next_o;
  logic [`NUM_DROPS-1:0] drop_o;
  message_number_t [`NUM_DROPS-1:0] drop_message_o;
  logic [`NUM_EVENTS-1:0] event_o;
  logic busy_o, timer_o;
  // See layer_bench.py.
  wire host_t host =
  '{mac: 48'h8A1B2C3D4E9F, ip: 32'h0A000001, netmask: 32'hFFFFFF00, gateway: 32'h0A0000FE}
  ;
  wire host_t [`NUM_HOSTS-1:0] host_i = {`NUM_HOSTS{host}};
  wire route_t [0:0] route_i = '0;  // no routing table

  `LAYER

  assign in_i = item_i;
  assign item_o = {5'(out_next_o), out_o};
  assign counted_o = 16'({event_o, drop_o});
  assign shown_o = `SHOWN;

endmodule

module bench #(
    parameter  int unsigned NumWidths  = 4,
    parameter  int unsigned WidthRatio = 2,
    parameter  int unsigned FirstWidth = 64,
    localparam int unsigned BeatBits   = bench_pkg::beat_bits(512, $bits(`META_T))
) (
    `BENCH_PORTS(NumWidths, BeatBits, NumWidths, BeatBits + 5, 16, 160)
);

  `BENCH_SHAPE

  logic [31:0] time_us;
  logic [NumWidths-1:0][127:0] shown;
  assign status_o = {shown[0], time_us};

  timebase u_timebase (
      .clk_i,
      .rst_i,
      .tick_us_i(control_i),
      .time_us_o(time_us)
  );

  for (genvar n = 0; n < NumWidths; n++) begin : gen_width
    layer_at_width #(
        .DataWidth(FirstWidth * WidthRatio ** n)
    ) u_layer (
        .clk_i,
        .rst_i,
        .time_us_i(time_us),
        .item_i(in_i[n]),
        .in_valid_i(in_valid_i[n]),
        .in_ready_o(in_ready_o[n]),
        .item_o(out_o[n]),
        .out_valid_o(out_valid_o[n]),
        .out_ready_i(out_ready_i[n]),
        .counted_o(event_o[16*n+:16]),
        .shown_o(shown[n])
    );
  end

  if (NumWidths < 4) begin : gen_no_event
    assign event_o[63:16*NumWidths] = '0;
  end

endmodule

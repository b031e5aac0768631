// SPDX-License-Identifier: Apache-2.0
// A mesh without tiles, of any fabric. Streams in and out: the local port of each
// router, row by row. An item: flit (beat, port, y, x, dir). Events: dropped messages.
`include "bombus_types.svh"
`include "bench.svh"

module bench
  import noc_pkg::*;
#(
    parameter int unsigned Columns = 3,
    parameter int unsigned Rows = 3,
    parameter int unsigned Fabric = 0,  // fabric_e
    parameter int unsigned VirtualChannels = 1,
    parameter int unsigned Depth = 8,
    localparam int unsigned DataWidth = 64,
    localparam int unsigned NumTiles = Columns * Rows,
    localparam int unsigned FlitBits = bench_pkg::beat_bits(DataWidth) + 3 + 2 + 2 + 2
) (
    `BENCH_PORTS(NumTiles, FlitBits, NumTiles, FlitBits, 1, 1)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)
  `BOMBUS_FLIT_T(flit_t, beat_t, 2, 2, 2)

  flit_t [NumTiles-1:0] to, from;
  for (genvar t = 0; t < NumTiles; t++) begin : gen_tile
    assign to[t] = flit_t'(in_i[t]);
    assign out_o[t] = from[t];
  end

  mesh #(
      .flit_t(flit_t),
      .beat_t(beat_t),
      .Columns(Columns),
      .Rows(Rows),
      .Fabric(fabric_e'(Fabric)),
      .VirtualChannels(VirtualChannels),
      .Depth(Depth)
  ) u_mesh (
      .clk_i,
      .rst_i,
      .in_i  (to),
      .in_valid_i,
      .in_ready_o,
      .out_o (from),
      .out_valid_o,
      .out_ready_i,
      .drop_o(),
      .busy_o(status_o)
  );

  assign event_o = '0;

endmodule

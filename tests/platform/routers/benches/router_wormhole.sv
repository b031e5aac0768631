// SPDX-License-Identifier: Apache-2.0
// The router in the middle of a 3x3 mesh. Streams by dir_e. An item: flit
// (beat, port, y, x, dir).
`include "bombus_types.svh"
`include "bench.svh"

module bench
  import noc_pkg::*;
#(
    parameter int unsigned Depth = 4,
    parameter turns_t Turns = '1,
    localparam int unsigned DataWidth = 64,
    localparam int unsigned FlitBits = bench_pkg::beat_bits(DataWidth) + 3 + 2 + 2 + 2
) (
    `BENCH_PORTS(NumDirs, FlitBits, NumDirs, FlitBits, 1, 1)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)
  `BOMBUS_FLIT_T(flit_t, beat_t, 2, 2, 2)

  flit_t [NumDirs-1:0] to, from;
  logic [NumDirs-1:0] local_ready;
  for (genvar d = 0; d < NumDirs; d++) begin : gen_port
    assign to[d] = flit_t'(in_i[d]);
    assign out_o[d] = from[d];
  end

  router_wormhole #(
      .flit_t(flit_t),
      .Turns (Turns),
      .Depth (Depth)
  ) u_router (
      .clk_i,
      .rst_i,
      .x_i(8'(1)),
      .y_i(8'(1)),
      .in_i(to[NumDirs-1:1]),
      .in_valid_i(in_valid_i[NumDirs-1:1]),
      .in_ready_o(in_ready_o[NumDirs-1:1]),
      .out_o(from[NumDirs-1:1]),
      .out_valid_o(out_valid_o[NumDirs-1:1]),
      .out_ready_i(out_ready_i[NumDirs-1:1]),
      .inj_i(to[DirLocal]),
      .inj_valid_i(in_valid_i[DirLocal]),
      .inj_taken_o(in_ready_o[DirLocal]),
      .inj_ready_o(local_ready),
      .ej_o(from[DirLocal]),
      .ej_valid_o(out_valid_o[DirLocal]),
      .ej_ready_i(out_ready_i[DirLocal]),
      .busy_o(status_o)
  );

  // The two forms of ready agree.
  wire differs = in_valid_i[DirLocal] & (in_ready_o[DirLocal] != local_ready[to[DirLocal].dir]);
  assign event_o = 64'(differs);

endmodule

// A mesh of wormhole routers. Streams in and out: the local port of each tile,
// row by row. An item: flit (beat, port, y, x, dir).
`include "bombus_types.svh"
`include "bench.svh"

module bench
  import noc_pkg::*;
#(
    parameter int unsigned Columns = 3,
    parameter int unsigned Rows = 3,
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

  flit_t [NumTiles-1:0][NumDirs-1:0] to, from;  // of each router
  logic [NumTiles-1:0][NumDirs-1:0] to_valid, to_ready, from_valid, from_ready;
  logic [NumTiles-1:0] busy;

  for (genvar y = 0; y < Rows; y++) begin : gen_row
    for (genvar x = 0; x < Columns; x++) begin : gen_column
      localparam int unsigned Tile = y * Columns + x;
      localparam logic [NumDirs-1:0] Ports = {
        1'(x > 0), 1'(y < Rows - 1), 1'(x < Columns - 1), 1'(y > 0), 1'b1
      };
      router_wormhole #(
          .flit_t(flit_t),
          .Ports(Ports),
          .Depth(Depth)
      ) u_router (
          .clk_i,
          .rst_i,
          .x_i(8'(x)),
          .y_i(8'(y)),
          .in_i(to[Tile]),
          .in_valid_i(to_valid[Tile]),
          .in_ready_o(to_ready[Tile]),
          .out_o(from[Tile]),
          .out_valid_o(from_valid[Tile]),
          .out_ready_i(from_ready[Tile]),
          .busy_o(busy[Tile])
      );

      assign to[Tile][DirLocal] = flit_t'(in_i[Tile]);
      assign to_valid[Tile][DirLocal] = in_valid_i[Tile];
      assign in_ready_o[Tile] = to_ready[Tile][DirLocal];
      assign out_o[Tile] = from[Tile][DirLocal];
      assign out_valid_o[Tile] = from_valid[Tile][DirLocal];
      assign from_ready[Tile][DirLocal] = out_ready_i[Tile];

      for (genvar d = 1; d < NumDirs; d++) begin : gen_link
        if (!Ports[d]) begin : gen_rim
          assign to[Tile][d] = '0;
          assign to_valid[Tile][d] = 1'b0;
          assign from_ready[Tile][d] = 1'b0;
        end else begin : gen_neighbour
          localparam int unsigned Neighbour = d == int'(DirNorth) ? Tile - Columns :
              d == int'(DirSouth) ? Tile + Columns : d == int'(DirEast) ? Tile + 1 : Tile - 1;
          localparam int unsigned Opposite = d == int'(DirNorth) ? int'(DirSouth) :
              d == int'(DirSouth) ? int'(DirNorth) :
              d == int'(DirEast) ? int'(DirWest) : int'(DirEast);
          assign to[Tile][d] = from[Neighbour][Opposite];
          assign to_valid[Tile][d] = from_valid[Neighbour][Opposite];
          assign from_ready[Tile][d] = to_ready[Neighbour][Opposite];
        end
      end
    end
  end

  assign status_o = |busy;
  assign event_o  = '0;

endmodule

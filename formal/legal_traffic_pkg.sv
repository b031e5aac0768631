// SPDX-License-Identifier: Apache-2.0
// The legal traffic of a router in the middle of a mesh of 3 x 3 under XY, and the output of each
// message. Dimension order, first x, then y, is deliberately stated a second time, independent of
// the RTL.
package legal_traffic_pkg;

  import noc_pkg::*;

  parameter int unsigned Here = 1;  // x and y of the router
  parameter int unsigned Size = 3;  // columns and rows

  function automatic dir_e way(int unsigned from_x, int unsigned from_y, logic [1:0] x,
                               logic [1:0] y);
    if (32'(x) > from_x) return DirEast;
    if (32'(x) < from_x) return DirWest;
    if (32'(y) > from_y) return DirSouth;
    if (32'(y) < from_y) return DirNorth;
    return DirLocal;
  endfunction

  function automatic dir_e way_here(logic [1:0] x, logic [1:0] y);
    return way(Here, Here, x, y);
  endfunction

  // The output taken at the router downstream of an output.
  function automatic dir_e way_after(int unsigned output_, logic [1:0] x, logic [1:0] y);
    case (output_)
      int'(DirNorth): return way(Here, Here - 1, x, y);
      int'(DirSouth): return way(Here, Here + 1, x, y);
      int'(DirEast):  return way(Here + 1, Here, x, y);
      int'(DirWest):  return way(Here - 1, Here, x, y);
      default:        return DirLocal;
    endcase
  endfunction

  // No U-turns; a message that moves north or south is in its column.
  function automatic logic is_turn(logic [NumDirs-1:0] ports, int unsigned from, int unsigned to);
    if (from >= NumDirs || to >= NumDirs) return 1'b0;
    if (from == to || !ports[from] || !ports[to]) return 1'b0;
    if (from == int'(DirNorth)) return to == int'(DirSouth) || to == int'(DirLocal);
    if (from == int'(DirSouth)) return to == int'(DirNorth) || to == int'(DirLocal);
    return 1'b1;
  endfunction

  // Whether a flit may arrive on an input.
  function automatic logic is_legal(logic [NumDirs-1:0] ports, int unsigned from, logic [1:0] x,
                                    logic [1:0] y);
    return 32'(x) < Size && 32'(y) < Size && is_turn(ports, from, int'(way_here(x, y)));
  endfunction

  // A flit as used by crosspoint_input.
  typedef struct packed {
    logic [4:0] length;
    logic last;
    logic [15:0] data;
  } packet_beat_t;
  typedef struct packed {
    logic [1:0]   x;
    logic [1:0]   y;
    packet_beat_t beat;
  } packet_flit_t;

endpackage

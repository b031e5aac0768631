// SPDX-License-Identifier: Apache-2.0
// Dimensions of a tile with packet processors, which software reads too.
package rpu_tile_pkg;

  localparam int unsigned MaxLanes = 4;  // packet processors of a tile, after an rpu_share
  localparam int unsigned LaneBits = 3;  // of the lane in the metadata of a frame; 0: no rpu_share
  localparam int unsigned FlowBits = 4;  // of the hash by which rpu_share selects the lane
  localparam int unsigned LeastDataBytes = 64;  // of a data memory

endpackage

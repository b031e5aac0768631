// SPDX-License-Identifier: Apache-2.0
// What collective_lane does with its operands.
package collective_lane_pkg;

  localparam int unsigned Stages = 7;

  typedef enum logic [1:0] {
    ModeFirst,    // a
    ModeInteger,  // a + b modulo 2^32
    ModeFloat     // a + b, IEEE 754 binary32
  } mode_e;

endpackage

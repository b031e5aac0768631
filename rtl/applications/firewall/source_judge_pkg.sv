// SPDX-License-Identifier: Apache-2.0
// Types of the accelerators that judge frames by their addresses.
package source_judge_pkg;

  // Properties of a frame, kept while its address is looked up.
  typedef struct packed {
    logic [7:0] slot;
    logic is_ipv4;
    logic may_hide;
  } judged_frame_t;

endpackage

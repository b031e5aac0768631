// SPDX-License-Identifier: Apache-2.0
// Timing of axi_memory, in cycles of the AXI clock. Sets of figures for HBM2 and
// DDR4: `memories` of a design file.
package axi_memory_pkg;

  typedef struct packed {
    int unsigned read_latency;  // from address to first data, when idle
    int unsigned write_latency;  // from last data to response
    // Data beats, reads and writes together, per bandwidth_cycles.
    int unsigned bandwidth_beats;
    int unsigned bandwidth_cycles;
    int unsigned num_banks;  // a power of two
    int unsigned bank_bytes;  // consecutive bytes in one bank; a power of two
    int unsigned bank_cycles;  // minimum distance of two bursts that start in the same bank
    int unsigned refresh_interval;  // 0: none
    int unsigned refresh_cycles;  // cycles per interval without data
  } timing_t;

endpackage

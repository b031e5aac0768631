// SPDX-License-Identifier: Apache-2.0
// Timing of axi_memory, in cycles of the AXI clock. Sets of figures for HBM2 and
// DDR4: `memories` of a design file.
package axi_memory_pkg;

  typedef struct packed {
    int unsigned read_latency;  // address taken to first data, idle
    int unsigned write_latency;  // last data taken to response
    // Beats of data, read and written together, in so many cycles.
    int unsigned bandwidth_beats;
    int unsigned bandwidth_cycles;
    int unsigned num_banks;  // a power of two
    int unsigned bank_bytes;  // that lie side by side in a bank; a power of two
    int unsigned bank_cycles;  // between two bursts that begin in the same bank
    int unsigned refresh_interval;  // 0: none
    int unsigned refresh_cycles;  // of each interval, without data
  } timing_t;

endpackage

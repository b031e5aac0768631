// SPDX-License-Identifier: Apache-2.0
// Timing of axi_memory, and two sets of figures. All in cycles of the AXI clock.
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

  // One port of HBM2 on UltraScale+: 256 bits at 450 MHz, 14.4 GB/s, a beat a cycle
  // (AMD PG276, "Raw Throughput Evaluation"); tREFI 3.9 us and tRFC 260 ns (same
  // section). Assumed, not from a data sheet: 120 ns to data, 47 ns for a row.
  localparam timing_t Hbm2Port = '{
      read_latency: 54,
      write_latency: 36,
      bandwidth_beats: 1,
      bandwidth_cycles: 1,
      num_banks: 16,
      bank_bytes: 256,
      bank_cycles: 21,
      refresh_interval: 1755,
      refresh_cycles: 117
  };

  // A channel of DDR4-2400, 64 bits: 512 bits at 300 MHz, 19.2 GB/s, a beat a cycle.
  // Refresh every 64 ms / 8192 = 7.8 us, 16 banks (Micron, 8Gb DDR4 SDRAM, "Features");
  // tRFC1 350 ns at 8 Gb (JEDEC JESD79-4, "Refresh parameters"). Assumed, not from a
  // data sheet: 100 ns to data, 46 ns for a row.
  localparam timing_t Ddr4Channel = '{
      read_latency: 30,
      write_latency: 15,
      bandwidth_beats: 1,
      bandwidth_cycles: 1,
      num_banks: 16,
      bank_bytes: 1024,
      bank_cycles: 14,
      refresh_interval: 2340,
      refresh_cycles: 105
  };

endpackage

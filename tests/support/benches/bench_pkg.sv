// SPDX-License-Identifier: Apache-2.0
// Shared declarations of the benches.
package bench_pkg;

  // Width of `BOMBUS_BEAT_T at a data width.
  function automatic int unsigned beat_bits(
      int unsigned data_width, int unsigned meta_bits = $bits(bombus_pkg::packet_meta_t));
    return meta_bits + 14 + 3 + 1 + $clog2(data_width / 8) + 1 + data_width;
  endfunction

endpackage

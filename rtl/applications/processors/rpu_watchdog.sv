// SPDX-License-Identifier: Apache-2.0
// Watchdog of a packet processor: detects a core that makes no progress although it has work.
//
// fires_o is set once the core has had work for limit_i periods of 4,096 cycles without taking or
// finishing a message, and stays high until reset. With limit_i 0 it is never set. A period at
// whose end the output stalls, on which the core may wait, does not count. The unit is cycles, not
// time: the firmware needs the same number however slow a simulation is.
//
// Latency: up to a period more than the limit.
`include "bombus_assert.svh"

module rpu_watchdog (
    input logic clk_i,
    input logic rst_i,

    input logic [7:0] limit_i,
    input logic has_work_i,
    input logic moves_i,  // the core takes or finishes a message
    input logic stalls_i,
    output logic fires_o
);

  logic [11:0] cycle_q;
  logic passes_q;
  logic [7:0] age_q;
  always_ff @(posedge clk_i) begin
    cycle_q  <= rst_i ? '0 : cycle_q + 12'd1;
    passes_q <= &cycle_q & ~stalls_i;
    if (rst_i | moves_i | ~has_work_i) age_q <= '0;
    else if (passes_q) age_q <= age_q + 8'd1;
    if (rst_i) fires_o <= 1'b0;
    // The first period has begun before.
    else if (passes_q & age_q >= limit_i & limit_i != '0) fires_o <= 1'b1;
  end

  `BOMBUS_ASSERT(StaysFired, fires_o |=> fires_o)

endmodule

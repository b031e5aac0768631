// SPDX-License-Identifier: Apache-2.0
// Puts addresses and routes into effect as a whole, while no message that could use them is inside.
//
// A write of the registers begins a change, unless software stages further writes; the end of the
// staging is itself a write. hold_o stops what enters the design. Once nothing moves, all registers
// take effect in one cycle. The hold ends SettleCycles later, since layers keep values derived from
// addresses.
//
// A change is given up if something still moves after 2**LimitBits cycles: everything stays as it
// was, and failed_o is high until the next change. The next write tries again.
`include "bombus_assert.svh"

module address_change #(
    parameter type data_t = logic,
    parameter data_t Init = '0,  // in effect after reset
    parameter int unsigned LimitBits = 16
) (
    input logic clk_i,
    input logic rst_i,

    input data_t written_i,  // the registers
    input logic  write_i,    // one of them is written in this cycle
    input logic  staged_i,   // more will be written
    input logic  moving_i,   // a message that depends on addresses is inside

    output data_t effective_o,
    output logic  hold_o,
    output logic  pending_o,    // written values are not in effect yet
    output logic  failed_o,
    output logic  busy_o
);

  // hold_o acts two cycles later (message_gate), and a message needs a cycle to be seen.
  localparam logic [LimitBits-1:0] LeastCycles = LimitBits'(4);
  localparam logic [LimitBits-1:0] SettleCycles = LimitBits'(4);

  typedef enum logic [1:0] {
    Idle,
    Draining,
    Settling
  } state_e;
  state_e state_q;
  logic dirty_q, still_q;
  logic [LimitBits-1:0] cycles_q;

  assign hold_o = state_q != Idle;
  assign pending_o = dirty_q | hold_o;
  assign busy_o = hold_o | dirty_q & ~staged_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= Idle;
      dirty_q <= 1'b0;
      still_q <= 1'b0;
      failed_o <= 1'b0;
      cycles_q <= '0;
      effective_o <= Init;
    end else begin
      cycles_q <= cycles_q + 1'b1;
      still_q  <= ~moving_i;
      if (write_i) dirty_q <= 1'b1;
      unique case (state_q)
        Idle: begin
          cycles_q <= '0;
          if (dirty_q & ~staged_i & ~write_i) begin
            state_q  <= Draining;
            failed_o <= 1'b0;
          end
        end
        Draining: begin
          if (write_i) begin
            // The register changes with the next edge.
          end else if (staged_i) begin
            state_q <= Idle;
          end else if (still_q & ~moving_i & (cycles_q >= LeastCycles)) begin
            effective_o <= written_i;
            dirty_q <= 1'b0;
            cycles_q <= '0;
            state_q <= Settling;
          end else if (&cycles_q) begin
            failed_o <= 1'b1;
            dirty_q  <= 1'b0;
            state_q  <= Idle;
          end
        end
        default: if (cycles_q == SettleCycles) state_q <= Idle;
      endcase
    end
  end

  `BOMBUS_ASSERT(DrainsForAChange, state_q != Draining || dirty_q)

endmodule

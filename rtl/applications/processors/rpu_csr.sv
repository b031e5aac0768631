// SPDX-License-Identifier: Apache-2.0
// Control and status registers of the RISC-V core, machine mode (RISC-V privileged ISA, chapter
// "Machine-Level ISA"): traps and interrupts, cycles, instructions.
//
// Reads and writes (write_i) apply to the address of the previous cycle. The value read is narrow_o
// if is_narrow_o was high with that address, else second_o if is_second_o was, else first_o. mtvec
// is direct. Priority of interrupts: external, software, timer.
`include "bombus_assert.svh"

module rpu_csr
  import rpu_pkg::*;
#(
    parameter word_t HartId = '0
) (
    input logic clk_i,
    input logic rst_i,

    input logic [11:0] addr_i,
    output word_t narrow_o,  // 0 for an unknown address
    output logic is_narrow_o,
    output word_t first_o,
    output word_t second_o,
    output logic is_second_o,  // in the cycle of the address
    output logic known_o,
    input logic write_i,
    input word_t write_data_i,

    input logic trap_i,  // raised by the instruction at pc_i
    input logic trap_interrupt_i,
    input logic [3:0] trap_cause_i,
    input logic [31:2] trap_pc_i,
    input word_t trap_value_i,
    input logic mret_i,
    output logic [31:2] trap_target_o,
    output logic [31:2] return_target_o,

    input logic retired_i,

    input logic external_i,
    input logic software_i,
    input logic timer_i,
    output logic interrupt_o,  // one is pending and enabled
    output logic [3:0] interrupt_cause_o
);

  localparam word_t Misa = 32'h4000_1100;  // RV32IM

  logic mie_q, mpie_q;  // of mstatus
  logic external_q, software_q, timer_q;  // mip
  logic external_enable_q, software_enable_q, timer_enable_q;  // mie
  logic [31:2] mtvec_q, mepc_q;
  word_t mscratch_q, mtval_q;
  logic interrupted_q;
  logic [3:0] mcause_q;
  logic [63:0] mcycle_q, minstret_q;

  assign trap_target_o   = mtvec_q;
  assign return_target_o = mepc_q;

  // Wide registers, selected by the address bits in which they differ: two words, each one of four,
  // so that the reader has one more selection of four.
  logic [1:0] from_q;
  assign is_second_o = addr_i[11] ? addr_i[7] : ~addr_i[6] | addr_i[1];
  always_ff @(posedge clk_i)
    from_q <= addr_i[11] ? {1'b1, addr_i[1]} : {1'b0, addr_i[6] & addr_i[0]};
  always_comb begin
    unique case (from_q)
      2'b00: {second_o, first_o} = {mtvec_q, 2'b00, mscratch_q};
      2'b01: {second_o, first_o} = {mtval_q, mepc_q, 2'b00};
      2'b10: {second_o, first_o} = mcycle_q;
      2'b11: {second_o, first_o} = minstret_q;
    endcase
  end

  logic is_wide, is_known;
  word_t narrow;
  always_comb begin
    {is_known, is_wide, narrow} = {1'b1, 33'd0};
    unique case (addr_i)
      12'h300: narrow = {19'd0, 2'b11, 3'd0, mpie_q, 3'd0, mie_q, 3'd0};
      12'h301: narrow = Misa;
      12'h304:
      narrow = {20'd0, external_enable_q, 3'd0, timer_enable_q, 3'd0, software_enable_q, 3'd0};
      12'h342: narrow = {interrupted_q, 27'd0, mcause_q};
      12'h344: narrow = {20'd0, external_q, 3'd0, timer_q, 3'd0, software_q, 3'd0};
      12'hf14: narrow = HartId;
      12'hf11, 12'hf12, 12'hf13: narrow = '0;  // vendor, architecture, implementation
      12'h305, 12'h340, 12'h341, 12'h343: is_wide = 1'b1;
      12'hb00, 12'hb02, 12'hb80, 12'hb82: is_wide = 1'b1;
      12'hc00, 12'hc02, 12'hc80, 12'hc82: is_wide = 1'b1;
      default: is_known = 1'b0;
    endcase
  end
  always_ff @(posedge clk_i) begin
    known_o <= is_known;
    is_narrow_o <= ~is_wide;
    narrow_o <= narrow;
  end

  logic at_mstatus_q, at_mie_q, at_mtvec_q, at_mscratch_q, at_mepc_q, at_mcause_q, at_mtval_q;
  logic at_mcycle_q, at_mcycleh_q, at_minstret_q, at_minstreth_q;
  always_ff @(posedge clk_i) begin
    at_mstatus_q <= addr_i == 12'h300;
    at_mie_q <= addr_i == 12'h304;
    at_mtvec_q <= addr_i == 12'h305;
    at_mscratch_q <= addr_i == 12'h340;
    at_mepc_q <= addr_i == 12'h341;
    at_mcause_q <= addr_i == 12'h342;
    at_mtval_q <= addr_i == 12'h343;
    at_mcycle_q <= addr_i == 12'hb00;
    at_mcycleh_q <= addr_i == 12'hb80;
    at_minstret_q <= addr_i == 12'hb02;
    at_minstreth_q <= addr_i == 12'hb82;
  end
  wire  write_mcycle = write_i & at_mcycle_q;
  wire  write_mcycleh = write_i & at_mcycleh_q;
  wire  write_minstret = write_i & at_minstret_q;
  wire  write_minstreth = write_i & at_minstreth_q;
  // The instruction that writes minstret retires one cycle later and does not count.
  logic wrote_q;
  always_ff @(posedge clk_i) wrote_q <= write_minstret | write_minstreth;
  wire counts = retired_i & ~wrote_q & ~write_minstret;
  wire cycle_counts = ~write_mcycle;

  always_ff @(posedge clk_i) begin
    external_q <= external_i;
    software_q <= software_i;
    timer_q <= timer_i;

    if (write_i & at_mstatus_q) {mpie_q, mie_q} <= {write_data_i[7], write_data_i[3]};
    if (write_i & at_mie_q) begin
      {external_enable_q, timer_enable_q} <= {write_data_i[11], write_data_i[7]};
      software_enable_q <= write_data_i[3];
    end
    if (write_i & at_mtvec_q) mtvec_q <= write_data_i[31:2];
    if (write_i & at_mscratch_q) mscratch_q <= write_data_i;
    if (trap_i | write_i & at_mepc_q) mepc_q <= trap_i ? trap_pc_i : write_data_i[31:2];
    if (trap_i | write_i & at_mcause_q)
      {interrupted_q, mcause_q} <=
          trap_i ? {trap_interrupt_i, trap_cause_i} : {write_data_i[31], write_data_i[3:0]};
    if (trap_i | write_i & at_mtval_q) mtval_q <= trap_i ? trap_value_i : write_data_i;

    // A word does not count in the cycle in which it is written.
    mcycle_q[31:0] <= (write_mcycle ? write_data_i : mcycle_q[31:0]) + 32'(cycle_counts);
    if (write_mcycleh | &mcycle_q[31:0] & cycle_counts)
      mcycle_q[63:32] <= write_mcycleh ? write_data_i : mcycle_q[63:32] + 32'd1;
    // As a clock enable, since retired_i is late.
    if (write_minstret | counts)
      minstret_q[31:0] <= write_minstret ? write_data_i : minstret_q[31:0] + 32'd1;
    if (write_minstreth | &minstret_q[31:0] & counts)
      minstret_q[63:32] <= write_minstreth ? write_data_i : minstret_q[63:32] + 32'd1;

    if (trap_i) {mpie_q, mie_q} <= {mie_q, 1'b0};
    if (mret_i) {mpie_q, mie_q} <= {1'b1, mpie_q};

    if (rst_i) begin
      {mie_q, mpie_q} <= '0;
      {external_enable_q, software_enable_q, timer_enable_q} <= '0;
      {external_q, software_q, timer_q} <= '0;
      {mtvec_q, mepc_q, mscratch_q, mtval_q, interrupted_q, mcause_q} <= '0;
      {mcycle_q, minstret_q} <= '0;
    end
  end

  // One cycle later than the registers: the core waits that long after a write.
  wire external = external_q & external_enable_q;
  wire software = software_q & software_enable_q;
  wire timer = timer_q & timer_enable_q;
  always_ff @(posedge clk_i) begin
    interrupt_o <= ~rst_i & mie_q & (external | software | timer);
    interrupt_cause_o <= external ? 4'd11 : software ? 4'd3 : 4'd7;
  end

  `BOMBUS_ASSERT(TrapOrReturn, !(trap_i && mret_i))
  `BOMBUS_ASSERT(TrapOrWrite, !(trap_i && write_i))

endmodule

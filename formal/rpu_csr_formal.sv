// SPDX-License-Identifier: Apache-2.0
// rpu_csr with any accesses, traps and interrupts: one register is tracked, and reads as last
// written or as the privileged ISA requires; traps, mret and interrupts behave as in that ISA.
// Bounded: from reset, for the number of cycles checked. There is no other event in the cycle in
// which a read begins, as in the core, which executes instructions of opcode SYSTEM alone.
module rpu_csr_formal
  import rpu_pkg::*;
(
    input logic clk_i,
    input logic rst_i,
    input logic [11:0] register_i,  // the register tracked
    input logic [11:0] addr_i,
    input logic write_i,
    input word_t write_data_i,
    input logic trap_i,
    input logic trap_interrupt_i,
    input logic [3:0] trap_cause_i,
    input logic [31:2] trap_pc_i,
    input word_t trap_value_i,
    input logic mret_i,
    input logic retired_i,
    input logic external_i,
    input logic software_i,
    input logic timer_i
);

  localparam word_t HartId = 32'd5;

  logic [11:0] register;
  logic started;
  proof_start #(
      .Width(12)
  ) u_start (
      .clk_i,
      .rst_i,
      .watched_i(register_i),
      .started_o(started),
      .watched_o(register)
  );

  word_t narrow, first, second;
  logic is_narrow, is_second, known, interrupt;
  logic [31:2] trap_target, return_target;
  logic [3:0] interrupt_cause;
  rpu_csr #(
      .HartId(HartId)
  ) u_csr (
      .clk_i,
      .rst_i,
      .addr_i,
      .narrow_o(narrow),
      .is_narrow_o(is_narrow),
      .first_o(first),
      .second_o(second),
      .is_second_o(is_second),
      .known_o(known),
      .write_i,
      .write_data_i,
      .trap_i,
      .trap_interrupt_i,
      .trap_cause_i,
      .trap_pc_i,
      .trap_value_i,
      .mret_i,
      .trap_target_o(trap_target),
      .return_target_o(return_target),
      .retired_i,
      .external_i,
      .software_i,
      .timer_i,
      .interrupt_o(interrupt),
      .interrupt_cause_o(interrupt_cause)
  );

  // Events of the previous cycles.
  logic [11:0] addr_q;
  logic quiet_q, retired_q, wrote_counter_q;
  wire happens = write_i | trap_i | mret_i;
  // is_second, computed from the address again: with a register instead, yices takes minutes.
  function automatic logic second_of(logic [11:0] addr);
    return addr[11] ? addr[7] : ~addr[6] | addr[1];
  endfunction
  always_comb if (started) assert (is_second == second_of(addr_i));
  wire word_t read = is_narrow ? narrow : second_of(addr_q) ? second : first;
  always_ff @(posedge clk_i) begin
    addr_q  <= addr_i;
    quiet_q <= started & ~happens;
  end
  always_comb assume (32'(write_i) + 32'(trap_i) + 32'(mret_i) <= 1);

  // ---- One register with all its bits ----

  wire writes = started & write_i & addr_q == register;
  word_t value, value_q, mask;
  logic is_held;  // neither constant nor a counter
  always_comb begin
    is_held = 1'b1;
    unique case (register)
      12'h300: mask = 32'h0000_0088;  // mstatus
      12'h304: mask = 32'h0000_0888;  // mie
      12'h305: mask = ~32'd3;  // mtvec
      12'h340: mask = '1;  // mscratch
      12'h341: mask = ~32'd3;  // mepc
      12'h342: mask = 32'h8000_000f;  // mcause
      12'h343: mask = '1;  // mtval
      default: {is_held, mask} = '0;
    endcase
    value = writes ? write_data_i & mask : value_q;
    if (trap_i) begin
      unique case (register)
        12'h300: value = {24'd0, value_q[3], 7'd0};
        12'h341: value = {trap_pc_i, 2'd0};
        12'h342: value = {trap_interrupt_i, 27'd0, trap_cause_i};
        12'h343: value = trap_value_i;
        default: ;
      endcase
    end
    if (mret_i & register == 12'h300) value = {24'd0, 1'b1, 3'd0, value_q[7], 3'd0};
  end
  always_ff @(posedge clk_i) value_q <= rst_i ? '0 : value;

  wire reads = started & quiet_q & ~happens & addr_q == register;
  always_comb begin
    if (reads) begin
      unique case (register)
        12'h300: assert (read == (value_q | 32'h0000_1800));
        12'h301: assert (read == 32'h4000_1100);
        12'hf11, 12'hf12, 12'hf13: assert (read == '0);
        12'hf14: assert (read == HartId);
        default: if (is_held) assert (read == value_q);
      endcase
      assert (known == (is_held | register inside {12'h301, 12'h344, 12'hf11, 12'hf12, 12'hf13,
          12'hf14, 12'hb00, 12'hb02, 12'hb80, 12'hb82, 12'hc00, 12'hc02, 12'hc80, 12'hc82}));
    end
    if (started & register == 12'h305) assert ({trap_target, 2'd0} == value_q);
    if (started & register == 12'h341) assert ({return_target, 2'd0} == value_q);
  end

  // ---- Counters: from one read to the next, and after a write ----

  wire is_counter = register inside {12'hb00, 12'hb02};
  wire is_high = register inside {12'hb80, 12'hb82};
  word_t read_q, written_q;
  logic read_before_q, wrote_q, wrote_any_q;
  wire writes_any = write_i & addr_q inside {12'hb00, 12'hb02, 12'hb80, 12'hb82};
  always_ff @(posedge clk_i) begin
    read_q <= read;
    read_before_q <= reads & ~writes_any;
    wrote_q <= writes;
    wrote_any_q <= ~rst_i & writes_any;
    written_q <= write_data_i;
    retired_q <= retired_i;
    wrote_counter_q <= ~rst_i & wrote_any_q;
  end
  wire one = register == 12'hb00 | retired_q;
  always_comb begin
    if (reads & read_before_q & is_counter & ~wrote_any_q & ~wrote_counter_q)
      assert (read == read_q + 32'(one));
    if (started & wrote_q & is_counter & addr_q == register & ~happens) assert (read == written_q);
    if (started & wrote_q & is_high & addr_q == register & ~happens) assert (read == written_q);
  end

  // ---- Interrupts: pending and enabled, external before software before timer ----

  // According to mstatus and mie, whose bits are known if one of them is the tracked register.
  logic external_q, software_q, timer_q;
  logic interrupt_q, global_q;
  word_t before_q;
  always_ff @(posedge clk_i) begin
    {external_q, software_q, timer_q} <= rst_i ? '0 : {external_i, software_i, timer_i};
    interrupt_q <= started & ~rst_i;
    before_q <= value_q;
    global_q <= external_q | software_q | timer_q;
  end
  logic [2:0] pending_q;
  always_ff @(posedge clk_i) pending_q <= {external_q, software_q, timer_q};
  wire [2:0] due = pending_q & {before_q[11], before_q[3], before_q[7]};
  always_comb begin
    if (interrupt_q & started) begin
      if (register == 12'h300 & ~before_q[3]) assert (~interrupt);
      if (~global_q) assert (~interrupt);
      if (register == 12'h304) begin
        if (due == '0) assert (~interrupt);
        if (interrupt) assert (interrupt_cause == (due[2] ? 4'd11 : due[1] ? 4'd3 : 4'd7));
      end
    end
  end

  // Cover: an interrupt, and a read of a written value.
  always_comb begin
    if (started) begin
      cover (interrupt & interrupt_cause == 4'd7);
      cover (reads & is_held & read == 32'h0000_0880);
      cover (reads & register == 12'h342 & read == 32'h8000_000b);
    end
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// rpu_core executes the program in the code memory, for all time: one word of the memory, at any
// address, is tracked. Whenever the core reports that the instruction at this address has executed,
// was interrupted or has raised an exception, the instruction is this word. Each instruction starts
// at the next PC of the previous one: exceptions and interrupts lead to mtvec, mret to mepc. This
// holds across branches, right and wrong predictions, stalls of each stage, interrupts and faults.
// The next PC of an executed instruction is checked by rpu_core_formal.
//
// Multiplication and division are replaced by stand-ins. The assertions after those about `done`
// are invariants of the pipeline, required for the proof by induction.
module rpu_program_formal
  import rpu_pkg::*;
#(
    localparam int unsigned CodeBytes = 16384,
    localparam int unsigned PcWidth   = $clog2(CodeBytes)
) (
    input logic clk_i,
    input logic rst_i,
    input word_t code_i,
    input word_t data_i,
    input logic data_fault_i,
    input logic bus_ready_i,
    input logic bus_error_i,
    input word_t bus_data_i,
    input logic custom_ready_i,
    input word_t custom_result_i,
    input logic external_interrupt_i,
    input logic software_interrupt_i,
    input logic timer_interrupt_i,
    input logic [PcWidth-1:2] place_i,  // address of the tracked word
    input word_t word_i
);

  logic started;
  logic [PcWidth-1:2] place;
  word_t word;
  proof_start #(
      .Width(PcWidth - 2 + 32)
  ) u_start (
      .clk_i,
      .rst_i,
      .watched_i({place_i, word_i}),
      .started_o(started),
      .watched_o({place, word})
  );

  // The code memory: keeps its output while it is not enabled.
  logic code_enable, code_enable_q;
  logic [PcWidth-1:2] code_addr, code_addr_q;
  word_t code_q;
  always_ff @(posedge clk_i) begin
    code_enable_q <= code_enable;
    code_addr_q <= code_addr;
    code_q <= code_i;
  end
  always_comb begin
    if (started & ~code_enable_q) assume (code_i == code_q);
    if (started & code_enable_q & code_addr_q == place) assume (code_i == word);
  end

  logic
      unused_data_enable,
      unused_elsewhere,
      unused_bus_valid,
      unused_bus_write,
      unused_bus_low,
      unused_custom_valid;
  logic [13:2] unused_data_addr;
  logic [3:0] unused_data_write, unused_bus_bytes, unused_cause;
  word_t unused_data_out, unused_bus_data, unused_first, unused_second;
  logic [27:0] unused_bus_addr;
  logic [9:0] unused_op;
  logic unused_exception;
  logic [31:2] unused_exception_pc;
  retire_t done;
  rpu_core #(
      .CodeBytes(CodeBytes),
      .NumTargets(2),
      .Retire(1'b1)
  ) u_core (
      .clk_i,
      .rst_i,
      .code_enable_o(code_enable),
      .code_addr_o(code_addr),
      .code_i,
      .data_enable_o(unused_data_enable),
      .data_elsewhere_o(unused_elsewhere),
      .data_addr_o(unused_data_addr),
      .data_write_o(unused_data_write),
      .data_o(unused_data_out),
      .data_i,
      .data_fault_i,
      .bus_valid_o(unused_bus_valid),
      .bus_write_o(unused_bus_write),
      .bus_addr_o(unused_bus_addr),
      .bus_low_o(unused_bus_low),
      .bus_bytes_o(unused_bus_bytes),
      .bus_data_o(unused_bus_data),
      .bus_ready_i,
      .bus_error_i,
      .bus_data_i,
      .custom_valid_o(unused_custom_valid),
      .custom_op_o(unused_op),
      .custom_first_o(unused_first),
      .custom_second_o(unused_second),
      .custom_ready_i,
      .custom_result_i,
      .external_interrupt_i,
      .software_interrupt_i,
      .timer_interrupt_i,
      .exception_o(unused_exception),
      .exception_cause_o(unused_cause),
      .exception_pc_o(unused_exception_pc),
      .retire_o(done)
  );

  localparam word_t Mret = 32'h3020_0073;
  wire executed = started & done.valid & ~done.trap & ~done.interrupted;

  // Next PC of the last instruction; the first one is at 0.
  logic [31:2] next_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) next_q <= '0;
    else if (done.valid) next_q <= done.next_pc[31:2];
  end
  wire word_t trap_target = {u_core.u_csr.mtvec_q, 2'b00};
  wire word_t return_target = {u_core.u_csr.mepc_q, 2'b00};
  always_comb begin
    if (started & done.valid) begin
      assert (done.pc == {next_q, 2'b00});
      if (done.pc[PcWidth-1:2] == place) assert (done.insn == word);
      if (|done.pc[31:PcWidth]) assert (done.trap | done.interrupted);
      if (done.trap | done.interrupted)
        assert (done.next_pc == trap_target);
        else if (done.insn == Mret) assert (done.next_pc == return_target);
    end
  end

  // ---- Invariants ----

  logic fetched_q;
  always_ff @(posedge clk_i) fetched_q <= ~rst_i & (fetched_q | code_enable);
  wire [31:2] pc_d = u_core.pc_d;
  wire [31:2] pc_x = u_core.pc_x_q;
  wire [31:2] pc_m = u_core.pc_m_q;
  wire x_valid = u_core.x_valid_q;
  wire m_valid = u_core.m_valid_q;
  wire m_trap = u_core.m_trap_q;
  wire decoded_t x = u_core.x_q;
  wire word_t insn_x = u_core.insn_x_q;
  wire word_t insn_m = u_core.gen_retire.insn_m_q;
  wire writable = insn_x[31:20] inside {12'h305, 12'h341};  // mtvec or mepc
  // Next PC of the memory stage, or of the last instruction if the stage is empty.
  wire [31:2] follows = m_valid ? u_core.redirect_target : next_q;
  always_comb begin
    if (started) begin
      // The tracked word, stage by stage
      if (fetched_q & pc_d[PcWidth-1:2] == place) assert (code_i == word);
      if (x_valid & pc_x[PcWidth-1:2] == place) assert (insn_x == word);
      if (m_valid & pc_m[PcWidth-1:2] == place) assert (insn_m == word);
      if (x_valid) assert (u_core.fetch_fault_q == |pc_x[31:PcWidth]);
      if (m_valid & (|pc_m[31:PcWidth] | u_core.m_interrupt_q)) assert (m_trap);

      // Order of the instructions
      if (~fetched_q) assert (u_core.redirect & ~x_valid & ~m_valid);
      if (~m_valid)
        assert (~u_core.m_access_q & ~u_core.m_taken_q & (~u_core.redirect | ~fetched_q));
      if (~fetched_q) assert (u_core.redirect_target == '0 & next_q == '0);
      if (m_valid) assert (pc_m == next_q);
      if (~u_core.redirect) assert ((x_valid ? pc_x : pc_d) == follows);
      if (x_valid) assert (u_core.next_x_q == pc_x + 30'd1);
      if (x_valid & ~x.is_illegal & (x.is_branch | x.is_jal)) assert (~u_core.from_first_q);
      if (x_valid & ~u_core.redirect & ~|u_core.guess_x_q) assert (pc_d == u_core.next_x_q);

      // Instructions that are alone in the pipeline
      if (x_valid) begin
        if (x.is_system) assert (~m_valid);
        if (x.is_csr | x.is_mret) assert (x.is_system);
        if (x.divides) assert (~x.multiplies & ~x.is_csr);
        if (x.is_csr) assert (~x.is_ecall & ~x.is_ebreak);
        if (x.is_mret) assert (~x.is_csr & ~x.is_load & ~x.is_store);
        if (~x.is_illegal) assert ((insn_x == Mret) == x.is_mret);
      end
      // Operations of several cycles stay in execute, as does a write to a CSR.
      if (u_core.slow_step_q != '0)
        assert (x_valid & u_core.is_slow & ~u_core.slow_done_q & ~u_core.is_faulty);
      if (u_core.slow_step_q != '0 & x.is_csr & writable) assert (u_core.csr_known);
      if (u_core.writes_csr_q) begin
        assert (x_valid & x.is_csr & ~u_core.is_faulty & u_core.slow_done_q);
        if (u_core.u_csr.at_mtvec_q | u_core.u_csr.at_mepc_q) assert (~u_core.bad_csr_q);
      end
      if (m_valid & m_trap) assert (u_core.m_other_q == trap_target[31:2] & ~u_core.m_taken_q);
      if (m_valid & ~m_trap & insn_m == Mret)
        assert (u_core.m_other_q == return_target[31:2] & ~u_core.m_taken_q);
      if (u_core.u_divide.runs_q) begin
        assert (x_valid & x.divides & u_core.slow_step_q == 3'b001 & ~u_core.slow_done_q);
        assert (~x.is_illegal & ~u_core.fetch_fault_q);
      end
    end
  end

  // Cover: a right and a wrong prediction, an interrupt, exceptions of a fetch and of a load.
  always_comb begin
    if (started) begin
      cover (executed & |u_core.guess_m_q & ~u_core.redirect & done.pc[PcWidth-1:2] == place);
      cover (executed & |u_core.guess_m_q & u_core.redirect);
      cover (done.valid & done.interrupted);
      cover (done.valid & done.trap & |done.pc[31:PcWidth]);
      cover (done.valid & done.trap & done.insn[6:0] == 7'h03);
      cover (executed & done.insn == Mret);
    end
  end

endmodule

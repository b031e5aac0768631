// SPDX-License-Identifier: Apache-2.0
// RISC-V core of a packet processor: RV32IM, rev8, machine mode, custom instructions.
//
// Three stages after the fetch: decode (in which the code memory outputs the instruction), execute,
// and memory, which ends with the write of registers. Operands are bypassed into the flip-flops
// before execute, so that a result is available to the next instruction, and that of a load to the
// one after it. Cycles: 1 per instruction; 2 more after a mispredicted branch, jalr and mret;
// multiplication 4, division 36. Instructions of opcode SYSTEM execute alone.
//
// Memory map: code at 0, fetched only; data at 0x1000_0000; the bus at 0x2000_0000. Code and data
// memories respond in the next cycle and keep their output while not enabled; data_fault_i is an
// access fault. An access over the bus is held until bus_ready_i, and raises an access fault with
// bus_error_i. Accesses to other addresses, misaligned accesses and illegal instructions raise
// exceptions.
//
// custom-0 with a funct3 of CustomOps takes its result in the cycle in which custom_valid_o and
// custom_ready_i are high; the core may withdraw the request before (an interrupt).
//
// The file is longer than 450 lines because the stages share their hazard logic: bypasses, stalls
// and redirects read signals of all three.
`include "bombus_assert.svh"

module rpu_core
  import rpu_pkg::*;
#(
    parameter int unsigned CodeBytes = 16384,
    parameter int unsigned DataBytes = 16384,
    parameter int unsigned NumTargets = 4,
    parameter logic [7:0] CustomOps = '1,
    parameter word_t HartId = '0,
    parameter bit Retire = 0,  // retire_o is driven
    localparam int unsigned CodeAddrWidth = $clog2(CodeBytes),
    localparam int unsigned DataAddrWidth = $clog2(DataBytes)
) (
    input logic clk_i,
    input logic rst_i,

    output logic code_enable_o,
    output logic [CodeAddrWidth-1:2] code_addr_o,
    input word_t code_i,

    output logic data_enable_o,  // a load or store may be executed; while low, data_i is stable
    // the enabled read is not used: an access over the bus
    output logic data_elsewhere_o,
    output logic [DataAddrWidth-1:2] data_addr_o,
    output logic [3:0] data_write_o,
    output word_t data_o,
    input word_t data_i,  // 0 after data_elsewhere_o
    input logic data_fault_i,  // with data_i: the address is not mapped

    output logic bus_valid_o,
    output logic bus_write_o,
    output logic [27:0] bus_addr_o,
    output logic bus_low_o,  // the address is below 8; from a flip-flop
    output logic [3:0] bus_bytes_o,
    output word_t bus_data_o,
    input logic bus_ready_i,
    input logic bus_error_i,
    input word_t bus_data_i,  // 0 without an access (bus_valid_o is low)

    output logic custom_valid_o,
    output logic [9:0] custom_op_o,  // funct7, funct3
    output word_t custom_first_o,
    output word_t custom_second_o,
    input logic custom_ready_i,
    input word_t custom_result_i,

    input logic external_interrupt_i,
    input logic software_interrupt_i,
    input logic timer_interrupt_i,

    output logic exception_o,  // cause and PC of the instruction follow
    output logic [3:0] exception_cause_o,
    output logic [31:2] exception_pc_o,

    output retire_t retire_o
);

  if (DataBytes < 64 || DataBytes > 1048576 || DataBytes != 2 ** DataAddrWidth) begin : gen_bad_data
    $error("rpu_core: DataBytes must be a power of two, 64 to 1048576");
  end
  if (!RegionBus[1] || RegionData[1]) begin : gen_bad_regions
    $error("rpu_core: bit 29 of an address must tell the bus from the data memory");
  end

  // ---- Decode ----

  logic advance_d, advance_x;
  logic redirect;  // the instructions in decode and execute are discarded
  logic [31:2] redirect_target;
  logic learn, learn_taken;
  logic [NumTargets-1:0] guess_d, guess_x_q, guess_m_q;
  logic [31:2] pc_d, next_d, pc_x_q, next_x_q, pc_m_q;

  rpu_fetch #(
      .CodeBytes (CodeBytes),
      .NumTargets(NumTargets)
  ) u_fetch (
      .clk_i,
      .rst_i,
      .advance_i(advance_d),
      .redirect_i(redirect),
      .target_i(redirect_target),
      .learn_i(learn),
      .taken_i(learn_taken),
      .source_i(pc_m_q),
      .guess_i(guess_m_q),
      .pc_o(pc_d),
      .next_o(next_d),
      .guess_o(guess_d),
      .code_enable_o,
      .code_addr_o
  );

  decoded_t decoded, x_q;
  word_t immediate;
  wire   fetch_fault = |pc_d[31:CodeAddrWidth];
  rpu_decode #(
      .CustomOps(CustomOps)
  ) u_decode (
      .insn_i(code_i),
      .decoded_o(decoded),
      .immediate_o(immediate)
  );

  // Bypasses: results of the instructions in execute and memory.
  logic x_valid_q, m_writes_q, m_stalls;
  logic [4:0] m_rd_q;
  word_t sum, early, late, loaded, m_result_q, m_value;
  word_t registers[32];
  always_ff @(posedge clk_i) if (m_writes_q & ~m_stalls) registers[m_rd_q] <= m_value;

  logic [4:0] source[2];
  word_t operand[2];
  logic depends_x[2];  // on the instruction in execute
  assign source = '{code_i[19:15], code_i[24:20]};
  for (genvar s = 0; s < 2; s++) begin : gen_operand
    wire fixed = s == 0 ? decoded.first_pc : decoded.second_immediate;
    wire word_t value = s == 0 ? {pc_d, 2'b00} : immediate;
    wire by_m = m_writes_q & source[s] == m_rd_q;
    assign depends_x[s] = x_valid_q & x_q.writes_rd & source[s] == x_q.rd;
    wire   by_x = depends_x[s] & ~fixed;
    wire   by_load = by_m & ~depends_x[s] & ~fixed;
    word_t rest;
    always_comb begin
      if (fixed) rest = value;
      else if (depends_x[s]) rest = '0;
      else if (by_m) rest = m_result_q;
      else rest = source[s] == '0 ? '0 : registers[source[s]];
    end
    // In order of arrival: the sum, which is the latest, passes one gate.
    assign operand[s] = rest | early & {32{by_x}} | loaded & {32{by_load}} | late & {32{by_x}} |
        sum & {32{by_x & x_q.adds}};
  end

  logic m_valid_q, m_system_q;
  // Bits common to all instructions with a second operand; some others stall without need. Late.
  wire may_use_rs2 = code_i[5] | code_i[3];
  wire waits_load = x_q.is_load & (depends_x[0] | depends_x[1] & may_use_rs2);
  wire waits_system = decoded.is_system ? x_valid_q | m_valid_q :
      x_valid_q & x_q.is_system | m_system_q;
  assign advance_d = advance_x & ~waits_load & ~waits_system;

  // ---- Execute ----

  // Memory stage
  logic m_trap_q, m_interrupt_q, m_redirect_q, m_at_address_q;
  load_t m_how_q;
  logic m_access_q, m_aligned_q, m_misaligned_q, m_in_data_q, m_in_bus_q, m_low_q;
  logic m_taken_q, m_learn_q, m_bad, m_on_bus;
  logic [3:0] m_cause_q, m_bytes_q;
  word_t m_address_q, m_data_q;
  logic m_write_q;
  logic [31:2] m_other_q;  // next PC if no branch is taken

  word_t first_q, second_q, immediate_q, insn_x_q;
  logic fetch_fault_q, from_first_q;
  always_ff @(posedge clk_i) begin
    if (advance_x) begin
      x_valid_q <= advance_d & ~redirect;
      x_q <= decoded;
      guess_x_q <= guess_d;
      pc_x_q <= pc_d;
      next_x_q <= next_d;
      first_q <= operand[0];
      second_q <= operand[1];
      // The address of a fetch fault is pc_x_q + 0, a byte address.
      immediate_q <= fetch_fault ? '0 : immediate;
      insn_x_q <= code_i;
      fetch_fault_q <= fetch_fault;
      from_first_q <= (decoded.is_load | decoded.is_store | decoded.is_jalr) & ~fetch_fault;
    end
    if (rst_i) x_valid_q <= 1'b0;
  end
  wire [2:0] funct3 = insn_x_q[14:12];

  word_t combined, shifted;
  logic equal, less, less_unsigned;
  rpu_alu u_alu (
      .first_i(first_q),
      .second_i(second_q),
      .subtracts_i(x_q.subtracts),
      .logic_op_i(x_q.logic_op),
      .shifts_i(x_q.shifts),
      .left_i(x_q.left),
      .arithmetic_i(x_q.arithmetic),
      .sum_o(sum),
      .combined_o(combined),
      .shifted_o(shifted),
      .equal_o(equal),
      .less_o(less),
      .less_unsigned_o(less_unsigned)
  );

  // Address of a load or store, target of a jump.
  word_t base, address;
  assign base = from_first_q ? first_q : {pc_x_q, 2'b00};
  assign address = immediate_q + base;

  // Results of operations of several cycles are in slow_q. An interrupt is taken before they start.
  logic interrupt_pending, slow_done_q, slow_finishes, bad_csr_q;
  logic [3:0] interrupt_cause;
  logic [2:0] slow_step_q;
  word_t slow_q, product_high, product_low, quotient, csr_narrow, csr_first, csr_second;
  logic [1:0] slow_from_q;
  logic csr_is_narrow, csr_is_second, csr_known, divided, writes_csr_q;
  wire is_alive = x_valid_q & ~redirect;
  wire is_slow = x_q.multiplies | x_q.divides | x_q.is_csr;
  wire is_faulty = x_q.is_illegal | fetch_fault_q;
  wire slow_idle = slow_step_q == '0 & ~slow_done_q;
  wire interrupted = interrupt_pending & slow_idle;
  wire slow_start = is_alive & is_slow & slow_idle & ~interrupt_pending & ~is_faulty;
  rpu_multiply u_multiply (
      .clk_i,
      .first_i(first_q),
      .second_i(second_q),
      .op_i(funct3[1:0]),
      .high_o(product_high),
      .low_o(product_low)
  );
  rpu_divide u_divide (
      .clk_i,
      .rst_i(rst_i | redirect),
      .start_i(slow_start & x_q.divides),
      .first_i(first_q),
      .second_i(second_q),
      .op_i(funct3[1:0]),
      .done_o(divided),
      .result_o(quotient)
  );
  // Steps: 1 after the start, 2 when the product is ready.
  assign slow_finishes = x_q.is_csr ? slow_step_q[0] : x_q.divides ? divided : slow_step_q[1];
  wire writes_csr = x_q.is_csr & (~funct3[1] | insn_x_q[19:15] != '0);
  always_ff @(posedge clk_i) begin
    if (slow_start) slow_step_q <= 3'b001;
    else if (slow_step_q[0] & x_q.multiplies) slow_step_q <= 3'b010;
    if (slow_finishes) slow_step_q <= '0;
    slow_done_q  <= slow_finishes | slow_done_q & ~advance_x;
    writes_csr_q <= slow_step_q[0] & writes_csr;
    if (rst_i | redirect) {slow_step_q, slow_done_q, writes_csr_q} <= '0;
    bad_csr_q   <= slow_step_q[0] & x_q.is_csr & (~csr_known | writes_csr & &insn_x_q[31:30]);
    // Encoded one cycle before, so that a bit of slow_q is one LUT after the CSRs.
    slow_from_q <= x_q.is_csr ? {1'b0, csr_is_second} : {1'b1, funct3[1:0] != 2'b00};
    if (~slow_done_q) begin
      unique case (slow_from_q)
        2'b00: slow_q <= csr_first;
        2'b01: slow_q <= csr_second;
        2'b10: slow_q <= product_low;
        2'b11: slow_q <= product_high;
      endcase
      if (x_q.is_csr & csr_is_narrow) slow_q <= csr_narrow;
    end
  end

  // A custom instruction has its effect when it leaves for the next stage.
  // Not during an access over the bus, ready or not: bus_ready_i is late.
  assign custom_valid_o =
      is_alive & x_q.is_custom & ~interrupt_pending & ~is_faulty & ~m_bad & ~m_on_bus;
  assign custom_op_o = {insn_x_q[31:25], funct3};
  assign custom_first_o = first_q;
  assign custom_second_o = second_q;

  wire waits_unit = is_slow ? ~slow_done_q : x_q.is_custom & (~custom_ready_i | m_on_bus);
  wire waits = waits_unit & ~interrupted & ~is_faulty;
  assign advance_x = ~m_stalls & ~(is_alive & waits);

  word_t special;
  always_comb begin
    unique case (x_q.special)
      SpecialCustom: special = custom_result_i;
      SpecialQuotient: special = quotient;
      SpecialSlow: special = slow_q;
      SpecialNext: special = {next_x_q, 2'b00};
    endcase
  end
  wire is_special = x_q.is_custom | is_slow | x_q.is_jal | x_q.is_jalr;
  wire set_less = x_q.sets_less & (funct3[0] ? less_unsigned : less);
  // The result is a sum or one of these.
  assign early = combined | special & {32{is_special}};
  assign late  = shifted | {31'd0, set_less};

  // CSRs: the memory stage is empty while a CSR instruction is in execute.
  wire word_t csr_source = funct3[2] ? 32'(insn_x_q[19:15]) : first_q;
  wire word_t csr_write = funct3[1] ?
      (funct3[0] ? slow_q & ~csr_source : slow_q | csr_source) : csr_source;

  // Exceptions; interrupts have priority. Address exceptions follow in the memory stage.
  wire trap = interrupted | is_faulty | bad_csr_q | x_q.is_ecall | x_q.is_ebreak;
  logic [3:0] cause;
  always_comb begin
    if (interrupted) cause = interrupt_cause;
    else if (fetch_fault_q) cause = CauseFetchFault;
    else if (x_q.is_illegal | bad_csr_q) cause = CauseIllegal;
    else cause = x_q.is_ecall ? CauseEcall : CauseBreakpoint;
  end

  // Branches. The comparison is late: the consequences of both outcomes are computed before it.
  logic taken_if_less, taken_if_not, mismatch;
  wire is_jump = x_q.is_jal | x_q.is_jalr;
  wire signs_differ = first_q[31] ^ second_q[31];
  always_comb begin
    taken_if_less = is_jump;
    taken_if_not  = is_jump;
    if (x_q.is_branch) begin
      unique case (funct3[2:1])
        2'b00:   {taken_if_less, taken_if_not} = {2{equal ^ funct3[0]}};
        2'b10: begin
          taken_if_less = (signs_differ ? first_q[31] : 1'b1) ^ funct3[0];
          taken_if_not  = (signs_differ ? first_q[31] : 1'b0) ^ funct3[0];
        end
        default: {taken_if_less, taken_if_not} = {~funct3[0], funct3[0]};
      endcase
    end
  end
  wire leaves = is_alive & ~waits;  // if the memory stage does not stall
  wire returns = trap | x_q.is_mret;
  wire goes_on = leaves & ~returns;
  wire taken = less_unsigned ? taken_if_less & goes_on : taken_if_not & goes_on;

  // Whether the target differs from the instruction fetched next, without a carry chain: the carry
  // required into each bit is compared with the carry out of the bit below. Targets of jalr are not
  // predicted.
  logic [31:2] wanted_carry, given_carry;
  assign wanted_carry = immediate_q[31:2] ^ pc_x_q ^ pc_d;
  assign given_carry = immediate_q[31:2] & pc_x_q | (immediate_q[31:2] | pc_x_q) & ~pc_d;
  assign mismatch = x_q.is_jalr | wanted_carry != {given_carry[30:2], 1'b0};
  wire redirects_if_taken = leaves & (returns | mismatch);
  wire redirects_if_not = leaves & (returns | |guess_x_q);
  wire redirects = less_unsigned ?
      (taken_if_less ? redirects_if_taken : redirects_if_not) :
      (taken_if_not ? redirects_if_taken : redirects_if_not);

  // Memory accesses. The data memory is written at the end of this stage.
  logic [3:0] bytes;
  word_t stored;
  always_comb begin
    unique case (funct3[1:0])
      2'b00:   bytes = 4'b0001 << address[1:0];
      2'b01:   bytes = address[1] ? 4'b1100 : 4'b0011;
      default: bytes = 4'b1111;
    endcase
    stored[7:0]   = second_q[7:0];
    stored[15:8]  = funct3[1:0] == 2'b00 ? second_q[7:0] : second_q[15:8];
    stored[23:16] = funct3[1] ? second_q[23:16] : second_q[7:0];
    stored[31:24] = funct3[1] ? second_q[31:24] : stored[15:8];
  end
  // Compares the upper bits of the base with the data memory, or with the block next to its end or
  // start: then the address is in the memory if the lower bits carry or borrow. This is faster than
  // a check of the sum.
  localparam int unsigned UpperBits = 32 - DataAddrWidth;
  localparam logic [UpperBits-1:0] DataUpper = {RegionData, (28 - DataAddrWidth)'(0)};
  wire [UpperBits-1:0] upper = first_q[31:DataAddrWidth];
  wire below = immediate_q[31];
  wire carries = address[DataAddrWidth] ^ upper[0] ^ below;
  wire in_same = upper == DataUpper;
  wire in_next = upper == DataUpper + 1'b1;
  wire in_last = upper == DataUpper - 1'b1;
  wire in_data = below ? (carries ? in_same : in_next) : carries ? in_last : in_same;
  load_t load;
  always_comb begin
    load = '0;
    load.loads = x_q.is_load;
    load.is_word = x_q.is_load & funct3[1];
    load.is_byte = x_q.is_load & funct3[1:0] == 2'b00;
    load.lower = x_q.is_load & (funct3[1] | funct3[0] & ~address[1]);
    load.upper = x_q.is_load & funct3[1:0] == 2'b01 & address[1];
    load.is_signed = x_q.is_load & ~funct3[2] & ~funct3[1];
    load.place = address[1:0];
    load.sign_place = {address[1], address[0] | funct3[0]};
  end
  wire misaligned = funct3[1] & address[1] | (funct3[1] | funct3[0]) & address[0];
  wire may_store = is_alive & ~m_stalls & x_q.is_store & ~interrupted & ~is_faulty;
  assign data_enable_o = ~m_stalls & (x_q.is_load | x_q.is_store);
  assign data_elsewhere_o = address[29];  // RegionBus has this bit, RegionData does not
  assign data_addr_o = address[DataAddrWidth-1:2];
  assign data_write_o = bytes & {4{may_store & in_data & ~misaligned}};
  assign data_o = stored;

  logic [31:2] trap_target, return_target;

  rpu_csr #(
      .HartId(HartId)
  ) u_csr (
      .clk_i,
      .rst_i,
      .addr_i(insn_x_q[31:20]),
      .narrow_o(csr_narrow),
      .is_narrow_o(csr_is_narrow),
      .first_o(csr_first),
      .second_o(csr_second),
      .is_second_o(csr_is_second),
      .known_o(csr_known),
      .write_i(writes_csr_q),
      .write_data_i(csr_write),
      .trap_i(m_valid_q & m_trap_q & ~m_stalls),
      .trap_interrupt_i(m_interrupt_q),
      .trap_cause_i(m_cause_q),
      .trap_pc_i(pc_m_q),
      .trap_value_i(m_at_address_q ? {m_address_q[31:1], m_address_q[0] & |m_cause_q} : '0),
      .mret_i(is_alive & x_q.is_mret & ~interrupted & ~is_faulty & ~m_stalls),
      .trap_target_o(trap_target),
      .return_target_o(return_target),
      .retired_i(m_valid_q & ~m_trap_q & ~m_stalls),
      .external_i(external_interrupt_i),
      .software_i(software_interrupt_i),
      .timer_i(timer_interrupt_i),
      .interrupt_o(interrupt_pending),
      .interrupt_cause_o(interrupt_cause)
  );

  // ---- Memory ----


  always_ff @(posedge clk_i) begin
    if (~m_stalls) begin
      m_valid_q <= leaves;
      m_system_q <= leaves & x_q.is_system;
      m_trap_q <= trap;
      m_interrupt_q <= interrupted;
      m_cause_q <= cause;
      m_at_address_q <= fetch_fault_q & ~interrupted;
      m_redirect_q <= redirects;
      m_learn_q <= ~returns & ~x_q.is_jalr;
      m_taken_q <= taken;
      guess_m_q <= guess_x_q;
      m_other_q <= trap ? trap_target : x_q.is_mret ? return_target : next_x_q;
      pc_m_q <= pc_x_q;
      m_rd_q <= x_q.rd;
      m_writes_q <= leaves & x_q.writes_rd & ~trap;
      m_how_q <= load;
      m_access_q <= leaves & (x_q.is_load | x_q.is_store) & ~trap;
      m_misaligned_q <= misaligned;
      m_aligned_q <= leaves & (x_q.is_load | x_q.is_store) & ~trap & ~misaligned;
      m_in_data_q <= in_data;
      m_in_bus_q <= address[31:28] == RegionBus;
      m_low_q <= address[27:3] == '0;
      m_write_q <= x_q.is_store;
      m_bytes_q <= bytes;
      m_address_q <= address;
      m_result_q <= early | late | sum & {32{x_q.adds}};
      m_data_q <= stored;
    end else if (m_bad | bus_ready_i) begin  // it becomes a trap
      {m_trap_q, m_redirect_q, m_at_address_q} <= '1;
      {m_writes_q, m_access_q, m_aligned_q, m_taken_q, m_learn_q} <= '0;
      if (m_taken_q) m_cause_q <= CauseFetchMisaligned;
      else if (m_write_q) m_cause_q <= m_misaligned_q ? CauseStoreMisaligned : CauseStoreFault;
      else m_cause_q <= m_misaligned_q ? CauseLoadMisaligned : CauseLoadFault;
      m_other_q <= trap_target;
    end
    if (rst_i) begin
      {m_valid_q, m_system_q, m_writes_q} <= '0;
      {m_access_q, m_aligned_q, m_taken_q, m_learn_q} <= '0;
      m_redirect_q <= 1'b1;  // to address 0
      m_other_q <= '0;
    end
  end
  // A jump or access to a bad address, which takes one more cycle.
  assign m_on_bus = m_access_q & m_in_bus_q;
  assign m_bad = m_taken_q & m_address_q[1] |
      m_access_q & (m_misaligned_q | (m_in_data_q ? data_fault_i : ~m_in_bus_q));
  assign m_stalls = m_bad | m_on_bus & ~(bus_ready_i & ~bus_error_i);
  assign redirect = m_redirect_q;
  assign redirect_target = m_taken_q ? m_address_q[31:2] : m_other_q;
  assign learn = m_learn_q & m_redirect_q;
  assign learn_taken = m_taken_q;

  assign bus_valid_o = m_aligned_q & m_in_bus_q;
  assign bus_write_o = m_write_q;
  assign bus_addr_o = m_address_q[27:0];
  assign bus_low_o = m_low_q;
  assign bus_bytes_o = m_bytes_q;
  assign bus_data_o = m_data_q;

  assign exception_o = m_valid_q & m_trap_q & ~m_interrupt_q & ~m_stalls;
  assign exception_cause_o = m_cause_q;
  assign exception_pc_o = pc_m_q;

  rpu_load u_load (
      .word_i (bus_data_i | data_i),
      .how_i  (m_how_q),
      .value_o(loaded)
  );
  assign m_value = loaded | m_result_q;  // a load has no result, and only a load drives loaded

  // ---- Retired instructions ----

  if (Retire) begin : gen_retire
    word_t insn_m_q, first_m_q, second_m_q;
    logic [1:0] m_size_q;
    always_ff @(posedge clk_i) begin
      if (~m_stalls) begin
        insn_m_q   <= insn_x_q;
        m_size_q   <= funct3[1:0];
        first_m_q  <= first_q;
        second_m_q <= second_q;
      end
    end
    wire done = m_valid_q & ~m_stalls;
    wire [3:0] mask = m_size_q[1] ? 4'b1111 : m_size_q[0] ? 4'b0011 : 4'b0001;
    wire accesses = ~m_trap_q & (m_how_q.loads | m_write_q);
    always_comb begin
      retire_o = '0;
      retire_o.valid = done;
      retire_o.trap = m_trap_q & ~m_interrupt_q;
      retire_o.interrupted = m_interrupt_q;
      retire_o.insn = insn_m_q;
      retire_o.pc = {pc_m_q, 2'b00};
      retire_o.next_pc = {redirect_target, 2'b00};
      retire_o.rs1_value = first_m_q;
      retire_o.rs2_value = second_m_q;
      if (m_writes_q) begin
        retire_o.rd = m_rd_q;
        retire_o.rd_value = m_value;
      end
      if (accesses) begin
        retire_o.mem_addr  = m_address_q;
        retire_o.mem_read  = m_how_q.loads ? mask : '0;
        retire_o.mem_write = m_how_q.loads ? '0 : mask;
        retire_o.mem_wdata = m_data_q;
      end
    end
  end else begin : gen_no_retire
    assign retire_o = '0;
  end

  `BOMBUS_ASSERT(OneSlowStep, $onehot0(slow_step_q))
  `BOMBUS_ASSERT(SystemExecutesAlone, !(x_valid_q && x_q.is_system && m_valid_q))
  `BOMBUS_ASSERT(LoadHasNoResult, !(m_writes_q && loaded != '0 && m_result_q != '0))

endmodule

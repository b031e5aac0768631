// SPDX-License-Identifier: Apache-2.0
// Decodes an instruction: RV32IM, rev8, CSRs, machine mode, and custom-0 with the values of funct3
// that CustomOps enables. Combinational. RISC-V unprivileged ISA, chapter "RV32/64G Instruction
// Set Listings".
module rpu_decode
  import rpu_pkg::*;
#(
    parameter logic [7:0] CustomOps = '0
) (
    input  word_t    insn_i,
    output decoded_t decoded_o,
    output word_t    immediate_o
);

  typedef enum logic [4:0] {
    OpLoad = 5'b00000,
    OpCustom = 5'b00010,
    OpFence = 5'b00011,
    OpImmediate = 5'b00100,
    OpAuipc = 5'b00101,
    OpStore = 5'b01000,
    OpRegister = 5'b01100,
    OpLui = 5'b01101,
    OpBranch = 5'b11000,
    OpJalr = 5'b11001,
    OpJal = 5'b11011,
    OpSystem = 5'b11100
  } opcode_e;

  localparam logic [11:0] Rev8 = 12'h698;

  wire [4:0] opcode = insn_i[6:2];
  wire [2:0] funct3 = insn_i[14:12];
  wire [6:0] funct7 = insn_i[31:25];

  // By the bits in which legal opcodes differ: the other outputs of an illegal instruction are not
  // used.
  wire is_register = opcode inside {5'b011?0};
  wire is_immediate = opcode inside {5'b?01?0};
  wire is_system = opcode inside {5'b1?1??};
  wire is_muldiv = is_register & insn_i[25];
  wire is_alu = is_immediate | is_register & ~insn_i[25];
  wire is_lui = opcode inside {5'b?11?1};
  wire is_auipc = opcode inside {5'b?01?1};
  wire is_upper = opcode inside {5'b??1?1};  // lui or auipc
  wire is_rev8 = is_immediate & funct3 == 3'b101 & insn_i[30] & insn_i[29];
  wire is_custom = opcode inside {5'b???10};
  wire is_load = opcode inside {5'b?000?};
  wire is_store = opcode inside {5'b010??};
  wire is_branch = opcode inside {5'b1?0?0};
  wire is_jal = opcode inside {5'b?1?1?};
  wire is_jalr = opcode inside {5'b1??01};
  wire is_csr = is_system & funct3[1:0] != 2'b00;
  wire is_fence = opcode inside {5'b?0?11};
  wire is_privileged = is_system & funct3 == 3'b000 & insn_i[19:15] == 5'd0 & insn_i[11:7] == 5'd0;

  // Legal encodings of each opcode
  logic legal_alu, legal_privileged, legal;
  always_comb begin
    unique case (funct3)
      3'b001: legal_alu = funct7 == 7'd0;
      3'b101:
      legal_alu = funct7[6] == 1'b0 && funct7[4:0] == 5'd0 || is_rev8 && insn_i[31:20] == Rev8;
      3'b000: legal_alu = is_immediate || funct7[6] == 1'b0 && funct7[4:0] == 5'd0;
      default: legal_alu = is_immediate || funct7 == 7'd0;
    endcase
    unique case (insn_i[31:20])
      12'h000, 12'h001, 12'h302, 12'h105: legal_privileged = is_privileged;
      default: legal_privileged = 1'b0;
    endcase
    unique case (opcode)
      OpLoad: legal = funct3 != 3'b011 && funct3[2:1] != 2'b11;
      OpStore: legal = ~funct3[2] & funct3[1:0] != 2'b11;
      OpBranch: legal = funct3[2:1] != 2'b01;
      OpJalr: legal = funct3 == 3'b000;
      OpImmediate: legal = legal_alu;
      OpRegister: legal = insn_i[25] ? funct7 == 7'd1 : legal_alu;
      OpSystem: legal = is_csr & funct3 != 3'b100 | legal_privileged;
      OpFence: legal = funct3[2:1] == 2'b00;
      OpCustom: legal = CustomOps[funct3];
      OpLui, OpAuipc, OpJal: legal = 1'b1;
      default: legal = 1'b0;
    endcase
  end

  wire writes = ~(is_store | is_branch | is_fence | is_privileged);

  always_comb begin
    decoded_o = '0;
    decoded_o.rd = insn_i[11:7];
    decoded_o.writes_rd = writes & insn_i[11:7] != 5'd0;
    decoded_o.first_pc = is_upper;  // lui does not read it
    decoded_o.second_immediate = is_upper | is_immediate;
    decoded_o.adds = is_alu & funct3 == 3'b000 | is_auipc;
    decoded_o.subtracts = is_register & insn_i[30] | is_alu & funct3[2:1] == 2'b01 | is_branch;
    if (is_alu)
      unique case (funct3)
        3'b111:  decoded_o.logic_op = LogicAnd;
        3'b110:  decoded_o.logic_op = LogicOr;
        3'b100:  decoded_o.logic_op = LogicXor;
        3'b101:  decoded_o.logic_op = is_rev8 ? LogicReverse : LogicNone;
        default: decoded_o.logic_op = LogicNone;
      endcase
    else if (is_lui) decoded_o.logic_op = LogicSecond;
    decoded_o.shifts = is_alu & funct3[1:0] == 2'b01 & ~is_rev8;
    decoded_o.left = ~funct3[2];
    decoded_o.arithmetic = insn_i[30];
    decoded_o.sets_less = is_alu & funct3[2:1] == 2'b01;
    if (is_custom) decoded_o.special = SpecialCustom;
    else if (is_register) decoded_o.special = funct3[2] ? SpecialQuotient : SpecialSlow;
    else decoded_o.special = is_system ? SpecialSlow : SpecialNext;
    decoded_o.multiplies = is_muldiv & ~funct3[2];
    decoded_o.divides = is_muldiv & funct3[2];
    decoded_o.is_csr = is_csr;
    decoded_o.is_custom = is_custom;
    decoded_o.is_load = is_load;
    decoded_o.is_store = is_store;
    decoded_o.is_branch = is_branch;
    decoded_o.is_jal = is_jal;
    decoded_o.is_jalr = is_jalr;
    decoded_o.is_ecall = is_privileged & insn_i[29:20] == 10'h000;
    decoded_o.is_ebreak = is_privileged & insn_i[29:20] == 10'h001;
    decoded_o.is_mret = is_privileged & insn_i[29];
    decoded_o.is_system = is_system;
    decoded_o.is_illegal = ~legal | insn_i[1:0] != 2'b11;
  end

  // The formats of immediates: I, S, B, U, J.
  wire format_s = is_store;
  wire format_u = is_upper;
  always_comb begin
    immediate_o[31] = insn_i[31];
    immediate_o[30:20] = format_u ? insn_i[30:20] : {11{insn_i[31]}};
    immediate_o[19:12] = format_u | is_jal ? insn_i[19:12] : {8{insn_i[31]}};
    immediate_o[11] = format_u ? 1'b0 : is_branch ? insn_i[7] : is_jal ? insn_i[20] : insn_i[31];
    immediate_o[10:5] = format_u ? 6'd0 : insn_i[30:25];
    immediate_o[4:1] = format_u ? 4'd0 : format_s | is_branch ? insn_i[11:8] : insn_i[24:21];
    immediate_o[0] = format_s ? insn_i[7] : ~format_u & ~is_branch & ~is_jal & insn_i[20];
  end

endmodule

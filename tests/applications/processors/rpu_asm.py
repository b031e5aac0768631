# SPDX-License-Identifier: Apache-2.0
"""Encodes RISC-V instructions: as much of an assembler as tests of the core need."""

from __future__ import annotations

# ---- Formats ----


def r_type(opcode: int, funct3: int, funct7: int, rd: int, rs1: int, rs2: int) -> int:
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode


def i_type(opcode: int, funct3: int, rd: int, rs1: int, value: int) -> int:
    return (value & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode


def s_type(funct3: int, rs2: int, rs1: int, value: int) -> int:
    high, low = value >> 5 & 0x7F, value & 0x1F
    return high << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | low << 7 | 0x23


def b_type(funct3: int, rs1: int, rs2: int, offset: int) -> int:
    high = (offset >> 12 & 1) << 6 | offset >> 5 & 0x3F
    low = offset & 0x1E | offset >> 11 & 1
    return high << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | low << 7 | 0x63


def u_type(opcode: int, rd: int, value: int) -> int:
    return value & 0xFFFFF000 | rd << 7 | opcode


def jal(rd: int, offset: int) -> int:
    bits = (offset >> 20 & 1) << 19 | (offset >> 1 & 0x3FF) << 9
    bits |= (offset >> 11 & 1) << 8 | offset >> 12 & 0xFF
    return bits << 12 | rd << 7 | 0x6F


# ---- Instructions by name: funct3 and funct7 ----

REGISTER = {
    "add": (0, 0),
    "sub": (0, 0x20),
    "sll": (1, 0),
    "slt": (2, 0),
    "sltu": (3, 0),
    "xor": (4, 0),
    "srl": (5, 0),
    "sra": (5, 0x20),
    "or": (6, 0),
    "and": (7, 0),
    "mul": (0, 1),
    "mulh": (1, 1),
    "mulhsu": (2, 1),
    "mulhu": (3, 1),
    "div": (4, 1),
    "divu": (5, 1),
    "rem": (6, 1),
    "remu": (7, 1),
}
IMMEDIATE = {"addi": 0, "slti": 2, "sltiu": 3, "xori": 4, "ori": 6, "andi": 7}
SHIFT = {"slli": (1, 0), "srli": (5, 0), "srai": (5, 0x20)}
BRANCH = {"beq": 0, "bne": 1, "blt": 4, "bge": 5, "bltu": 6, "bgeu": 7}
LOAD = {"lb": 0, "lh": 1, "lw": 2, "lbu": 4, "lhu": 5}
STORE = {"sb": 0, "sh": 1, "sw": 2}
CSR_OP = {"csrrw": 1, "csrrs": 2, "csrrc": 3, "csrrwi": 5, "csrrsi": 6, "csrrci": 7}
CSR = {
    "mstatus": 0x300,
    "misa": 0x301,
    "mie": 0x304,
    "mtvec": 0x305,
    "mscratch": 0x340,
    "mepc": 0x341,
    "mcause": 0x342,
    "mtval": 0x343,
    "mip": 0x344,
    "mcycle": 0xB00,
    "minstret": 0xB02,
    "mcycleh": 0xB80,
    "minstreth": 0xB82,
    "cycle": 0xC00,
    "instret": 0xC02,
    "mvendorid": 0xF11,
    "mhartid": 0xF14,
}
ECALL, EBREAK, MRET, WFI, FENCE = 0x73, 0x100073, 0x30200073, 0x10500073, 0xF
NOP = 0x13


def reg(name: str, rd: int, rs1: int, rs2: int) -> int:
    return r_type(0x33, *REGISTER[name], rd, rs1, rs2)


def imm(name: str, rd: int, rs1: int, value: int) -> int:
    if name in SHIFT:
        funct3, funct7 = SHIFT[name]
        return r_type(0x13, funct3, funct7, rd, rs1, value)
    return i_type(0x13, IMMEDIATE[name], rd, rs1, value)


def rev8(rd: int, rs1: int) -> int:
    return i_type(0x13, 5, rd, rs1, 0x698)


def lui(rd: int, value: int) -> int:
    return u_type(0x37, rd, value)


def auipc(rd: int, value: int) -> int:
    return u_type(0x17, rd, value)


def jalr(rd: int, rs1: int, value: int) -> int:
    return i_type(0x67, 0, rd, rs1, value)


def branch(name: str, rs1: int, rs2: int, offset: int) -> int:
    return b_type(BRANCH[name], rs1, rs2, offset)


def load(name: str, rd: int, rs1: int, value: int) -> int:
    return i_type(0x03, LOAD[name], rd, rs1, value)


def store(name: str, rs2: int, rs1: int, value: int) -> int:
    return s_type(STORE[name], rs2, rs1, value)


def csr(name: str, rd: int, register: str | int, source: int) -> int:
    """`source`: a register, or the value for csrrwi, csrrsi and csrrci."""
    number = CSR[register] if isinstance(register, str) else register
    return i_type(0x73, CSR_OP[name], rd, source, number)


def custom(funct3: int, funct7: int, rd: int, rs1: int, rs2: int) -> int:
    return r_type(0x0B, funct3, funct7, rd, rs1, rs2)


def li(rd: int, value: int) -> list[int]:
    """Any constant, in two instructions."""
    low = (value & 0xFFF ^ 0x800) - 0x800
    return [lui(rd, value - low & 0xFFFFFFFF), imm("addi", rd, rd, low)]

# SPDX-License-Identifier: Apache-2.0
"""A model of the packet processors' core: what each instruction does, without cycles."""

from __future__ import annotations

from dataclasses import dataclass, field

MASK = 0xFFFFFFFF
DATA_BASE, BUS_BASE, BUS_BAD = 0x10000000, 0x20000000, 0x28000000
CODE_BYTES = DATA_BYTES = 16384  # of the core as the benches build it


def signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def extend(value: int, bits: int) -> int:
    return (value & (1 << bits) - 1 ^ 1 << bits - 1) - (1 << bits - 1)


@dataclass
class Retired:
    """The effect of an instruction; names as in retire_t."""

    insn: int
    pc: int
    next_pc: int = 0
    trap: int = 0
    rd: int = 0
    rd_value: int = 0
    mem_addr: int = 0
    mem_read: int = 0
    mem_write: int = 0
    mem_wdata: int = 0


class TrapError(Exception):
    def __init__(self, cause: int, value: int = 0) -> None:
        super().__init__(cause)
        self.cause, self.value = cause, value


def muldiv(funct3: int, a: int, b: int) -> int:
    sa, sb = signed(a), signed(b)
    if funct3 < 4:
        product = (sa * sb, sa * sb, sa * b, a * b)[funct3]
        return product >> (32 if funct3 else 0)
    x, y = (a, b) if funct3 & 1 else (sa, sb)
    if y == 0:
        return x if funct3 & 2 else -1
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return x - quotient * y if funct3 & 2 else quotient


def alu(funct3: int, alternative: int, a: int, b: int) -> int:
    amount = b & 31
    return (
        a - b if alternative else a + b,
        a << amount,
        int(signed(a) < signed(b)),
        int(a < b),
        a ^ b,
        signed(a) >> amount if alternative else a >> amount,
        a | b,
        a & b,
    )[funct3]


@dataclass
class Model:
    """Registers, memories and CSRs; `step` executes one instruction."""

    code: dict[int, int]
    code_bytes: int = CODE_BYTES
    data_bytes: int = DATA_BYTES
    custom_ops: int = 0xFF
    pc: int = 0
    x: list[int] = field(default_factory=lambda: [0] * 32)
    memory: dict[int, int] = field(default_factory=dict)  # bytes of data memory and bus
    csrs: dict[int, int] = field(default_factory=dict)
    mie: int = 0
    mpie: int = 0
    pending: int = 0  # mip

    # ---- CSRs ----

    def read_csr(self, number: int) -> int:
        if number == 0x300:
            return 0x1800 | self.mpie << 7 | self.mie << 3
        if number == 0x344:
            return self.pending
        fixed = {0x301: 0x40001100, 0xF11: 0, 0xF12: 0, 0xF13: 0, 0xF14: 0}
        if number in fixed:
            return fixed[number]
        if number in (0x304, 0x305, 0x340, 0x341, 0x342, 0x343):
            return self.csrs.get(number, 0)
        if number in (0xB00, 0xB02, 0xB80, 0xB82, 0xC00, 0xC02, 0xC80, 0xC82):
            return self.csrs.get(number & 0xFF | 0xB00, 0)
        raise TrapError(2)

    def write_csr(self, number: int, value: int) -> None:
        if number >> 10 == 3:
            raise TrapError(2)
        masks = {0x304: 0x888, 0x305: ~3, 0x340: -1, 0x341: ~3, 0x342: 0x8000000F, 0x343: -1}
        if number == 0x300:
            self.mpie, self.mie = value >> 7 & 1, value >> 3 & 1
        elif number in masks:
            self.csrs[number] = value & masks[number] & MASK

    def enter(self, cause: int, value: int = 0) -> None:
        """A trap, or an interrupt, before the instruction at the PC."""
        self.csrs |= {0x341: self.pc, 0x342: cause, 0x343: value}
        self.mpie, self.mie = self.mie, 0
        self.pc = self.csrs.get(0x305, 0)

    # ---- Memories ----

    def _check(self, address: int, size: int, store: int) -> None:
        if address % size:
            raise TrapError(4 + 2 * store, address)
        in_data = DATA_BASE <= address < DATA_BASE + self.data_bytes
        if not in_data and not BUS_BASE <= address < BUS_BAD:
            raise TrapError(5 + 2 * store, address)

    def _place(self, address: int) -> int:
        return BUS_BASE + address % 256 if address >= BUS_BASE else address

    def load(self, address: int, size: int) -> int:
        self._check(address, size, 0)
        place = self._place(address)
        return sum(self.memory.get(place + b, 0) << 8 * b for b in range(size))

    def store(self, address: int, size: int, value: int) -> None:
        self._check(address, size, 1)
        place = self._place(address)
        for b in range(size):
            self.memory[place + b] = value >> 8 * b & 0xFF

    # ---- Execution ----

    def step(self) -> Retired:
        inside = self.pc < self.code_bytes
        done = Retired(self.code.get(self.pc, 0) if inside else 0, self.pc)
        try:
            if not inside:
                raise TrapError(1, self.pc)
            following = self._execute(done)
            if following & 2:
                raise TrapError(0, following)
            if done.rd:
                self.x[done.rd] = done.rd_value = done.rd_value & MASK
            else:
                done.rd_value = 0
            self.pc = following
        except TrapError as trap:
            done = Retired(done.insn, done.pc, trap=1)
            self.enter(trap.cause, trap.value)
        done.next_pc = self.pc
        return done

    def _execute(self, done: Retired) -> int:
        """Fills in `done`; returns the next PC."""
        insn, pc = done.insn, self.pc
        opcode, funct3, funct7 = insn & 0x7F, insn >> 12 & 7, insn >> 25
        a, b = self.x[insn >> 15 & 31], self.x[insn >> 20 & 31]
        low = extend(insn >> 20, 12)
        following = pc + 4
        rd, result = insn >> 7 & 31, 0
        if opcode in (0x37, 0x17):
            result = (insn & 0xFFFFF000) + (pc if opcode == 0x17 else 0)
        elif opcode == 0x6F:
            bits = insn >> 31 << 20 | insn & 0xFF000
            bits |= (insn >> 20 & 1) << 11 | insn >> 20 & 0x7FE
            result, following = following, pc + extend(bits, 21)
        elif opcode == 0x67 and funct3 == 0:
            result, following = following, a + low & ~1
        elif opcode == 0x63 and funct3 >> 1 != 1:
            rd = 0
            bits = insn >> 31 << 12 | (insn >> 7 & 1) << 11
            bits |= (insn >> 25 & 0x3F) << 5 | insn >> 7 & 0x1E
            holds = (a == b, a == b, 0, 0, signed(a) < signed(b), signed(a) < signed(b), a < b)
            holds += (a < b,)
            if bool(holds[funct3]) != bool(funct3 & 1):
                following = pc + extend(bits, 13)
        elif opcode == 0x03 and funct3 in (0, 1, 2, 4, 5):
            size = 1 << (funct3 & 3)
            done.mem_addr, done.mem_read = a + low & MASK, (1 << size) - 1
            result = self.load(done.mem_addr, size)
            if funct3 < 3:
                result = extend(result, 8 * size)
        elif opcode == 0x23 and funct3 < 3:
            rd, size = 0, 1 << funct3
            done.mem_addr = a + extend(funct7 << 5 | insn >> 7 & 31, 12) & MASK
            done.mem_write, done.mem_wdata = (1 << size) - 1, b & (1 << 8 * size) - 1
            self.store(done.mem_addr, size, b)
        elif opcode == 0x13 and insn >> 20 == 0x698 and funct3 == 5:
            result = int.from_bytes(a.to_bytes(4, "little"), "big")
        elif opcode == 0x13:
            if funct3 in (1, 5) and funct7 not in ((0,) if funct3 == 1 else (0, 0x20)):
                raise TrapError(2)
            result = alu(funct3, int(funct3 == 5 and funct7 == 0x20), a, low & MASK)
        elif opcode == 0x33 and funct7 == 1:
            result = muldiv(funct3, a, b)
        elif opcode == 0x33 and (funct7 == 0 or (funct7 == 0x20 and funct3 in (0, 5))):
            result = alu(funct3, funct7 >> 5, a, b)
        elif opcode == 0x0F and funct3 < 2:
            rd = 0
        elif opcode == 0x0B and self.custom_ops >> funct3 & 1:
            result = a + b + (funct7 << 3 | funct3)
        elif opcode == 0x73 and funct3 & 3:
            result = self._csr(insn, funct3, a)
        elif insn in (0x30200073, 0x10500073):
            rd = 0
            if insn >> 28 == 3:
                self.mie, self.mpie = self.mpie, 1
                following = self.csrs.get(0x341, 0)
        elif insn == 0x73:
            raise TrapError(11)
        elif insn == 0x100073:
            raise TrapError(3)
        else:
            raise TrapError(2)
        done.rd, done.rd_value = rd, result
        return following & MASK

    def _csr(self, insn: int, funct3: int, a: int) -> int:
        number, field_ = insn >> 20, insn >> 15 & 31
        old = self.read_csr(number)
        source = field_ if funct3 & 4 else a
        if funct3 & 3 == 1 or field_:
            new = (0, source, old | source, old & ~source)[funct3 & 3]
            self.write_csr(number, new)
        return old

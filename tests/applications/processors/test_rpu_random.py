# SPDX-License-Identifier: Apache-2.0
"""Random programs on the packet processors' core, beside QEMU's RISC-V (unicorn) and our model."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
import unicorn
from unicorn import riscv_const as const

from tests.applications.processors import rpu_asm as asm
from tests.applications.processors.rpu_model import (
    BUS_BASE,
    CODE_BYTES,
    DATA_BASE,
    DATA_BYTES,
    Model,
)
from tests.applications.processors.rpu_world import Core, compare, words
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

# x1 to x3 hold addresses of the data memory, x4 of the bus, x30 of code.
POINTERS = {1: DATA_BASE, 2: DATA_BASE + 8192, 3: DATA_BASE + DATA_BYTES, 4: BUS_BASE + 128}
HANDLER = CODE_BYTES - 64


def random_program(random: Random, length: int) -> list[int]:
    """Instructions of all kinds; branches and jumps stay near, and the last one leads back."""
    program: list[int] = []
    for rd, address in POINTERS.items():
        program += asm.li(rd, address)
    program += [asm.store("sw", 0, 4, place) for place in range(-128, 128, 4)]
    program += [*asm.li(5, HANDLER), asm.csr("csrrw", 0, "mtvec", 5)]
    others = [r for r in range(5, 32) if r != 30]
    program.append(asm.imm("addi", 30, 0, 0))
    for r in others:
        program += asm.li(
            r, random.choice([random.getrandbits(32), random.getrandbits(8), 1 << 31])
        )
    few = [0, *random.sample(others, 6)]  # so that results are soon operands

    def any_register() -> int:
        return random.choice(few) if random.random() < 0.8 else random.choice([0, *others])

    def access(rs1: int) -> tuple[int, int, int]:
        funct3 = random.choice([0, 1, 2, 4, 5])
        size = 1 << (funct3 & 3)
        low, high = {1: (0, 2047), 2: (-2048, 2047), 3: (-2048, -4), 4: (-128, 124)}[rs1]
        place = random.randrange(low, high)
        return funct3, size, place if random.random() < 0.02 else place // size * size

    while len(program) < length:
        rd, rs1, rs2 = any_register(), any_register(), any_register()
        kind = random.random()
        if kind < 0.25:
            program.append(asm.reg(random.choice([*asm.REGISTER][:10]), rd, rs1, rs2))
        elif kind < 0.45:
            name = random.choice([*asm.IMMEDIATE, *asm.SHIFT])
            value = random.randrange(32) if name in asm.SHIFT else random.randrange(-2048, 2048)
            program.append(asm.imm(name, rd, rs1, value))
        elif kind < 0.50:
            program.append(asm.reg(random.choice([*asm.REGISTER][10:]), rd, rs1, rs2))
        elif kind < 0.55:
            upper = random.choice([asm.lui, asm.auipc])
            program.append(upper(rd, random.getrandbits(32)))
        elif kind < 0.57:
            program.append(asm.rev8(rd, rs1))
        elif kind < 0.72:
            pointer = random.choice([*POINTERS])
            funct3, _, place = access(pointer)
            program.append(asm.i_type(0x03, funct3, rd, pointer, place))
        elif kind < 0.82:
            pointer = random.choice([*POINTERS])
            funct3, _, place = access(pointer)
            program.append(asm.s_type(funct3 & 3, rs2, pointer, place))
        elif kind < 0.94:
            name = random.choice([*asm.BRANCH])
            program.append(asm.branch(name, rs1, rs2, 4 * random.choice([1, 2, 2, 3, 4, 7])))
        elif kind < 0.96:
            program.append(asm.jal(rd, 4 * random.randrange(1, 5)))
        elif kind < 0.97:
            program += [asm.auipc(30, 0), asm.jalr(rd, 30, 4 * random.randrange(2, 5))]
        elif kind < 0.985:
            name = random.choice([*asm.CSR_OP])
            register = random.choice(["mscratch", "mepc", "mcause", "mtval"])
            program.append(asm.csr(name, rd, register, rs1))
        elif kind < 0.99:
            # A loop of a few rounds.
            program += [asm.imm("addi", 31, 0, random.randrange(1, 9))]
            program += [asm.reg("xor", rd, rs1, rs2), asm.imm("addi", 31, 31, -1)]
            program += [asm.branch("bne", 31, 0, -8)]
        elif kind < 0.993:
            program.append(random.choice([asm.ECALL, asm.EBREAK]))
        else:
            program.append(random.choice([asm.FENCE, asm.WFI, asm.NOP]))
    program += [asm.NOP] * 8
    program += [asm.jal(0, -4 * (len(program) - len(POINTERS) * 2))]
    return program


# Goes on behind the instruction.
RETURN = words(
    [
        *(asm.csr("csrrs", 29, "mepc", 0), asm.imm("addi", 29, 29, 4)),
        *(asm.csr("csrrw", 0, "mepc", 29), asm.csr("csrrs", 28, "mcause", 0), asm.MRET),
    ],
    HANDLER,
)


@dataclass
class Qemu:
    """Unicorn, one instruction after the other. It knows neither rev8 nor our traps."""

    code: dict[int, int]
    uc: Any = field(init=False)

    def __post_init__(self) -> None:
        self.uc = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
        self.uc.mem_map(0, CODE_BYTES)
        self.uc.mem_map(DATA_BASE, DATA_BYTES)
        self.uc.mem_map(BUS_BASE, 4096)
        for address, insn in self.code.items():
            self.uc.mem_write(address, insn.to_bytes(4, "little"))
        self.registers = [const.UC_RISCV_REG_X0 + r for r in range(32)] + [const.UC_RISCV_REG_PC]
        self.states: list[tuple[int, ...]] = []
        self.uc.hook_add(unicorn.UC_HOOK_CODE, self._before)

    def _before(self, uc: Any, address: int, size: int, data: Any) -> None:
        self.states.append(tuple(uc.reg_read_batch(self.registers)))

    def straight(self, start: int, state: list[int], count: int) -> list[tuple[int, ...]]:
        """States before each of up to `count` instructions from here, and behind the last."""
        self.states.clear()
        for number, value in zip(self.registers[1:32], state[1:], strict=True):
            self.uc.reg_write(number, value)
        self.uc.emu_start(start, 1 << 20, count=count)
        self.states.append(tuple(self.uc.reg_read_batch(self.registers)))
        return self.states


def handled_here(got: dict[str, int]) -> bool:
    """Whether QEMU is not asked: traps, CSRs, mret, and rev8, which it does not know."""
    insn = got["insn"]
    system = insn & 0x7F in (0x73, 0x0F)
    return bool(got["trap"]) or system or insn & 0xFFF0707F == asm.rev8(0, 0)


def check(code: dict[int, int], retired: list[dict[str, int]]) -> int:
    """Everything against the model; what QEMU can do, in runs, against QEMU as well."""
    model, qemu = Model(code), Qemu(code)
    index = asked = 0
    while index < len(retired):
        end = index
        while end < len(retired) and not handled_here(retired[end]):
            end += 1
        if end > index:
            states = qemu.straight(model.pc, model.x, end - index)
            for before, after, got in zip(states, states[1:], retired[index:end], strict=False):
                assert (before[32], after[32]) == (got["pc"], got["next_pc"]), got
                if got["rd"]:
                    assert after[got["rd"]] & 0xFFFFFFFF == got["rd_value"], got
            assert len(states) == end - index + 1
            asked += end - index
        for got in retired[index : end + 1]:
            compare(got, model.step())
        index = end + 1
    for address, value in model.memory.items():
        assert qemu.uc.mem_read(address, 1)[0] == value, hex(address)
    return asked


def run_random(benches: Benches, seed: int, count: int, stall: float) -> int:
    random = Random(seed)
    core = Core(benches, seed)
    core.bench.stall(1, stall)
    code = words(random_program(random, 3500)) | RETURN
    core.clear()
    core.load(code, dict.fromkeys(range(0, DATA_BYTES, 4), 0))
    core.set(hold=0)
    while len(core.bench.received(0)) < count:
        core.bench.run(count)
    return check(code, core.retired()[:count])


@pytest.mark.parametrize("seed", range(5))
def test_random_programs(benches: Benches, seed: int) -> None:
    assert run_random(benches, seed, 10_000, (0.0, 0.5)[seed % 2]) > 8_000


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(5, 25))
def test_many_random_programs(benches: Benches, seed: int) -> None:
    """A million instructions."""
    assert run_random(benches, seed, 50_000, (0.0, 0.5)[seed % 2]) > 40_000

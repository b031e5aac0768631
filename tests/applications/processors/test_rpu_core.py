# SPDX-License-Identifier: Apache-2.0
"""The packet processors' core: every instruction, exceptions, interrupts, the bus, cycles."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from bombus.applications.processors import image
from bombus.applications.processors.build import build
from tests.applications.processors import rpu_asm as asm
from tests.applications.processors.rpu_model import (
    BUS_BAD,
    BUS_BASE,
    CODE_BYTES,
    DATA_BASE,
    DATA_BYTES,
    Model,
)
from tests.applications.processors.rpu_world import BUS, Core, compare, run, unpack, words
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

CORNERS = (0, 1, 2, 0x7F, 0x80, 0xFFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFE)
CORNERS += (0x7FFFFFFF, 0x80000000, 0x80000001, 0xAAAAAAAA, 0x12345678, 0xFFFFFFFE, 0xFFFFFFFF)


@pytest.fixture
def core(benches: Benches) -> Core:
    return Core(benches)


def pairs(random: Random, count: int = 12) -> Iterator[tuple[int, int]]:
    for a in CORNERS:
        for b in random.sample(CORNERS, 6):
            yield a, b
    for _ in range(count):
        yield random.getrandbits(32), random.getrandbits(32)


# Instructions between operands and their use: every bypass, and none.
GAPS = ((0, 0), (1, 0), (2, 1), (3, 3), (0, 2))


@pytest.mark.parametrize("name", asm.REGISTER)
def test_register_instructions(core: Core, name: str) -> None:
    random = Random(name)
    program = []
    for index, (a, b) in enumerate(pairs(random)):
        first, second = GAPS[index % len(GAPS)]
        program += asm.li(5, a) + [asm.NOP] * first
        program += asm.li(6, b) + [asm.NOP] * second
        program += [asm.reg(name, 7, 5, 6), asm.reg(name, 8, 7, 5), asm.reg(name, 0, 5, 6)]
        program += [asm.reg(name, 5, 5, 5), asm.reg("add", 9, 5, 0)]
    run(core, program)


@pytest.mark.parametrize("name", [*asm.IMMEDIATE, *asm.SHIFT, "rev8", "lui", "auipc"])
def test_immediate_instructions(core: Core, name: str) -> None:
    random = Random(name)
    program = []
    for index, (a, b) in enumerate(pairs(random)):
        program += asm.li(5, a) + [asm.NOP] * GAPS[index % len(GAPS)][1]
        if name == "rev8":
            insn = asm.rev8(7, 5)
        elif name in ("lui", "auipc"):
            insn = getattr(asm, name)(7, b)
        else:
            insn = asm.imm(name, 7, 5, b % 32 if name in asm.SHIFT else b)
        program += [insn, asm.reg("add", 8, 7, 7), insn & ~(31 << 7), asm.reg("add", 9, 0, 0)]
    run(core, program)


@pytest.mark.parametrize("name", asm.BRANCH)
def test_branches(core: Core, name: str) -> None:
    """Taken and not, forwards and backwards, again and again."""
    random = Random(name)
    program = []
    for index, (a, b) in enumerate(pairs(random)):
        program += asm.li(5, a) + asm.li(6, b if index % 3 else a)
        program += [asm.branch(name, 5, 6, 8), asm.imm("addi", 7, 7, 1), asm.NOP]
        # Backwards, three times.
        program += [asm.imm("addi", 10, 0, 3), asm.imm("addi", 10, 10, -1)]
        program += [asm.branch("bne", 10, 0, -4), asm.reg("add", 11, 10, 7)]
    run(core, program, count=len(program))


def test_jumps(core: Core) -> None:
    code = words([asm.jal(1, 0x200), asm.NOP, asm.imm("addi", 3, 3, 1)])
    code |= words(
        [*asm.li(5, 0x404), asm.jalr(1, 5, -3), asm.NOP], 0x200
    )  # the lowest bit is cleared
    code |= words([asm.jalr(5, 5, 0xFC), asm.NOP], 0x400)
    code |= words([asm.jal(0, -0x100), asm.NOP], 0x500)
    run(core, code, count=60)


def test_calls_of_a_function(core: Core) -> None:
    """More returns and branches than the buffer has places."""
    code = words(
        [
            asm.jal(1, 0x400 - 8 * i) if j == 0 else asm.imm("addi", 5, 5, i)
            for i in range(20)
            for j in range(2)
        ]
    )
    code[160] = asm.jal(0, -160)
    code |= words([asm.imm("addi", 6, 6, 1), asm.jalr(0, 1, 0)], 0x400)
    run(core, code, count=500)


@pytest.mark.parametrize("base", [DATA_BASE, BUS_BASE])
@pytest.mark.parametrize("stall", [0.0, 0.7])
def test_loads_and_stores(core: Core, base: int, stall: float) -> None:
    random = Random(base)
    core.bench.stall(1, stall)
    program = asm.li(5, base + 128)
    program += [
        insn
        for i in range(64)
        for insn in (*asm.li(6, random.getrandbits(32)), asm.store("sw", 6, 5, 4 * i - 128))
    ]
    for _ in range(300):
        is_load = random.random() < 0.6
        name = random.choice([*(asm.LOAD if is_load else asm.STORE)])
        size = {"b": 1, "h": 2, "w": 4}[name[1]]
        place = random.randrange(-128 // size, 128 // size) * size
        if is_load:
            program.append(asm.load(name, random.randrange(6, 10), 5, place))
        else:
            program.append(asm.store(name, random.randrange(6, 10), 5, place))
        if random.random() < 0.5:
            program.append(asm.reg("add", random.randrange(6, 10), 6, random.randrange(6, 10)))
    _, retired = run(core, program)
    assert not any(each["trap"] for each in retired)
    if base == BUS_BASE:
        requests = [BUS.unpack(item) for item in core.bench.items(1)]
        accesses = [each for each in retired if each["mem_read"] or each["mem_write"]]
        assert len(requests) >= len(accesses)
        for request, access in zip(requests, accesses, strict=False):
            assert request["addr"] == access["mem_addr"] & 0xFFFFFFF
            mask = access["mem_read"] | access["mem_write"]
            assert request["bytes"] == mask << access["mem_addr"] % 4
            assert request["write"] == bool(access["mem_write"])


# A handler at 0x3000 that notes what mcause, mepc and mtval say, and goes on at x31.
HANDLER = 0x3000


def handler() -> dict[int, int]:
    return words(
        [
            *(
                asm.csr("csrrs", r, name, 0)
                for r, name in ((28, "mcause"), (29, "mepc"), (30, "mtval"))
            ),
            asm.csr("csrrs", 27, "mstatus", 0),
            asm.csr("csrrw", 0, "mepc", 31),
            asm.MRET,
        ],
        HANDLER,
    )


def trapping(insn: int, before: list[int]) -> dict[int, int]:
    """Programs in which an instruction raises an exception, at several distances."""
    code: list[int] = [*asm.li(25, HANDLER), asm.csr("csrrw", 0, "mtvec", 25)]
    for gap in range(4):
        code += [asm.auipc(31, 0), asm.imm("addi", 31, 31, 4 * (len(before) + gap + 3))]
        code += [*before, *([asm.NOP] * gap), insn]
        code += [asm.imm("addi", 20 + gap, 20, 7)]
    code += [asm.jal(0, 0)]
    return words(code) | handler()


ILLEGAL = (
    *(0, 0xFFFFFFFF, 0x12, 0x0000707F, 0x2F, 0x53, asm.NOP & ~2),
    *(asm.reg("add", 5, 6, 7) | 0x10 << 25, asm.reg("and", 5, 6, 7) | 0x20 << 25),
    *(asm.reg("mul", 5, 6, 7) | 0x20 << 25, asm.imm("slli", 5, 6, 3) | 0x20 << 25),
    *(asm.load("lw", 5, 6, 0) | 3 << 12, asm.load("lw", 5, 6, 0) | 6 << 12),
    *(asm.rev8(5, 6) ^ 1 << 21, asm.store("sw", 5, 6, 0) | 3 << 12),
    *(asm.branch("beq", 5, 6, 8) | 2 << 12, asm.jalr(5, 6, 0) | 1 << 12),
    *(asm.MRET | 1 << 7, asm.MRET | 1 << 15, asm.ECALL | 2 << 20, asm.ECALL | 4 << 12),
    *(asm.csr("csrrs", 5, 0x7C0, 0), asm.csr("csrrw", 5, "mhartid", 0)),
    *(asm.csr("csrrs", 5, 0xC00, 6), asm.FENCE | 2 << 12, 0x10200073),
)


@pytest.mark.parametrize("insn", ILLEGAL, ids=hex)
def test_illegal_instructions(core: Core, insn: int) -> None:
    model, retired = run(core, trapping(insn, []), count=80)
    assert sum(each["trap"] for each in retired) == 4
    assert model.csrs[0x342] == 2


EXCEPTIONS = {
    "ecall": (asm.ECALL, 0, 11),
    "ebreak": (asm.EBREAK, 0, 3),
    "lh": (asm.load("lh", 7, 5, 1), DATA_BASE, 4),
    "lw": (asm.load("lw", 7, 5, 2), DATA_BASE, 4),
    "sh": (asm.store("sh", 7, 5, 1), DATA_BASE, 6),
    "sw": (asm.store("sw", 7, 5, 3), DATA_BASE, 6),
    "load from code": (asm.load("lw", 7, 5, 0), 0, 5),
    "load behind data": (asm.load("lw", 7, 5, 0), DATA_BASE + DATA_BYTES, 5),
    "load before data": (asm.load("lw", 7, 5, -4), DATA_BASE, 5),
    "store behind data": (asm.store("sb", 7, 5, 0), DATA_BASE + DATA_BYTES, 7),
    "store nowhere": (asm.store("sw", 7, 5, 0), 0xFFFFFFF0, 7),
    "load from the bus": (asm.load("lw", 7, 5, 0), BUS_BAD, 5),
    "store to the bus": (asm.store("sb", 7, 5, 3), BUS_BAD, 7),
    "jump out": (asm.jalr(7, 5, 0), 0x4000, 1),
    "jump far": (asm.jalr(7, 5, 0), 0x80000000, 1),
    "jump between": (asm.jalr(7, 5, 3), 0x100, 0),
    "jal between": (asm.jal(7, 6), 0x100, 0),
    "branch between": (asm.branch("beq", 0, 0, 10), 0x100, 0),
}


@pytest.mark.parametrize("name", EXCEPTIONS)
@pytest.mark.parametrize("stall", [0.0, 0.6])
def test_exceptions(core: Core, name: str, stall: float) -> None:
    insn, base, cause = EXCEPTIONS[name]
    core.bench.stall(1, stall)
    model, retired = run(core, trapping(insn, asm.li(5, base)), count=80)
    assert sum(each["trap"] for each in retired) == 4
    assert model.csrs[0x342] == cause


def test_branch_between_is_not_taken(core: Core) -> None:
    """No exception for a target that is not jumped to."""
    _, retired = run(core, [asm.branch("bne", 0, 0, 10), asm.NOP, asm.jal(0, 0)])
    assert not any(each["trap"] for each in retired)


def test_falls_off_the_end_of_the_code(core: Core) -> None:
    code = words([*asm.li(25, HANDLER), asm.csr("csrrw", 0, "mtvec", 25), *asm.li(5, 16376)])
    code |= words([asm.jalr(31, 5, 0), asm.jal(0, 0)], 20) | handler()
    code |= words([asm.NOP, asm.NOP], 16376)
    model, retired = run(core, code, count=40)
    assert [(e["pc"], e["trap"]) for e in retired if e["trap"]] == [(CODE_BYTES, 1)]
    assert (model.csrs[0x342], model.csrs[0x343], model.x[29]) == (1, CODE_BYTES, CODE_BYTES)


@pytest.mark.parametrize("name", asm.CSR_OP)
def test_csr_instructions(core: Core, name: str) -> None:
    random = Random(name)
    program = []
    for register in ("mscratch", "mtvec", "mepc", "mcause", "mtval", "mie", "mstatus"):
        for value in (*random.sample(CORNERS, 5), 0xFFFFFFFF, 0):
            program += [*asm.li(5, value), asm.csr("csrrw", 0, register, 5)]
            program += asm.li(6, random.getrandbits(32))
            source = random.randrange(32) if name.endswith("i") else random.choice([0, 6])
            program += [asm.csr(name, 7, register, source), asm.reg("add", 8, 7, 0)]
            program += [asm.csr("csrrs", 9, register, 0), asm.csr("csrrw", 0, "mstatus", 0)]
    run(core, program)


def test_fixed_csrs(core: Core) -> None:
    program = [asm.csr("csrrs", 5, r, 0) for r in ("misa", "mvendorid", 0xF12, 0xF13, "mhartid")]
    program += [asm.csr("csrrw", 5, "misa", 6), asm.csr("csrrs", 5, "misa", 0), asm.jal(0, 0)]
    run(core, program)


def test_counters(core: Core) -> None:
    """Instructions and cycles count, carry into their upper words, and can be set."""
    program = [
        *(asm.csr("csrrw", 0, r, 0) for r in ("minstreth", "minstret", "mcycleh", "mcycle")),
        *([asm.NOP] * 5),
        asm.csr("csrrs", 5, "instret", 0),  # 2 of the CSRs behind it, and 5
        asm.csr("csrrs", 6, "cycle", 0),
        *asm.li(7, 0xFFFFFFFF),
        asm.csr("csrrw", 0, "minstret", 7),
        asm.csr("csrrs", 8, "minstret", 0),
        asm.csr("csrrs", 9, "minstreth", 0),
        asm.csr("csrrw", 0, "mcycle", 7),
        asm.NOP,
        asm.csr("csrrs", 10, 0xC80, 0),
        asm.csr("csrrs", 11, "minstreth", 0),
        asm.jal(0, 0),
    ]
    core.load(words(program))
    core.set(hold=0)
    core.bench.run(200)
    value = {each["rd"]: each["rd_value"] for each in core.retired()}
    assert value[5] == 7
    assert 10 < value[6] < 30
    assert (value[8], value[9], value[10], value[11]) == (0xFFFFFFFF, 1, 1, 1)


def loop_for_interrupts() -> dict[int, int]:
    """A program with instructions of every kind, and a handler that counts and returns."""
    code = [*asm.li(25, HANDLER), asm.csr("csrrw", 0, "mtvec", 25), *asm.li(5, DATA_BASE)]
    code += [*asm.li(6, BUS_BASE), *asm.li(7, 0x888), asm.csr("csrrw", 0, "mie", 7)]
    code += [asm.csr("csrrsi", 0, "mstatus", 8)]
    loop = [
        *(asm.imm("addi", 8, 8, 3), asm.store("sw", 8, 5, 0), asm.load("lw", 9, 5, 0)),
        *(asm.reg("mul", 10, 9, 8), asm.reg("divu", 11, 10, 9), asm.store("sh", 11, 6, 4)),
        *(asm.load("lbu", 12, 6, 4), asm.reg("add", 13, 12, 11), asm.custom(3, 5, 14, 13, 8)),
        *(asm.csr("csrrw", 15, "mscratch", 14), asm.branch("bne", 8, 0, 8), asm.NOP),
        *(asm.csr("csrrci", 0, "mstatus", 8), asm.imm("addi", 16, 16, 1)),
        *(asm.csr("csrrsi", 0, "mstatus", 8), asm.jal(1, 8), asm.NOP, asm.FENCE),
    ]
    code += [*loop, asm.jal(0, -4 * len(loop))]
    body = [
        asm.imm("addi", 20, 20, 1),
        asm.csr("csrrs", 28, "mcause", 0),
        asm.csr("csrrs", 29, "mepc", 0),
        asm.MRET,
    ]
    return words(code) | words(body, HANDLER)


@pytest.mark.parametrize("source", ["external", "software", "timer"])
@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_interrupt_at_every_place(core: Core, source: str, stall: float) -> None:
    """A pulse that ends when the handler begins, in every cycle of the program."""
    code = loop_for_interrupts()
    core.set(custom_wait=3)
    core.bench.stall(1, stall)
    bit = {"external": 11, "software": 3, "timer": 7}[source]
    interrupted_at = set()
    for cycle in range(30, 170):
        core.clear()
        core.load(code, {0: 0})
        model = Model(code, pending=1 << bit)
        core.set(hold=0)
        core.bench.run(cycle)
        core.set(**{source: 1})
        for _ in range(200):
            core.bench.run(1)
            retired = core.retired()
            if any(each["interrupted"] for each in retired):
                break
        core.set(**{source: 0})
        core.bench.run(100)
        count = 0
        for got in core.retired():
            if got["interrupted"]:
                count += 1
                interrupted_at.add(got["pc"])
                assert (got["pc"], model.mie) == (model.pc, 1)
                model.enter(1 << 31 | bit)
                assert got["next_pc"] == HANDLER
            else:
                compare(got, model.step())
        assert count == 1, cycle
        assert model.x[20] == 1, "the handler has run once"
    # Every instruction of the loop but those that run with interrupts off.
    start = min(code) + 4 * 11
    loop = {a for a in code if start <= a < HANDLER}
    assert len(loop - interrupted_at) <= 8, sorted(loop - interrupted_at)


def test_priorities_of_interrupts(core: Core) -> None:
    code = loop_for_interrupts()
    core.load({a: code.get(a, 0) for a in range(0, CODE_BYTES, 4)}, {0: 0})
    causes = []
    for controls in ((1, 1, 1), (0, 1, 1), (0, 0, 1)):
        core.set(hold=1)
        core.bench.reset()
        core.set(hold=0, **dict(zip(("external", "software", "timer"), controls, strict=True)))
        core.bench.run(300)
        causes.append(next(e["rd_value"] for e in core.retired() if e["rd"] == 28))
    assert causes == [0x8000000B, 0x80000003, 0x80000007]


def test_interrupt_ends_a_wait_for_a_custom_instruction(core: Core) -> None:
    """A waiting instruction has no effect when an interrupt occurs, and is executed after it."""
    code = [*asm.li(25, HANDLER), asm.csr("csrrw", 0, "mtvec", 25), *asm.li(7, 0x800)]
    code += [asm.csr("csrrw", 0, "mie", 7), asm.csr("csrrsi", 0, "mstatus", 8)]
    code += [asm.custom(1, 2, 5, 7, 7), asm.jal(0, 0)]
    core.load(words(code) | words([asm.csr("csrrwi", 0, "mie", 0), asm.MRET], HANDLER))
    core.set(hold=0, custom_wait=15)
    seen = set()
    for wait in range(20, 60):
        core.set(hold=1)
        core.bench.reset()
        core.set(hold=0)
        core.bench.run(wait)
        core.set(external=1)
        core.bench.run(80)
        core.set(external=0)
        done = [e for e in core.retired() if e["insn"] & 0x7F == 0x0B and not e["interrupted"]]
        assert len(done) == core.bench.events[0] == 1
        assert done[0]["rd_value"] == 0x1000 + 0x11
        seen |= {e["pc"] for e in core.retired() if e["interrupted"]}
    assert len(seen) > 1


def cycles_of(core: Core, *program: int) -> int:
    """Cycles for one time round a loop, with the jump back."""
    core.load(words([*program, asm.jal(0, -4 * len(program))]))
    core.set(hold=0)
    core.bench.run(60 * (len(program) + 2))
    at = [each.cycle for each in core.bench.received(0) if unpack(each.item)["pc"] == 0][2:]
    (cycles,) = {after - before for before, after in pairwise(at)}
    return cycles


def test_cycles(core: Core) -> None:
    """One cycle an instruction, and no gap at a jump that is known."""
    add = asm.imm("addi", 5, 5, 1)
    use = asm.reg("add", 8, 6, 6)
    core.load(words([*asm.li(7, DATA_BASE), *asm.li(9, BUS_BASE), asm.jal(0, 0)]))
    core.set(hold=0)
    core.bench.run(20)
    load = asm.load("lw", 6, 7, 0)
    assert cycles_of(core, *[add] * 5) == 6
    assert cycles_of(core, add) == 2
    assert cycles_of(core, add, load, use) == 5, "a load whose value is wanted at once"
    assert cycles_of(core, load, add, use) == 4, "a load whose value is wanted later"
    assert cycles_of(core, asm.load("lw", 6, 9, 0), add, use) == 4, "a bus that is ready"
    assert cycles_of(core, asm.reg("mul", 6, 7, 9)) == 5
    assert cycles_of(core, asm.reg("div", 6, 7, 9)) == 37
    assert cycles_of(core, asm.branch("bne", 0, 0, 8), add) == 3, "a branch that is not taken"
    assert cycles_of(core, asm.branch("beq", 0, 0, 8), add) == 2, "one that is"
    assert cycles_of(core, asm.custom(0, 0, 6, 7, 9), use) == 3


SORT = """
#include <stdint.h>
static uint32_t words[64], sum;
static const uint8_t text[] = "packet processors";
static void swap(uint32_t *a, uint32_t *b) { uint32_t c = *a; *a = *b; *b = c; }
int main(void) {
    uint32_t seed = 12345;
    for (int i = 0; i < 64; i++) words[i] = seed = seed * 1664525u + 1013904223u;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j + 1 < 64 - i; j++)
            if (words[j] > words[j + 1]) swap(&words[j], &words[j + 1]);
    for (int i = 0; i < 63; i++) sum += words[i] <= words[i + 1];
    for (unsigned i = 0; i < sizeof text; i++) sum = sum * 31 + text[i] % (i + 1);
    *(volatile uint32_t *)0x20000000 = sum;
    for (;;) {}
}
"""


def test_a_program_in_c(core: Core, tmp_path: Path) -> None:
    """The compiled program runs as on the model, and gives the results that C requires."""
    source, elf = tmp_path / "sort.c", tmp_path / "sort.elf"
    source.write_text(SORT)
    build([source], elf)
    program = image.read(elf)
    data = [program.data.get(a, 0) for a in range(0, 1024, 4)]
    run(core, program.code, count=20_000, data=data)
    total = 63
    for i, letter in enumerate(b"packet processors\0"):
        total = (total * 31 + letter % (i + 1)) % (1 << 32)
    (written,) = [BUS.unpack(item) for item in core.bench.items(1)]
    assert (written["write"], written["data"]) == (1, total)

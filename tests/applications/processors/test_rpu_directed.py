# SPDX-License-Identifier: Apache-2.0
"""Every instruction of RV32IM against results that are written down.

In the spirit of the riscv-tests (rv32ui, rv32um): programs that check themselves, encoded by a
compiler's assembler, without a model; operands at every distance, registers that are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from bombus.applications.processors import image
from bombus.applications.processors.build import build
from tests.applications.processors.rpu_model import CODE_BYTES, DATA_BYTES
from tests.applications.processors.rpu_world import Core
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

MIN, MAX, ONES = 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF
# Operands and results, from the RISC-V unprivileged ISA.
REGISTER = {
    "add": [(3, 7, 10), (MAX, 1, MIN), (ONES, 1, 0), (MIN, MIN, 0), (0xFFFF8000, MAX, 0x7FFF7FFF)],
    "sub": [(3, 7, 0xFFFFFFFC), (MIN, 1, MAX), (0, MIN, MIN), (0x7FFF, MIN, 0x80007FFF)],
    "and": [(0xFF00FF00, 0x0F0F0F0F, 0x0F000F00), (0x00FF00FF, 0xF0F0F0F0, 0x00F000F0)],
    "or": [(0xFF00FF00, 0x0F0F0F0F, 0xFF0FFF0F), (0x0FF00FF0, 0xF0F0F0F0, 0xFFF0FFF0)],
    "xor": [(0xFF00FF00, 0x0F0F0F0F, 0xF00FF00F), (0x00FF00FF, 0xF0F0F0F0, 0xF00FF00F)],
    "sll": [(1, 31, MIN), (0x21212121, 7, 0x90909080), (0x21212121, 0xFFFFFFC7, 0x90909080)],
    "srl": [(MIN, 31, 1), (0x21212121, 14, 0x8484), (MIN, 0xFFFFFFC4, 0x08000000)],
    "sra": [(MIN, 31, ONES), (0x81818181, 14, 0xFFFE0606), (MAX, 31, 0), (MIN, 32, MIN)],
    "slt": [(MIN, 0, 1), (0, MIN, 0), (MAX, ONES, 0), (ONES, 1, 1), (5, 5, 0), (MIN, MAX, 1)],
    "sltu": [(MIN, 0, 0), (0, MIN, 1), (MAX, ONES, 1), (ONES, 1, 0), (5, 5, 0), (MIN, MAX, 0)],
}
MULTIPLY = {
    "mul": [(7, 6, 42), (MIN, ONES, MIN), (0xAAAAAAAB, 3, 1), (ONES, ONES, 1), (65536, 65536, 0)],
    "mulh": [(MIN, MIN, 0x40000000), (MIN, ONES, 0), (ONES, ONES, 0), (ONES, 1, ONES)],
    "mulhu": [(MIN, MIN, 0x40000000), (ONES, ONES, 0xFFFFFFFE), (ONES, 1, 0), (65536, 65536, 1)],
    "mulhsu": [(MIN, MIN, 0xC0000000), (ONES, ONES, ONES), (1, ONES, 0), (MIN, ONES, MIN)],
    "div": [(20, 6, 3), (-20, 6, -3), (20, -6, -3), (-20, -6, 3), (MIN, ONES, MIN), (MIN, 1, MIN)],
    "divu": [(20, 6, 3), (-20, 6, 0x2AAAAAA7), (20, -6, 0), (MIN, ONES, 0), (MIN, 1, MIN)],
    "rem": [(20, 6, 2), (-20, 6, -2), (20, -6, 2), (-20, -6, -2), (MIN, ONES, 0), (MIN, 1, 0)],
    "remu": [(20, 6, 2), (-20, 6, 2), (20, -6, 20), (-20, -6, -20), (MIN, ONES, MIN), (MIN, 1, 0)],
}
# By zero there is no trap.
for name, of_zero in (("div", ONES), ("divu", ONES), ("rem", None), ("remu", None)):
    for value in (0, 1, MIN, ONES):
        MULTIPLY[name].append((value, 0, value if of_zero is None else of_zero))
IMMEDIATE = {
    "addi": [(MAX, 2047, 0x800007FE), (MIN, -2048, 0x7FFFF800), (1, -1, 0)],
    "andi": [(0xFF00FF00, -241, 0xFF00FF00), (0x00FF00FF, 0x70F, 0x0F)],
    "ori": [(0xFF00FF00, -241, 0xFFFFFF0F), (0x00FF00FF, 0x70F, 0x00FF07FF)],
    "xori": [(0xFF00FF00, -241, 0x00FF000F), (0x00FF00FF, -1, 0xFF00FF00)],
    "slti": [(MIN, -2048, 1), (0, -1, 0), (MAX, 2047, 0), (-2048, -2047, 1)],
    "sltiu": [(MIN, -2048, 1), (0, -1, 1), (ONES, 2047, 0), (1, 1, 0)],
    "slli": [(1, 31, MIN), (0x21212121, 0, 0x21212121), (0x21212121, 14, 0x48484000)],
    "srli": [(MIN, 31, 1), (0x21212121, 0, 0x21212121), (0x81818181, 7, 0x01030303)],
    "srai": [(MIN, 31, ONES), (0x81818181, 7, 0xFF030303), (0x21212121, 31, 0)],
}
BRANCH = {
    "beq": ([(0, 0), (ONES, ONES)], [(0, 1), (MIN, 0)]),
    "bne": ([(0, 1), (MIN, 0)], [(0, 0), (ONES, ONES)]),
    "blt": ([(MIN, 0), (-2, -1), (-1, 1)], [(0, MIN), (1, 1), (1, -1)]),
    "bge": ([(0, MIN), (1, 1), (1, -1)], [(MIN, 0), (-2, -1), (-1, 1)]),
    "bltu": ([(0, MIN), (1, ONES), (-2, -1)], [(MIN, 0), (1, 1), (ONES, 1)]),
    "bgeu": ([(MIN, 0), (1, 1), (ONES, 1)], [(0, MIN), (1, ONES), (-2, -1)]),
}
# What is in memory is 00ff00ff, ff00ff00, 0ff00ff0, f00ff00f.
LOADS = {
    "lb": [(0, ONES), (1, 0), (4, 0), (5, ONES), (8, 0xFFFFFFF0), (9, 15), (15, 0xFFFFFFF0)],
    "lbu": [(0, 255), (1, 0), (5, 255), (8, 240), (9, 15), (15, 240)],
    "lh": [(0, 255), (4, 0xFFFFFF00), (8, 0xFF0), (12, 0xFFFFF00F), (14, 0xFFFFF00F)],
    "lhu": [(0, 255), (4, 0xFF00), (8, 0xFF0), (12, 0xF00F)],
    "lw": [(0, 0x00FF00FF), (4, 0xFF00FF00), (8, 0x0FF00FF0), (12, 0xF00FF00F)],
}
# A word of aaaaaaaa, after a store of 12345678 at an offset.
STORES = {
    "sb": [(0, 0xAAAAAA78), (1, 0xAAAA78AA), (2, 0xAA78AAAA), (3, 0x78AAAAAA)],
    "sh": [(0, 0xAAAA5678), (2, 0x5678AAAA)],
    "sw": [(0, 0x12345678)],
}


def check(register: str, wanted: int) -> list[str]:
    return ["addi s0, s0, 1", f"li t6, {wanted}", f"bne {register}, t6, failed"]


def register_lines(cases: dict[str, list[tuple[int, int, int]]]) -> Iterator[str]:
    for name, rows in cases.items():
        for number, (a, b, wanted) in enumerate(rows):
            for gap in range(3):
                yield from [f"li t0, {a}", *["nop"] * gap, f"li t1, {b}", *["nop"] * (2 - gap)]
                yield from [f"{name} t2, t0, t1", *check("t2", wanted)]
            # Registers that are the same, and the one that is always zero.
            yield from [f"li t0, {a}", f"li t1, {b}"]
            yield from [f"{name} {('t0', 't1')[number % 2]}, t0, t1"]
            yield from check(("t0", "t1")[number % 2], wanted)
            yield from [f"{name} zero, t0, t1", *check("zero", 0)]


def immediate_lines() -> Iterator[str]:
    for name, rows in IMMEDIATE.items():
        for a, value, wanted in rows:
            for gap in range(3):
                yield from [f"li t0, {a}", *["nop"] * gap, f"{name} t2, t0, {value}"]
                yield from check("t2", wanted)
            yield from [f"{name} zero, t0, {value}", *check("zero", 0)]
            yield from [f"{name} t0, t0, {value}", *check("t0", wanted)]
    yield from ["lui t0, 0xfffff", *check("t0", 0xFFFFF000), "lui zero, 5", *check("zero", 0)]
    yield from ["auipc t0, 0x10", "auipc t1, 0", "sub t0, t0, t1", *check("t0", 0x10000 - 4)]
    yield from ["li t0, 0x12345678", ".insn i 0x13, 5, t1, t0, 0x698", *check("t1", 0x78563412)]


def branch_lines() -> Iterator[str]:
    label = 0
    for name, (taken, not_taken) in BRANCH.items():
        for a, b in taken:
            for gap in range(3):
                label += 1
                yield from [f"li t0, {a}", f"li t1, {b}", *["nop"] * gap]
                # Forwards, then backwards.
                yield from [f"{name} t0, t1, 2f", "j failed", f"1: j then_{label}", "j failed"]
                yield from [f"2: {name} t0, t1, 1b", "j failed", f"then_{label}: addi s0, s0, 1"]
        for a, b in not_taken:
            yield from [f"li t0, {a}", f"li t1, {b}", f"{name} t0, t1, failed", "addi s0, s0, 1"]
    yield from ["jal t0, 1f", "j failed", "1: la t1, 1b", "addi t1, t1, -4"]
    yield from ["addi s0, s0, 1", "bne t0, t1, failed"]
    for gap in range(3):
        yield from ["la t0, 1f", *["nop"] * gap, "jalr t0, t0, 0", "j failed"]
        yield from ["1: la t1, 1b", "addi t1, t1, -4", "addi s0, s0, 1", "bne t0, t1, failed"]


def memory_lines() -> Iterator[str]:
    yield "li s1, 0x10000100"
    for place, word in enumerate((0x00FF00FF, 0xFF00FF00, 0x0FF00FF0, 0xF00FF00F)):
        yield from [f"li t0, {word}", f"sw t0, {4 * place}(s1)"]
    for name, rows in LOADS.items():
        for offset, wanted in rows:
            for gap in range(3):
                yield from [f"{name} t0, {offset}(s1)", *["nop"] * gap, "mv t1, t0"]
                yield from check("t1", wanted)
            yield from [f"addi t0, s1, {offset + 32}", f"{name} t0, -32(t0)", *check("t0", wanted)]
    for name, rows in STORES.items():
        for offset, wanted in rows:
            for gap in range(3):
                yield from ["li t0, 0xaaaaaaaa", "sw t0, 64(s1)", "li t1, 0x12345678"]
                yield from [*["nop"] * gap, f"{name} t1, {64 + offset}(s1)", "lw t2, 64(s1)"]
                yield from check("t2", wanted)


PROGRAMS = {
    "register": lambda: register_lines(REGISTER),
    "multiply": lambda: register_lines(MULTIPLY),
    "immediate": immediate_lines,
    "branch": branch_lines,
    "memory": memory_lines,
}


def ended(core: Core, tmp_path: Path, lines: Sequence[str]) -> tuple[int, int]:
    """The words that a program leaves: whether it has passed, and its checks."""
    source, elf = tmp_path / "program.S", tmp_path / "program.elf"
    text = "\n".join(lines)
    end = "li a0, 1\nj done\nfailed: li a0, 2\ndone: li s1, 0x10000000\nsw s0, 4(s1)\nsw a0, 0(s1)"
    source.write_text(f".globl main\nmain: li s0, 0\n{text}\n{end}\n1: j 1b\n")
    build([source], elf, code_bytes=CODE_BYTES, data_bytes=DATA_BYTES)
    program = image.read(elf)
    core.load(program.code, program.data)
    core.set(hold=0)
    for _ in range(100):
        core.bench.run(500)
        stores = [each for each in core.retired() if each["mem_write"]]
        if stores and stores[-1]["mem_addr"] == 0x10000000:
            return stores[-1]["mem_wdata"], stores[-2]["mem_wdata"]
    raise AssertionError("it does not end")


@pytest.mark.parametrize("name", PROGRAMS)
def test_instructions(benches: Benches, tmp_path: Path, name: str) -> None:
    lines = [*PROGRAMS[name]()]
    passed, checks = ended(Core(benches), tmp_path, lines)
    assert passed == 1, f"check {checks}"
    assert checks == sum("addi s0, s0, 1" in line for line in lines)


def test_a_wrong_result_is_seen(benches: Benches, tmp_path: Path) -> None:
    lines = [*register_lines({"add": [(1, 2, 3), (2, 2, 5)]})]
    assert ended(Core(benches), tmp_path, lines) == (2, 6)

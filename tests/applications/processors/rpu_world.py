# SPDX-License-Identifier: Apache-2.0
"""Runs programs on the packet processors' core beside their model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from bombus.design.rtl import struct_layout
from tests.applications.processors import rpu_asm as asm
from tests.applications.processors.rpu_model import (
    CODE_BYTES,
    DATA_BASE,
    DATA_BYTES,
    Model,
    Retired,
)
from tests.support.harness import Bench, Benches, Layout

_STRUCT = struct_layout("retire_t", "rpu_pkg")
FIELDS = {name: (place.offset, (1 << place.width) - 1) for name, place in _STRUCT.items()}
CONTROL = Layout(("hold", 1), ("external", 1), ("software", 1), ("timer", 1), ("custom_wait", 4))
BUS = Layout(("data", 32), ("bytes", 4), ("addr", 28), ("write", 1))


def unpack(item: int) -> dict[str, int]:
    return {name: item >> offset & mask for name, (offset, mask) in FIELDS.items()}


class Core:
    """A core with its memories; it runs while `hold` is 0."""

    def __init__(self, benches: Benches, seed: int = 1, **parameters: int) -> None:
        memories = {"CodeBytes": CODE_BYTES, "DataBytes": DATA_BYTES}
        self.bench: Bench = benches("rpu_core", seed=seed, **memories | parameters)
        self.controls: dict[str, int] = {"hold": 1}
        self.set()

    def set(self, **controls: int) -> None:
        self.controls |= controls
        self.bench.control(CONTROL.pack(**self.controls))

    def clear(self) -> None:
        """Sets all registers and mscratch to zero, by a program."""
        zero = [asm.imm("addi", r, 0, 0) for r in range(32)]
        self.load(words([*zero, asm.csr("csrrw", 0, "mscratch", 0), asm.jal(0, 0)]))
        self.set(hold=0)
        self.bench.run(60)

    def load(self, code: Mapping[int, int], data: Mapping[int, int] | None = None) -> None:
        """Words by byte address; those of data from the start of their memory."""
        self.set(hold=1)
        self.bench.reset()
        items = [address // 4 << 33 | word for address, word in code.items()]
        items += [a // 4 << 33 | 1 << 32 | word for a, word in (data or {}).items()]
        self.bench.push(items)
        self.bench.drain(quiet=3)
        self.bench.forget()

    def retired(self) -> list[dict[str, int]]:
        return [unpack(item) for item in self.bench.items(0)]


def words(program: Sequence[int], start: int = 0) -> dict[int, int]:
    return {start + 4 * index: insn for index, insn in enumerate(program)}


def compare(got: Mapping[str, int], wanted: Retired) -> None:
    want: dict[str, Any] = asdict(wanted)
    have = {name: got[name] for name in want}
    size = want["mem_write"].bit_length()
    have["mem_wdata"] &= (1 << 8 * size) - 1
    if want["trap"]:
        want["insn"] = have["insn"]  # nothing was fetched where there is no code
    assert have == want, f"{have}\n{want}"


def follow(core: Core, model: Model, count: int, limit: int = 40) -> list[dict[str, int]]:
    """Runs and compares at least `count` instructions; interrupts occur when the core reports
    them.
    """
    core.set(hold=0)
    retired: list[dict[str, int]] = []
    for _ in range(limit):
        core.bench.run(max(50, count // 2))
        retired = core.retired()
        if len(retired) >= count:
            break
    assert len(retired) >= count, f"only {len(retired)} of {count} instructions"
    for got in retired:
        if got["interrupted"]:
            assert got["pc"] == model.pc
            enabled = model.pending & model.csrs.get(0x304, 0)
            assert model.mie and enabled, "an interrupt that is not enabled"
            cause = next(bit for bit in (11, 3, 7) if enabled >> bit & 1)
            model.enter(1 << 31 | cause)
            assert got["next_pc"] == model.pc
        else:
            compare(got, model.step())
    return retired


def run(
    core: Core,
    program: Sequence[int] | Mapping[int, int],
    *,
    count: int | None = None,
    data: Iterable[int] = (),
    **model: Any,
) -> tuple[Model, list[dict[str, int]]]:
    """Loads a program and follows it to its end; `data`: words of the data memory."""
    code = dict(program) if isinstance(program, Mapping) else words([*program, asm.jal(0, 0)])
    initial = words(list(data))
    core.clear()
    # The whole of both memories, so that nothing is left of the program before.
    core.load(
        {a: code.get(a, 0) for a in range(0, CODE_BYTES, 4)},
        {a: initial.get(a, 0) for a in range(0, 1024, 4)},
    )
    golden = Model(code, **model)
    for address, word in initial.items():
        for b in range(4):
            golden.memory[DATA_BASE + address + b] = word >> 8 * b & 0xFF
    return golden, follow(core, golden, count or len(code))

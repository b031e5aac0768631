# SPDX-License-Identifier: Apache-2.0
"""Programs of packet processors are replaced only by programs that can be loaded."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bombus.analysis.check import check
from bombus.applications.processors.build import build
from bombus.applications.processors.distribution import Position
from bombus.applications.processors.processor import Processor, state
from bombus.applications.processors.processors import check_design
from bombus.applications.processors.software import keep_loaded
from bombus.base.errors import UserError
from bombus.base.paths import DESIGNS

PROGRAM = '#include "rpu.h"\nint main(void) { for (;;) rpu_send(rpu_receive()); }\n'
WORDS = 2048


class Simulation:
    """What Processor and keep_loaded need of one; `log`: what happened, in order."""

    def __init__(self, count: int) -> None:
        self.log: list[str] = []
        self.cycle = 0
        distribution = SimpleNamespace(
            enable=lambda number: self.log.append(f"enable {number}"),
            disable=lambda number: self.log.append(f"disable {number}"),
            begin=lambda number: None,
            drained=True,
        )
        group = SimpleNamespace(
            shared=distribution, open_requests=lambda number: 0, flight_cycles=lambda: 0
        )
        self.rpus = [_processor(self, number, group) for number in range(count)]

    def extension(self, _: object) -> list[Processor]:
        return self.rpus

    def advance(self, cycles: int) -> None:
        self.cycle += cycles

    def tile_counters(self, tile: str) -> dict[str, int]:
        return {"noc_in_messages": 0, "noc_out_messages": 0}

    def codes(self) -> list[int]:
        return [processor.registers.code[0].word for processor in self.rpus]


def _processor(simulation: Any, number: int, group: Any) -> Processor:
    memories = {name: [SimpleNamespace(word=0) for _ in range(WORDS)] for name in ("code", "data")}
    registers = SimpleNamespace(control=SimpleNamespace(run=0), **memories)
    position = Position(f"rpu_{number}", "rpu", None, registers)
    return Processor(simulation, number, position, group)


@pytest.fixture
def elf(tmp_path: Path) -> Path:
    (tmp_path / "program.c").write_text(PROGRAM)
    build([tmp_path / "program.c"], tmp_path / "program.elf")
    return tmp_path / "program.elf"


def test_a_bad_file_is_not_reloaded(elf: Path) -> None:
    """The processor is not even evicted."""
    simulation = Simulation(2)
    processor = simulation.rpus[0]
    processor.load(elf)
    processor.boot()
    elf.write_bytes(elf.read_bytes()[:100])
    for bad in (elf, elf.with_name("nothing.elf")):
        with pytest.raises(UserError, match=bad.name):
            processor.reload(bad)
    assert processor.registers.control.run == 1 and not simulation.log


def test_a_program_that_does_not_fit_is_not_reloaded(elf: Path) -> None:
    simulation = Simulation(2)
    processor = simulation.rpus[0]
    processor.load(elf)
    processor.boot()
    del processor.registers.code[8:]
    with pytest.raises(UserError, match="code memory"):
        processor.reload(elf)
    assert processor.registers.control.run == 1 and not simulation.log


def test_the_old_program_continues_until_the_file_is_whole(
    elf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As when it is copied over while the design runs: the reason is told once."""
    simulation = Simulation(2)
    software: Any = keep_loaded(elf)
    software(simulation)
    whole = elf.read_bytes()
    (before,) = set(simulation.codes())
    assert before and not simulation.log
    told = []
    for content in (b"", None, whole[:100], whole[:-1]):
        if content is None:
            elf.unlink()
        else:
            elf.write_bytes(content)
        for _ in range(3):
            software(simulation)
        told.append(capsys.readouterr().err)
        assert all(each.registers.control.run for each in simulation.rpus)
        assert simulation.codes() == [before] * 2 and not simulation.log
    reasons = ["not a 32-bit", "No such file", "damaged or cut off", ""]
    assert all(reason in text for reason, text in zip(reasons, told, strict=True))
    assert [text.count("The old program continues") for text in told] == [1, 1, 1, 0]
    for processor in simulation.rpus:
        processor.registers.code[0].word = 0
    assert "The old program continues" not in capsys.readouterr().err
    elf.write_bytes(whole)
    software(simulation)
    software(simulation)
    assert simulation.codes() == [before] * 2
    assert simulation.log == ["disable 0", "enable 0", "disable 1", "enable 1"]


def test_a_file_of_the_same_time_is_reloaded(elf: Path) -> None:
    """Two writes may have the same time."""
    simulation = Simulation(1)
    software: Any = keep_loaded(elf)
    software(simulation)
    time = elf.stat().st_mtime_ns
    elf.write_bytes(elf.read_bytes() + bytes(4))
    os.utime(elf, ns=(time, time))
    software(simulation)
    assert simulation.log == ["disable 0", "enable 0"]


def test_a_design_without_processors() -> None:
    """Is refused before its simulator is built."""
    for name in ("middlebox", "middlebox_8"):
        check_design(check(DESIGNS / f"{name}.yaml")[0].design)
    with pytest.raises(UserError, match="udp_echo has no packet processor"):
        check_design(check(DESIGNS / "udp_echo.yaml")[0].design)


def test_state_in_words() -> None:
    assert state(running=True, stuck=False, exception=None) == "runs"
    assert state(running=False, stuck=False, exception=None) == "stopped"
    assert state(running=True, stuck=False, exception=(7, 0x60)) == "exception 7 at 0x60"
    stopped = state(running=True, stuck=True, exception=[7, 0x60])
    assert stopped == "stopped by the watchdog; exception 7 at 0x60"

# SPDX-License-Identifier: Apache-2.0
"""Firmware that measures: docs/examples/middlebox/generator.c and latency.c, and the cycles per
packet that `bombus firmware build --cycles` prints.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

import bombus
from bombus.applications.processors.build import build
from bombus.applications.processors.firmware_cycles import datagram, measure
from bombus.base.errors import UserError
from bombus.base.paths import DESIGNS, EXAMPLES
from bombus.cli import app
from bombus.simulator.simulation import Simulation
from tests.applications.processors import examples

pytestmark = pytest.mark.slow

FOLDER = EXAMPLES / "middlebox"
FIREWALL = FOLDER / "firewall.yaml"  # one processor
HEADER = bytes.fromhex("020000000002 020000000001 88b5 0000")
LENGTH, GAP, COUNT = 1, 2, 3  # messages of generator.c
INTERVAL, WANTED = 1, 2  # and of latency.c
SENT, CAME, LEAST, MOST, LATEST = range(5)


def start(simulation: Simulation, folder: Path, name: str, cycles: int) -> None:
    build([FOLDER / f"{name}.c"], folder / f"{name}.elf")
    bombus.processors(simulation)[0].load(folder / f"{name}.elf")
    bombus.processors(simulation)[0].boot()
    simulation.advance(cycles)


def test_generator(tmp_path: Path) -> None:
    """Frames are numbered, as long and as far apart as asked for; what comes in is counted, and its
    bytes are not sent.
    """
    with examples.running("firewall", tmp_path) as simulation:
        start(simulation, tmp_path, "generator", 100_000)
        processor = bombus.processors(simulation)[0]
        for length, gap, count in ((60, 0, 500), (61, 0, 100), (1514, 0, 50), (64, 200, 50)):
            for place, word in ((LENGTH, length), (GAP, gap), (COUNT, count)):
                processor.debug_send(word, place)
            frames = simulation.receive_all(0)
            numbers = [int.from_bytes(frame.data[16:20], "little") for frame in frames]
            assert numbers == list(range(count))
            for frame in frames:
                assert frame.data == HEADER + frame.data[16:20] + bytes(length - 20)
            at = [frame.last_beat_cycle for frame in frames]
            cycles = (at[-10] - at[10]) / (count - 20)
            assert cycles == pytest.approx(gap, abs=1) if gap else 15 < cycles < 31
            simulation.exchange([b"\xff" * length] * 40, ports=[1] * 40)
            assert processor.debug_word == 40 and processor.status.inside == 0


def test_latency(tmp_path: Path) -> None:
    """The time that a frame spends outside is measured to a few cycles."""
    with examples.running("firewall", tmp_path) as simulation:
        start(simulation, tmp_path, "latency", 100_000)
        processor = bombus.processors(simulation)[0]
        processor.debug_send(4, INTERVAL)

        def value(wanted: int) -> int:
            processor.debug_send(wanted, WANTED)
            simulation.advance(200)
            return processor.debug_word

        inside = []
        delays = [7, 900, 0, 350, 100]
        for number, delay in enumerate(delays):
            frame = simulation.receive(0, timeout_cycles=5000)
            assert frame is not None and frame.data[:16] == HEADER
            simulation.advance(max(0, frame.last_beat_cycle + delay - simulation.cycle))
            before = simulation.cycle
            simulation.send(frame.data, port=1)
            simulation.advance(200)
            simulation.send(b"\xff" * 60, port=1)  # another frame is ignored
            simulation.advance(300)
            assert value(CAME) == number + 1
            inside.append(value(LATEST) - (before - frame.last_beat_cycle))
        assert max(inside) - min(inside) < 30 and 20 < min(inside) < 100, inside
        assert value(LEAST) <= 7 + max(inside) and value(MOST) >= 900 + min(inside)
        processor.debug_send(0, INTERVAL)


MESSAGES = {  # of programs that wait with an empty slot for several times the watchdog's limit
    "generator": ((LENGTH, 60), (GAP, 50_000), (COUNT, 4)),
    "latency": ((INTERVAL, 200),),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_one_that_waits_is_not_stopped(tmp_path: Path, name: str) -> None:
    """Neither on idle links nor while frames come, which it takes."""
    with examples.running("firewall", tmp_path) as simulation:
        processor = bombus.processors(simulation)[0]
        processor.registers.watchdog.limit = 2
        start(simulation, tmp_path, name, 100_000)
        for place, word in MESSAGES[name]:
            processor.debug_send(word, place)
        simulation.advance(110_000)
        assert len(simulation.receive_all(0)) >= 2
        for _ in range(50):
            simulation.send(b"\xff" * 60, port=1)
            simulation.advance(2000)
        status = processor.status
        assert status.running and not status.stuck
        assert status.counters["drop.rpu.by_firmware"] >= 50
        if name == "latency":
            processor.debug_send(0, INTERVAL)


def test_cycles_of_a_program(tmp_path: Path) -> None:
    elf = tmp_path / "program.elf"
    arguments = ["firmware", "build", str(FOLDER / "firewall.c"), "-o", str(elf), "--cycles"]
    more = ["--design", str(FIREWALL), "--frame-bytes", "1500"]
    result = CliRunner().invoke(app, [*arguments, *more])
    assert result.exit_code == 0, result.output
    assert f"{elf}: 25.0 cycles per packet of 1500 bytes; latency " in result.output
    assert 5 < measure(elf, 60, FIREWALL).per_packet < 7
    build([FOLDER / "generator.c"], elf)
    with pytest.raises(UserError, match=r"0 of 401 frames have come out.*the program: runs"):
        measure(elf, 60, FIREWALL)
    with pytest.raises(UserError, match="frames must have 60 to 9600 bytes, not 59"):
        measure(elf, 59, FIREWALL)


def test_a_design_with_several_processors(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="with one packet processor; middlebox has 4"):
        measure(tmp_path / "none.elf", 60, DESIGNS / "middlebox.yaml")


def test_a_datagram_is_well_formed() -> None:
    for size in (60, 61, 1500):
        data = datagram(Random(1), size)
        assert len(data) == size and data[12:14] == b"\x08\0" and data[23] == 17
        assert int.from_bytes(data[16:18]) == size - 14

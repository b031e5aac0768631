# SPDX-License-Identifier: Apache-2.0
"""A join of two streams (docs/examples/join): sums in order, losses counted, deadlock refused."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from bombus.analysis import check
from bombus.generation.generate import generate
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, udp_frame
from bombus.simulator.build import build_library
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.support import message_sums

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "docs" / "examples" / "join"
LEFT, RIGHT = 3000, 3001
DEPTH = 32


def operands(simulation: Simulation, side: int, numbers: list[int]) -> list[bytes]:
    host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
    return [
        udp_frame(station, host, number.to_bytes(8), port=side, source_port=5000 + n)
        for n, number in enumerate(numbers)
    ]


def sums(frames: list[bytes]) -> list[int]:
    return [int.from_bytes(frame[42:50]) for frame in frames]


def test_sums_come_in_order_and_what_finds_no_room_is_counted() -> None:
    random = Random(1)
    with Simulation(EXAMPLE / "join.yaml", assertions=True) as simulation:
        introduce(simulation, neighbour(simulation.manifest))
        simulation.pace(rx_bubble=0.2, tx_stall=0.3)
        numbers = [random.getrandbits(64) for _ in range(400)]
        left, right = numbers[:200], numbers[200:]
        pairs = zip(
            operands(simulation, LEFT, left), operands(simulation, RIGHT, right), strict=True
        )
        frames = [frame for pair in pairs for frame in pair]
        exchange = simulation.exchange(frames, limit_cycles=50_000)
        wanted = [(a + b) % 2**64 for a, b in zip(left, right, strict=True)]
        assert sums([frame.data for frame in exchange.received]) == wanted
        # One side alone: a queue and the way to the adder hold some, the rest is dropped.
        alone = operands(simulation, LEFT, numbers[:100])
        assert simulation.exchange(alone, limit_cycles=20_000).received == []
        dropped = simulation.tile_counters("left")["drop.operand.full"]
        assert 100 - DEPTH - 40 < dropped < 100 - DEPTH
        kept = 100 - dropped
        rest = operands(simulation, RIGHT, numbers[100 : 100 + kept])
        exchange = simulation.exchange(rest, limit_cycles=20_000)
        wanted = [(numbers[n] + numbers[100 + n]) % 2**64 for n in range(kept)]
        assert sums([frame.data for frame in exchange.received]) == wanted
        # Malformed operands do not count.
        station, host = neighbour(simulation.manifest), Host.from_manifest(simulation.manifest)
        for size in (0, 7, 9, 1000):
            simulation.send(udp_frame(station, host, bytes(size), port=LEFT, source_port=5000))
        assert simulation.receive_all() == []
        assert simulation.tile_counters("left")["drop.operand.malformed"] == 4
        simulation.check()
        message_sums.check(simulation)


def changed(folder: Path, *edits: tuple[str, str]) -> Path:
    """The example with these edits, for which it is refused."""
    text = (EXAMPLE / "join.yaml").read_text()
    for source in ("operand.sv", "adder.sv"):
        text = text.replace(source, str(EXAMPLE / source))
    file = folder / "join.yaml"
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    with pytest.raises(check.DeadlockError) as caught:
        check.check(file)
    assert "adder" in str(caught.value)
    return file


def test_one_network_is_refused(tmp_path: Path) -> None:
    changed(tmp_path, (": side}", ": data}"), ("  side: {data_width: 64}\n", ""))


@pytest.mark.sweep
def test_operands_that_wait_are_refused_and_stand_still(tmp_path: Path) -> None:
    file = changed(tmp_path, ("udp_port: 3000,", "udp_port: 3000, drops_when_full: false,"))
    folder = tmp_path / "generated"
    generate(file, folder, allow_deadlock=True)
    with Simulation(build_library(folder)) as simulation:
        message_sums.leave_out(simulation)
        introduce(simulation, neighbour(simulation.manifest))
        for frame in operands(simulation, LEFT, list(range(200))):
            simulation.send(frame)
        for frame in operands(simulation, RIGHT, list(range(200))):
            simulation.send(frame)
        simulation.advance(40_000)
        assert any(stall.since_cycle < 30_000 for stall in simulation.stalls())
        assert simulation.in_flight

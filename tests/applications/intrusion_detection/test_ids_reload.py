# SPDX-License-Identifier: Apache-2.0
"""Two processors with ids.c: what becomes of a TCP stream when one is evicted and returns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import bombus
from bombus.applications.intrusion_detection import compiling, load
from bombus.applications.intrusion_detection.streams import Flow, Segment
from bombus.applications.processors.build import build
from bombus.simulator.simulation import Simulation
from tests.applications.intrusion_detection import rule_frames
from tests.applications.processors import examples, forwarding
from tests.support import message_sums

pytestmark = pytest.mark.slow

ROWS = 256
FLOW = Flow("10.0.0.1", "10.0.0.2", 1000, 80)
EVIL = 'alert tcp any any -> any 80 (content:"evil stuff"; sid:7;)\n'
SOON = 3000  # cycles
WAIT_CYCLES = 100_000  # longer than a segment waits behind a gap


@pytest.fixture
def program(tmp_path: Path) -> Path:
    elf = tmp_path / "ids.elf"
    build([examples.MIDDLEBOXES / "ids.c"], elf)
    return elf


@pytest.fixture
def two(tmp_path: Path, program: Path) -> Iterator[Simulation]:
    text = (examples.MIDDLEBOXES / "ids.yaml").read_text()
    for old, new in (
        ("at: [1, 0]\n", "replicas: 2\n    dispatch: flow_hash\n    at: [[1, 0], [1, 1]]\n"),
        ("rows: 1024", f"rows: {ROWS}, flows: 64"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = tmp_path / "two.yaml"
    file.write_text(text)
    (tmp_path / "my.rules").write_text(EVIL)
    tables = compiling.compile_rules(compiling.read([tmp_path / "my.rules"], {}), rows=ROWS).tables
    with Simulation(file, assertions=True) as simulation:
        simulation.advance(500)  # the table of flows is cleared
        forwarding.boot(simulation, program)
        for processor in bombus.processors(simulation):
            load.write(simulation.tile(processor.tile).registers.rule_matcher, tables)
        yield simulation
        message_sums.check(simulation)
        simulation.check()


def passes(two: Simulation, segment: Segment, within: int = SOON) -> bool:
    two.send(rule_frames.segment(segment))
    return came(two, segment, within)


def came(two: Simulation, segment: Segment, within: int = SOON) -> bool:
    found = two.receive(1, within)
    assert found is None or found.data == rule_frames.segment(segment)
    return found is not None


def test_a_stream_moves_and_returns(two: Simulation, program: Path) -> None:
    parts = [Segment(FLOW, 1 + 10 * n, b"0123456789") for n in range(8)]
    assert passes(two, parts[0])
    (home,) = (
        n for n, rpu in enumerate(bombus.processors(two)) if rpu.status.counters["noc_in_messages"]
    )
    assert not passes(two, parts[2]), "it is ahead of a gap"
    assert bombus.processors(two)[home].status.slots == 1
    start = two.cycle
    bombus.processors(two)[home].evict()
    assert two.cycle - start < WAIT_CYCLES
    assert came(two, parts[2]), "it is not lost"
    assert bombus.processors(two).distribution.undrained == 1
    assert bombus.processors(two).distribution.enabled == [1 - home]
    for part in parts[3:5]:
        assert passes(two, part), "the other processor begins the stream anew"
    bombus.processors(two)[home].boot()
    bombus.processors(two).distribution.enable(home)
    assert bombus.processors(two).distribution.undrained == 1
    assert not passes(two, parts[5]), "what passed meanwhile is a gap"
    assert came(two, parts[5], WAIT_CYCLES)
    for part in parts[6:]:
        assert passes(two, part)
    assert two.tile_counters("rpu_0")["drop.rpu.by_firmware"] == 0
    assert two.tile_counters("rpu_1")["drop.rpu.by_firmware"] == 0


def test_a_pattern_that_the_move_cuts_is_not_found(two: Simulation, program: Path) -> None:
    parts = [Segment(FLOW, 1, b"this is ev"), Segment(FLOW, 11, b"il stuff")]
    assert passes(two, parts[0])
    (home,) = (
        n for n, rpu in enumerate(bombus.processors(two)) if rpu.status.counters["noc_in_messages"]
    )
    bombus.processors(two).distribution.disable(home)
    assert passes(two, parts[1])
    other = Flow("10.0.0.3", "10.0.0.2", 1000, 80)
    assert passes(two, Segment(other, 1, b"this is ev"))
    assert not passes(two, Segment(other, 11, b"il stuff"))

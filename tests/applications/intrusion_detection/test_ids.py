# SPDX-License-Identifier: Apache-2.0
"""docs/examples/middlebox/ids.yaml: what is dropped is what the rules say, with their sids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from bombus.applications.intrusion_detection import compiling, load, lookup, tables
from bombus.applications.intrusion_detection.model import Packet
from bombus.base.errors import UserError
from bombus.simulator.simulation import Simulation
from tests.applications.intrusion_detection import rule_frames, rule_sets
from tests.applications.processors import examples

pytestmark = pytest.mark.slow

LIMIT_CYCLES = 1_000_000
ROWS = 1024


@pytest.fixture
def ids(tmp_path: Path) -> Iterator[Simulation]:
    with examples.running("ids", tmp_path) as simulation:
        yield simulation


def test_verdicts(ids: Simulation, tmp_path: Path) -> None:
    random = Random(1)
    rules = rule_sets.rules(random, 100, tmp_path)
    compiled = compiling.compile_rules(rules, rows=ROWS)
    compiling.write(compiled, tmp_path / "out")
    load.write(ids.tile("rpu").registers.rule_matcher, load.read(tmp_path / "out"))
    packets = [rule_sets.packet(random, rules, longest=1300) for _ in range(200)]
    frames = [rule_frames.frame(packet, random) for packet in packets]
    hits = [lookup.hits(compiled.tables, packet) for packet in packets]
    done = ids.exchange(frames, window=16, limit_cycles=LIMIT_CYCLES)
    passing = [
        frame
        for frame, found in zip(frames, hits, strict=True)
        if not any(hit.is_exact for hit in found)
    ]
    assert [each.data for each in done.received if each.port == 1] == passing
    assert len(done.received) == len(passing) and 30 < len(passing) < 190
    given = load.hits(ids.tile("rpu").registers.rule_matcher, compiled.tables)
    assert Counter(given) == Counter(hit for found in hits for hit in found)


def plain(packet: Packet) -> bytes:
    """A frame without a tag, options and bytes behind it."""
    made = (rule_frames.frame(packet, Random(n)) for n in range(1000))
    return min((each for each in made if len(each) >= 60), key=len)


def test_cycles(ids: Simulation, tmp_path: Path) -> None:
    """Cycles a frame of 64 bytes with FCS, for safe and for bad ones."""
    file = tmp_path / "my.rules"
    file.write_text('alert udp any any -> any 80 (content:"evil stuff"; sid:7;)\n')
    compiled = compiling.compile_rules(compiling.read([file], {}), rows=ROWS)
    load.write(ids.tile("rpu").registers.rule_matcher, compiled.tables)
    safe = plain(Packet(2, 1, 80, b"good stuff"))
    cases = {
        "safe UDP": safe,
        "safe TCP": plain(Packet(1, 1, 80, b"evil")),
        "attack": plain(Packet(2, 1, 80, b"evil stuff")),
    }
    cycles = {}
    count = 100
    for name, frame in cases.items():
        done = ids.exchange([safe, *[frame] * count, safe], limit_cycles=LIMIT_CYCLES)
        first, *_, last = done.received
        cycles[name] = (last.last_beat_cycle - first.last_beat_cycle) / (count + 1)
        assert len(done.received) == (2 if name == "attack" else count + 2)
    print(cycles)
    assert cycles["safe UDP"] <= 9 and cycles["safe TCP"] <= 20 and cycles["attack"] <= 50


def test_tables_of_other_rows(ids: Simulation, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="compile with --rows 1024"):
        load.write(ids.tile("rpu").registers.rule_matcher, tables.Tables(256))
    (tmp_path / "tables.bin").write_bytes(bytes(100))
    with pytest.raises(UserError, match="not a file of tables"):
        load.read(tmp_path)

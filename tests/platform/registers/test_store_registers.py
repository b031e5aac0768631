# SPDX-License-Identifier: Apache-2.0
"""A layer with registers and a table: docs/examples/lookup, whose store answers from it."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, udp_frame
from bombus.registers.access import RegisterError
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.support import message_sums

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "docs" / "examples" / "lookup" / "lookup.yaml"
ONES = (1 << 64) - 1
BUSY_ENTRIES = 4


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    with Simulation(EXAMPLE, assertions=True) as simulation:
        introduce(simulation, neighbour(simulation.manifest))
        yield simulation
        assert message_sums.check(simulation) == 0
        simulation.check()


def ask(simulation: Simulation, key: int) -> None:
    station, host = neighbour(simulation.manifest), Host.from_manifest(simulation.manifest)
    simulation.send(udp_frame(station, host, key.to_bytes(8, "little"), port=2000))


def answers(simulation: Simulation) -> list[int]:
    return [int.from_bytes(frame.data[42:50], "little") for frame in simulation.receive_all()]


def test_registers_by_name(simulation: Simulation) -> None:
    store = simulation.tile("lookup").registers.store
    assert len(store.patterns) == 256
    assert store.mask.bits == ONES
    assert {entry.value for entry in store.patterns} == {ONES}
    store.patterns[3].value = 0x0123456789ABCDEF
    store.mask.bits = ONES << 8 & ONES
    # A tile with one such layer needs no name of it.
    assert simulation.tile("lookup").registers.patterns[3].value == 0x0123456789ABCDEF
    keys = (3 << 56 | 0xFF, 4 << 56 | 0x100)
    for key in keys:
        ask(simulation, key)
    expected = [(keys[0] ^ 0x0123456789ABCDEF) & ~0xFF, (keys[1] ^ ONES) & ~0xFF]
    assert answers(simulation) == expected
    assert store.requests.count == 2
    with pytest.raises(RegisterError, match="entries 0 to 255"):
        store.patterns[256].write(value=0)
    with pytest.raises(RegisterError, match="64 bits"):
        store.patterns[0].value = 1 << 64
    with pytest.raises(RegisterError, match="read only"):
        store.requests.count = 0


def test_the_table_is_written_under_traffic(simulation: Simulation) -> None:
    """Every answer has the old or the new pattern, and never a part of each."""
    random = Random(1)
    patterns = simulation.tile("lookup").registers.patterns
    history: dict[int, list[int]] = defaultdict(lambda: [ONES])
    keys = [
        random.randrange(BUSY_ENTRIES) << 56 | random.getrandbits(24) << 32 | n for n in range(1500)
    ]
    for key in keys:
        ask(simulation, key)
    while simulation.in_flight:
        index, value = random.randrange(BUSY_ENTRIES), random.getrandbits(64)
        patterns[index].value = value
        history[index].append(value)
        simulation.advance(random.randrange(20))
    came = answers(simulation)
    assert len(came) == len(keys)
    newest: dict[int, int] = defaultdict(int)
    for key, answer in zip(keys, came, strict=True):
        index = key >> 56
        assert answer ^ key in history[index]
        version = history[index].index(answer ^ key)
        assert version >= newest[index], "an older pattern came back"
        newest[index] = version
    assert min(len(history[index]) for index in range(BUSY_ENTRIES)) > 50
    assert min(newest[index] for index in range(BUSY_ENTRIES)) > 50, "all after the traffic"


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """The example with a table of 131,072 entries."""
    folder = tmp_path / "lookup"
    shutil.copytree(EXAMPLE.parent, folder)
    layer, design = folder / "store.sv", folder / EXAMPLE.name
    text = layer.read_text()
    for old, new in (("|| NumEntries > 256 ", ""), ("in_i.data[56+:IndexWidth]", "'1")):
        assert text.count(old) == 1
        text = text.replace(old, new)
    layer.write_text(text)
    tiles = "layers: [udp_lookup, {store: {num_entries: 131072}}]"
    text = design.read_text()
    assert text.count("layers: [udp_lookup, store]") == 1
    design.write_text(text.replace("layers: [udp_lookup, store]", tiles))
    return design


def test_a_request_waits_until_a_large_table_is_filled(large: Path) -> None:
    """It takes longer than any other request may."""
    with Simulation(large, assertions=True) as simulation:
        before = simulation.cycle
        patterns = simulation.tile("lookup").registers.store.patterns
        assert patterns[131_071].value == ONES
        assert 131_072 <= simulation.cycle - before < 131_172
        patterns[131_071].value = 5
        assert [entry.value for entry in (patterns[0], patterns[131_071])] == [ONES, 5]
        simulation.check()

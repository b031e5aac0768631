# SPDX-License-Identifier: Apache-2.0
"""Requests of packet processors for the memory of their host, and the layer in `bombus check`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.applications.processors.host import find_key
from bombus.applications.processors.host_memory import (
    READ,
    WRITE,
    WRITE_ANSWERED,
    Answer,
    HostMemory,
    Request,
    Requests,
)
from bombus.base.paths import EXAMPLES, RTL
from bombus.design.dispatch import crc
from bombus.simulator.native import SimulationError

DESIGN = EXAMPLES / "middlebox" / "host_memory.yaml"
SIZE, SLOT_BYTES, LATENCY_NS = 1000, 100, 10


def requests(tags: int = 2) -> tuple[Requests, list[Answer]]:
    answers: list[Answer] = []
    return Requests(HostMemory(SIZE), LATENCY_NS, tags, answers.append, Counter()), answers


def read(address: int, length: int, tag: int = 0) -> Request:
    return Request(READ, 0, tag, address, length, b"", SLOT_BYTES)


def write(address: int, data: bytes, what: int = WRITE) -> Request:
    return Request(what, 0, 0, address, 0, data, SLOT_BYTES)


def test_bytes_and_errors() -> None:
    served, answers = requests(tags=100)
    served.add(write(SIZE - 3, b"abc"), 0)
    served.add(read(SIZE - 4, 4), 0)
    served.add(write(SIZE - 2, b"abc"), 0)
    served.add(write(0, b"x", WRITE_ANSWERED), 0)
    served.add(read(SIZE, 0), 0)
    served.add(read(SIZE, 1), 0)
    served.add(read(0, SLOT_BYTES), 0)
    served.add(read(0, SLOT_BYTES + 1), 0)
    served.run(0)
    served.run(LATENCY_NS)
    assert [(each.data, each.failed) for each in answers] == [
        (b"\0abc", False),
        (b"", True),
        (b"", False),
        (b"", False),
        (b"", True),
        (b"x" + bytes(SLOT_BYTES - 1), False),
        (b"", True),
    ]
    assert served.counts == {"writes": 2, "reads": 3, "bad_address": 2, "bad_length": 1}
    assert served.open(0) == served.open(None) == 0


def test_tags_and_latency() -> None:
    """With two tags, requests are answered two by two, each after its time; in order."""
    served, answers = requests()
    for tag in range(5):
        served.add(read(0, 1, tag), 0)
    ends = []
    for now in range(5 * LATENCY_NS):
        served.run(now)
        assert served.in_flight <= 2
        assert served.open(0) == 5 - len(answers) == served.in_flight + served.waiting
        ends += [now] * (len(answers) - len(ends))
    assert [each.request.tag for each in answers] == list(range(5))
    assert ends == [n * LATENCY_NS for n in (1, 1, 2, 2, 3)]


def test_a_late_look_costs_no_further_time() -> None:
    """A request that has waited starts when the one before it has ended."""
    served, answers = requests(tags=1)
    for tag in range(3):
        served.add(read(0, 1, tag), 0)
    served.run(0)
    served.run(3 * LATENCY_NS)
    assert len(answers) == 3


def test_a_request_does_not_start_before_it_has_come() -> None:
    """However long ago the one before it has ended."""
    served, answers = requests(tags=1)
    served.add(read(0, 1, 0), 0)
    served.run(0)
    served.add(read(0, 1, 1), 5 * LATENCY_NS)
    served.run(5 * LATENCY_NS)
    assert len(answers) == 1
    served.run(6 * LATENCY_NS - 1)
    assert len(answers) == 1
    served.run(6 * LATENCY_NS)
    assert len(answers) == 2


def test_memory() -> None:
    memory = HostMemory(SIZE)
    memory.write(10, b"abc")
    assert (memory.read(9, 5), len(memory)) == (b"\0abc\0", SIZE)
    for address, count in ((-1, 1), (SIZE, 1), (SIZE - 1, 2)):
        with pytest.raises(SimulationError, match="host memory has 1000 bytes"):
            memory.read(address, count)
        with pytest.raises(SimulationError, match="host memory has 1000 bytes"):
            memory.write(address, bytes(count))
    for size in (0, -1, (1 << 32) + 1):
        with pytest.raises(SimulationError, match="host memory: should be"):
            HostMemory(size)


@pytest.mark.parametrize("tiles", [1, 2, 4, 8, 16])
def test_keys_lead_to_processors(tiles: int) -> None:
    """As rpu_address of rpu.h does, which test_loop tries out."""
    slots = [f"rpu_{slot % tiles}" for slot in range(max(64, 4 * tiles))]
    slots = slots if tiles > 1 else slots[:1]
    for tile in range(tiles):
        for lane in range(4):
            key = find_key(slots, f"rpu_{tile}", lane)
            assert key is not None and key <= (-(lane ^ tile) & 3) << 4 | tile
            slot = crc(key, 64, 6) if tiles > 1 else 0
            assert (slots[slot], crc(key, 64, 4) % 4) == (f"rpu_{tile}", lane)
        assert find_key(slots, f"rpu_{tile}", None) == tile
    assert find_key(slots, "other", None) is None


def test_a_host_that_could_stop_its_input_is_a_ring(tmp_path: Path) -> None:
    """Processors may wait for what goes to the host only because it never waits for them."""
    check.check(DESIGN)
    source = (RTL / "applications" / "processors" / "rpu_host.sv").read_text()
    promise = "  localparam bit AlwaysTakes = 1'b1;\n"
    assert promise in source
    waits = source.replace(promise, "").replace("module rpu_host", "module waiting_host")
    (tmp_path / "waiting_host.sv").write_text(waits)
    file = tmp_path / "ring.yaml"
    text = DESIGN.read_text().replace("{rpu_host:", "{waiting_host:")
    file.write_text(text.replace("tiles:", "sources: [waiting_host.sv]\ntiles:"))
    with pytest.raises(check.DeadlockError, match="host -> rpu"):
        check.check(file)

# SPDX-License-Identifier: Apache-2.0
"""link_checker: silent as long as a link keeps the rules of its fabric, and then not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest

from bombus.design.rtl import constant
from bombus.fabric.routing import DIRECTIONS, direction_enum
from tests.platform.checks.checker_bench import Play, build, player
from tests.support.harness import SEEDS, Beats, Message, pack_meta

pytestmark = pytest.mark.slow

WORMHOLE, VIRTUAL_CHANNELS, CROSSPOINT = (
    constant(f"noc_pkg::Fabric{kind}") for kind in ("Wormhole", "VirtualChannels", "Crosspoint")
)
LOCAL, NORTH, EAST, SOUTH, WEST = (
    constant(f"noc_pkg::{direction_enum(each)}") for each in DIRECTIONS
)
ROUTE = (("port", 1), ("y", 2), ("x", 2), ("dir", 3))
BEATS = Beats(64, *ROUTE)
ALL = (1 << 8) - 1


@dataclass(frozen=True)
class Line:
    """A link in one cycle."""

    flit: int = 0
    valid: int = 1
    ready: int = ALL


@dataclass(frozen=True)
class Link:
    channels: int
    play: Play

    def says(self, lines: Iterable[Line]) -> list[str]:
        """The checker's messages, without the link's name, which is always included."""
        mask = (1 << self.channels) - 1
        found = self.play(
            ((line.ready & mask) << self.channels | line.valid) << BEATS.layout.width | line.flit
            for line in lines
        )
        prefix, name = "bench.check_east", ": link (1, 0) to (2, 0): "
        assert all(line.startswith(prefix) and name in line for line in found)
        return [line.partition(name)[2] for line in found]


def opened(tmp_path: Path, fabric: int, channels: int, *, local: bool = False) -> Link:
    virtual = channels if fabric == VIRTUAL_CHANNELS else 1
    program = build(
        "link", DataWidth=64, Fabric=fabric, VirtualChannels=virtual, IsLocal=int(local)
    )
    return Link(channels, player(program, tmp_path))


@pytest.fixture
def wormhole(tmp_path: Path) -> Link:
    return opened(tmp_path, WORMHOLE, 1)


@pytest.fixture
def virtual_channels(tmp_path: Path) -> Link:
    return opened(tmp_path, VIRTUAL_CHANNELS, 2)


@pytest.fixture
def crosspoint(tmp_path: Path) -> Link:
    return opened(tmp_path, CROSSPOINT, 5)


def message(length: int, *, says: int | None = None, **route: int) -> list[Line]:
    """The flits of a message as they should be; `says`: but for its `length`."""
    side = {name: 1 for name, _ in ROUTE} | route
    meta = pack_meta(length=length if says is None else says)
    payload = bytes(n % 255 + 1 for n in range(length))
    return [Line(flit) for flit in BEATS.beats(Message(payload, meta, side))]


def change(line: Line, **fields: int) -> Line:
    return replace(line, flit=BEATS.layout.pack(**BEATS.layout.unpack(line.flit) | fields))


def traffic(random: Random, lengths: Iterable[int]) -> list[list[Line]]:
    routes = [{name: random.getrandbits(bits) for name, bits in ROUTE} for _ in range(20)]
    return [message(length, **random.choice(routes)) for length in lengths]


def queue_of(line: Line) -> int:
    """XY: the queue of the router at (2, 0) that a message takes which came from the west."""
    x, y = (BEATS.layout.get(line.flit, name) for name in "xy")
    if x != 2:
        return EAST if x > 2 else WEST
    return SOUTH if y else LOCAL


LENGTHS = [*range(40), 0, 0, 8, 8, 16, 9600]
IDLE = Line(valid=0)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("local", [False, True])
def test_good_traffic_of_a_wormhole_link(tmp_path: Path, seed: int, local: bool) -> None:
    """Local ports of all fabrics are like it."""
    random = Random(seed)
    link = opened(tmp_path, CROSSPOINT if local else WORMHOLE, 5 if local else 1, local=local)
    lines = []
    for flit in (flit for each in traffic(random, LENGTHS) for flit in each):
        while random.random() < 0.3:
            lines.append(random.choice([IDLE, replace(flit, ready=0)]))
            if lines[-1].valid:
                lines.append(flit)
                break
        else:
            lines.append(flit)
    assert link.says(lines) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_good_traffic_of_virtual_channels(virtual_channels: Link, seed: int) -> None:
    """Messages of two channels are interleaved."""
    random = Random(seed)
    waiting = [[flit for each in traffic(random, LENGTHS) for flit in each] for _ in range(2)]
    lines, room = [], 0
    while any(waiting):
        ready = random.getrandbits(2)
        able = [channel for channel in range(2) if room >> channel & 1 and waiting[channel]]
        channel = random.choice(able) if able else None
        flit = IDLE if channel is None else replace(waiting[channel].pop(0), valid=1 << channel)
        lines.append(replace(flit, ready=ready))
        room = ready
    assert virtual_channels.says(lines) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_good_traffic_of_a_crosspoint_link(crosspoint: Link, seed: int) -> None:
    """A message that has begun continues without room; ready applies to the next cycle."""
    random = Random(seed)
    lines: list[Line] = []
    for flits in traffic(random, LENGTHS):
        room = 1 << queue_of(flits[0])
        lines += [replace(IDLE, ready=random.getrandbits(5)), replace(IDLE, ready=room)]
        ready = [random.getrandbits(5) for _ in flits]
        lines += [replace(flit, ready=each) for flit, each in zip(flits, ready, strict=True)]
    assert crosspoint.says(lines) == []


def test_valid_falls(wormhole: Link) -> None:
    first, *_ = lines = message(20)
    fell = ["valid fell before the beat was taken"]
    assert wormhole.says([replace(first, ready=0), IDLE, *lines]) == fell


@pytest.mark.parametrize("field", ["data", "last", "bytes", "kind", "length", "meta"])
def test_a_flit_changes_while_it_waits(wormhole: Link, field: str) -> None:
    (line,) = message(3)
    other = change(line, **{field: BEATS.layout.get(line.flit, field) ^ 1})
    assert wormhole.says([replace(other, ready=0), line]) == ["a beat changed while it waited"]


@pytest.mark.parametrize("field", [name for name, _ in ROUTE])
def test_the_route_changes(
    wormhole: Link, virtual_channels: Link, crosspoint: Link, field: str
) -> None:
    first, second = lines = message(16)
    changed = ["the next hop changed inside a message"]
    other = change(first, **{field: 0})
    assert wormhole.says([replace(other, ready=0), *lines]) == changed
    for link in (wormhole, virtual_channels, crosspoint):
        # The crosspoint fabric does not decide the next router's output ahead.
        expected = [] if link is crosspoint and field == "dir" else changed
        assert link.says([IDLE, first, change(second, **{field: 0})]) == expected


def test_wrong_length(wormhole: Link, virtual_channels: Link, crosspoint: Link) -> None:
    for link in (wormhole, virtual_channels, crosspoint):
        for says in (20, 22):
            found = link.says([IDLE, *message(21, says=says)])
            assert found == [f"a message of 21 bytes has length {says}"]


def test_lengths_are_by_channel(virtual_channels: Link) -> None:
    one, other = message(16), message(32)
    mixed = [one[0], other[0], other[1], one[1], other[2], other[3]]
    channels = [1, 2, 2, 1, 2, 2]
    lines = [replace(flit, valid=v) for flit, v in zip(mixed, channels, strict=True)]
    assert virtual_channels.says([IDLE, *lines]) == []
    swapped = [IDLE, *lines[:3], replace(lines[3], valid=2)]
    assert virtual_channels.says(swapped) == ["a message of 24 bytes has length 32"]


def test_bytes(wormhole: Link) -> None:
    (line,) = message(8, says=9)
    assert wormhole.says([change(line, bytes=9)]) == ["the last beat has 9 bytes, more than fit"]
    (line,) = message(5)
    dirty = change(line, data=BEATS.layout.get(line.flit, "data") | 1 << 40)
    assert wormhole.says([dirty]) == ["bytes after the last one are not zero"]


def without_room(link: Link, flits: Sequence[Line], channel: int) -> list[str]:
    return link.says([replace(IDLE, ready=ALL & ~(1 << channel)), *flits])


def test_a_flit_without_room(virtual_channels: Link, crosspoint: Link) -> None:
    refused = ["a flit arrived at a channel without room"]
    lines = [replace(line, valid=2) for line in message(16)]
    assert without_room(virtual_channels, lines, 1) == refused
    assert without_room(virtual_channels, lines, 0) == []
    # Inside a message too, other than in the crosspoint fabric.
    lines[0] = replace(lines[0], ready=1)
    assert virtual_channels.says([IDLE, *lines]) == refused
    lines = [replace(line, ready=0) for line in message(16)]
    assert crosspoint.says([IDLE, *lines]) == []
    assert crosspoint.says([replace(IDLE, ready=0), *lines]) == refused


@pytest.mark.parametrize(
    ("x", "y", "queue"),
    [(2, 0, LOCAL), (3, 0, EAST), (3, 1, EAST), (2, 1, SOUTH)],
    ids=["here", "on", "on, then south", "south"],
)
def test_a_message_without_room_in_its_queue(crosspoint: Link, x: int, y: int, queue: int) -> None:
    """Room in the others is of no use to it."""
    lines = [replace(line, ready=0) for line in message(16, x=x, y=y)]
    refused = ["a flit arrived at a channel without room"]
    assert without_room(crosspoint, lines, queue) == refused
    assert crosspoint.says([replace(IDLE, ready=1 << queue), *lines]) == []


def test_a_flit_by_several_channels(virtual_channels: Link, crosspoint: Link) -> None:
    (line,) = message(8)
    both = replace(line, valid=3)
    for link in (virtual_channels, crosspoint):
        assert link.says([IDLE, both])[0] == "a flit arrived on several channels"

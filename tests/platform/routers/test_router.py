# SPDX-License-Identifier: Apache-2.0
"""The wormhole router, and meshes of it and of the router with virtual channels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

import pytest

from bombus.base.macros import CHECKS
from bombus.design.rtl import constant
from tests.platform.routers.noc_traffic import (
    EAST,
    FLITS,
    HERE,
    LOCAL,
    NORTH,
    PLACES,
    SOUTH,
    WEST,
    Place,
    check_constant_route,
    marked,
    random_length,
    step,
    xy_dir,
)
from tests.support.harness import PACES, SEEDS, Bench, BenchError, Benches, Message, consecutive

pytestmark = pytest.mark.slow

# ---- One router, at (1, 1) of 3x3 ----


def legal(came_by: int) -> list[Place]:
    """Outputs for a message that arrives on this port."""
    if came_by == LOCAL:
        return [place for place in PLACES if place != HERE]
    x, y = step(HERE, came_by)  # the neighbour it came from
    ahead = (2 - x, 2 - y)
    if came_by in (EAST, WEST):
        return [place for place in PLACES if place[0] in (1, ahead[0])]
    return [HERE, ahead]


def router_traffic(
    random: Random, count: int, turns: frozenset[tuple[int, int]] | None = None
) -> dict[int, list[Message]]:
    """Messages for each input; `turns`: the pairs of input and output that they may take."""
    traffic = {}
    for port in range(5):
        places = [
            place for place in legal(port) if turns is None or (port, xy_dir(HERE, place)) in turns
        ]
        traffic[port] = [
            marked(random, port << 32 | n, HERE, random.choice(places), random_length(random))
            for n in range(count if places else 0)
        ]
    return traffic


def check_router(bench: Bench, sent: dict[int, list[Message]]) -> None:
    expected: dict[tuple[int, int], list[Message]] = defaultdict(list)
    for port, messages in sent.items():
        for message in messages:
            out = message.side["dir"]
            there = (message.side["x"], message.side["y"])
            ahead = LOCAL if out == LOCAL else xy_dir(step(HERE, out), there)
            expected[port, out].append(replace(message, side={**message.side, "dir": ahead}))
    for out in range(5):
        items = bench.items(out)
        check_constant_route(items)
        got: dict[int, list[Message]] = defaultdict(list)
        for message in FLITS.messages(items):
            got[message.meta >> 32 & 0xFF].append(message)
        for port in range(5):
            assert got[port] == expected[port, out], f"from {port} to {out}"
    assert bench.events[0] == 0, "the two forms of ready of the local input differ"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("depth", [4, 32])
def test_router_with_random_traffic(benches: Benches, seed: int, depth: int) -> None:
    random = Random(seed)
    bench = benches("router_wormhole", seed=seed, Depth=depth)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        sent = router_traffic(random, 120)
        for port, messages in sent.items():
            bench.push(FLITS.stream(messages), port)
        bench.drain()
        check_router(bench, sent)
        assert bench.status == 0, "busy without a flit"
    # Mesh inputs have registered ready; the local one has no buffer.
    assert bench.combinational & ~(1 << LOCAL) == 0


TURNS = frozenset({(LOCAL, EAST), (WEST, EAST), (NORTH, LOCAL), (WEST, LOCAL), (NORTH, SOUTH)})


def test_router_with_some_turns(benches: Benches) -> None:
    """Outputs with two inputs, with one and with none; an input without turns."""
    random = Random(7)
    mask = sum(1 << (5 * out + port) for port, out in TURNS)
    bench = benches("router_wormhole", Depth=4, Turns=mask)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        sent = router_traffic(random, 60, TURNS)
        assert {port for port, messages in sent.items() if messages} == {LOCAL, WEST, NORTH}
        for port, messages in sent.items():
            bench.push(FLITS.stream(messages), port)
        bench.drain()
        check_router(bench, sent)


def test_router_outputs_stall_one_after_the_other(benches: Benches) -> None:
    random = Random(3)
    bench = benches("router_wormhole", Depth=4)
    sent = router_traffic(random, 150)
    for port, messages in sent.items():
        bench.push(FLITS.stream(messages), port)
    for _ in range(150):
        for out in range(5):
            bench.stall(out, random.choice([0.0, 0.5, 1.0]))
        bench.run(random.randrange(60))
    bench.pace()
    bench.drain()
    check_router(bench, sent)


def test_router_forgets_at_reset(benches: Benches) -> None:
    random = Random(4)
    bench = benches("router_wormhole", Depth=4)
    for _ in range(25):
        for port, messages in router_traffic(random, 10).items():
            bench.push(FLITS.stream(messages), port)
        bench.pace(gap=0.1, stall=0.5)
        bench.run(random.randrange(1, 60))
        bench.reset(1)
        bench.pace(gap=0.3, stall=0.3)
        sent = router_traffic(random, 8)
        for port, messages in sent.items():
            bench.push(FLITS.stream(messages), port)
        bench.drain()
        check_router(bench, sent)
        bench.forget()


@pytest.mark.parametrize("out", [LOCAL, NORTH, SOUTH, EAST, WEST])
@pytest.mark.parametrize("length", [8, 24])
def test_router_is_fair_and_leaves_no_gap(benches: Benches, out: int, length: int) -> None:
    """All inputs that may ask for one output do, all the time."""
    random = Random(5)
    bench = benches("router_wormhole", Depth=4)
    there = step(HERE, out)
    asking = [port for port in range(5) if there in legal(port) and port != out]
    assert len(asking) == (2 if out in (EAST, WEST) else 4)
    for port in asking:
        messages = [marked(random, port << 32, HERE, there, length) for _ in range(50)]
        bench.push(FLITS.stream(messages), port)
    bench.drain()
    received = bench.received(out)
    assert consecutive([cycle for cycle, _ in received][2:])
    order = [
        message.meta >> 32 & 0xFF for message in FLITS.messages([item for _, item in received])
    ]
    # The buffers hand over a cycle after the local input: the first turn is not full.
    settled = order[2 : 40 * len(asking)]
    for start in range(len(settled) - len(asking) + 1):
        assert sorted(settled[start : start + len(asking)]) == asking


def test_router_latency(benches: Benches) -> None:
    random = Random(6)
    bench = benches("router_wormhole", Depth=4)
    for port in range(5):
        for there in legal(port):
            message = marked(random, 0, HERE, there, 8)
            bench.push(FLITS.beats(message), port)
            bench.drain(quiet=5)
            received = bench.received(message.side["dir"])
            assert received[-1].cycle - bench.taken(port)[-1] == (0 if port == LOCAL else 1)


# ---- Meshes ----


def mesh_traffic(
    random: Random, columns: int, rows: int, count: int
) -> Iterator[tuple[int, int, Message]]:
    """(source, destination, message) from every tile to every other."""
    tiles = columns * rows
    pairs = [(a, b) for a in range(tiles) for b in range(tiles) if a != b] * count
    random.shuffle(pairs)
    for n, (a, b) in enumerate(pairs):
        here, there = (a % columns, a // columns), (b % columns, b // columns)
        yield a, b, marked(random, a << 32 | n, here, there, random_length(random))


WORMHOLE = {"Fabric": constant("noc_pkg::FabricWormhole"), "Depth": 4}
ONE_CHANNEL = {
    "Fabric": constant("noc_pkg::FabricVirtualChannels"),
    "Depth": 4,
    "VirtualChannels": 1,
}
TWO_CHANNELS = ONE_CHANNEL | {"VirtualChannels": 2}
MESHES: list[dict[str, int]] = [
    WORMHOLE,
    WORMHOLE | {"Columns": 2, "Rows": 1},
    WORMHOLE | {"Columns": 1, "Rows": 2},
    TWO_CHANNELS,
]
OTHER_MESHES: list[dict[str, int]] = [
    WORMHOLE | {"Columns": 2, "Rows": 2},
    WORMHOLE | {"Columns": 1, "Rows": 4, "Depth": 32},
    ONE_CHANNEL,
    ONE_CHANNEL | {"VirtualChannels": 4, "Columns": 2, "Depth": 32},
]


def shape_name(shape: Mapping[str, int]) -> str:
    return "-".join(f"{key}{value}" for key, value in shape.items())


def send_all(
    bench: Bench, random: Random, shape: Mapping[str, int], count: int
) -> dict[tuple[int, int], list[Message]]:
    """Sends messages between all pairs of tiles; returns the expected messages by pair."""
    columns, rows = shape.get("Columns", 3), shape.get("Rows", 3)
    expected: dict[tuple[int, int], list[Message]] = defaultdict(list)
    for source, destination, message in mesh_traffic(random, columns, rows, count):
        bench.push(FLITS.beats(message), source)
        side = {**message.side, "dir": LOCAL}
        expected[source, destination].append(replace(message, side=side))
    return expected


def _number(message: Message) -> int:
    """In the order of sending."""
    return message.meta & 0xFFFFFFFF


def check_all(
    bench: Bench, shape: Mapping[str, int], expected: Mapping[tuple[int, int], list[Message]]
) -> None:
    """Checks that every message arrived complete and once, and in order if there is only one
    channel.
    """
    got: dict[tuple[int, int], list[Message]] = defaultdict(list)
    for destination in range(bench.num_out):
        items = bench.items(destination)
        check_constant_route(items)
        for message in FLITS.messages(items):
            got[message.meta >> 32 & 0xFF, destination].append(message)
    for pair in got.keys() | expected.keys():
        if shape.get("VirtualChannels", 1) > 1:
            got[pair].sort(key=_number)
        assert got[pair] == sorted(expected[pair], key=_number), pair


@pytest.mark.parametrize(
    "shape",
    [*MESHES, *(pytest.param(shape, marks=pytest.mark.sweep) for shape in OTHER_MESHES)],
    ids=shape_name,
)
def test_mesh_all_to_all(benches: Benches, shape: dict[str, int]) -> None:
    bench = benches("mesh", macros={CHECKS: 1}, **shape)
    for seed, pace in enumerate(PACES):
        random = Random(seed)
        bench.forget()
        bench.pace(**pace)
        expected = send_all(bench, random, shape, 6)
        bench.drain()
        check_all(bench, shape, expected)
        assert bench.status == 0


@pytest.mark.parametrize("shape", [WORMHOLE, TWO_CHANNELS], ids=shape_name)
def test_mesh_forgets_at_reset(benches: Benches, shape: dict[str, int]) -> None:
    random = Random(9)
    bench = benches("mesh", macros={CHECKS: 1}, **shape)
    for _ in range(20):
        send_all(bench, random, shape, 1)
        bench.pace(stall=0.5)
        bench.run(random.randrange(1, 80))
        bench.reset(1)
        bench.pace()
        expected = send_all(bench, random, shape, 1)
        bench.drain()
        check_all(bench, shape, expected)
        bench.forget()


def test_mesh_delivers_while_one_tile_is_stuck(benches: Benches) -> None:
    """Traffic between tiles whose paths do not cross the stuck one's continues."""
    random = Random(8)
    bench = benches("mesh", macros={CHECKS: 1}, **WORMHOLE)
    bench.stall(8, 1.0)
    for _ in range(30):
        bench.push(FLITS.beats(marked(random, 0, (0, 2), (2, 2), 80)), 6)
        bench.push(FLITS.beats(marked(random, 1, (0, 0), (2, 0), 80)), 0)
    bench.run(2000)
    assert len(FLITS.messages(bench.items(2))) == 30
    assert bench.items(8) == []
    bench.pace()
    bench.drain()
    assert len(FLITS.messages(bench.items(8))) == 30


def test_virtual_channels_lead_past_a_message_that_waits(benches: Benches) -> None:
    random = Random(10)
    for shape, passes in ((ONE_CHANNEL, False), (TWO_CHANNELS, True)):
        bench = benches("mesh", macros={CHECKS: 1}, **shape)
        bench.stall(2, 1.0)  # the tile at (2, 0), for whom there are messages enough to wait
        bench.push(FLITS.beats(marked(random, 1, (1, 0), (2, 0), 200)), 1)
        bench.run(50)
        for _ in range(2):
            bench.push(FLITS.beats(marked(random, 0, (0, 0), (2, 0), 24)), 0)
            bench.run(50)
        bench.push(FLITS.beats(marked(random, 0, (0, 0), (1, 1), 8)), 0)
        bench.run(50)
        assert bool(bench.items(4)) == passes


@pytest.mark.parametrize("shape", [ONE_CHANNEL, TWO_CHANNELS], ids=shape_name)
def test_virtual_channels_latency_and_rate(benches: Benches, shape: dict[str, int]) -> None:
    """1 cycle onto the first link, 2 for each further one, 3 off the last; no gaps."""
    random = Random(11)
    bench = benches("mesh", macros={CHECKS: 1}, **shape)
    for distance in (1, 2):
        bench.forget()
        for _ in range(20):
            bench.push(FLITS.beats(marked(random, 0, (0, 0), (distance, 0), 20)), 0)
        bench.drain()
        received = bench.received(distance)
        assert received[0].cycle - bench.taken(0)[0] == 1 + 2 * (distance - 1) + 3
        assert consecutive([cycle for cycle, _ in received])


def test_what_checkers_of_links_find_is_heard(benches: Benches) -> None:
    bench = benches("mesh", macros={CHECKS: 1}, **WORMHOLE)
    (beat,) = FLITS.beats(marked(Random(12), 0, (0, 0), (1, 0), 8))
    bench.push([FLITS.layout.pack(**{**FLITS.layout.unpack(beat), "length": 9})], 0)
    with pytest.raises(BenchError, match="checker"):
        bench.drain()

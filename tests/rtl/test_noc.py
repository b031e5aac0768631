# SPDX-License-Identifier: Apache-2.0
"""The router, meshes of it, and the network interface."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from harness import (
    META_BITS,
    PACES,
    SEEDS,
    Beats,
    Bench,
    Benches,
    Layout,
    Message,
    consecutive,
    pack_meta,
)

from bombus.design.rtl import constant

LOCAL, NORTH, EAST, SOUTH, WEST = range(5)
Place = tuple[int, int]

ROUTE = (("port", 2), ("y", 2), ("x", 2), ("dir", 3))
FLITS = Beats(64, *ROUTE)


def xy_dir(here: Place, there: Place) -> int:
    """The output that dimension-order routing takes: x first; y grows to the south."""
    if there[0] != here[0]:
        return EAST if there[0] > here[0] else WEST
    if there[1] != here[1]:
        return SOUTH if there[1] > here[1] else NORTH
    return LOCAL


STEPS = {LOCAL: (0, 0), NORTH: (0, -1), EAST: (1, 0), SOUTH: (0, 1), WEST: (-1, 0)}


def step(here: Place, direction: int) -> Place:
    return here[0] + STEPS[direction][0], here[1] + STEPS[direction][1]


def marked(random: Random, mark: int, here: Place, there: Place, length: int) -> Message:
    """A message that says where it comes from, ready to enter the router at `here`."""
    route = {"x": there[0], "y": there[1], "port": random.randrange(4)}
    return Message(random.randbytes(length), mark, {**route, "dir": xy_dir(here, there)})


def random_length(random: Random) -> int:
    return random.choice([0, 5, 8, 8, 20, 60, 200])


def check_constant_route(items: list[int]) -> None:
    """Every flit of a message carries the message's route."""
    for before, after in pairwise(items):
        if not FLITS.layout.get(before, "last"):
            for name, _ in ROUTE:
                assert FLITS.layout.get(before, name) == FLITS.layout.get(after, name)


# ---- One router, at (1, 1) of 3x3 ----

HERE = (1, 1)
PLACES = [(x, y) for y in range(3) for x in range(3)]


def legal(came_by: int) -> list[Place]:
    """Where a message that comes in by this port may go."""
    if came_by == LOCAL:
        return [place for place in PLACES if place != HERE]
    x, y = step(HERE, came_by)  # the neighbour that it comes from
    ahead = (2 - x, 2 - y)
    if came_by in (EAST, WEST):
        return [place for place in PLACES if place[0] in (1, ahead[0])]
    return [HERE, ahead]


def router_traffic(random: Random, count: int) -> dict[int, list[Message]]:
    return {
        port: [
            marked(random, port << 32 | n, HERE, random.choice(legal(port)), random_length(random))
            for n in range(count)
        ]
        for port in range(5)
    }


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
            got[message.meta >> 32].append(message)
        for port in range(5):
            assert got[port] == expected[port, out], f"from {port} to {out}"


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
    order = [message.meta >> 32 for message in FLITS.messages([item for _, item in received])]
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
    WORMHOLE | {"Columns": 2, "Rows": 2},
    WORMHOLE,
    WORMHOLE | {"Columns": 1, "Rows": 4, "Depth": 32},
    ONE_CHANNEL,
    TWO_CHANNELS,
    ONE_CHANNEL | {"VirtualChannels": 4, "Columns": 2, "Depth": 32},
]


def shape_name(shape: Mapping[str, int]) -> str:
    return "-".join(f"{key}{value}" for key, value in shape.items())


def send_all(
    bench: Bench, random: Random, shape: Mapping[str, int], count: int
) -> dict[tuple[int, int], list[Message]]:
    """Pushes messages between all pairs of tiles; gives what should arrive, by pair."""
    columns, rows = shape.get("Columns", 3), shape.get("Rows", 3)
    expected: dict[tuple[int, int], list[Message]] = defaultdict(list)
    for source, destination, message in mesh_traffic(random, columns, rows, count):
        bench.push(FLITS.beats(message), source)
        side = {**message.side, "dir": LOCAL}
        expected[source, destination].append(replace(message, side=side))
    return expected


def check_all(
    bench: Bench, shape: Mapping[str, int], expected: Mapping[tuple[int, int], list[Message]]
) -> None:
    """Every message has come whole, once, in order if there is one channel only."""
    got: dict[tuple[int, int], list[Message]] = defaultdict(list)
    for destination in range(bench.num_out):
        items = bench.items(destination)
        check_constant_route(items)
        for message in FLITS.messages(items):
            got[message.meta >> 32, destination].append(message)
    for pair in got.keys() | expected.keys():
        if shape.get("VirtualChannels", 1) > 1:
            got[pair].sort(key=lambda message: message.meta)
        assert got[pair] == sorted(expected[pair], key=lambda message: message.meta), pair


@pytest.mark.parametrize("shape", MESHES, ids=shape_name)
def test_mesh_all_to_all(benches: Benches, shape: dict[str, int]) -> None:
    bench = benches("mesh", **shape)
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
    bench = benches("mesh", **shape)
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
    """Traffic between tiles whose paths do not cross the stuck one's goes on."""
    random = Random(8)
    bench = benches("mesh", **WORMHOLE)
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
        bench = benches("mesh", **shape)
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
    bench = benches("mesh", **shape)
    for distance in (1, 2):
        bench.forget()
        for _ in range(20):
            bench.push(FLITS.beats(marked(random, 0, (0, 0), (distance, 0), 20)), 0)
        bench.drain()
        received = bench.received(distance)
        assert received[0].cycle - bench.taken(0)[0] == 1 + 2 * (distance - 1) + 3
        assert consecutive([cycle for cycle, _ in received])


# ---- Network interface, at (1, 1) ----

GROUP = 1 << 14  # of port: the word leads to a group of replicas
TABLE = Layout(("x", 8), ("y", 8), ("port", 15), ("valid", 1), ("index", 9), ("write", 1))
SOURCE = Beats(64, ("next", 5))
SINK = Beats(64)
MESH_IN, MESH_OUT, IN_BYTES, OUT_BYTES = 2, 2, 3, 4
ENTERING, OUT_END = 1, 2  # events beside the lost messages
FILL_CYCLES = 32


def initial_entry(hop: int) -> tuple[int, int, int] | None:
    """As in benches/network_interface.sv: x, y, port. None leads to the tile itself."""
    x, y, port = hop % 4, hop // 4 % 4, hop // 16
    return None if hop == 7 or (x, y) == HERE else (x, y, port)


def source_messages(random: Random, mark: int, count: int) -> list[Message]:
    return [
        Message(
            random.randbytes(random_length(random)),
            pack_meta(length=random.getrandbits(14)) | mark << 32 | n,
            {"next": random.randrange(32)},
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_interface_follows_its_table(benches: Benches, seed: int) -> None:
    random = Random(seed)
    bench = benches("network_interface", seed=seed)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        for stream in (IN_BYTES, OUT_BYTES):
            bench.stall(stream, 0.0)
        sent = [source_messages(random, source, 100) for source in range(2)]
        for source, messages in enumerate(sent):
            bench.push(SOURCE.stream(messages, random=None), source)
        bench.drain()
        items = bench.items(MESH_OUT)
        check_constant_route(items)
        got = FLITS.messages(items)
        lost = 0
        for source, messages in enumerate(sent):
            expected = []
            for message in messages:
                if entry := initial_entry(message.side["next"]):
                    x, y, port = entry
                    side = {"x": x, "y": y, "port": port, "dir": xy_dir(HERE, (x, y))}
                    expected.append(replace(message, side=side))
                else:
                    lost += 1
            assert [m for m in got if m.meta >> 32 & 3 == source] == expected
        assert lost
        assert bench.events[0] == lost
        assert bench.items(OUT_BYTES) == [message["length"] for message in got]
        assert bench.events[OUT_END] == len(got)


def test_interface_waits_until_the_table_is_filled(benches: Benches) -> None:
    bench = benches("network_interface")
    for _ in range(3):
        bench.reset(2)
        assert bench.status == 1, "busy while it fills"
        start = bench.cycle
        bench.push(SOURCE.beats(Message(bytes(8), 0, {"next": 31})))
        bench.drain()
        assert bench.received(MESH_OUT)[0].cycle == start + FILL_CYCLES
        assert FLITS.layout.get(bench.items(MESH_OUT)[0], "x") == 3
        assert bench.status == 0


def test_interface_writes_an_entry(benches: Benches) -> None:
    bench = benches("network_interface", Columns=3)
    bench.run(FILL_CYCLES + 1)
    for x, y in [place for place in PLACES if place != HERE]:
        bench.control(TABLE.pack(x=x, y=y, port=2, valid=1, index=7, write=1))
        bench.run()
        bench.control(0)
        bench.push(SOURCE.beats(Message(b"abc", 0, {"next": 7})))
        bench.drain()
        side = {"x": x, "y": y, "port": 2, "dir": xy_dir(HERE, (x, y))}
        assert FLITS.messages(bench.items(MESH_OUT))[-1].side == side
    good = {"valid": 1, "x": 2, "y": 1, "port": 1}
    # Not valid, to itself, past the rim of the mesh of 3 x 4 or the ports that there are, and to
    # a group of replicas, of which there are none.
    for change in (
        {"valid": 0},
        {"x": 1},
        {"x": 3},
        {"x": 4 + 2},
        {"x": 255},
        {"y": 4},
        {"y": 128 + 1},
        {"port": 4 + 1},
        {"port": 128 + 1},
        {"port": GROUP},
    ):
        bench.control(TABLE.pack(index=7, write=1, **(good | change)))
        bench.run()
        bench.control(0)
        bench.forget()
        bench.push(SOURCE.beats(Message(bytes(30), 0, {"next": 7})))
        bench.drain()
        assert bench.items(MESH_OUT) == []
        assert bench.events[0] == 1
    # Between the next hops and the slots there is nothing to write.
    for index in (7, 7 + 32, 7 + 224):
        bench.control(TABLE.pack(index=index, write=1, **(good if index == 7 else {"valid": 0})))
        bench.run()
    bench.control(0)
    bench.push(SOURCE.beats(Message(b"abc", 0, {"next": 7})))
    bench.drain()
    assert len(bench.items(MESH_OUT)) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_message_keeps_its_route_while_the_table_changes(benches: Benches, seed: int) -> None:
    random = Random(seed)
    bench = benches("network_interface", seed=seed)
    bench.run(FILL_CYCLES + 1)
    bench.pace(gap=0.3, stall=0.6)
    for stream in (IN_BYTES, OUT_BYTES):
        bench.stall(stream, 0.0)
    count = 150
    for source in range(2):
        messages = [
            Message(random.randbytes(random_length(random)), source << 32 | n, {"next": 20})
            for n in range(count)
        ]
        bench.push(SOURCE.stream(messages), source)
    # Which entry stood in the table in which cycle.
    history: dict[int, tuple[int, int, int] | None] = {}
    entry = initial_entry(20)
    while bench.waiting(0) or bench.waiting(1):
        history[bench.cycle] = entry
        bench.control(0)
        if random.random() < 0.3:
            x, y = random.choice(PLACES)
            port, valid = random.randrange(4), random.random() < 0.8
            bench.control(TABLE.pack(x=x, y=y, port=port, valid=valid, index=20, write=1))
            entry = (x, y, port) if valid and (x, y) != HERE else None
        bench.run()
    bench.control(0)
    bench.drain()
    received = bench.received(MESH_OUT)
    check_constant_route([item for _, item in received])
    messages = FLITS.messages([item for _, item in received])
    assert len(messages) + bench.events[0] == 2 * count
    assert 0 < bench.events[0] < count
    for source in range(2):
        order = [m.meta & 0xFFFF for m in messages if m.meta >> 32 == source]
        assert order == sorted(set(order))
    # Each route stood in the table when the message was first offered: between the
    # end of the one before and its own first handshake.
    free, index = 0, 0
    for message in messages:
        first = received[index].cycle
        index += FLITS.count(len(message.payload))
        route = (message.side["x"], message.side["y"], message.side["port"])
        assert route in {history.get(cycle) for cycle in range(free, first + 1)}
        assert message.side["dir"] == xy_dir(HERE, route[:2])
        free = received[index - 1].cycle + 1


@pytest.mark.parametrize("has_sinks", [0, 1])
@pytest.mark.parametrize("seed", SEEDS)
def test_interface_hands_messages_to_layers(benches: Benches, seed: int, has_sinks: int) -> None:
    random = Random(seed)
    bench = benches("network_interface", seed=seed, HasSinks=has_sinks)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        for stream in (IN_BYTES, OUT_BYTES):
            bench.stall(stream, 0.0)
        sent = [
            Message(
                random.randbytes(random_length(random)),
                random.getrandbits(META_BITS),
                {"port": random.choice([0, 0, 1, 1, 2, 3])},
            )
            for _ in range(150)
        ]
        bench.push(FLITS.stream(sent), MESH_IN)
        bench.drain()
        for sink in range(2):
            mine = [m for m in sent if m.side["port"] == sink] if has_sinks else []
            got = SINK.messages(bench.items(sink))
            assert [(m.payload, m.meta) for m in got] == [(m.payload, m.meta) for m in mine]
        lost = sum(m.side["port"] >= 2 or not has_sinks for m in sent)
        assert bench.events[0] == lost
        assert bench.items(IN_BYTES) == [message["length"] for message in sent]
        # A message is coming in from its first flit to its last.
        taken = iter(bench.taken(MESH_IN))
        cycles = 0
        for message in sent:
            flits = [next(taken) for _ in range(FLITS.count(len(message.payload)))]
            cycles += flits[-1] - flits[0] + 1
        assert bench.events[ENTERING] == cycles


@pytest.mark.parametrize("gap", [0.0, 0.5])
def test_interface_counts_lost_messages_of_both_ways(benches: Benches, gap: float) -> None:
    """Both ways lose messages, many in the same cycle."""
    bench = benches("network_interface")
    bench.pace(gap=gap)
    count = 400
    bench.push(SOURCE.stream([Message(b"", 0, {"next": 7})] * count), 0)
    bench.push(FLITS.stream([Message(b"", 0, {"port": 3})] * count), MESH_IN)
    bench.drain()
    assert bench.events[0] == 2 * count

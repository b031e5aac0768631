# SPDX-License-Identifier: Apache-2.0
"""The network interface: tables of next hops, messages to the mesh and from it."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests.platform.routers.noc_traffic import (
    ENTERING,
    FILL_CYCLES,
    FLITS,
    GROUP,
    HERE,
    IN_BYTES,
    MESH_IN,
    MESH_OUT,
    NUM_HOPS,
    OUT_BYTES,
    OUT_END,
    PLACES,
    SINK,
    SOURCE,
    TABLE,
    UNKNOWN,
    check_constant_route,
    initial_entry,
    random_length,
    xy_dir,
)
from tests.support.harness import META_BITS, PACES, SEEDS, Benches, Message, pack_meta

pytestmark = pytest.mark.slow

TAKES = ((0, 1, 2, 5), (0, 3))  # kinds, by sink, as in benches/network_interface.sv


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
                if entry := initial_entry(message.side["next"], source):
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
        bench.push(SOURCE.beats(Message(bytes(8), 0, {"next": 27})))
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
    # Neither an entry of the other source, nor one between the next hops and the slots.
    for index in (7, 7 + NUM_HOPS[0], 61, 63, 7 + 64, 7 + 224):
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
    # Which entry of each source stood in the table in which cycle.
    history: dict[tuple[int, int], tuple[int, int, int] | None] = {}
    entries = [initial_entry(20)] * 2
    while bench.waiting(0) or bench.waiting(1):
        for source in range(2):
            history[source, bench.cycle] = entries[source]
        bench.control(0)
        if random.random() < 0.3:
            x, y = random.choice(PLACES)
            port, valid = random.randrange(4), random.random() < 0.8
            source = random.randrange(2)
            index = 20 + source * NUM_HOPS[0]
            bench.control(TABLE.pack(x=x, y=y, port=port, valid=valid, index=index, write=1))
            entries[source] = (x, y, port) if valid and (x, y) != HERE else None
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
        source = message.meta >> 32
        assert route in {history.get((source, cycle)) for cycle in range(free, first + 1)}
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
        bench.push(FLITS.stream(sent, random), MESH_IN)
        bench.drain()
        unknown = 0
        for sink, takes in enumerate(TAKES):
            to = [m for m in sent if m.side["port"] == sink] if has_sinks else []
            mine = [m for m in to if m["kind"] in takes]
            unknown += len(to) - len(mine)
            got = SINK.messages(bench.items(sink))
            assert [(m.payload, m.meta) for m in got] == [(m.payload, m.meta) for m in mine]
        lost = sum(m.side["port"] >= 2 or not has_sinks for m in sent)
        assert bench.events[0] == lost
        assert bench.events[UNKNOWN] == unknown
        assert bench.items(IN_BYTES) == [message["length"] for message in sent]
        # A message is coming in from the cycle behind its first flit until a layer takes its
        # last one, or until it is swallowed, in the cycle behind that.
        taken = iter(bench.taken(MESH_IN))
        handed = [iter(bench.received(sink)) for sink in range(len(TAKES))]
        cycles = 0
        for message in sent:
            arrived = [next(taken) + 1 for _ in range(FLITS.count(len(message.payload)))]
            port, gone = message.side["port"], arrived
            if has_sinks and port < len(TAKES) and message["kind"] in TAKES[port]:
                gone = [next(handed[port]).cycle for _ in arrived]
            cycles += gone[-1] - arrived[0] + 1
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


@pytest.mark.parametrize("has_groups", [0, 1])
def test_a_next_hop_that_a_source_does_not_have(benches: Benches, has_groups: int) -> None:
    """It leads nowhere, not to the next hops of another source or past the table."""
    bench = benches("network_interface", HasGroups=has_groups)
    last = NUM_HOPS[0] - 1
    sent = [Message(bytes([hop]), 0, {"next": hop}) for hop in (last, *range(last + 1, 32), last)]
    bench.push(SOURCE.stream(sent), 0)
    bench.drain()
    payloads = [message.payload for message in FLITS.messages(bench.items(MESH_OUT))]
    assert payloads == [bytes([last])] * 2
    assert bench.events[0] == 32 - NUM_HOPS[0]

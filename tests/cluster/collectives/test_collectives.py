# SPDX-License-Identifier: Apache-2.0
"""Barrier, broadcast, reduce and all-reduce of a ring of boards, beside numpy."""

from __future__ import annotations

from random import Random

import networkx as nx
import numpy as np
import pytest

from bombus.cluster.collectives import Words, all_reduce, float_sum, reduce, ring_order
from tests.support.harness import PACES, Bench, Benches, Layout

pytestmark = pytest.mark.slow

WIDTH = 128
LANES = WIDTH // 32
BEAT_BYTES = WIDTH // 8
PACKET_BEATS = 32
FIRST, INTEGER, FLOAT = range(3)  # collective_lane_pkg::mode_e
BARRIER, BROADCAST, REDUCE, ALL_REDUCE = range(4)  # collective_pkg::op_e
COMMAND = Layout(("beats", 20), ("root", 8), ("is_float", 1), ("op", 2), ("tag", 8))
PACKET_WORDS = PACKET_BEATS * LANES
BAD, OLD = 21, 42  # first event bits of the bench


# ---- The adder ----


def patterns(random: Random, count: int) -> Words:
    """Floats of all kinds: near each other, subnormal, infinite, and any bits."""
    special = [0, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000]
    kinds = (
        lambda: random.choice(special),
        lambda: random.getrandbits(31),
        lambda: random.randrange(100, 130) << 23 | random.getrandbits(23),
        lambda: random.randrange(3) << 23 | random.getrandbits(23),
        lambda: 127 << 23 | random.getrandbits(2),
        lambda: 254 << 23 | random.getrandbits(23),
        lambda: random.randrange(120, 134) << 23,
    )
    return np.array(
        [random.choice(kinds)() | random.getrandbits(1) << 31 for _ in range(count)], np.uint32
    )


@pytest.mark.parametrize("mode", (FIRST, INTEGER, FLOAT))
def test_sums(benches: Benches, mode: int) -> None:
    random = Random(mode)
    a, b = patterns(random, 60_000), patterns(random, 60_000)
    b[:2000] = a[:2000] ^ np.uint32(1 << 31)  # differences of zero, and close to it
    b[2000:4000] = (a[2000:4000] ^ np.uint32(1 << 31)) + np.uint32(1)
    with np.errstate(over="ignore"):
        expected = {FIRST: a, INTEGER: a + b, FLOAT: float_sum(a, b)}[mode]
    bench = benches("collective_lane")
    bench.push([mode << 64 | int(y) << 32 | int(x) for x, y in zip(a, b, strict=True)])
    bench.drain()
    wrong = np.flatnonzero(np.array(bench.items(), np.uint32) != expected)
    assert not len(wrong), [f"{a[i]:08x} + {b[i]:08x}" for i in wrong[:5]]


# ---- The ring ----


class Ring:
    """Boards with vectors. Positions are numbers of boards."""

    def __init__(self, bench: Bench, boards: int) -> None:
        self.bench = bench
        self.boards = boards
        self.tag = 0

    def command(self, op: int, beats: int, *, is_float: bool = False, root: int = 0) -> int:
        self.tag = (self.tag + 1) % 256
        return COMMAND.pack(beats=beats, root=root, is_float=int(is_float), op=op, tag=self.tag)

    def start(self, command: int, vectors: dict[int, Words], late: int | None = None) -> None:
        """The board `late` gets its vector, but no command."""
        for board in range(self.boards):
            if board != late:
                self.bench.push([command], board)
            if board in vectors:
                raw = vectors[board].tobytes()
                beats = [raw[i : i + BEAT_BYTES] for i in range(0, len(raw), BEAT_BYTES)]
                self.bench.push(
                    [int.from_bytes(beat, "little") for beat in beats], self.boards + board
                )

    def finish(self) -> None:
        """Runs until no board is busy."""
        self.bench.drain(quiet=50)
        for _ in range(2000):
            if not self.bench.status:
                break
            self.bench.run(100)
        assert not self.bench.status
        self.bench.drain(quiet=50)

    def results(self) -> dict[int, Words]:
        """Of the boards that gave one. Its end is marked."""
        found = {}
        for board in range(self.boards):
            if items := self.bench.items(board):
                assert [item >> WIDTH for item in items] == [0] * (len(items) - 1) + [1]
                raw = b"".join(
                    (item & (1 << WIDTH) - 1).to_bytes(BEAT_BYTES, "little") for item in items
                )
                found[board] = np.frombuffer(raw, np.uint32)
        return found


def vector(random: Random, beats: int, *, is_float: bool) -> Words:
    count = beats * LANES
    if is_float:
        return np.array([random.gauss(0, 1e3) for _ in range(count)], np.float32).view(np.uint32)
    return np.array([random.getrandbits(32) for _ in range(count)], np.uint32)


def expected(
    op: int, vectors: list[Words], beats: int, root: int, *, is_float: bool
) -> dict[int, Words]:
    boards = len(vectors)
    if op == BARRIER or not beats:
        return {}
    if op == BROADCAST:
        return dict.fromkeys(range(boards), vectors[root])
    if op == REDUCE:
        return {root: reduce(vectors, PACKET_WORDS, root, is_float=is_float)}
    result = all_reduce(vectors, PACKET_WORDS, is_float=is_float)
    return dict.fromkeys(range(boards), result)


@pytest.mark.parametrize("pace", PACES, ids=str)
@pytest.mark.parametrize("boards", (1, 2, 3, pytest.param(5, marks=pytest.mark.sweep)))
def test_operations(benches: Benches, boards: int, pace: dict[str, float]) -> None:
    """One after the other, lengths around those of packets, small buffers, uneven paces."""
    random = Random(boards)
    bench = benches("collective_ring", NumBoards=boards, LinkCycles=9, BufferPackets=1)
    bench.pace(**pace)
    ring = Ring(bench, boards)
    lengths = (0, 1, 2, 31, 32, 33, 64, 65, 32 * boards, 32 * boards + 1, 200, 4096)
    for beats in lengths:
        for op in (BARRIER, BROADCAST, REDUCE, ALL_REDUCE):
            is_float = random.random() < 0.5
            root = random.randrange(boards)
            vectors = [vector(random, beats, is_float=is_float) for _ in range(boards)]
            loading = {
                BARRIER: {},
                BROADCAST: {root: vectors[root]},
            }.get(op, dict(enumerate(vectors)))
            ring.start(ring.command(op, beats, is_float=is_float, root=root), loading)
            ring.finish()
            found = ring.results()
            wanted = expected(op, vectors, beats, root, is_float=is_float)
            assert found.keys() == wanted.keys(), (op, beats)
            for board, result in wanted.items():
                assert np.array_equal(found[board], result), (op, beats, board)
            assert bench.events == [1] * boards + [0] * (64 - boards)
            assert bench.status == 0
            bench.forget()


def test_back_to_back(benches: Benches) -> None:
    """Boards that are ahead wait with the packets of the next operation."""
    random = Random(7)
    boards, beats = 4, 100
    bench = benches("collective_ring", NumBoards=boards, LinkCycles=9, BufferPackets=1)
    ring = Ring(bench, boards)
    wanted: list[Words] = []
    for number in range(300):
        vectors = [vector(random, beats, is_float=False) for _ in range(boards)]
        op = (ALL_REDUCE, BARRIER)[number % 2]
        ring.start(ring.command(op, beats), dict(enumerate(vectors)) if op else {})
        if op:
            wanted.append(expected(op, vectors, beats, 0, is_float=False)[0])
    for board in range(boards):
        bench.stall(board, 0.2 * board)
    ring.finish()
    together = np.concatenate(wanted)
    for board in range(boards):
        raw = b"".join(
            (item & (1 << WIDTH) - 1).to_bytes(BEAT_BYTES, "little") for item in bench.items(board)
        )
        assert np.array_equal(np.frombuffer(raw, np.uint32), together)
    assert sum(bench.events[BAD:]) == 0


def test_a_late_command(benches: Benches) -> None:
    """A board takes no packets for a while. The board before it keeps what it receives meanwhile:
    3 packets of 5, which is more than half of them.
    """
    boards, packet_beats = 5, 2
    beats = 256 * packet_beats
    bench = benches(
        "collective_ring",
        NumBoards=boards,
        LinkCycles=9,
        BufferPackets=1,
        PacketBeats=packet_beats,
        MaxBytes=beats * BEAT_BYTES,
    )
    ring = Ring(bench, boards)
    random = Random(11)
    vectors = [vector(random, beats, is_float=False) for _ in range(boards)]
    command = ring.command(ALL_REDUCE, beats)
    ring.start(command, dict(enumerate(vectors)), late=boards - 1)
    bench.run(8000)
    bench.push([command], boards - 1)
    ring.finish()
    wanted = all_reduce(vectors, packet_beats * LANES, is_float=False)
    found = ring.results()
    assert len(found) == boards
    assert all(np.array_equal(result, wanted) for result in found.values())
    assert bench.events[BAD:] == [0] * (64 - BAD)


def test_barrier_waits_for_all(benches: Benches) -> None:
    boards = 4
    bench = benches("collective_ring", NumBoards=boards, LinkCycles=9, BufferPackets=1)
    ring = Ring(bench, boards)
    command = ring.command(BARRIER, 0)
    for board in range(boards - 1):
        bench.push([command], board)
    bench.run(3000)
    assert bench.events[:boards] == [0] * boards
    bench.push([command], boards - 1)
    bench.run(1000)
    assert bench.events[:boards] == [1] * boards


HEADER = Layout(
    ("length", 8), ("yield", 1), ("credit", 1), ("channel", 5), ("source", 8), ("destination", 8)
)
PACKET = Layout(("index", 16), ("hop", 9), ("op", 2), ("tag", 8))


def test_foreign_packets(benches: Benches) -> None:
    """Packets that the ring would not send are dropped, counted, and change nothing."""
    random = Random(3)
    boards, beats = 3, 200
    bench = benches("collective_ring", NumBoards=boards, LinkCycles=9, BufferPackets=1)
    ring = Ring(bench, boards)
    good = {"source": (boards - 1) * 7 + 3, "op": ALL_REDUCE, "hop": 1, "index": 0, "tag": 1}
    bad = (
        {"source": 99},
        {"op": REDUCE},
        {"hop": 0},
        {"hop": 2 * boards - 1},
        {"hop": 511},
        {"index": 7},
        {"index": 0xFFFF},
        {"length": 64},
        {"length": 68},
        {"tag": 0},
        {"tag": 200},
    )
    vectors = [vector(random, beats, is_float=False) for _ in range(boards)]
    ring.start(ring.command(ALL_REDUCE, beats), dict(list(enumerate(vectors))[:-1]))
    bench.run(400)  # board 2 has not loaded its vector
    for change in bad:
        fields = {**good, "length": 66, **change}
        header = HEADER.pack(
            **{"destination": 3, "channel": 0, "credit": 0, "yield": 0},
            **{name: fields[name] for name in ("length", "source")},
        )
        first = PACKET.pack(**{name: fields[name] for name in ("index", "hop", "op", "tag")})
        total = fields["length"] // 2
        for number in range(total):
            last = int(number == total - 1)
            data = first if number == 0 else random.getrandbits(WIDTH)
            bench.push([header << WIDTH + 1 | last << WIDTH | data], 2 * boards)
    bench.drain(quiet=400)
    assert bench.events[BAD] == 9
    assert bench.events[OLD] == 2
    raw = vectors[-1].tobytes()
    bench.push(
        [int.from_bytes(raw[i : i + 16], "little") for i in range(0, len(raw), 16)], 2 * boards - 1
    )
    bench.drain(quiet=400)
    wanted = expected(ALL_REDUCE, vectors, beats, 0, is_float=False)
    for board, result in ring.results().items():
        assert np.array_equal(result, wanted[board])
    assert len(ring.results()) == boards


def test_abort(benches: Benches) -> None:
    """A board is gone; the others end the operation, and the next one is right."""
    random = Random(5)
    boards, beats = 4, 300
    bench = benches("collective_ring", NumBoards=boards, LinkCycles=9, BufferPackets=1)
    ring = Ring(bench, boards)
    for moment in range(310, 900, 19):  # the vectors are loaded at 300
        vectors = [vector(random, beats, is_float=False) for _ in range(boards)]
        ring.start(ring.command(ALL_REDUCE, beats), dict(enumerate(vectors)))
        bench.run(moment)
        bench.control((1 << boards) - 1)
        bench.run(1)
        bench.control(0)
        ring.finish()
        bench.forget()
        vectors = [vector(random, beats, is_float=False) for _ in range(boards)]
        ring.start(ring.command(ALL_REDUCE, beats), dict(enumerate(vectors)))
        ring.finish()
        found = ring.results()
        wanted = expected(ALL_REDUCE, vectors, beats, 0, is_float=False)
        assert found.keys() == wanted.keys(), moment
        assert all(np.array_equal(found[board], wanted[board]) for board in wanted), moment
        bench.forget()


def test_bandwidth(benches: Benches) -> None:
    """All-reduce of 64 KiB over 16 boards: at least 80% of what the links allow."""
    random = Random(1)
    boards, beats = 16, 4096
    bench = benches("collective_ring", NumBoards=boards, LinkCycles=78, BufferPackets=8)
    ring = Ring(bench, boards)
    vectors = [vector(random, beats, is_float=True) for _ in range(boards)]
    ring.start(ring.command(ALL_REDUCE, beats, is_float=True), dict(enumerate(vectors)))
    ring.finish()
    found = ring.results()
    wanted = expected(ALL_REDUCE, vectors, beats, 0, is_float=True)
    assert all(np.array_equal(found[board], wanted[board]) for board in range(boards))
    started = max(max(bench.taken(boards + board)) for board in range(boards))
    ended = max(bench.received(board)[0].cycle for board in range(boards))
    bound = 2 * (boards - 1) / boards * beats
    assert bound / (ended - started) > 0.8


def test_packets_that_start_come_first(benches: Benches) -> None:
    """A board sends 16 packets to start with, 2 more than a hop holds: they take one round of the
    hops, not two.
    """
    random = Random(7)
    boards, packet_beats, beats = 4, 2, 128
    bench = benches(
        "collective_ring",
        NumBoards=boards,
        LinkCycles=40,
        BufferPackets=32,
        PacketBeats=packet_beats,
        MaxBytes=beats * BEAT_BYTES,
    )
    ring = Ring(bench, boards)
    vectors = [vector(random, beats, is_float=False) for _ in range(boards)]
    ring.start(ring.command(ALL_REDUCE, beats), dict(enumerate(vectors)))
    ring.finish()
    wanted = all_reduce(vectors, packet_beats * LANES, is_float=False)
    assert all(np.array_equal(result, wanted) for result in ring.results().values())
    started = max(max(bench.taken(boards + board)) for board in range(boards))
    ended = max(bench.received(board)[0].cycle for board in range(boards))
    packets = 2 * (boards - 1) * beats // packet_beats // boards
    assert packets * (packet_beats + 2) / (ended - started) > 0.8


# ---- The order of a ring ----


@pytest.mark.parametrize("rows", (2, 3, 4, 5, 8, 16))
@pytest.mark.parametrize("columns", (3, 4, 5, 8))
def test_ring_of_neighbours(rows: int, columns: int) -> None:
    torus = nx.convert_node_labels_to_integers(nx.grid_2d_graph(rows, columns, periodic=True))
    order = ring_order(torus)
    assert sorted(order) == list(range(rows * columns))
    assert all(torus.has_edge(*pair) for pair in zip(order, [*order[1:], order[0]], strict=True))


def test_ring_of_others() -> None:
    """Boards in a bar or a star: the way back is no longer than needed."""
    for boards in range(1, 12):
        graphs = {"bar": nx.path_graph(boards), "star": nx.star_graph(boards - 1)}
        for name, graph in graphs.items():
            order = ring_order(graph)
            assert sorted(order) == list(range(boards)), name
            far = dict(nx.all_pairs_shortest_path_length(graph))
            pairs = zip(order, [*order[1:], order[0]], strict=True)
            assert sum(far[a][b] for a, b in pairs) <= 3 * (boards - 1), name

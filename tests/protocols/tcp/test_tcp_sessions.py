# SPDX-License-Identifier: Apache-2.0
"""The sessions of TCP against a dictionary."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from itertools import pairwise
from random import Random

import pytest

from bombus.design.rtl import struct_layout
from tests.support.harness import SEEDS, Bench, Benches, Layout

pytestmark = pytest.mark.slow

FIND, INSERT, REMOVE = range(3)
LATENCY = 4
_FIELDS = struct_layout("tuple_t", "tcp_pkg")
TUPLE_BITS = max(field.offset + field.width for field in _FIELDS.values())
ITEM = Layout(("session", 14), ("tuple", TUPLE_BITS), ("op", 2))
ANSWER = Layout(("session", 14), ("new", 1), ("hit", 1))
STATUS = Layout(("tuple", TUPLE_BITS), ("free", 16))
CONTROL = Layout(("read", 14), ("seed", 96))


def tuple_of(ip: int, peer_port: int, own_port: int, mac_port: int = 0) -> int:
    values = {"ip": ip, "peer_port": peer_port, "own_port": own_port, "mac_port": mac_port}
    return sum(value << _FIELDS[name].offset for name, value in values.items())


class Sessions:
    """The expected answers: each operation is recorded, and sent by `check`."""

    def __init__(self, bench: Bench, number: int, seed: int) -> None:
        self.bench = bench
        self.number = number
        self.read = 0
        self.seed = Random(seed).getrandbits(96)
        self.control()
        self.start()

    def control(self, read: int = 0) -> None:
        self.bench.control(CONTROL.pack(read=read, seed=self.seed))

    def start(self) -> None:
        self.bench.reset()
        self.by_tuple: dict[int, int] = {}
        self.by_session: dict[int, int] = {}
        self.free = deque(range(self.number))
        self.items: list[int] = []
        self.expected: list[dict[str, int] | None] = []

    def _note(self, op: int, key: int, session: int, answer: int | None, *, new: bool) -> None:
        self.items.append(ITEM.pack(op=op, tuple=key, session=session))
        known = {"hit": int(not new), "new": int(new), "session": answer or 0}
        self.expected.append(None if answer is None else known)

    def find(self, key: int) -> None:
        self._note(FIND, key, 0, self.by_tuple.get(key), new=False)

    def insert(self, key: int) -> None:
        session = self.by_tuple.get(key)
        new = session is None and bool(self.free)
        if new:
            session = self.free.popleft()
            self.by_tuple[key] = session
            self.by_session[session] = key
        self._note(INSERT, key, 0, session, new=new)

    def remove(self, session: int, noise: int = 0) -> None:
        key = self.by_session.pop(session, None)
        if key is not None:
            del self.by_tuple[key]
            self.free.append(session)
        self._note(REMOVE, noise, session, None if key is None else session, new=False)

    def check(self) -> list[int]:
        """Sends the recorded operations; returns the cycles in which they were taken."""
        self.bench.push(self.items)
        self.bench.drain(limit=40 * len(self.items) + 100_000, quiet=40)
        taken, received = self.bench.taken(), self.bench.received()
        assert [each.cycle for each in received] == [cycle + LATENCY for cycle in taken]
        for count, (each, expected) in enumerate(zip(received, self.expected, strict=True)):
            answer = ANSWER.unpack(each.item)
            if expected is None:
                assert (answer["hit"], answer["new"]) == (0, 0), count
            else:
                assert answer == expected, count
        assert STATUS.get(self.bench.status, "free") == len(self.free)
        self.bench.forget()
        self.items, self.expected = [], []
        return taken

    def read_all(self) -> None:
        for session, key in self.by_session.items():
            self.control(session)
            self.bench.run(2)
            assert STATUS.get(self.bench.status, "tuple") == key


Key = Callable[[int], int]


def sessions(benches: Benches, number: int, ports: int = 1, seed: int = 1) -> Sessions:
    bench = benches("tcp_sessions", NumSessions=number, NumMacPorts=ports, seed=seed)
    bench.pace(gap=0.0, stall=0.0)
    return Sessions(bench, number, seed)


def _shuffled(number: int) -> int:
    return Random(number).getrandbits(64)


# Keys by number: random ones, and neighbours of all kinds.
KEYS: dict[str, Key] = {
    "random": _shuffled,
    "peer_ports": lambda n: tuple_of(0x0A000001 + (n >> 14), n & 0x3FFF, 80),
    "own_ports": lambda n: tuple_of(0x0A000001, 1024, n),
    "addresses": lambda n: tuple_of(0x0A000000 + n, 1024, 80),
    "high_bits": lambda n: tuple_of(n << 18, 0x8000, 0x8000),
    "diagonal": lambda n: tuple_of(n, n, n),
    "strides": lambda n: tuple_of(77 * n, 3 * n, 2 * n),
}


@pytest.mark.parametrize("number", [16, 64, 1024, 16384])
@pytest.mark.parametrize("kind", KEYS)
def test_all_sessions_can_be_made(benches: Benches, number: int, kind: str) -> None:
    """Full, partly emptied and full again; one more finds no room."""
    random = Random(number)
    table = sessions(benches, number)
    key = KEYS[kind]
    for n in range(number):
        table.insert(key(n))
    table.insert(tuple_of(0xFFFFFFFF, 1, 1))
    table.check()
    assert not table.free
    for n in range(number):
        table.find(key(n))
    table.find(tuple_of(0xFFFFFFFF, 1, 1))
    for session in random.sample(range(number), number // 2):
        table.remove(session)
    for n in random.sample(range(number), number):
        table.insert(key(n))  # those that are there too
    table.check()
    assert not table.free
    if number <= 1024:
        table.read_all()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("number", [16, 64, 1024])
@pytest.mark.parametrize("gap", [0.0, 0.5])
def test_no_leak_in_a_full_table(benches: Benches, number: int, seed: int, gap: float) -> None:
    """A new session for each that ends, thousands of times: there is always room."""
    random = Random(seed)
    table = sessions(benches, number, seed=seed)
    table.bench.pace(gap=gap, stall=0.0)
    for _ in range(number):
        table.insert(random.getrandbits(64))
    for _ in range(10_000):
        table.remove(random.randrange(number), random.getrandbits(64))
        table.insert(random.getrandbits(64))
        if random.random() < 0.1:
            table.find(random.choice(list(table.by_tuple)) if number < 100 else 5)
    table.check()
    assert not table.free
    for session in range(number):
        table.remove(session)
        table.remove(session)  # it is free by now
    table.check()
    assert len(table.free) == number


@pytest.mark.parametrize("ports", [1, 2, 3])
@pytest.mark.parametrize("number", [16, 64])
@pytest.mark.parametrize("gap", [0.0, 0.3])
def test_random_operations(benches: Benches, number: int, ports: int, gap: float) -> None:
    """Few keys, so that operations of one key follow each other closely."""
    random = Random(number + ports)
    table = sessions(benches, number, ports)
    table.bench.pace(gap=gap, stall=0.0)
    pool = [
        tuple_of(ip, peer, own, port)
        for ip in (1, 2, 1 << 31)
        for peer in range(number // 4)
        for own in (22, 80)
        for port in range(ports)
    ]
    for _ in range(100_000):
        key = random.choice(pool if random.random() < 0.7 else pool[:3])
        chance = random.random()
        if chance < 0.5:
            table.find(key)
        elif chance < 0.8:
            table.insert(key)
        else:
            table.remove(table.by_tuple.get(key, random.randrange(number)), random.choice(pool))
    table.check()
    table.read_all()


def _distances(cycles: Iterable[int]) -> set[int]:
    return {after - before for before, after in pairwise(cycles)}


@pytest.mark.parametrize(("number", "change"), [(16, 3), (64, 3)])
def test_one_look_up_a_cycle(benches: Benches, number: int, change: int) -> None:
    table = sessions(benches, number)
    table.insert(0)
    table.check()
    for n in range(9):  # too few for a way of each to be taken
        table.insert(n)
    assert _distances(table.check()) == {change}
    for n in range(40):
        table.find(n)
    assert _distances(table.check()) == {1}
    for n in range(9):
        table.remove(n)
    assert _distances(table.check()) == {change}


@pytest.mark.parametrize("number", [16, 64])
def test_nothing_outlives_a_reset(benches: Benches, number: int) -> None:
    table = sessions(benches, number)
    for n in range(number):
        table.insert(n)
    table.check()
    table.start()
    for n in range(number):
        table.find(n)
    taken = table.check()
    assert taken[0] >= number, "all is cleared before"
    for n in range(200, 328):
        table.insert(n)
    table.check()


def test_a_reset_of_one_cycle_in_traffic(benches: Benches) -> None:
    """Also while entries are moved."""
    table = sessions(benches, 64)
    for length in range(150, 200):
        table.bench.push([ITEM.pack(op=INSERT, tuple=n) for n in range(64)])
        table.bench.run(length)
        table.bench.hold_reset(0)
        table.bench.run(1)
        table.bench.hold_reset()
        table.bench.drain()
        table.bench.forget()
        for n in range(64):
            table.find(n)
        table.check()


def test_ports_are_told_apart(benches: Benches) -> None:
    table = sessions(benches, 16, ports=3)
    for port in range(3):
        table.insert(tuple_of(1, 2, 3, port))
    for port in range(3):
        table.find(tuple_of(1, 2, 3, port))
    table.check()
    assert len(table.by_tuple) == 3
    table.read_all()

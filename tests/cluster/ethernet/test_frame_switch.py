# SPDX-License-Identifier: Apache-2.0
"""The model of a switch between boards, with stand-ins for the boards."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from bombus.cluster.engine import FFI, library
from bombus.cluster.ethernet import addresses

WINDOW = 75  # the latency, too
WORDS = 3  # of a record: a beat has 74 bits
HEADER = 12  # bytes: the addresses
PAUSE = 3  # cycles between frames
ENDS = [(1, 0), (2, 0), (3, 0)]  # of the links of the senders; the receiver is board 0

pytestmark = pytest.mark.slow


def beats(frame: bytes) -> list[tuple[int, int]]:
    """Words of the beats of a frame of whole beats."""
    parts = [frame[at : at + 8] for at in range(0, len(frame), 8)]
    return [
        (int.from_bytes(part, "little"), 0xFF | (n == len(parts) - 1) << 8)
        for n, part in enumerate(parts)
    ]


def frame(sender: int, number: int, size: int) -> bytes:
    """`size` in beats, from 3 on. The number is its contents."""
    first, second = addresses(ENDS[sender], (0, sender))
    head = first.to_bytes(8, "little") + second.to_bytes(4, "little")
    return (head + number.to_bytes(4, "big") * 2 * size)[: 8 * size]


class Boards:
    """Senders, and a receiver (the last one) whose frames are kept with their first cycles."""

    def __init__(self, senders: int, sizes: list[int]) -> None:
        self.cycles = [0] * (senders + 1)
        self.sent: list[list[list[int]]] = [[] for _ in range(senders)]  # records by sender
        for sender in range(senders):
            cycle = sender
            for number, size in enumerate(sizes):
                for words in beats(frame(sender, number, size)):
                    self.sent[sender].append([cycle + WINDOW, *words])
                    cycle += 1
                cycle += PAUSE
        self.received: list[tuple[int, bytes]] = []
        self._beats: list[tuple[int, bytes]] = []
        self._kept: list[Any] = []
        self.engine = self._opened(senders)

    def _opened(self, senders: int) -> Any:
        members = FFI.new("bombus_member[]", senders + 1)
        run = FFI.callback("int(bombus_sim *, uint64_t, const bombus_beats *, bombus_beats *)")
        functions = {
            "run_beats": run(self._run),
            "set_horizon": FFI.callback(
                "int(bombus_sim *, uint64_t, bombus_horizon, void *)", lambda *_: 0
            ),
            "cycle": FFI.callback(
                "uint64_t(const bombus_sim *)", lambda sim: self.cycles[number_of(sim)]
            ),
            "last_error": FFI.callback("const char *(const bombus_sim *)", lambda _: FFI.NULL),
        }
        name = FFI.new("char[]", b"board")
        for number, member in enumerate(members):
            member.name, member.links = name, 1
            member.sim = FFI.cast("bombus_sim *", number + 1)
            for key, function in functions.items():
                setattr(member, key, function)
        wires = FFI.new(
            "bombus_wire[]",
            [
                {
                    "from": sender,
                    "to": senders,
                    "words": WORDS,
                    "frame_bytes": 8,
                    "order": sender,
                    "addresses": addresses(ENDS[sender], (0, sender)),
                }
                for sender in range(senders)
            ],
        )
        exchange = FFI.callback("bombus_exchange_ranks", lambda *_: 0)
        reached = FFI.callback("bombus_horizon", lambda _: 0)
        self._kept += [members, wires, name, exchange, reached, *functions.values()]
        return library().bombus_cluster_open(
            *(members, senders + 1, wires, senders, FFI.NULL, 0, exchange, FFI.NULL, reached),
            *(0, WINDOW),
        )

    def _run(self, sim: Any, cycles: int, given: Any, out: Any) -> int:
        number = number_of(sim)
        now = self.cycles[number] = self.cycles[number] + cycles
        if given != FFI.NULL and given[0].count:
            for at in range(given[0].count):
                cycle, data, flags = given[0].records[WORDS * at : WORDS * (at + 1)]
                assert cycle >= now, "a beat in the past"
                self._take(cycle, data, flags)
        if out != FFI.NULL:
            records = self.sent[number] if number < len(self.sent) else []
            ready = [each for each in records if each[0] - WINDOW < now]
            del records[: len(ready)]
            out[0].count = len(ready)
            for at, word in enumerate(word for record in ready for word in record):
                out[0].records[at] = word
        return 0

    def _take(self, cycle: int, data: int, flags: int) -> None:
        if self._beats:
            assert cycle == self._beats[-1][0] + 1, "a gap in a frame"
        elif self.received:
            last_cycle, last = self.received[-1]
            assert cycle >= last_cycle + len(last) // 8 + PAUSE, "no gap between frames"
        self._beats.append((cycle, data.to_bytes(8, "little")))
        if flags >> 8 & 1:
            whole = b"".join(each for _, each in self._beats)
            self.received.append((self._beats[0][0], whole))
            self._beats = []

    def options(self, wire: int, **values: float) -> None:
        given = FFI.new("bombus_switch_options *", {"delay_cycles": 300, **values})
        assert library().bombus_cluster_set_switch(self.engine, wire, given) == 0

    def statistics(self, wire: int) -> Any:
        found = FFI.new("bombus_switch_statistics *")
        assert library().bombus_cluster_get_switch(self.engine, wire, found) == 0
        return found

    def run(self, cycles: int) -> None:
        assert library().bombus_cluster_run(self.engine, cycles) == 0


def number_of(sim: Any) -> int:
    return int(FFI.cast("uintptr_t", sim)) - 1


def sizes(count: int) -> list[int]:
    random = Random(count)
    return [random.choice((8, 8, 20, 187)) for _ in range(count)]


def test_frames_of_several_senders_take_turns() -> None:
    """Each arrives once, whole and in the order of its sender, a latency after its last beat."""
    boards = Boards(3, sizes(100))
    boards.run(30_000)
    for sender in range(3):
        expected = [frame(sender, number, size) for number, size in enumerate(sizes(100))]
        ends = (addresses(ENDS[sender], (0, sender))[0]).to_bytes(8, "little")
        came = [data for _, data in boards.received if data[:8] == ends and data in expected]
        mine = [data for data in came if data[8:12] == expected[0][8:12]]
        assert mine == expected
    assert boards.received[0][0] == sizes(100)[0] - 1 + WINDOW + 1


def test_shares_of_frames() -> None:
    """Lost, corrupted, repeated and delayed ones are as many as the counters say."""
    boards = Boards(1, [8] * 4000)
    boards.options(0, loss=0.05, corrupt=0.03, repeat=0.04, reorder=0.06, seed=7)
    boards.run(60_000)
    found = boards.statistics(0)
    for count, share in (
        *((found.lost, 0.05), (found.corrupted, 0.03)),
        *((found.repeated, 0.04), (found.delayed, 0.06)),
    ):
        assert abs(count - 4000 * share) < 50
    assert found.sent == 4000
    assert found.received == len(boards.received) == 4000 - found.lost + found.repeated
    expected = {frame(0, number, 8): number for number in range(4000)}
    numbers = [expected.get(data) for _, data in boards.received]
    assert found.corrupted <= numbers.count(None) <= found.corrupted + found.repeated
    wrong = [data for _, data in boards.received if data not in expected]
    assert all(len(data) == 64 for data in wrong)
    counts = Counter(number for number in numbers if number is not None)
    assert sum(count == 2 for count in counts.values()) > found.repeated // 2
    late = sum(a is not None and b is not None and b < a for a, b in pairwise(numbers))
    assert late > found.delayed // 2


def test_results_follow_from_the_seed() -> None:
    def digest(seed: int) -> int:
        boards = Boards(2, [8] * 300)
        for wire in (0, 1):
            boards.options(wire, loss=0.1, reorder=0.1, repeat=0.1, seed=seed)
        boards.run(10_000)
        return hash(tuple(boards.received))

    assert digest(1) == digest(1) != digest(2)


def test_a_wire_goes_down_and_comes_back() -> None:
    boards = Boards(1, [8] * 500)
    for up, cycle in ((False, 1000), (True, 2000)):
        assert library().bombus_cluster_set_switch_up(boards.engine, 0, up, cycle) == 0
    boards.run(8000)
    assert not any(1000 <= cycle < 2000 for cycle, _ in boards.received)
    found = boards.statistics(0)
    assert 85 < found.lost < 95 and found.received + found.lost == 500


def test_frames_of_others_are_left_out() -> None:
    boards = Boards(1, [8] * 10)
    foreign = beats(b"\x02" * 64) + beats(b"\x03" * 8)
    boards.sent[0] += [[200 + WINDOW + n, *words] for n, words in enumerate(foreign)]
    boards.run(1000)
    assert boards.statistics(0).sent == len(boards.received) == 10


def test_a_wire_without_a_switch_has_none() -> None:
    boards = Boards(1, [8])
    options = FFI.new("bombus_switch_options *")
    assert library().bombus_cluster_set_switch(boards.engine, 5, options) < 0
    assert b"wire 5 passes no switch here" in FFI.string(
        library().bombus_cluster_error(boards.engine)
    )

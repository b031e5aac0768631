# SPDX-License-Identifier: Apache-2.0
"""Router, chain and endpoints of several boards: every packet arrives once and in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import pytest

from bombus.base.macros import CHECKS
from tests.support.harness import SEEDS, Bench, Benches, Layout

pytestmark = pytest.mark.slow

BOARDS = 4
WORDS = 2  # of a beat
CHANNELS = (0, 1, 2)
UNMANAGED = 2
MOST_WORDS = {0: WORDS, 1: 3 * WORDS, UNMANAGED: WORDS}
BEAT = Layout(
    ("data", 64 * WORDS),
    ("last", 1),
    ("length", 8),
    ("yield", 1),
    ("credit", 1),
    ("channel", 5),
    ("source", 8),
    ("destination", 8),
)
# Of a board's events.
NO_ROUTE, NO_CHANNEL = 0, 1
BAD_SOURCE, BAD_DESTINATION, TOO_LONG, NO_BUDGET, BAD_CONTROL = range(5)
RETURNED = 12
EVENTS = 13
GRANT, RETURN, OPEN, OPENED, CLOSED = range(5)


@dataclass(frozen=True)
class Packet:
    source: int
    destination: int
    channel: int
    words: tuple[int, ...]
    yields: bool = False
    credit: bool = False

    def beats(self) -> list[int]:
        groups = [self.words[n : n + WORDS] for n in range(0, len(self.words), WORDS)] or [()]
        return [
            BEAT.pack(
                data=sum(word << 64 * n for n, word in enumerate(group)),
                last=int(index == len(groups) - 1),
                length=len(self.words),
                channel=self.channel,
                source=self.source,
                destination=self.destination,
                credit=int(self.credit),
                **{"yield": int(self.yields)},
            )
            for index, group in enumerate(groups)
        ]


def control_packet(
    kind: int, source: int, destination: int, channel: int, amount: int = 0, nonce: int = 0
) -> Packet:
    word = kind << 61 | nonce << 24 | amount
    return Packet(source, destination, channel, (word,), credit=True)


def packets_of(items: Sequence[int], board: int, channel: int) -> list[Packet]:
    """What a user has received."""
    found = []
    words: list[int] = []
    for item in items:
        beat = BEAT.unpack(item)
        words += [beat["data"] >> 64 * n & (1 << 64) - 1 for n in range(WORDS)]
        if beat["last"]:
            assert not any(words[beat["length"] :])
            content = tuple(words[: beat["length"]])
            found.append(Packet(beat["source"], board, channel, content))
            words = []
    return found


class Bar:
    """The bench and what was sent in it."""

    def __init__(self, benches: Benches, seed: int, **parameters: int) -> None:
        self.random = Random(seed)
        self.bench: Bench = benches("cluster_bar", seed=seed, macros={CHECKS: 1}, **parameters)
        self.sent: dict[tuple[int, int, int], list[Packet]] = defaultdict(list)
        self.numbers = 0

    def send(self, source: int, destination: int, channel: int, *, yields: bool = False) -> None:
        length = self.random.randint(0, MOST_WORDS[channel])
        self.numbers += 1
        words = (self.numbers, *(self.random.getrandbits(64) for _ in range(length)))[:length]
        packet = Packet(source, destination, channel, words, yields)
        self.sent[source, destination, channel].append(Packet(source, destination, channel, words))
        self.bench.push(packet.beats(), 3 * source + channel)

    def traffic(self, number: int, channels: Sequence[int] = CHANNELS, yields: float = 0.0) -> None:
        for _ in range(number):
            for board in range(BOARDS):
                for channel in channels:
                    to = self.random.randrange(BOARDS)
                    self.send(board, to, channel, yields=self.random.random() < yields)

    def inject(self, board: int, packet: Packet) -> None:
        """A packet that comes over the third link, as it is."""
        self.bench.push(packet.beats(), 3 * BOARDS + board)

    def received(self) -> dict[tuple[int, int, int], list[Packet]]:
        found: dict[tuple[int, int, int], list[Packet]] = defaultdict(list)
        for board in range(BOARDS):
            for channel in CHANNELS:
                for packet in packets_of(self.bench.items(3 * board + channel), board, channel):
                    found[packet.source, board, channel].append(packet)
        return found

    def check(self) -> None:
        """Exactly once, in order per source, destination and channel."""
        found = self.received()
        assert found.keys() <= self.sent.keys()
        for flow, packets in self.sent.items():
            assert found[flow] == packets, flow

    def events(self, board: int) -> list[int]:
        return self.bench.events[board * EVENTS : (board + 1) * EVENTS]

    def drops(self, board: int, channel: int) -> list[int]:
        return self.events(board)[2 + 5 * channel :][:5]

    def dropped(self, board: int) -> int:
        """Packets dropped because the link to the next board is closed."""
        return self.bench.events[EVENTS * BOARDS + board]

    def control(
        self,
        resets: int = 0,
        write: tuple[int, int, int] | None = None,
        closed: int = 0,
        gone: int = 0,
    ) -> None:
        """Resets by board; a write: board, index and port; links to the next board by board."""
        value = resets | (closed | gone) << 2 * BOARDS + 6 | gone << 3 * BOARDS + 6
        if write:
            board, index, port = write
            value |= index << BOARDS | port << BOARDS + 3 | 1 << BOARDS + 6 + board
        self.bench.control(value)


@pytest.fixture
def bar(benches: Benches) -> Bar:
    return Bar(benches, 1)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pace", [(0.0, 0.0), (0.3, 0.5), (0.0, 0.9)], ids=str)
def test_each_packet_arrives_once_and_in_order(
    benches: Benches, seed: int, pace: tuple[float, float]
) -> None:
    bar = Bar(benches, seed)
    bar.bench.pace(gap=pace[0], stall=pace[1])
    bar.traffic(100, yields=0.2)
    bar.bench.drain(quiet=4000)
    bar.check()
    for board in range(BOARDS):
        assert sum(bar.events(board)[:RETURNED]) == 0


def test_a_channel_that_nobody_takes_leaves_the_others_their_rate(bar: Bar) -> None:
    def cycles() -> int:
        start = bar.bench.cycle
        bar.traffic(100, (1,))
        while any(bar.bench.waiting(3 * board + 1) for board in range(BOARDS)):
            bar.bench.run(50)
            assert bar.bench.cycle < start + 100_000
        return bar.bench.cycle - start

    bar.bench.run(2000)  # sessions
    alone = cycles()
    for board in range(BOARDS):
        bar.bench.stall(3 * board, 1.0)
    bar.traffic(100, (0,))
    assert cycles() <= 1.1 * alone + 500
    bar.bench.pace()
    bar.bench.drain(quiet=4000)
    bar.check()


def test_an_unmanaged_channel_that_is_not_taken_stops_the_others(bar: Bar) -> None:
    """As in the paper, section III-B. Also a channel in the other direction: it needs grants."""
    bar.bench.run(2000)  # sessions
    bar.bench.stall(3 * 1 + UNMANAGED, 1.0)
    for _ in range(100):
        bar.send(0, 1, UNMANAGED)
    bar.bench.run(500)
    for _ in range(100):
        bar.send(1, 0, 0)
    bar.bench.run(20_000)
    assert len(bar.received()[1, 0, 0]) == 1  # InitBudget
    bar.bench.pace()
    bar.bench.drain(quiet=4000)
    bar.check()


CUT = 1  # the board whose link to the next board is closed


def cycles_of_others(bar: Bar) -> int:
    """Cycles of traffic on channel 1 between the boards before the closed link."""
    start = bar.bench.cycle
    for n in range(200):
        bar.send(n % 2, 1 - n % 2, 1)
    while any(bar.bench.waiting(3 * board + 1) for board in (0, 1)):
        bar.bench.run(50)
        assert bar.bench.cycle < start + 100_000
    return bar.bench.cycle - start


def test_packets_to_a_link_that_is_gone_leave_others_their_rate(bar: Bar) -> None:
    bar.bench.run(3000)
    alone = cycles_of_others(bar)
    bar.control(gone=1 << CUT)
    flows = [(source, to, channel) for source in (0, 1) for to in (2, 3) for channel in (0, 2)]
    for flow in flows * 30:
        bar.send(*flow)
    assert cycles_of_others(bar) <= 1.1 * alone + 500
    bar.bench.run(20_000)
    assert bar.dropped(CUT) >= 120  # all of the unmanaged channel
    # Budget is left for no more than a stride of each sender.
    arrived = bar.received()
    assert not any(arrived[flow] for flow in flows)
    bar.control()
    bar.bench.drain(quiet=30_000)
    arrived = bar.received()
    for flow in flows:
        sent = bar.sent.pop(flow)
        lost = len(sent) - len(arrived[flow])
        assert arrived[flow] == sent[lost:]
        assert lost == 30 if flow[2] == UNMANAGED else lost <= 8
        bar.sent[flow] = sent[lost:]
    bar.check()


def test_grants_to_a_closed_link_stop_nothing(bar: Bar) -> None:
    """Data come over the link; the grants for them cannot go back. Nothing is lost."""
    bar.bench.run(3000)
    alone = cycles_of_others(bar)
    bar.control(closed=1 << CUT)
    for n in range(80):
        bar.send(2 + n % 2, n // 2 % 2, 0)
    bar.bench.run(500)
    assert cycles_of_others(bar) <= 1.1 * alone + 500
    bar.bench.run(20_000)
    assert bar.dropped(CUT) > 4
    bar.control()
    bar.bench.drain(quiet=30_000)
    bar.check()


@pytest.mark.parametrize("seed", SEEDS)
def test_packets_wait_for_a_closed_link(benches: Benches, seed: int) -> None:
    bar = Bar(benches, seed)
    bar.bench.pace(gap=0.2, stall=0.3)
    bar.traffic(100, yields=0.2)
    for _ in range(20):
        bar.bench.run(bar.random.randrange(400))
        bar.control(closed=bar.random.randrange(1 << BOARDS))
        bar.bench.run(bar.random.randrange(200))
        bar.control()
    bar.bench.drain(quiet=40_000)
    bar.check()
    assert sum(map(bar.dropped, range(BOARDS)))


@pytest.mark.parametrize("seed", SEEDS)
def test_links_that_are_gone_for_a_while(benches: Benches, seed: int) -> None:
    """Packets are dropped as a whole; afterwards all is as before."""
    bar = Bar(benches, seed)
    bar.bench.pace(gap=0.2, stall=0.3)
    bar.traffic(100, yields=0.2)
    for _ in range(20):
        bar.bench.run(bar.random.randrange(400))
        bar.control(gone=bar.random.randrange(1 << BOARDS))
        bar.bench.run(bar.random.randrange(200))
        bar.control()
    bar.bench.drain(quiet=40_000)
    lost = 0
    for flow, packets in bar.received().items():
        rest = iter(bar.sent[flow])
        assert all(packet in rest for packet in packets), flow
    lost = sum(map(len, bar.sent.values())) - sum(map(len, bar.received().values()))
    assert 0 < lost <= sum(map(bar.dropped, range(BOARDS)))
    bar.sent.clear()
    bar.bench.forget()
    bar.traffic(60)
    bar.bench.drain(quiet=12_000)
    bar.check()


def test_idle_senders_return_their_budget(bar: Bar) -> None:
    """Channel 0 has room for two strides; three senders get one after another."""
    for _ in range(5):
        for source in range(3):
            for _ in range(3):
                bar.send(source, 3, 0)
            bar.bench.drain(quiet=5000)
    bar.check()
    assert sum(bar.events(board)[RETURNED] for board in range(3)) > 3


def test_budgets_start_again_after_a_board_resets_in_traffic(benches: Benches) -> None:
    for seed in range(6):
        bar = Bar(benches, seed)
        bar.bench.pace(gap=0.1, stall=0.3)
        bar.traffic(150, (0, 1))
        bar.bench.run(bar.random.randrange(300, 3000))
        reset = bar.random.randrange(BOARDS)
        bar.control(resets=1 << reset)
        bar.bench.run(bar.random.randrange(1, 300))
        bar.control()
        bar.bench.drain(quiet=12_000)
        for flow, packets in bar.received().items():
            # Packets in transit may be lost, none is doubled or overtaken. One of which a part was
            # in the board is torn.
            whole = [packet for packet in packets if packet in bar.sent[flow]]
            assert len(whole) >= len(packets) - (flow[0] == reset)
            rest = iter(bar.sent[flow])
            assert all(packet in rest for packet in whole), flow
        bar.sent.clear()
        bar.bench.forget()
        bar.traffic(60, (0, 1))
        bar.bench.drain(quiet=12_000)
        bar.check()


def test_hostile_packets_are_counted_and_harmless(benches: Benches) -> None:
    for seed in SEEDS:
        bar = Bar(benches, seed)
        random = bar.random
        bar.bench.run(3000)
        kinds = 0
        for _ in range(300):
            board, to = random.randrange(BOARDS), random.randrange(BOARDS)
            channel = random.randrange(2)
            # Sources that do not exist, or that have nothing to send.
            source = random.choice([BOARDS, 77, 255])
            match random.randrange(6):
                case 0:
                    packet = Packet(source, to, channel, (1, 2))
                case 1:
                    packet = Packet(random.randrange(BOARDS), 200, channel, (3,) * 5)
                case 2:
                    packet = Packet(source, to, random.randrange(3, 32), (4,) * 9)
                case 3:
                    kind, amount = random.randrange(8), random.getrandbits(16)
                    packet = control_packet(kind, source, to, channel, amount, 9)
                case 4:
                    packet = Packet(0, to, channel, (5,) * (7 + random.randrange(9)))
                case _:
                    packet = Packet(0, to, channel, (5,) * 3, credit=True)
            kinds += 1
            bar.inject(board, packet)
        bar.traffic(100)
        bar.bench.drain(quiet=4000)
        bar.check()
        counted = 0
        for board in range(BOARDS):
            events = bar.events(board)
            counted += sum(events[:RETURNED])
        assert counted == kinds


def test_forged_credits_end_in_counted_drops(benches: Benches) -> None:
    """Flow-control packets in the name of boards of the cluster: what is lost is counted, and later
    all is as before."""
    for seed in SEEDS:
        bar = Bar(benches, seed)
        random = bar.random
        bar.bench.pace(gap=0.2, stall=0.4)
        bar.traffic(100, (0, 1))
        for _ in range(40):
            forged = control_packet(
                random.randrange(8),
                random.randrange(BOARDS),
                random.randrange(BOARDS),
                random.randrange(2),
                random.choice([0, 1, 4, 65535]),
                random.randrange(256),
            )
            bar.inject(random.randrange(BOARDS), forged)
            bar.bench.run(random.randrange(100))
        bar.bench.drain(quiet=30_000)
        lost = sum(len(packets) for packets in bar.sent.values()) - sum(
            len(packets) for packets in bar.received().values()
        )
        dropped = sum(
            bar.drops(board, channel)[NO_BUDGET] for board in range(BOARDS) for channel in (0, 1)
        )
        assert lost == dropped
        bar.sent.clear()
        bar.bench.forget()
        for board in range(BOARDS):
            for to in range(BOARDS):
                bar.inject(board, control_packet(CLOSED, to, board, 0))
                bar.inject(board, control_packet(CLOSED, to, board, 1))
        bar.bench.run(3000)
        bar.traffic(60, (0, 1))
        bar.bench.drain(quiet=12_000)
        bar.check()


def test_a_route_that_is_missing_drops_and_counts(bar: Bar) -> None:
    bar.bench.run(3000)
    for index in (3, 4 + 3):
        bar.control(write=(1, index, 7))
        bar.bench.run(1)
    bar.control()
    bar.send(0, 3, UNMANAGED)
    bar.send(0, 1, UNMANAGED)
    bar.bench.drain(quiet=1000)
    assert bar.events(1)[NO_ROUTE] == 1
    del bar.sent[0, 3, UNMANAGED]
    bar.check()
    # Into the third link and nowhere: a board that does not exist.
    bar.send(2, 9, 0)
    bar.bench.drain(quiet=1000)
    assert bar.drops(2, 0)[BAD_DESTINATION] == 1

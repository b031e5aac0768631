# SPDX-License-Identifier: Apache-2.0
"""The crosspoint router under all its routing algorithms."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from random import Random

import pytest

from tests.platform.routers.noc_traffic import EAST, LOCAL, NORTH, SOUTH, WEST, Place, step
from tests.support.harness import PACES, Beats, Bench, Benches, Message, consecutive, pack_meta

pytestmark = pytest.mark.slow

HORIZONTAL = (EAST, WEST)
OPPOSITE = {LOCAL: LOCAL, NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST}

ROUTE = (("port", 2), ("y", 2), ("x", 2), ("dir", 3))
ITEMS = Beats(64, *ROUTE, ("wanted", 5), ("vertical", 5), ("horizontal", 5))
MAX_PACKET = 4
DEPTH = 32
HERE = (1, 1)  # of 4x4

XY, O1TURN, ADAPTIVE = range(3)
ALL_PORTS = (LOCAL, NORTH, EAST, SOUTH, WEST)


def nearer(here: Place, there: Place) -> list[int]:
    """Outputs that bring a message nearer, the horizontal one first; there: the local one."""
    found = []
    if there[0] != here[0]:
        found.append(EAST if there[0] > here[0] else WEST)
    if there[1] != here[1]:
        found.append(SOUTH if there[1] > here[1] else NORTH)
    return found or [LOCAL]


@dataclass(frozen=True)
class Router:
    """How a router is built and what it may do, stated independently (docs/fabrics.md)."""

    routing: int
    lossless: bool = True
    ports: tuple[int, ...] = ALL_PORTS

    def open(self, benches: Benches, seed: int = 1) -> Bench:
        return benches(
            "router_crosspoint",
            seed=seed,
            Routing=self.routing,
            Lossless=int(self.lossless),
            Ports=sum(1 << port for port in self.ports),
            Depth=DEPTH,
            MaxPacket=MAX_PACKET,
        )

    def outputs(self, here: Place, came_by: int, there: Place) -> list[int]:
        found = nearer(here, there)
        if self.routing == ADAPTIVE or (self.routing == O1TURN and came_by == LOCAL):
            return found
        # Straight on first; under XY, the rest of x always comes first.
        return found[-1:] if self.routing == O1TURN and came_by in (NORTH, SOUTH) else found[:1]

    def channel(self, here: Place, came_by: int, output: int, there: Place) -> int:
        """The second lane of a queue straight through has the number of its input."""
        if not self.lossless or came_by == LOCAL or output != OPPOSITE[came_by]:
            return output
        second = False
        if self.routing == O1TURN:
            second = len(nearer(here, there)) == 1
        elif self.routing == ADAPTIVE and output not in HORIZONTAL:
            second = there[0] < here[0]
        return came_by if second else output

    def channels(self, here: Place, came_by: int, there: Place) -> int:
        return sum(
            1 << self.channel(here, came_by, output, there)
            for output in self.outputs(here, came_by, there)
        )

    def destinations(self, came_by: int) -> list[Place]:
        """Outputs for a message that arrives on this port."""
        found = []
        for there in ((x, y) for y in range(4) for x in range(4)):
            ways = nearer(HERE, there)
            if came_by in ways or not set(ways) <= set(self.ports):
                continue  # back, or out of the mesh
            if self.routing == XY and came_by in (NORTH, SOUTH) and there[0] != HERE[0]:
                continue
            found.append(there)
        return found

    def message(
        self, random: Random, came_by: int, number: int, there: Place, size: int
    ) -> Message:
        side = {"x": there[0], "y": there[1], "port": random.randrange(4), "dir": LOCAL}
        side["wanted"] = self.channels(HERE, came_by, there)
        side |= {"vertical": 0, "horizontal": 0}
        for output in self.outputs(HERE, came_by, there):
            if output != LOCAL:
                axis = "horizontal" if output in HORIZONTAL else "vertical"
                side[axis] = self.channels(step(HERE, output), OPPOSITE[output], there)
        meta = pack_meta(length=size) | came_by << 32 | number
        return Message(random.randbytes(size), meta, side)

    def traffic(self, random: Random, count: int) -> dict[int, list[Message]]:
        sizes = (0, 5, 8, 8, 20, 30, 60, 200)  # up to 25 flits, MAX_PACKET is 4
        return {
            port: [
                self.message(
                    random, port, n, random.choice(self.destinations(port)), random.choice(sizes)
                )
                for n in range(count)
            ]
            for port in self.ports
        }

    def check(self, bench: Bench, sent: dict[int, list[Message]]) -> int:
        """Checks that every message arrived once, complete, on an allowed output, or was counted as
        dropped, and that each queue kept the order. Returns the number of drops.
        """
        of = {message.meta: (port, message) for port in sent for message in sent[port]}
        came: set[int] = set()
        for output in range(5):
            last: dict[tuple[int, int], int] = defaultdict(lambda: -1)
            items = bench.items(output)
            for before, after in pairwise(items):
                if not ITEMS.layout.get(before, "last"):
                    for name in ITEMS.side:
                        assert ITEMS.layout.get(before, name) == ITEMS.layout.get(after, name)
            for message in ITEMS.messages(items):
                assert message.meta in of and message.meta not in came
                came.add(message.meta)
                port, original = of[message.meta]
                assert message == original
                there = (message.side["x"], message.side["y"])
                assert output in self.outputs(HERE, port, there)
                channel = self.channel(HERE, port, output, there)
                number = message.meta & 0xFFFF
                assert number > last[port, channel], f"overtaken from {port} to {output}"
                last[port, channel] = number
        events = bench.events
        assert events[0] == 0, "a message started without room"
        assert events[1] == 0, "a flit past the reserved ones went without room"
        assert events[2] == 0, "the two ways to tell the local input's sender of ready differ"
        for port, messages in sent.items():
            arrived = sum(message.meta in came for message in messages)
            assert arrived + events[8 + port] == len(messages)
            if self.lossless:
                assert events[8 + port] == 0
        return sum(events[8:13])


def pace(bench: Bench, *, gap: float, stall: float) -> None:
    """Outputs 1 to 4 cannot be stalled, the room behind them can."""
    bench.pace(gap=gap, stall=stall)
    for output in range(1, 5):
        bench.stall(output, 0.0)


def send(bench: Bench, sent: dict[int, list[Message]]) -> None:
    for port, messages in sent.items():
        bench.push(ITEMS.stream(messages), port)


def drain(bench: Bench) -> None:
    for _ in range(1000):
        bench.drain()
        if not bench.status:
            return
    raise AssertionError("flits stay in the router")


ROUTERS = (
    Router(XY),
    Router(O1TURN, ports=(LOCAL, EAST, SOUTH, WEST)),
    Router(ADAPTIVE),
    Router(ADAPTIVE, lossless=False),
    Router(XY, lossless=False, ports=(LOCAL, EAST, SOUTH)),
)
LOSSLESS = ROUTERS[:3]


@pytest.mark.parametrize("router", ROUTERS, ids=str)
def test_crosspoint_with_random_traffic(benches: Benches, router: Router) -> None:
    random = Random(1)
    bench = router.open(benches)
    dropped = 0
    for rates in PACES:
        bench.forget()
        pace(bench, **rates)
        sent = router.traffic(random, 120)
        send(bench, sent)
        drain(bench)
        dropped += router.check(bench, sent)
    assert (dropped > 0) != router.lossless


@pytest.mark.parametrize("router", ROUTERS, ids=str)
def test_crosspoint_with_single_flits_back_to_back(benches: Benches, router: Router) -> None:
    random = Random(2)
    bench = router.open(benches)
    sent = {
        port: [
            router.message(random, port, n, random.choice(router.destinations(port)), 8)
            for n in range(400)
        ]
        for port in router.ports
    }
    send(bench, sent)
    drain(bench)
    router.check(bench, sent)


@pytest.mark.parametrize("router", ROUTERS, ids=str)
def test_crosspoint_outputs_stall_in_turn(benches: Benches, router: Router) -> None:
    """Queues fill behind stalled outputs."""
    random = Random(3)
    bench = router.open(benches)
    sent = router.traffic(random, 150)
    send(bench, sent)
    for _ in range(60):
        pace(bench, gap=0.0, stall=0.0)
        for stream in (LOCAL, *range(5, 30)):
            bench.stall(stream, random.choice([0.0, 0.5, 1.0, 1.0]))
        bench.run(random.randrange(120))
    pace(bench, gap=0.0, stall=0.0)
    drain(bench)
    router.check(bench, sent)


@pytest.mark.parametrize("router", ROUTERS, ids=str)
def test_crosspoint_forgets_at_reset(benches: Benches, router: Router) -> None:
    random = Random(4)
    bench = router.open(benches)
    for _ in range(15):
        send(bench, router.traffic(random, 15))
        pace(bench, gap=0.1, stall=0.6)
        bench.run(random.randrange(1, 80))
        bench.reset(1)
        assert bench.status == 0
        pace(bench, gap=0.3, stall=0.3)
        sent = router.traffic(random, 10)
        send(bench, sent)
        drain(bench)
        router.check(bench, sent)


@pytest.mark.parametrize("router", LOSSLESS, ids=str)
def test_crosspoint_fills_and_stops(benches: Benches, router: Router) -> None:
    """A queue behind an output without room fills almost completely, and never overflows."""
    random = Random(5)
    bench = router.open(benches)
    for port in router.ports:
        for there in router.destinations(port):
            (output,) = router.outputs(HERE, port, there)[:1]
            if len(router.outputs(HERE, port, there)) > 1:
                continue
            bench.reset()
            pace(bench, gap=0.0, stall=1.0)
            sent = [router.message(random, port, n, there, 8) for n in range(2 * DEPTH)]
            send(bench, {port: sent})
            bench.run(4 * DEPTH)
            split = router.routing == O1TURN or output not in HORIZONTAL
            split &= router.routing != XY and port != LOCAL and output == OPPOSITE[port]
            holds = DEPTH // 2 if split else DEPTH
            taken = len(bench.taken(port))
            # One flit is at the local output; the last message is admitted while MAX_PACKET flits
            # fit.
            extra = 1 if output == LOCAL else 0
            most = holds - MAX_PACKET + 1 + extra
            assert (most if port == LOCAL else most - 2) <= taken <= most
            pace(bench, gap=0.0, stall=0.0)
            drain(bench)
            router.check(bench, {port: sent})


@pytest.mark.parametrize("router", ROUTERS, ids=str)
def test_crosspoint_is_fair_and_leaves_no_gap(benches: Benches, router: Router) -> None:
    """All inputs that may ask for one output do, all the time."""
    random = Random(6)
    bench = router.open(benches)
    for output in router.ports:
        there = step(HERE, output)
        asking = [port for port in router.ports if there in router.destinations(port)]
        asking = [port for port in asking if router.outputs(HERE, port, there) == [output]]
        bench.reset()
        pace(bench, gap=0.0, stall=0.0)
        sent = {
            port: [router.message(random, port, n, there, 24) for n in range(30)] for port in asking
        }
        if not router.lossless:  # no more than a queue holds
            sent = {port: messages[:10] for port, messages in sent.items()}
        send(bench, sent)
        drain(bench)
        router.check(bench, sent)
        received = bench.received(output)
        rounds = len(sent[asking[0]])
        assert len(received) == 3 * rounds * len(asking)
        assert consecutive([cycle for cycle, _ in received][3:])
        messages = ITEMS.messages([item for _, item in received])
        order = [message.meta >> 32 & 7 for message in messages]
        settled = order[len(asking) : (rounds - 3) * len(asking)]
        for start in range(len(settled) - len(asking) + 1):
            assert sorted(settled[start : start + len(asking)]) == asking


@pytest.mark.parametrize("router", ROUTERS, ids=str)
def test_crosspoint_latency(benches: Benches, router: Router) -> None:
    """Two cycles from link to link."""
    random = Random(7)
    bench = router.open(benches)
    pace(bench, gap=0.0, stall=0.0)
    for port in router.ports:
        for there in router.destinations(port):
            bench.forget()
            bench.push(ITEMS.beats(router.message(random, port, 0, there, 8)), port)
            drain(bench)
            (taken,) = bench.taken(port)
            (received,) = [item for output in range(5) for item in bench.received(output)]
            on_link = taken + (port != LOCAL)  # the bench's sender has a register
            assert received.cycle == on_link + 2

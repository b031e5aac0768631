# SPDX-License-Identifier: Apache-2.0
"""Two TCP engines back to back over links that lose, double, reorder, delay and corrupt frames."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from contextlib import ExitStack
from random import Random

import pytest

from bombus.protocols.frames import ETHERNET_BYTES, IPV4_BYTES, padded
from bombus.protocols.tcp.sockets import Connection
from bombus.simulator.impairment import Impairment
from bombus.simulator.simulation import Simulation
from tests.protocols.tcp.tcp_pair import CLIENT, SERVER, Pair
from tests.protocols.tcp.tcp_shadowing import Shadow
from tests.protocols.tcp.tcp_wire import Wire, decode
from tests.protocols.tcp.test_tcp_impaired import LINKS, PARTS, SAMPLES, Watch

pytestmark = pytest.mark.slow

SEEDS = 500
LIMIT_S = 600
SHORT_US = 5000
CALM_US, CALM_TRIES = 20, 10
GAPS = ("loss 10 %", "jitter", "all")  # with these, the registers show ranges beyond gaps
TCP_START = ETHERNET_BYTES + IPV4_BYTES
Ends = tuple[Connection, Connection]


def impair(pair: Pair, link: str, seed: int) -> None:
    """Each direction once, once both know the address of the other."""
    near, far = pair.connected()
    near.close()
    far.close()
    pair.link.run(SHORT_US)
    for n, end in enumerate(pair.ends):
        end.impair(tx=Impairment(**LINKS[link], seed=2 * seed + n))


def exchange(pair: Pair, ends: list[Ends], random: Random, shadows: list[Shadow]) -> None:
    """Bytes both ways on all connections at once, then their ends."""
    watches = [Watch(end) for end in pair.ends]
    sides = list(zip(shadows, zip(*ends, strict=True), strict=True))
    directions = [way for near, far in ends for way in ((near, far), (far, near))]
    sent = [random.randbytes(random.randrange(30_000)) for _ in directions]
    came = [bytearray() for _ in directions]
    models = [
        shadow.of(each) for pairs in ends for shadow, each in zip(shadows, pairs, strict=True)
    ]

    def look() -> None:
        """Compares at all ends, if for some time no frame is on its way."""
        before = [shadow.compared for shadow in shadows]
        for _ in range(CALM_TRIES):
            pair.link.run(CALM_US)
            for shadow, side in sides:
                shadow.look(side, now=True)
            if all(shadow.compared > n for shadow, n in zip(shadows, before, strict=True)):
                break

    look()
    for (source, _), data, model in zip(directions, sent, models, strict=True):
        model.written = data
        source.write(data)
        source.shutdown()

    def done() -> bool:
        for watch in watches:
            watch.look()
        for shadow, side in sides:
            shadow.look(side)
        for (_, target), data in zip(directions, came, strict=True):
            data += target.read()
        return all(target.at_end or target.is_reset for _, target in directions)

    pair.link.wait(done, LIMIT_S, "no end of all streams")
    for (_, target), given, got in zip(directions, sent, came, strict=True):
        assert not target.is_reset
        assert got == given
    look()
    for data, model in zip(sent, models, strict=True):
        model.check(model.stream == data and model.fin == len(data) + 1, "not all was sent")
    for near, far in ends:
        near.close()
        far.close()


def finish(pair: Pair, shadows: Sequence[Shadow]) -> int:
    """The number of comparisons with ranges beyond gaps."""
    pair.settle(LIMIT_S)
    for shadow, end in zip(shadows, pair.ends, strict=True):
        shadow.take()
        assert shadow.compared
        end.impair()
        end.check()
    return sum(shadow.ranges for shadow in shadows)


def transfer(seed: int, link: str) -> int:
    random = Random(f"{seed} {link}")
    with ExitStack() as stack:
        pair = Pair(stack, seed=seed, coarse=True)
        shadows = [Shadow(end, stack) for end in pair.ends]
        impair(pair, link, seed)
        ends = [pair.connected(timeout=LIMIT_S) for _ in range(random.randrange(1, 4))]
        exchange(pair, ends, random, shadows)
        return finish(pair, shadows)


class Crossing:
    """Changes port numbers on the wire, so that two connections that are requested at once are one:
    the engine chooses its own port, and its peer would have to request that one.

    Each end asks for port ASKED of the other. A frame waits until the other has chosen, too.
    """

    ASKED = 1000

    def __init__(self, pair: Pair) -> None:
        self.flags: list[tuple[Simulation, frozenset[str]]] = []
        self._ports: dict[Simulation, int] = {}
        self._waiting: list[tuple[Simulation, Simulation, bytes]] = []
        pair.link.carry = self.carry

    def carry(self, source: Simulation, target: Simulation, frame: bytes) -> None:
        try:
            wire = decode(frame)
        except (AssertionError, struct.error):
            return  # a bit error: it would be dropped anyway
        if wire is None:
            target.send(frame)
            return
        self._ports[source] = wire.source
        self._waiting.append((source, target, frame))
        if target in self._ports:
            for one in self._waiting:
                self._pass(*one)
            self._waiting.clear()

    def _pass(self, source: Simulation, target: Simulation, frame: bytes) -> None:
        wire = decode(frame)
        assert isinstance(wire, Wire) and wire.destination == self.ASKED
        self.flags.append((source, wire.flags))
        crossed = wire.but(source=self.ASKED, destination=self._ports[target])
        ip = frame[:TCP_START]
        target.send(padded(ip + crossed.body(ip[-8:-4], ip[-4:])))


def connect_at_once(seed: int, link: str) -> Crossing:
    random = Random(f"{seed} {link} at once")
    with ExitStack() as stack:
        pair = Pair(stack, seed=seed, coarse=True)
        shadows = [Shadow(end, stack) for end in pair.ends]
        impair(pair, link, seed)
        crossing = Crossing(pair)
        openings = [
            pair.client.open(SERVER, Crossing.ASKED),
            pair.server.open(CLIENT, Crossing.ASKED),
        ]
        pair.link.wait(
            lambda: all(each.connection or each.error for each in openings), LIMIT_S, "not open"
        )
        near, far = (each.connection for each in openings)
        assert near is not None and far is not None
        exchange(pair, [(near, far)], random, shadows)
        finish(pair, shadows)
    return crossing


@pytest.mark.parametrize("link", LINKS)
def test_streams_come_whole(link: str) -> None:
    compared = transfer(0, link)
    assert compared or link not in GAPS


def test_both_connect_at_once() -> None:
    """Two connections requested at once become one (RFC 9293, 3.5, figure 7)."""
    crossing = connect_at_once(0, "jitter")
    opened = [flags for _, flags in crossing.flags[:2]]
    assert opened == [{"SYN"}] * 2
    assert len({source for source, _ in crossing.flags[:2]}) == 2
    answers = {source for source, flags in crossing.flags if {"SYN", "ACK"} <= flags}
    assert len(answers) == 2


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(PARTS))
def test_streams_of_many_seeds_come_whole(part: int) -> None:
    compared = 0
    for seed in range(SAMPLES + part, SEEDS, PARTS):
        link = list(LINKS)[(seed // PARTS) % len(LINKS)]
        try:
            compared += transfer(seed, link)
            connect_at_once(seed, link)
        except (AssertionError, TimeoutError) as error:
            raise AssertionError(f"seed {seed}, {link}: {error}") from error
    assert compared

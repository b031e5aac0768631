# SPDX-License-Identifier: Apache-2.0
"""An application that names places that it should not harms no other connection."""

from __future__ import annotations

from random import Random

import pytest

from bombus.protocols.tcp.segment import WORD, Segment
from tests.protocols.tcp.tcp_world import FLAGS, Session, World
from tests.protocols.tcp.test_tcp_core import connect, echo
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

CARELESS = 9  # the peer of the application
NUMBERS = range(1, 5)
OPERATIONS = ("send", "send", "release", "readable", "writable", "close")


class Careless(World):
    """A peer whose segments have payloads of all zeros, as long as the engine allows."""

    def _depart(self, departure: dict[str, int]) -> None:
        if departure["session"] != self.by_peer.get(CARELESS):
            super()._depart(departure)
            return
        self.departures.append((self.now, departure))
        length = departure["length"]
        assert length <= 1460
        flags = frozenset(name for name in FLAGS if departure[f"flags.{name}"])
        segment = Segment(
            departure["seq"],
            departure["ack"],
            flags,
            departure["window"],
            bytes(length),
            mss=1460 if "syn" in flags else None,
        )
        self._post(CARELESS, segment)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ring", [4096, 65536])
def test_places_that_nobody_may_name(benches: Benches, ring: int, seed: int) -> None:
    """More bytes than a ring has, or two, or four; bytes that never came; back and forth."""
    random = Random(seed)
    world = Careless(benches("tcp_core", SendBytes=ring, ReceiveBytes=ring), seed)
    echo(world)
    connect(world, *NUMBERS)
    connect(world, CARELESS, timestamps=False, scale=None)
    session = world.by_peer[CARELESS]
    state = world.sessions[session]
    on_report = world.on_report

    def others(number: int, told: Session, report: dict[str, int]) -> None:
        if number != session:
            on_report(number, told, report)

    world.on_report = others
    sent = {number: random.randbytes(20_000) for number in NUMBERS}
    back = {number: bytearray() for number in NUMBERS}
    for number in NUMBERS:
        world.peers[number].send(sent[number])
        world.peers[number].close()
        world.flush(number)
    steps = [each * ring + near for each in (0, 1, 2, 4, 8) for near in (-1, 0, 1, 700)]

    def done() -> bool:
        for _ in range(3):
            start = random.choice([state.first, state.released])
            place = start + random.choice([*steps, random.getrandbits(32)])
            operation = random.choice(OPERATIONS)
            world.request(session, operation, place % WORD, random.getrandbits(1))
        world.peers[CARELESS].read()
        for number in NUMBERS:
            back[number] += world.peers[number].read()
            world.flush(number)
        return all(len(back[number]) == len(sent[number]) for number in NUMBERS)

    world.run(done, limit_us=60_000_000)
    assert back == sent
    assert not any(world.peers[number].failed for number in NUMBERS)

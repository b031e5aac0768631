# SPDX-License-Identifier: Apache-2.0
"""The retransmission timer runs for the timeout that the last timed round trip gives (RFC 6298)."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from bombus.protocols.tcp.model import Endpoint
from bombus.protocols.tcp.segment import WORD, Segment
from tests.protocols.tcp.tcp_world import ByHand, World
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

INITIAL_US = 1_000_000  # RFC 6298, 2.1
PEER_US = 200_000  # until the peer sends its SYN again
LATE_US = 3_000_000  # after a retransmitted SYN (RFC 6298, 5.7)
LEAST_US = 200_000
SIZE = 100


@dataclass
class Timeout:
    """The model of RFC 6298, 2, with the rounding of the engine."""

    smoothed: int = 0  # times 8
    deviation: int = field(default=-1)  # times 4; -1: nothing has been measured

    def measure(self, us: int) -> int:
        if self.deviation < 0:
            self.smoothed, self.deviation = 8 * us, 2 * us
        else:
            error = us - self.smoothed // 8
            self.deviation += abs(error) - self.deviation // 4
            self.smoothed += error
        return max(self.smoothed // 8 + self.deviation, LEAST_US)


class Sender:
    """A connection whose first SYN,ACK was lost, or all of them until the timer expired, so that no
    round trip has been timed (Karn); the peer's acknowledgements are made by hand."""

    def __init__(self, world: World, *, expires: bool = False) -> None:
        self.world = world
        until = INITIAL_US if expires else PEER_US
        world.loses = lambda target, segment: target == 1 and world.now < until
        peer = Endpoint(0, now=world.now, timestamps=False)
        world.peers[1] = peer
        peer.connect()
        world.flush(1)
        world.run(lambda: 1 in world.by_peer and world.sessions[world.by_peer[1]].opened)
        assert world.now > until
        self.session = world.by_peer[1]
        self.place = peer._nxt
        self.peer = ByHand()
        world.peers[1] = self.peer  # type: ignore[assignment]

    def write(self, segments: int) -> None:
        for _ in range(segments):
            self.world.write(self.session, bytes(SIZE))
            self.world.settle()

    def ack(self, segments: int) -> None:
        ack = (self.world.sessions[self.session].first + segments * SIZE) % WORD
        self.world.send_to_engine(1, Segment(self.place, ack, frozenset({"ack"}), 60_000))
        self.world.settle()

    @property
    def runs_us(self) -> int:
        """What the retransmission timer still has to run."""
        return self.world._timers[self.session, 0] - self.world.now


def test_acknowledgement_restarts_the_timer_with_the_timeout_it_measures(benches: Benches) -> None:
    """RFC 6298, 5.3: with its present value, not with the second that it was before."""
    sender = Sender(World(benches("tcp_core")))
    sender.write(2)
    assert sender.runs_us == INITIAL_US
    sender.world.run_to(sender.world.now + 1_000)
    sender.ack(1)
    assert sender.runs_us == LEAST_US


def test_what_an_acknowledgement_lets_out_has_the_timeout_it_measures(benches: Benches) -> None:
    """It stops the timer, and opens the window for the segment that starts it at once."""
    sender = Sender(World(benches("tcp_core")), expires=True)
    sender.write(2)  # the window is one segment
    assert sender.runs_us == LATE_US
    sender.world.run_to(sender.world.now + 1_000)
    sender.ack(1)
    assert sender.runs_us == LEAST_US


@pytest.mark.parametrize("seed", range(3))
def test_timeouts_follow_the_round_trips(benches: Benches, seed: int) -> None:
    sender = Sender(World(benches("tcp_core"), seed))
    model = Timeout()
    for done in range(0, 60, 2):
        trip = sender.world.random.choice([100, 5_000, 70_000, 150_000])
        sender.write(2)  # the first is timed
        sender.world.run_to(sender.world.now + trip)
        sender.ack(done + 1)
        assert sender.runs_us == model.measure(trip)
        sender.ack(done + 2)

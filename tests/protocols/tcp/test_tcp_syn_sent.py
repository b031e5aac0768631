# SPDX-License-Identifier: Apache-2.0
"""Requested connections: SYN-SENT, and SYN-RECEIVED after it, with every kind of segment (RFC 9293,
3.10.7.3 and 3.10.7.4). All states: tests/protocols/tcp/conformance.
"""

from __future__ import annotations

import pytest

from bombus.protocols.tcp.segment import WORD, Segment
from tests.protocols.tcp.tcp_world import ByHand, World
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

PEER = 1
PEER_FIRST = 5_000_000_000 % WORD
ALL = ("syn", "ack", "rst", "fin", "psh", "urg")

# Flags, acknowledged beyond the own first sequence number (1: the SYN), bytes: what comes of it.
#   opened     ESTABLISHED, and an acknowledgement
#   both       SYN-RECEIVED, and SYN,ACK
#   refused    the session is over
#   reset      a reset answers; the state stays
#   nothing
SYN_SENT = [
    ("syn", None, 0, "both"),
    ("syn", None, 10, "both"),
    ("syn,fin", None, 0, "both"),
    ("syn,psh,urg", None, 0, "both"),
    ("syn,ack", 1, 0, "opened"),
    ("syn,ack", 1, 10, "opened"),
    ("syn,ack,fin", 1, 0, "opened"),
    ("syn,ack,ece", 1, 0, "opened"),
    ("syn,ack", 0, 0, "reset"),
    ("syn,ack", 2, 0, "reset"),
    ("syn,ack", -100_000, 0, "reset"),
    ("ack", 1, 0, "nothing"),
    ("ack", 1, 10, "nothing"),
    ("ack,fin", 1, 0, "nothing"),
    ("ack", 0, 0, "reset"),
    ("ack", 2, 10, "reset"),
    ("ack,fin", 7, 0, "reset"),
    ("", None, 0, "nothing"),
    ("", None, 10, "nothing"),
    ("fin", None, 0, "nothing"),
    ("psh,urg", None, 10, "nothing"),
    ("rst", None, 0, "nothing"),
    ("rst,syn", None, 0, "nothing"),
    ("rst,ack", 1, 0, "refused"),
    ("rst,ack", 0, 0, "nothing"),
    ("rst,ack", 2, 0, "nothing"),
    (",".join(ALL), 1, 0, "refused"),
    (",".join(ALL), 2, 0, "nothing"),
]

# In SYN-RECEIVED, where the peer has asked for the connection, too. The fourth value is the
# distance from the peer's next sequence number. acked: an acknowledgement, once.
SYN_RECEIVED = [
    ("ack", 1, 0, 0, "opened"),
    ("ack", 1, 10, 0, "opened"),
    ("ack,fin", 1, 0, 0, "opened"),
    ("syn,ack", 1, 0, -1, "opened"),
    ("syn,ack", 1, 10, -1, "opened"),
    ("ack", 2, 0, 0, "reset"),
    ("ack", 0, 10, 0, "reset"),
    ("syn", None, 0, -1, "both"),
    ("syn", None, 10, -1, "both"),
    ("syn", None, 0, 0, "acked"),
    ("syn", None, 0, 100_000, "both"),
    ("ack", 1, 0, 100_000, "acked"),
    ("ack", 1, 10, 100_000, "acked"),
    ("", None, 10, 0, "nothing"),
    ("fin", None, 0, 0, "nothing"),
    ("rst", None, 0, 0, "refused"),
    ("rst,ack", 1, 0, 0, "refused"),
    ("rst", None, 0, 1, "acked"),
    ("rst", None, 0, 100_000, "nothing"),
]


class Asked:
    """An engine that has asked a peer for a connection."""

    def __init__(self, benches: Benches) -> None:
        self.world = World(benches("tcp_core"))
        self.world.peers[PEER] = ByHand()
        self.session = self.world.connect(PEER)
        self.state = self.world.sessions[self.session]
        [syn] = self.heard()
        assert syn["flags.syn"] and not syn["flags.ack"]

    @property
    def own(self) -> int:
        """The own first sequence number, of the SYN."""
        return (self.state.first - 1) % WORD

    def heard(self) -> list[dict[str, int]]:
        """What has been sent since."""
        known = len(self.world.departures)
        self.world.settle()
        return [departure for _, departure in self.world.departures[known:]]

    def send(self, flags: str, acked: int | None, count: int, at: int = -1) -> str:
        """A segment of the peer, from its next sequence number on; what comes of it."""
        ack = 0 if acked is None else (self.own + acked) % WORD
        seq = (PEER_FIRST + 1 + at) % WORD
        names = frozenset(name for name in flags.split(",") if name)
        refused = self.world.refused
        self.world.send_to_engine(PEER, Segment(seq, ack, names, 65535, bytes(count)))
        sent = self.heard()
        syns = [each for each in sent if each["flags.syn"] and each["flags.ack"]]
        acks = [each for each in sent if each["flags.ack"] and not each["flags.syn"]]
        assert len(sent) == len(syns) + len(acks) <= 1
        for each in sent:
            # A FIN that comes with the end of the handshake is taken after it.
            taken = self.state.peer_closed
            assert each["ack"] == (PEER_FIRST + 1 + taken) % WORD
            assert not taken or "fin" in flags
        if self.state.closed:
            assert self.state.failed and not sent and self.world.refused == refused
            return "refused"
        if self.world.refused != refused:
            assert not sent and not self.state.opened
            return "reset"
        if self.state.opened:
            return "opened"
        if syns:
            return "both"
        return "acked" if acks else "nothing"


@pytest.mark.parametrize(("flags", "acked", "count", "outcome"), SYN_SENT, ids=str)
def test_syn_sent(
    benches: Benches, flags: str, acked: int | None, count: int, outcome: str
) -> None:
    asked = Asked(benches)
    assert asked.send(flags, acked, count) == outcome
    if outcome in ("nothing", "reset"):  # the state has not changed
        assert asked.send("syn,ack", 1, 0) == "opened"
    elif outcome == "both":
        assert asked.send("ack", 1, 0, 0) == "opened"


@pytest.mark.parametrize(("flags", "acked", "count", "at", "outcome"), SYN_RECEIVED, ids=str)
def test_syn_received_after_syn_sent(
    benches: Benches, flags: str, acked: int | None, count: int, at: int, outcome: str
) -> None:
    asked = Asked(benches)
    assert asked.send("syn", None, 0) == "both"
    asked.world.run_to(asked.world.now + 200_000)
    assert asked.send(flags, acked, count, at) == outcome
    if outcome not in ("opened", "refused"):
        assert asked.send("ack", 1, 0, 0) == "opened"

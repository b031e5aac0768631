# SPDX-License-Identifier: Apache-2.0
"""Sessions that SYNs begin: never more at once than MaxHalfOpen, however fast they come, nor than
MaxPerPeer of one peer, and none without keys; and what is hashed with these keys.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.platform.hashes.test_siphash import siphash
from tests.protocols.tcp.tcp_world import Struct
from tests.support.harness import Bench, Benches

pytestmark = pytest.mark.slow

SEGMENT = Struct("segment_t", "tcp_pkg")
PORT = 7
NO_SESSION, REFUSED, ERROR_EARLY, ERROR_OF_NOBODY, NO_SECRET, PEER_LIMIT, STARVED = range(7)
REQUEST = Struct("tcp_request_meta_t", "tcp_pkg")
CONNECT = 9
ANY = 0xFFFF  # as a port: that of an application that connects
ERROR = Struct("tcp_error_meta_t", "tcp_pkg")


class Lookup:
    """The bench, and its latest output."""

    def __init__(self, bench: Bench, secret: bytes = bytes(range(32, 64))) -> None:
        self.bench = bench
        self.secret = secret
        self.set_time(0)
        bench.run(300)  # the tables are cleared
        bench.push([PORT], 1)
        while bench.waiting(1):  # the ports are cleared first
            bench.run(100)

    def set_time(self, time: int) -> None:
        self.bench.control(int.from_bytes(self.secret, "little") << 32 | time)

    def ask(self, *peers: int, flag: str = "syn", ip: int = 1) -> list[int]:
        """Segments back to back; the sessions that they open."""
        self.bench.forget()
        flags = {f"flags__{flag}": 1}
        for peer in peers:
            self.bench.push([SEGMENT.pack(ip=ip, src_port=peer, dst_port=PORT, **flags)], 0)
        self.bench.run(60 * len(peers) + 60)
        return [item & 0x3FFF for item in self.bench.items(0) if item >> 14 & 1]

    def first(self) -> int:
        """The initial sequence number of the first session opened."""
        return self.bench.items(0)[0] >> 16 & 0xFFFFFFFF

    def stamps(self) -> int:
        """The offset of the timestamps of the latest session opened."""
        return self.bench.status >> 1

    def connect(self, *peers: int) -> list[int]:
        """Requests of an application, all at once; the local ports of those that get a session."""
        self.bench.forget()
        requests = [
            REQUEST.pack(request=CONNECT, argument=1, peer_port=peer, port=ANY) for peer in peers
        ]
        self.bench.push(requests, 5)
        self.bench.run(100 * len(peers))
        return [item >> 48 for item in self.bench.items(0) if item >> 14 & 1]

    def free(self, *sessions: int) -> None:
        """Ends sessions whose handshakes are over."""
        self.bench.push(list(sessions), 2)
        while self.bench.waiting(2):
            self.bench.run(10)
        self.bench.run(20)

    def done(self, count: int) -> None:
        """Handshakes are over."""
        self.bench.push([0] * count, 3)
        self.bench.run(count + 5)


@pytest.mark.parametrize("most", [1, 2, 8, 16])
def test_a_flood_opens_no_more_than_the_bound(benches: Benches, most: int) -> None:
    lookup = Lookup(benches("tcp_lookup", MaxHalfOpen=most))
    opened = lookup.ask(*range(1000, 1100))
    assert len(set(opened)) == len(opened) == most
    assert lookup.bench.events[NO_SESSION] == 100 - most
    # Those that have a session already are heard, and take no other.
    assert not lookup.ask(*range(1000, 1000 + most))
    assert lookup.bench.events[NO_SESSION] == 0
    if most < 16:
        lookup.done(1)
        assert len(lookup.ask(*range(2000, 2020))) == 1
        assert not lookup.ask(3000)
    # Sessions that have ended are free, and their handshakes over.
    lookup.bench.push(opened, 2)
    lookup.done(most)
    assert len(lookup.ask(*range(4000, 4050))) == most


def test_initial_sequence_numbers_follow_a_clock_of_4_us(benches: Benches) -> None:
    """Also when the time wraps around (RFC 9293, 3.4.1; RFC 6528, 3)."""
    lookup = Lookup(benches("tcp_lookup"))
    firsts = []
    times = [0, 4000, 1 << 31, (1 << 32) - 40, (1 << 32) + 40, 3 << 31, 4 << 31, 5 << 31, 6 << 31]
    for time in times:
        lookup.set_time(time & 0xFFFFFFFF)
        [session] = lookup.ask(1000)
        firsts.append(lookup.first())
        lookup.bench.push([session], 2)
        lookup.done(1)
    ticks = [(first - firsts[0]) % 2**32 for first in firsts]
    assert ticks == [time // 4 % 2**32 for time in times]


def test_nobody_listens(benches: Benches) -> None:
    lookup = Lookup(benches("tcp_lookup"))
    lookup.ask(*range(1000, 1020), flag="ack")
    assert lookup.bench.events[REFUSED] == 20
    assert len(lookup.ask(*range(1000, 1020))) == 8


def test_errors_are_told_of_to_the_session(benches: Benches) -> None:
    """Among segments without a pause; of two at once one is lost."""
    lookup = Lookup(benches("tcp_lookup"))
    peers = range(1000, 1004)
    sessions = dict(zip(peers, lookup.ask(*peers), strict=True))

    def error(peer: int) -> int:
        tuple_ = {"tuple__ip": 1, "tuple__peer_port": peer, "tuple__own_port": PORT}
        return ERROR.pack(**tuple_, too_big=1, mss=1000) << 32 | 77

    def told() -> list[int]:
        return [item & 0x3FFF for item in lookup.bench.items(0) if item >> 15 & 1]

    for busy in (False, True):
        for peer in (*peers, 2000):
            lookup.bench.forget()
            if busy:
                segment = SEGMENT.pack(ip=1, src_port=1001, dst_port=PORT, flags__ack=1)
                lookup.bench.push([segment] * 40, 0)
                lookup.bench.run(20)
            lookup.bench.push([error(peer)], 4)
            lookup.bench.run(200)
            assert told() == [sessions[known] for known in (peer,) if known in sessions]
            assert lookup.bench.events[ERROR_OF_NOBODY] == (peer not in sessions)
            assert lookup.bench.events[REFUSED] == 0
            assert len(lookup.bench.items(0)) == 40 * busy + (peer in sessions)
    lookup.bench.forget()
    lookup.bench.push([error(1000)] * 30, 4)
    lookup.bench.run(300)
    assert len(told()) + lookup.bench.events[ERROR_EARLY] == 30
    assert lookup.bench.events[ERROR_EARLY]


def hashed(secret: bytes, own_port: int, peer: int, *, is_port: bool = False) -> int:
    """SipHash under the first four words of the secret."""
    data = is_port << 66 | 1 << 32 | peer << 16 | own_port
    return siphash(secret[:16], data.to_bytes(9, "little"))


@pytest.mark.parametrize("secret", [bytes(range(32)), bytes(range(100, 132))])
def test_what_is_hashed_with_the_secret(benches: Benches, secret: bytes) -> None:
    """Halves of one hash are the initial sequence number and the offset of the timestamps; another
    hash is the local port. Both have the first four words of the secret as their key, alone.
    """
    for other in (bytes(12), b"other words."):
        known = secret[:16] + other + secret[28:]
        lookup = Lookup(benches("tcp_lookup", ActiveOpen=1), known)
        for peer in range(1000, 1004):
            lookup.ask(peer)
            value = hashed(known, PORT, peer)
            assert (lookup.first(), lookup.stamps()) == (value % 2**32, value >> 32)
        for count, peer in enumerate(range(2000, 2004)):
            [port] = lookup.connect(peer)
            value = hashed(known, 0, peer, is_port=True)
            assert port == 0xC000 + (value + count) % 0x4000
            value = hashed(known, port, peer)
            assert (lookup.first(), lookup.stamps()) == (value % 2**32, value >> 32)


def test_connections_that_are_opened_at_once(benches: Benches) -> None:
    """Both kinds share the hash; a peer asked twice is reached from two ports."""
    lookup = Lookup(benches("tcp_lookup", ActiveOpen=1))
    requests = [
        REQUEST.pack(request=CONNECT, argument=1, peer_port=peer, port=ANY) for peer in (1, 1, 2, 2)
    ]
    lookup.bench.forget()
    lookup.bench.push(requests, 5)
    lookup.ask(*range(1000, 1005))
    lookup.bench.run(200)
    opened = [item for item in lookup.bench.items(0) if item >> 14 & 1]
    assert len({item & 0x3FFF for item in opened}) == 9
    ports = [item >> 48 for item in opened if item >> 48 != PORT]
    assert len(set(ports)) == 4
    for item in opened:
        firsts = {hashed(lookup.secret, item >> 48, p) % 2**32 for p in (1, 2, *range(1000, 1005))}
        assert item >> 16 & 0xFFFFFFFF in firsts


def test_no_connections_without_a_secret(benches: Benches) -> None:
    """SYNs are dropped and counted; requests of applications wait."""
    # The last word is still missing.
    lookup = Lookup(benches("tcp_lookup", ActiveOpen=1), bytes(range(28)) + bytes(4))
    assert not lookup.ask(*range(1000, 1020))
    assert lookup.bench.events[NO_SECRET] == 20
    assert lookup.bench.events[NO_SESSION] == lookup.bench.events[REFUSED] == 0
    assert not lookup.connect(1, 2)
    assert not lookup.bench.status & 1  # idle
    lookup.secret = bytes(range(32))
    lookup.set_time(0)
    lookup.bench.run(200)
    assert len(lookup.bench.items(0)) == 2  # the requests
    assert len(lookup.ask(1000)) == 1
    assert lookup.bench.events[NO_SECRET] == 0
    assert lookup.first() == hashed(lookup.secret, PORT, 1000) % 2**32


@pytest.mark.parametrize("sessions", [16, 64])
def test_a_secret_stays_while_it_is_used(benches: Benches, sessions: int) -> None:
    """A later one neither hides sessions nor moves sequence numbers."""
    lookup = Lookup(benches("tcp_lookup", NumSessions=sessions))
    [session] = lookup.ask(1000)
    known = lookup.secret
    lookup.secret = bytes(range(200, 232))
    lookup.set_time(0)
    assert not lookup.ask(1000)  # it is found
    assert lookup.bench.items(0)[0] & 0x3FFF == session
    lookup.ask(1001)
    assert lookup.first() == hashed(known, PORT, 1001) % 2**32


@pytest.mark.parametrize("sessions", [16, 64])
@pytest.mark.parametrize("most", [1, 3, 8])
def test_a_peer_opens_no_more_than_its_limit(benches: Benches, sessions: int, most: int) -> None:
    """However fast its SYNs come; others get theirs. Sessions that end count no longer."""
    shape = {"NumSessions": sessions, "MaxHalfOpen": sessions, "MaxPerPeer": most}
    lookup = Lookup(benches("tcp_lookup", **shape))
    opened = lookup.ask(*range(1000, 1040))
    assert len(opened) == most
    assert lookup.bench.events[PEER_LIMIT] == 40 - most
    assert lookup.bench.events[NO_SESSION] == lookup.bench.events[STARVED] == 0
    assert lookup.bench.events[REFUSED] == 0
    # SYNs of its sessions are heard, and so are other segments.
    assert not lookup.ask(*range(1000, 1000 + most))
    assert len(lookup.bench.items(0)) == most
    assert len(lookup.ask(*range(1000, 1020), ip=77)) == most
    lookup.free(opened[0])
    lookup.done(2 * most)
    assert len(lookup.ask(*range(2000, 2010))) == 1
    assert lookup.bench.events[PEER_LIMIT] == 9


def test_limits_survive_any_order_of_ends(benches: Benches) -> None:
    """Sessions of three peers begin and end at random; a peer has one more exactly if it may."""
    random = Random(1)
    lookup = Lookup(benches("tcp_lookup", MaxHalfOpen=16, MaxPerPeer=4))
    held: dict[int, list[int]] = {1: [], 2: [], 3: []}
    for port in range(1000, 1150):
        peer = random.choice([1, 2, 3])
        mine = held[peer]
        if mine and random.random() < 0.4:
            lookup.free(mine.pop(random.randrange(len(mine))))
            lookup.done(1)
        else:
            opened = lookup.ask(port, ip=peer)
            assert len(opened) == (len(mine) < 4)
            mine += opened


def test_requested_connections_have_no_limit(benches: Benches) -> None:
    lookup = Lookup(benches("tcp_lookup", ActiveOpen=1, MaxPerPeer=2))
    assert len(lookup.connect(*range(1, 9))) == 8
    assert len(lookup.ask(*range(1000, 1010))) == 2


def test_a_syn_that_no_session_is_free_for(benches: Benches) -> None:
    """It starves; one that a bound keeps out does not."""
    lookup = Lookup(benches("tcp_lookup", MaxHalfOpen=12))
    assert len(lookup.ask(*range(1000, 1012))) == 12
    lookup.ask(2000)
    assert (lookup.bench.events[NO_SESSION], lookup.bench.events[STARVED]) == (1, 0)
    lookup.done(12)
    lookup.ask(*range(3000, 3004))
    lookup.ask(4000)
    assert (lookup.bench.events[NO_SESSION], lookup.bench.events[STARVED]) == (1, 1)

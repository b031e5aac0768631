# SPDX-License-Identifier: Apache-2.0
"""Sessions that SYNs begin: never more at once than MaxHalfOpen, however fast they come."""

from __future__ import annotations

import pytest

from tests.protocols.tcp.tcp_world import Struct
from tests.support.harness import Bench, Benches

pytestmark = pytest.mark.slow

SEGMENT = Struct("segment_t", "tcp_pkg")
PORT = 7
NO_SESSION, REFUSED, ERROR_EARLY, ERROR_OF_NOBODY = range(4)
ERROR = Struct("tcp_error_meta_t", "tcp_pkg")


class Lookup:
    """The bench, and its latest output."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        bench.control(0)
        bench.run(200)  # the tables are cleared
        bench.push([PORT], 1)
        while bench.waiting(1):  # the ports are cleared first
            bench.run(100)

    def ask(self, *peers: int, flag: str = "syn") -> list[int]:
        """Segments back to back; the sessions that they open."""
        self.bench.forget()
        flags = {f"flags__{flag}": 1}
        for peer in peers:
            self.bench.push([SEGMENT.pack(ip=1, src_port=peer, dst_port=PORT, **flags)], 0)
        self.bench.run(60 * len(peers) + 60)
        return [item & 0x3FFF for item in self.bench.items(0) if item >> 14 & 1]

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
        lookup.bench.control(time & 0xFFFFFFFF)
        [session] = lookup.ask(1000)
        firsts.append(lookup.bench.items(0)[0] >> 16)
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

# SPDX-License-Identifier: Apache-2.0
"""Sessions that SYNs begin: never more at once than MaxHalfOpen, however fast they come."""

from __future__ import annotations

import pytest
from harness import Bench, Benches
from tcp_world import Struct

SEGMENT = Struct("segment_t", "tcp_pkg")
PORT = 7
NO_SESSION, REFUSED = 0, 1


class Lookup:
    """The bench, and what came out of it last."""

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


def test_nobody_listens(benches: Benches) -> None:
    lookup = Lookup(benches("tcp_lookup"))
    lookup.ask(*range(1000, 1020), flag="ack")
    assert lookup.bench.events[REFUSED] == 20
    assert len(lookup.ask(*range(1000, 1020))) == 8

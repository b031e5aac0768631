# SPDX-License-Identifier: Apache-2.0
"""ICMP errors: what they quote, how many, and what they are not sent for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bombus.protocols.frames import (
    BROADCAST_MAC,
    PROTOCOL_ICMP,
    PROTOCOL_UDP,
    Station,
    ip_frame,
    padded,
    ping_frame,
    udp_frame,
)
from bombus.protocols.stack import ERROR_BURST
from tests.protocols.stack.frame_cases import HOST, PAYLOAD
from tests.support.bench import ALL_DESIGNS, FAR, PEER, TAGGED, Bench

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("design", ALL_DESIGNS)
def test_closed_ports_are_told_of_at_a_limited_rate(design: Path) -> None:
    def closed(port: int, size: int = 20, **options: int) -> bytes:
        return udp_frame(PEER, HOST, (PAYLOAD * 80)[:size], port=port, **options)

    with Bench(design, seed=1) as bench:  # PEER and TAGGED have different buckets
        bench.rest()
        # Eight at once; the rest counted as rate limited.
        bench.run([closed(port) for port in range(1000, 1012)], ordered=True)
        bench.alive()
        bench.rest()
        # The quoted part: header fields, and the first 8 bytes whatever the size.
        bench.run([closed(9, size) for size in (0, 1, 8, 30, 1472)], ordered=True)
        bench.rest()
        variants = [
            closed(9, tos=0xB8, ttl=3, identification=0xBEEF),
            closed(9, fragment=0),
            padded(closed(65535, size=1)),
            udp_frame(TAGGED, HOST, PAYLOAD, port=9),
            udp_frame(FAR, HOST, PAYLOAD, port=9),
            udp_frame(PEER, HOST, PAYLOAD, port=9, options=bytes([1]) * 8),
            udp_frame(PEER, HOST, PAYLOAD, port=9, udp_checksum=0),
            udp_frame(PEER, HOST, PAYLOAD, port=9, source_port=0),
        ]
        bench.run(variants)
        # One token returns per period, in whatever steps time advances.
        for _ in range(4):
            bench.run([closed(9)])
        assert bench.model.error_tokens[PEER.ip] == 0
        # Another peer gets its errors.
        bench.run([udp_frame(TAGGED, HOST, PAYLOAD, port=9)])
        for periods in (1, 3):
            bench.simulation.elapse(us=periods << 14)
            bench.model.refill(periods)
            bench.run([closed(9)] * (periods + 2))
        # A bad datagram to a closed port is not answered.
        bench.rest()
        bench.run([closed(9, length=9), closed(9, udp_checksum=1), closed(0)])
        bench.alive()


@pytest.mark.parametrize("design", ALL_DESIGNS)
def test_unknown_protocols_are_told_of_at_a_limited_rate(design: Path) -> None:
    def unknown(protocol: int, size: int = 20, **options: Any) -> bytes:
        return ip_frame(PEER, HOST, protocol, (PAYLOAD * 80)[:size], **options)

    known = {PROTOCOL_ICMP, PROTOCOL_UDP}
    protocols = [n for n in range(256) if n not in known]
    with Bench(design) as bench:
        for start in range(0, len(protocols), ERROR_BURST):
            bench.rest()
            bench.run([unknown(n) for n in protocols[start : start + ERROR_BURST]], ordered=True)
        bench.run([unknown(2)] * 3)
        assert bench.model.error_tokens[PEER.ip] == 0
        # The quoted part: up to 8 bytes as available, and the length whatever the size.
        for sizes in (range(8), (8, 9, 31, 33, 64, 512, 1480)):
            bench.rest()
            bench.run([unknown(89, size) for size in sizes], ordered=True)
            bench.rest()
            bench.run([padded(unknown(89, size)) for size in sizes], ordered=True)
        bench.rest()
        variants = [
            unknown(132, tos=0xB8, ttl=3, identification=0xBEEF),
            unknown(132, 700, options=bytes([1]) * 8),
            ip_frame(TAGGED, HOST, 47, PAYLOAD),
            ip_frame(FAR, HOST, 47, PAYLOAD),
        ]
        bench.run(variants)
        # No error about an error, a fragment, a bad header, a source that is not a host, a
        # destination that is not ours (RFC 1122, 3.2.2).
        bench.rest()
        nobody = Station.of("02:00:00:00:00:63", "10.77.0.255")
        bench.run(
            [
                unknown(89, fragment=0x2000),
                unknown(89, fragment=1),
                unknown(89, total_length=60),
                unknown(89, options=bytes([131, 3, 3, 0])),
                ip_frame(nobody, HOST, 89, PAYLOAD),
                udp_frame(nobody, HOST, PAYLOAD, port=9),
                BROADCAST_MAC + unknown(89)[6:],
                BROADCAST_MAC + udp_frame(PEER, HOST, PAYLOAD, port=9)[6:],
                ping_frame(PEER, HOST, PAYLOAD, icmp_type=3, code=3),
            ]
        )
        assert set(bench.model.error_tokens.values()) == {ERROR_BURST}
        bench.alive()

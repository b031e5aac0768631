# SPDX-License-Identifier: Apache-2.0
"""Cases of frames, each with what is to become of it, and what the tables of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bombus.protocols.frames import (
    IPV4_BYTES,
    UDP_BYTES,
    Host,
    Station,
    ip_bytes,
    mac_bytes,
    ping_frame,
    udp_frame,
)
from tests.support.bench import PEER

ANSWERED = "answered"  # with exactly one frame
SILENT = "silent"  # ARP that wants no answer
AS_MODEL = "as the model says"  # dropped, but where depends on bytes read as something else

PAYLOAD = bytes(range(1, 21))
TOTAL = IPV4_BYTES + UDP_BYTES + len(PAYLOAD)  # of both a datagram and a ping with PAYLOAD
HOST = Host(
    mac_bytes("02:b0:0b:05:00:01"),
    ip_bytes("10.77.0.2"),
    ip_bytes("255.255.255.0"),
    ip_bytes("10.77.0.1"),
)


@dataclass(frozen=True)
class Case:
    name: str
    frame: bytes
    verdict: str  # ANSWERED, SILENT, AS_MODEL, or the counter of drops


Cases = Iterator[Case]


class Table(list[Callable[[], Cases]]):
    """Functions that give cases; as a decorator, adds one."""

    def __call__(self, cases: Callable[[], Cases]) -> Callable[[], Cases]:
        self.append(cases)
        return cases


def good_frames(station: Station = PEER) -> dict[str, bytes]:
    return {
        "udp": udp_frame(station, HOST, PAYLOAD),
        "ping": ping_frame(station, HOST, PAYLOAD),
    }


def flipped(frame: bytes, bit: int) -> bytes:
    changed = bytearray(frame)
    changed[bit // 8] ^= 0x80 >> bit % 8
    return bytes(changed)

# SPDX-License-Identifier: Apache-2.0
"""Flow key of a whole frame, for dispatch among packet processors."""

from __future__ import annotations

_TAGS = (0x8100, 0x88A8)
_IPV4 = 0x0800
_WITH_PORTS = (6, 17, 132)  # TCP, UDP, SCTP
_MOST_HEADER = 32  # bytes of an IPv4 header behind which ports are found


def flow_key(frame: bytes) -> tuple[int, int]:
    """The XOR of both IPv4 addresses, and of both ports: the same in both directions; 0 if there
    are none.
    """
    start = 14
    ether_type = int.from_bytes(frame[12:14])
    if ether_type in _TAGS:
        start, ether_type = 18, int.from_bytes(frame[16:18])
    packet = frame[start:]
    if ether_type != _IPV4 or len(packet) < 24 or packet[0] >> 4 != 4:
        return 0, 0
    addresses = int.from_bytes(packet[12:16]) ^ int.from_bytes(packet[16:20])
    is_fragment = int.from_bytes(packet[6:8]) & 0x3FFF != 0
    at = 4 * (packet[0] & 15)
    if not 20 <= at <= _MOST_HEADER or len(packet) < at + 4:
        return addresses, 0
    if is_fragment or packet[9] not in _WITH_PORTS:
        return addresses, 0
    return addresses, int.from_bytes(packet[at : at + 2]) ^ int.from_bytes(packet[at + 2 : at + 4])

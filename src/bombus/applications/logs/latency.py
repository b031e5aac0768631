# SPDX-License-Identifier: Apache-2.0
"""Latencies of a design from two packet logs: one of frames in, one of frames out."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bombus.applications.logs.entries import PacketEntry
from bombus.protocols.frames import (
    ARP_REPLY,
    ARP_REQUEST,
    ECHO_REPLY,
    ECHO_REQUEST,
    ETHERNET_BYTES,
    ICMP_BYTES,
    PROTOCOL_ICMP,
    PROTOCOL_UDP,
    TYPE_ARP,
    TYPE_IPV4,
    UDP_BYTES,
)

_ARP_OPERATION, _ARP_SENDER, _ARP_TARGET = slice(20, 22), slice(28, 32), slice(38, 42)
_Key = tuple[object, ...]


@dataclass(frozen=True)
class Latency:
    """A request and its answer."""

    request: PacketEntry
    answer: PacketEntry

    @property
    def cycles(self) -> int:
        """From the first beat of the request to that of the answer, at the logs."""
        return self.answer.stamp.cycle - self.request.stamp.cycle


def _keys(frame: bytes, *, is_answer: bool) -> tuple[_Key, bytes] | None:
    """What a request and its answer have in common: a flow, and the payload as far as logged."""
    kind = int.from_bytes(frame[12:14])
    if kind == TYPE_ARP and len(frame) >= _ARP_TARGET.stop:
        operation = ARP_REPLY if is_answer else ARP_REQUEST
        peer = frame[_ARP_TARGET if is_answer else _ARP_SENDER]
        right = int.from_bytes(frame[_ARP_OPERATION]) == operation
        return ((TYPE_ARP, peer), b"") if right else None
    if kind != TYPE_IPV4 or len(frame) < ETHERNET_BYTES + 20:
        return None
    start = ETHERNET_BYTES + 4 * (frame[ETHERNET_BYTES] & 15)
    end = ETHERNET_BYTES + int.from_bytes(frame[16:18])
    protocol = frame[23]
    peer = frame[30:34] if is_answer else frame[26:30]
    packet = frame[start:end]
    if protocol == PROTOCOL_UDP and len(packet) >= UDP_BYTES:
        ports = (packet[2:4], packet[:2]) if is_answer else (packet[:2], packet[2:4])
        return (protocol, peer, *ports), packet[UDP_BYTES:]
    if protocol == PROTOCOL_ICMP and len(packet) >= ICMP_BYTES:
        right = packet[0] == (ECHO_REPLY if is_answer else ECHO_REQUEST)
        return ((protocol, peer, packet[4:8]), b"") if right else None
    return None


def latencies(entered: Iterable[PacketEntry], left: Iterable[PacketEntry]) -> list[Latency]:
    """Pairs requests with answers of UDP, ping and ARP, in the order of the answers.

    An answer belongs to the oldest request of its flow (peer and ports, or ping number) that has no
    answer yet and the same payload, as far as it was logged; or, if no request has, to the oldest
    one.
    """
    waiting: defaultdict[_Key, deque[tuple[bytes, PacketEntry]]] = defaultdict(deque)
    # At one cycle, requests precede answers.
    events: list[tuple[int, int, PacketEntry]] = [
        *((entry.stamp.cycle, 0, entry) for entry in entered),
        *((entry.stamp.cycle, 1, entry) for entry in left),
    ]
    found = []
    for _, is_answer, entry in sorted(events, key=lambda event: event[:2]):
        keys = _keys(entry.head, is_answer=bool(is_answer))
        if keys is None:
            continue
        flow, payload = keys
        if not is_answer:
            waiting[flow].append((payload, entry))
        elif queue := waiting[flow]:
            place = next((n for n, (sent, _) in enumerate(queue) if sent == payload), 0)
            found.append(Latency(queue[place][1], entry))
            del queue[place]
    return found


def certain(entered: Iterable[PacketEntry], left: Iterable[PacketEntry]) -> list[Latency]:
    """As `latencies`, of parts of both logs: only the pairs that cannot be others, in which the
    request and the answer are each the only one of their flow with this payload.
    """
    sides: list[dict[object, PacketEntry | None]] = [{}, {}]
    for side, entries in zip(sides, (entered, left), strict=True):
        for entry in entries:
            if keys := _keys(entry.head, is_answer=side is sides[1]):
                side[keys] = None if keys in side else entry
    requests, answers = sides
    pairs = ((requests.get(keys), answer) for keys, answer in answers.items())
    found = [Latency(request, answer) for request, answer in pairs if request and answer]
    return [each for each in found if each.cycles > 0]


def median(cycles: Sequence[int]) -> int:
    """The middle one, the lower of two."""
    return sorted(cycles)[(len(cycles) - 1) // 2]

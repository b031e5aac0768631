# SPDX-License-Identifier: Apache-2.0
"""Handling of TCP segments by the matcher and ids.c: in order, waiting in either, or dropped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from bombus.applications.intrusion_detection import lookup
from bombus.applications.intrusion_detection.fragments import JOINT_BYTES
from bombus.applications.intrusion_detection.keywords import TCP
from bombus.applications.intrusion_detection.lookup import Hit
from bombus.applications.intrusion_detection.model import Packet
from bombus.applications.intrusion_detection.tables import Tables

_WRAP = 1 << 32


@dataclass(frozen=True)
class Flow:
    """One direction of a connection."""

    source: str
    target: str
    source_port: int
    target_port: int


@dataclass(frozen=True)
class Segment:
    flow: Flow
    sequence: int
    payload: bytes
    syn: bool = False  # its payload is not in the stream
    in_stream: bool = True  # without RST, and with ACK or SYN


class Place(Enum):
    NEXT = "next"  # possibly with bytes already seen
    AHEAD = "ahead"  # bytes before it are missing
    OLD = "old"  # already seen entirely


@dataclass
class State:
    next: int  # sequence number
    last: bytes  # of the stream


class Flows:
    """The state of flows, as many as there are."""

    def __init__(self) -> None:
        self._states: dict[Flow, State] = {}

    def see(self, segment: Segment, skips: bool = False) -> tuple[Place, bytes, bytes]:
        """Classification of a segment, the bytes examined before its payload, and the payload.

        Bytes of a stream stay as first seen. `skips`: skip missing bytes, if some are still
        missing.
        """
        payload = segment.payload
        state = self._states.get(segment.flow)
        if not segment.in_stream or not (payload or segment.syn):
            return Place.OLD, b"", payload
        if segment.syn:
            self._states[segment.flow] = State((segment.sequence + 1) % _WRAP, b"")
            return Place.NEXT, b"", payload
        known = b""
        seen = 0
        if state is not None:
            seen = (state.next - segment.sequence + _WRAP // 2) % _WRAP - _WRAP // 2
            if seen < 0 and not skips:
                return Place.AHEAD, b"", payload
            if seen >= len(payload):
                return Place.OLD, b"", payload
            known = state.last if seen >= 0 else b""
            seen = max(seen, 0)
        text = payload[: max(0, seen - len(known))] + known + payload[seen:]
        after = (segment.sequence + len(payload)) % _WRAP
        self._states[segment.flow] = State(after, (known + payload[seen:])[-JOINT_BYTES:])
        before = len(text) - len(payload)
        return Place.NEXT, text[:before], text[before:]


@dataclass
class Inspection:
    """`left`: segments in the order of their inspection, each with its hits; `dropped`: those for
    which there was no room, which the sender repeats.
    """

    left: list[tuple[Segment, set[Hit]]]
    dropped: list[Segment]
    held: list[Segment]

    @property
    def found(self) -> set[tuple[Flow, Hit]]:
        return {(segment.flow, hit) for segment, hits in self.left for hit in hits}


def inspect(tables: Tables, segments: Iterable[Segment], room: int = 8) -> Inspection:
    """Inspects segments in order of arrival. `room`: for those that wait until the gap before them
    is closed, in the matcher (3) and in ids.c (5).
    """
    flows = Flows()
    done = Inspection([], [], [])
    for segment in segments:
        place = _look(tables, flows, segment, done)
        if place == Place.AHEAD:
            (done.held if len(done.held) < room else done.dropped).append(segment)
        while place == Place.NEXT:
            place = Place.OLD
            for waiting in [each for each in done.held if each.flow == segment.flow]:
                if _look(tables, flows, waiting, done) != Place.AHEAD:
                    done.held.remove(waiting)
                    place = Place.NEXT
    return done


def _look(tables: Tables, flows: Flows, segment: Segment, done: Inspection) -> Place:
    flow = segment.flow
    place, before, payload = flows.see(segment)
    if place != Place.AHEAD:
        packet = Packet(TCP, flow.source_port, flow.target_port, payload)
        done.left.append((segment, set(lookup.hits(tables, packet, before=before))))
    return place

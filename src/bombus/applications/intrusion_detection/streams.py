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

    @property
    def back(self) -> Flow:
        return Flow(self.target, self.source, self.target_port, self.source_port)


@dataclass(frozen=True)
class Segment:
    flow: Flow
    sequence: int
    payload: bytes
    syn: bool = False  # its payload is not in the stream
    in_stream: bool = True  # with ACK or SYN
    fin: bool = False
    rst: bool = False
    answers: int | None = None  # of a SYN,ACK: its acknowledgement number
    is_good: bool = True  # its checksums are right


class Place(Enum):
    NEXT = "next"  # possibly with bytes already seen
    AHEAD = "ahead"  # bytes before it are missing
    OLD = "old"  # already seen entirely


@dataclass
class State:
    next: int  # sequence number
    last: bytes = b""  # of the stream
    ended: bool = False  # by RST or FIN
    begun: bool = True  # `next` is known to be the receiver's: a SYN does not start it again
    asks: bool = False  # a SYN,ACK of the other direction has not answered its last SYN


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
        if segment.is_good and segment.rst:
            self._reset(segment)
        elif segment.is_good and segment.syn:
            return self._synchronize(segment), b"", payload
        if segment.rst or not segment.in_stream or not segment.is_good:
            return Place.OLD, b"", payload
        if not payload and (not segment.fin or state is None):
            return Place.OLD, b"", payload
        known = b""
        seen = 0
        if state is not None:
            seen = (state.next - segment.sequence + _WRAP // 2) % _WRAP - _WRAP // 2
            if seen < 0 and not skips:
                return Place.AHEAD, b"", payload
            if seen >= len(payload):
                state.ended |= segment.fin and seen == len(payload)
                return Place.OLD, b"", payload
            known = state.last if seen >= 0 else b""
            seen = max(seen, 0)
        text = payload[: max(0, seen - len(known))] + known + payload[seen:]
        after = (segment.sequence + len(payload)) % _WRAP
        state = state or State(after)
        state.next, state.last = after, (known + payload[seen:])[-JOINT_BYTES:]
        state.begun = True
        state.ended |= segment.fin
        self._states[segment.flow] = state
        before = len(text) - len(payload)
        return Place.NEXT, text[:before], text[before:]

    def _reset(self, segment: Segment) -> None:
        """An RST with the next number ends both directions; receivers ignore others."""
        state = self._states.get(segment.flow)
        if state is None or state.next != segment.sequence:
            return
        state.ended = True
        if segment.flow.back in self._states:
            self._states[segment.flow.back].ended = True

    def _synchronize(self, segment: Segment) -> Place:
        """A SYN, or a SYN,ACK."""
        answers = False
        if segment.answers is not None:
            other = self._states.get(segment.flow.back)
            if other is not None and (other.asks or other.ended):
                answers = True
                self._states[segment.flow.back] = State(segment.answers)
        asks = segment.answers is None
        state = self._states.get(segment.flow)
        if state is None or state.ended or not state.begun or answers:
            first = (segment.sequence + 1) % _WRAP
            self._states[segment.flow] = State(first, begun=answers, asks=asks)
            return Place.NEXT
        state.asks |= asks
        return Place.OLD


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
        changed = {segment.flow, segment.flow.back} if segment.syn else {segment.flow}
        while place != Place.AHEAD:
            place = Place.AHEAD
            for waiting in [each for each in done.held if each.flow in changed]:
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

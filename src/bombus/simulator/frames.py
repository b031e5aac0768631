# SPDX-License-Identifier: Apache-2.0
"""Frames into and out of a simulation, and when they crossed a MAC port."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, SupportsBytes


@dataclass(frozen=True)
class Frame:
    """A frame that crossed a MAC port. Without FCS."""

    data: bytes
    first_beat_cycle: int  # cycle in which its first beat was taken
    last_beat_cycle: int
    time_ns: int  # virtual time of the last beat
    port: int

    def __bytes__(self) -> bytes:
        return self.data

    def __len__(self) -> int:
        return len(self.data)

    @classmethod
    def of(cls, info: Any, data: bytes) -> Frame:
        """Converts a `bombus_frame_info`."""
        return cls(data, info.first_cycle, info.last_cycle, info.time_ns, info.port)


@dataclass(frozen=True)
class Sent:
    """When a frame entered the design; zeros if it never did."""

    first_beat_cycle: int
    last_beat_cycle: int
    time_ns: int
    length: int
    port: int

    @classmethod
    def of(cls, info: Any) -> Sent:
        """Converts a `bombus_frame_info`."""
        return cls(info.first_cycle, info.last_cycle, info.time_ns, info.length, info.port)


@dataclass(frozen=True)
class Exchange:
    """Result of `Simulation.exchange`."""

    sent: list[Sent]  # in the order of the request
    received: list[Frame]  # in the order of their last beats
    cycles: int  # from the call to its end
    timed_out: bool


def frame_bytes(frame: bytes | SupportsBytes) -> bytes:
    """The bytes of a frame: a buffer, or an object that converts itself, such as a scapy packet."""
    if isinstance(frame, bytes):
        return frame
    if isinstance(frame, bytearray | memoryview | SupportsBytes):
        return bytes(frame)
    raise TypeError(f"a frame is bytes, or an object with __bytes__, not {type(frame).__name__}")


def latencies(exchange: Exchange) -> list[int]:
    """Cycles from a frame's first beat in to its answer's first beat out, for answers in order."""
    return [
        received.first_beat_cycle - sent.first_beat_cycle
        for sent, received in zip(exchange.sent, exchange.received, strict=False)
    ]


def total(counters: Mapping[str, Mapping[str, int]], names: Iterable[str]) -> int:
    """The sum of counters of these names over all tiles."""
    wanted = set(names)
    return sum(
        value for tile in counters.values() for name, value in tile.items() if name in wanted
    )

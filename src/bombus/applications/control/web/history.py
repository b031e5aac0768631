# SPDX-License-Identifier: Apache-2.0
"""Samples of a stack, and what follows from two of them: rates, link loads, events."""

from __future__ import annotations

import itertools
import time
from collections import Counter, deque
from dataclasses import dataclass
from typing import Any

from bombus.applications.control.web.loads import Link, LinkLoad, link_loads
from bombus.applications.control.web.source import Sample
from bombus.simulator.counters import DROP, EVENT, difference

SAMPLES = 120  # kept, a minute at two a second
_EVENTS = 500


@dataclass(frozen=True)
class Event:
    """Drops or events of a tile in an interval, or a stall."""

    time: float  # seconds since the epoch
    cycle: int
    tile: str
    name: str
    count: int
    kind: str  # "drop", "event" or "stall"


class History:
    """The last samples of a stack."""

    def __init__(self, manifest: Any) -> None:
        self._manifest = manifest
        self.samples: deque[tuple[float, Sample]] = deque(maxlen=SAMPLES + 1)
        self.events: deque[Event] = deque(maxlen=_EVENTS)
        self.latencies: Counter[int] = Counter()  # by cycles, since the page was opened
        self.number = 0  # of samples so far
        self._moved: dict[str, dict[str, int]] = {}

    def add(self, sample: Sample, now: float | None = None) -> None:
        """Appends a sample."""
        now = time.time() if now is None else now
        self._moved = {}
        if self.samples:
            _, last = self.samples[-1]
            self._moved = difference(sample.counters, last.counters)
            if any(value < 0 for values in self._moved.values() for value in values.values()):
                self.samples.clear()  # a reset
                self._moved = {}
            self._log(sample, last, now)
        self.samples.append((now, sample))
        self.number += 1

    def _log(self, sample: Sample, last: Sample, now: float) -> None:
        for tile, values in self._moved.items():
            for name, count in values.items():
                for prefix, kind in ((DROP, "drop"), (EVENT, "event")):
                    if count and name.startswith(prefix):
                        plain = name.removeprefix(prefix)
                        self.events.append(Event(now, sample.cycle, tile, plain, count, kind))
        for stall in sample.stalls:
            if stall not in last.stalls:
                self.events.append(Event(now, sample.cycle, stall, "stalled", 1, "stall"))

    @property
    def latest(self) -> Sample | None:
        return self.samples[-1][1] if self.samples else None

    @property
    def cycles(self) -> int:
        """Of the design, between the last two samples."""
        if len(self.samples) < 2:
            return 0
        return self.samples[-1][1].cycle - self.samples[-2][1].cycle

    @property
    def seconds(self) -> float:
        """Between the last two samples."""
        return self.samples[-1][0] - self.samples[-2][0] if len(self.samples) > 1 else 0.0

    @property
    def speed(self) -> float:
        """Simulated cycles a second."""
        if self.seconds <= 0:
            return 0.0
        return (self.samples[-1][1].evaluated - self.samples[-2][1].evaluated) / self.seconds

    def rate(self, tile: str, name: str) -> float:
        """A counter's rate a second, now."""
        moved = self._moved.get(tile, {}).get(name, 0)
        return moved / self.seconds if self.seconds > 0 else 0.0

    def rates(self, tile: str, name: str) -> list[float]:
        """Rates a second of a counter, the oldest first; at most `SAMPLES`."""
        points = [(now, sample.counters[tile][name]) for now, sample in self.samples]
        return [
            (after - before) / (end - start) if end > start else 0.0
            for (start, before), (end, after) in itertools.pairwise(points)
        ]

    def words(self, address: int) -> list[int]:
        """Values of a register in the samples that have it, the oldest first."""
        return [sample.words[address] for _, sample in self.samples if address in sample.words]

    def loads(self, network: int = 0) -> dict[Link, LinkLoad]:
        """Bytes on each link between the last two samples."""
        moved = self._moved or {tile["name"]: {} for tile in self._manifest["tiles"]}
        return link_loads(self._manifest, moved, network)

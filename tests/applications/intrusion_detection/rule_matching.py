# SPDX-License-Identifier: Apache-2.0
"""A rule_matcher in its bench: loads tables, sends frames, collects verdicts and hits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bombus.applications.intrusion_detection import compiling, lookup, tables
from bombus.applications.intrusion_detection.streams import Segment
from bombus.applications.intrusion_detection.tables import Tables
from tests.applications.intrusion_detection import rule_frames
from tests.support.harness import Bench

BEAT = 64
KEY = 0x243F6A88  # of the hash of flows
HITS = 8  # that are kept
HIT, EXACT, AHEAD, BLOCKED = 1, 2, 16, 32  # bits of a verdict
ATTENTION, UNCHECKED, URGENT = 1 << 6, 1 << 12, 1 << 13
# Of the matcher, after those of the bench.
EVENTS = ("unchecked", "hit_lost", "flow_evicted", "bad_checksum")
AGAIN, SKIPPING, BLOCK, ROW, AWAIT, SEQUENCE, END = range(7)  # firmware requests
WRITTEN = 1 << 16
ENABLED, STOPPED = 1, 2  # bits of the bench's control
WAITING, WAIT_CYCLES, MAX_IDLE_S = 3, 5000, 10  # parameters of the bench
PERIOD_S = 2**22 / 1e6  # of the time of flows


@dataclass
class Found:
    hits: list[lookup.Hit]
    is_hit: bool
    is_exact: bool
    is_unexamined: bool
    has_more: bool
    is_ahead: bool
    is_unchecked: bool
    is_urgent: bool
    row: int
    cycle: int


class Matcher:
    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._period = 0

    def control(self, bits: int, key: int = KEY) -> None:
        self.bench.control(bits | key << 2 | self._period << 34)

    def load(self, found: Tables, key: int = KEY) -> None:
        self.control(0, key)
        words = list(tables.words_to_write(found))
        self.bench.push([place << 32 | word for place, word in words], 1)
        while self.bench.waiting(1):
            self.bench.run(1000)
        self.control(ENABLED, key)
        self.bench.run(5)

    def wait(self, periods: int) -> None:
        """While nothing arrives."""
        self._period += periods
        self.control(ENABLED)
        self.bench.run(5)

    def stop_core(self) -> None:
        """No segment waits in the matcher any more."""
        self.control(ENABLED | STOPPED)
        self.bench.run(5)

    def push(self, frames: Iterable[bytes]) -> None:
        beats = []
        for frame in frames:
            for n in range(0, len(frame), BEAT):
                is_last = n + BEAT >= len(frame)
                data = int.from_bytes(frame[n : n + BEAT], "little")
                beats.append(data | len(frame) << 512 | (n == 0) << 526 | is_last << 527)
        self.bench.push(beats)

    def results(self) -> list[Found]:
        found, hits = [], []
        for cycle, item in self.bench.received(0):
            if item >> 64 == 0:
                word = item >> 32 & 0xFFFFFFFF
                hits.append(lookup.Hit(word & 0xFFFF, item & 0xFFFFFFFF, bool(word >> 31)))
                continue
            bits = [bool(item >> n & 1) for n in (0, 1, 2, 3, 4, 12, 13)]
            assert bool(item & ATTENTION) == bool(item & (UNCHECKED | URGENT))
            assert item >> 8 & 0xF == len(hits)
            found.append(Found(hits, *bits, item >> 16 & 0xFFFF, cycle))
            hits = []
        return found

    def run(self, frames: Sequence[bytes], quiet: int = 3000) -> list[Found]:
        self.bench.forget()
        self.push(frames)
        self.bench.drain(quiet=quiet)
        found = self.results()
        assert len(found) == len(frames)
        return found

    @property
    def events(self) -> dict[str, int]:
        """Since the last run."""
        return dict(zip(EVENTS, self.bench.events[1:], strict=False))

    def verdict(self, segment: Segment, flags: int | None = None) -> int:
        self.bench.forget()
        self.push([rule_frames.segment(segment, flags=flags)])
        self.bench.drain(quiet=300)
        (item,) = [item for item in self.bench.items(0) if item >> 64]
        return item & 0xFFFFFFFF

    def ask(self, operation: int, slot: int) -> int:
        (item,) = self.ask_all([operation << 8 | slot])
        return item

    def ask_all(self, items: Sequence[int]) -> list[int]:
        """Requests without a pause; what a written one gives means nothing."""
        self.bench.forget()
        self.bench.push(items, 3)
        self.bench.drain(quiet=300)
        return self.bench.items(2)

    def host_hits(self, count: int) -> list[int]:
        self.bench.forget()
        self.bench.push([0] * count, 2)
        self.bench.drain()
        return [item & 0xFFFFFFFF for item in self.bench.items(1)]


def compiled(tmp_path: Path, text: str) -> Tables:
    file = tmp_path / "my.rules"
    file.write_text(text)
    return compiling.compile_rules(compiling.read([file], {}), rows=256).tables


def numbered(count: int) -> str:
    """A rule for each number, whose contents `text` has."""
    return "\n".join(
        f'alert tcp any any -> any any (content:"part-{n:03}"; sid:{n + 1};)' for n in range(count)
    )


def text(numbers: Iterable[int]) -> bytes:
    return b"".join(b"part-%03d." % n for n in numbers)


def sids(found: Found) -> set[int]:
    return {hit.sid for hit in found.hits}

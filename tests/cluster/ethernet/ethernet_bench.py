# SPDX-License-Identifier: Apache-2.0
"""Two boards with a link over Ethernet, and a switch (`benches/cluster_ethernet.sv`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tests.cluster.link.link_bench import A, B, Links
from tests.support.harness import Benches, Layout

FRAMES = 2  # streams in: frames of nobody to B, to A; out: frames of A, of B
CARRIER_EVENTS = ("foreign", "malformed", "late", "cut", "frame_out", "frame_in", "gap")
HEADER_BYTES = 24
ETHER_TYPE = 0x88B5
FAULTS = Layout(
    *((name, 32) for name in ("bad_beats", "losses", "delays", "repetitions", "corruptions")),
    *((name, 2) for name in ("strangers", "resets", "down", "dead")),
    ("bubbles", 1),
)


class Frame(NamedTuple):
    data: bytes
    cycles: tuple[int, int]  # of the first and of the last beat


def address(board: int, link: int = 0) -> bytes:
    """The MAC address of an end of a link."""
    return bytes.fromhex("02b00bcc") + bytes([link, board])


class Boards(Links):
    """The link of `Links`, carried by frames. Side A is board 1, side B is board 2."""

    def __init__(self, benches: Benches, width: int, seed: int = 1, **parameters: int) -> None:
        self.width = width
        self.beat_bytes = width // 8
        self.bench = benches("cluster_ethernet", seed=seed, DataWidth=width, **parameters)
        self.sent = ([], [])
        self._faults = {}

    def faults(self, **values: int) -> None:
        self._faults |= values
        self.bench.control(FAULTS.pack(**self._faults))

    def trouble(self, **shares: float) -> None:
        """Shares of frames (`losses`, `delays`, `repetitions`, `corruptions`), or beats."""
        scale = (1 << 32) - 1
        self.faults(**{name: int(share * scale) for name, share in shares.items()})

    def carrier(self, side: int) -> dict[str, int]:
        """Drops and events of a side's carrier."""
        events = self.bench.events
        return {name: events[32 * side + 16 + n] for n, name in enumerate(CARRIER_EVENTS)}

    # ---- Frames ----

    def frames(self, side: int) -> list[Frame]:
        """The frames that a side has sent."""
        found = []
        data, first = b"", None
        for cycle, item in self.bench.received(FRAMES + side):
            first = cycle if first is None else first
            keep = item >> self.width & (1 << self.beat_bytes) - 1
            data += item.to_bytes(self.width // 4, "little")[: keep.bit_length()]
            if item >> self.width + self.beat_bytes & 1:
                found.append(Frame(data, (first, cycle)))
                data, first = b"", None
        return found

    def inject(self, to: int, frames: Sequence[bytes], *, error: bool = False) -> None:
        """Frames for a side from elsewhere."""
        size = self.beat_bytes
        beats = []
        for frame in frames:
            for at in range(0, len(frame), size):
                part = frame[at : at + size]
                last = at + size >= len(frame)
                flags = (last and error) << 1 | last
                beats.append(
                    (flags << size | (1 << len(part)) - 1) << self.width
                    | int.from_bytes(part, "little")
                )
        self.bench.push(beats, FRAMES + 1 - to)


__all__ = ["A", "B", "Boards", "Frame", "address"]

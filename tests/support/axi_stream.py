# SPDX-License-Identifier: Apache-2.0
"""Frames as beats of a MAC port (AXI-Stream) and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from tests.support.harness import Layout, Received


class AxiStream:
    def __init__(self, data_width: int) -> None:
        self.size = data_width // 8
        self.layout = Layout(
            ("tdata", data_width), ("tkeep", self.size), ("tlast", 1), ("tuser", 1)
        )

    def beats(self, frame: bytes, random: Random, *, bad: bool = False) -> Iterator[int]:
        """Bytes without tkeep are noise, and so is tuser without tlast."""
        for start in range(0, len(frame), self.size):
            part = frame[start : start + self.size]
            last = start + self.size >= len(frame)
            yield self.layout.pack(
                tdata=int.from_bytes(part + random.randbytes(self.size - len(part)), "little"),
                tkeep=(1 << len(part)) - 1,
                tlast=int(last),
                tuser=int(bad) if last else random.getrandbits(1),
            )

    def frames(self, received: Iterable[Received]) -> list[tuple[bytes, list[int]]]:
        """Frames with the cycles of their beats; tkeep must be whole but at the end."""
        frames = []
        data, cycles = bytearray(), list[int]()
        for cycle, item in received:
            beat = self.layout.unpack(item)
            count = beat["tkeep"].bit_length()
            assert count, "a beat without a byte"
            assert beat["tkeep"] == (1 << count) - 1, "a hole in tkeep"
            assert beat["tlast"] or count == self.size, "a hole in a frame"
            data += beat["tdata"].to_bytes(self.size, "little")[:count]
            cycles.append(cycle)
            if beat["tlast"]:
                frames.append((bytes(data), cycles))
                data, cycles = bytearray(), []
        assert not cycles, "the last frame has no end"
        return frames

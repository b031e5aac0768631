# SPDX-License-Identifier: Apache-2.0
"""What the tests of mac_rx and mac_tx share: their benches have all widths side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from random import Random

import pytest

from tests.support.harness import WIDTHS, Bench

MAX_FRAME = 9600
HEADER = 14
TAG_TYPE = b"\x81\x00"
BUFFER_BYTES = 32768


def events(bench: Bench, stream: int) -> list[int]:
    return bench.events[8 * stream : 8 * stream + 8]


def keep_counts_flowing(bench: Bench) -> None:
    """The counts of frames are pulses, not streams."""
    for stream in range(len(WIDTHS)):
        bench.stall(len(WIDTHS) + stream, 0.0)


def run_until_taken(bench: Bench) -> None:
    """Runs until all input has been accepted at all widths; the output may be stalled."""
    while any(bench.waiting(stream) for stream in range(len(WIDTHS))):
        bench.run(100)


def room(stream: int, ahead: int) -> int:
    """Beats that a buffer holds: those in its memory and those that have left it."""
    return BUFFER_BYTES // (WIDTHS[stream] // 8) + ahead


def filling(
    random: Random, stream: int, beats: Sequence[int], shortest: int, ahead: int
) -> list[bytes]:
    """Random data for frames of these numbers of beats, cyclically, that fill a buffer
    completely.
    """
    size = WIDTHS[stream] // 8
    least = -(-shortest // size)
    frames: list[bytes] = []
    left = room(stream, ahead)
    for count in cycle(max(n, least) for n in beats):
        count = left if left < count + least else count
        frames.append(random.randbytes(max(shortest, count * size - random.randrange(size))))
        left -= count
        if not left:
            return frames
    raise AssertionError


# Beats of the frames that fill a buffer.
FILLINGS = pytest.mark.parametrize(
    "beats", [(1,), (2,), (1, 2), (1, 1, 1, 9, 2, 24)], ids=lambda beats: "-".join(map(str, beats))
)

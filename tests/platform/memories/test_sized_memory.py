# SPDX-License-Identifier: Apache-2.0
"""sized_memory: what is read is what was written last, whatever the memory is built of."""

from __future__ import annotations

from random import Random

import pytest

from tests.support.harness import Benches

pytestmark = pytest.mark.slow

WIDTH = 11


@pytest.mark.parametrize("depth", (16, 128, 4096, 8192, 16384), ids=str)
def test_memory_keeps_what_was_written(benches: Benches, depth: int) -> None:
    random = Random(depth)
    bench = benches("sized_memory", Depth=depth)
    # The ends of the memory, places that differ in one bit, and others
    places = [0, depth - 1, *(1 << bit for bit in range(depth.bit_length() - 1))]
    places += random.sample(range(depth), 10)
    kept = dict.fromkeys(places, 0)
    sent, expected = [], []

    def access(read: int, write: int, data: int, writes: bool) -> None:
        sent.append(read | write << 16 | data << 32 | writes << 48)
        expected.append(kept[read])  # in the same cycle: as it was
        if writes:
            kept[write] = data

    for place in places:
        access(place, place, random.getrandbits(WIDTH), True)
    for _ in range(2000):
        write = random.choice(places)
        read = random.choice([write, random.choice(places)])
        access(read, write, random.getrandbits(WIDTH), random.random() < 0.5)
    bench.push(sent)
    bench.drain()
    known = len(places)  # those before were read for the first time
    assert bench.items()[known:] == expected[known:]

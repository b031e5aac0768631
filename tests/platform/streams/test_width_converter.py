# SPDX-License-Identifier: Apache-2.0
"""width_converter: bytes of every message stay in order at any two widths, without a bubble."""

from __future__ import annotations

from random import Random

import pytest

from tests.support.harness import PACES, Bench, Benches

pytestmark = pytest.mark.slow

SHAPES = ((8, 5), (5, 8), (20, 64), (6, 6))  # as in benches/width_converter.sv


def words(message: bytes, size: int) -> list[int]:
    starts = range(0, len(message), size)
    parts = [message[start : start + size] for start in starts]
    return [
        (part is parts[-1]) << 520 | len(part) << 512 | int.from_bytes(part, "little")
        for part in parts
    ]


def lengths(random: Random, count: int) -> list[int]:
    """All short ones, then random ones."""
    return [*range(1, 140), *(random.randrange(1, 400) for _ in range(count))]


def push(bench: Bench, random: Random, sizes: list[int]) -> list[list[int]]:
    """Queues messages at every converter; what it must give."""
    expected: list[list[int]] = []
    for stream, (narrow, wide) in enumerate(SHAPES):
        messages = [random.randbytes(size) for size in sizes]
        bench.push([word for message in messages for word in words(message, narrow)], stream)
        expected.append([word for message in messages for word in words(message, wide)])
    return expected


def test_messages(benches: Benches) -> None:
    random = Random(1)
    bench = benches("width_converter", macros={"BOMBUS_CHECKS": 1})
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        expected = push(bench, random, lengths(random, 100))
        bench.drain()
        assert [bench.items(stream) for stream in range(len(SHAPES))] == expected


def test_reset_in_traffic(benches: Benches) -> None:
    random = Random(2)
    bench = benches("width_converter", macros={"BOMBUS_CHECKS": 1})
    for _ in range(30):
        push(bench, random, lengths(random, 0)[::7])
        bench.run(random.randrange(1, 60))
        bench.reset()
        expected = push(bench, random, [1, 9, 64, 65])
        bench.drain()
        assert [bench.items(stream) for stream in range(len(SHAPES))] == expected


def test_rate(benches: Benches) -> None:
    """A word per cycle at the side with more words."""
    bench = benches("width_converter", macros={"BOMBUS_CHECKS": 1})
    push(bench, Random(3), [2000] * 10)
    bench.drain()
    for stream, shape in enumerate(SHAPES):
        cycles = [received.cycle for received in bench.received(stream)]
        taken = bench.taken(stream)
        wanted = 10 * max(-(-2000 // size) for size in shape)
        assert cycles[-1] - taken[0] <= wanted + 12

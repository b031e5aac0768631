# SPDX-License-Identifier: Apache-2.0
"""stream_merge and round_robin: messages stay whole, and everyone has a turn."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from tests.support.harness import (
    PACES,
    SEEDS,
    Beats,
    Bench,
    Benches,
    Message,
    consecutive,
)

pytestmark = pytest.mark.slow

# ---- stream_merge: one output for each number of inputs ----

MERGES = (1, 2, 3, 4, 5)


def merge_inputs(number: int) -> range:
    return range(number * (number - 1) // 2, number * (number + 1) // 2)


def check_merge(bench: Bench, seed: int, messages_each: int = 60) -> None:
    """Random messages, marked with their source in the metadata."""
    random = Random(seed)
    format_in, format_out = Beats(64), Beats(64, ("selected", max(MERGES)))
    sent: dict[int, list[Message]] = {}
    for number in MERGES:
        for index, stream in enumerate(merge_inputs(number)):
            sent[stream] = [
                Message(random.randbytes(random.choice([0, 3, 8, 20, 50])), index << 32 | order)
                for order in range(messages_each)
            ]
            bench.push(format_in.stream(sent[stream]), stream)
    bench.drain()
    for number in MERGES:
        items = bench.items(number - 1)
        got = format_out.messages(items)
        for index, stream in enumerate(merge_inputs(number)):
            mine = [message for message in got if message.meta >> 32 == index]
            assert [(m.payload, m.meta) for m in mine] == [
                (m.payload, m.meta) for m in sent[stream]
            ]
        for item in items:
            beat = format_out.layout.unpack(item)
            assert beat["selected"] == 1 << (beat["meta"] >> 32)


@pytest.mark.parametrize("seed", SEEDS)
def test_merge_keeps_messages_whole(benches: Benches, seed: int) -> None:
    bench = benches("stream_merge", seed=seed)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        check_merge(bench, seed)


def test_merge_takes_turns_without_a_gap(benches: Benches) -> None:
    bench = benches("stream_merge")
    format_in, format_out = Beats(64), Beats(64, ("selected", max(MERGES)))
    for number in MERGES:
        for stream in merge_inputs(number):
            # Long and short messages get the same number of turns.
            length = 8 * (1 + stream % 3)
            bench.push(format_in.stream([Message(bytes(length))] * 40), stream)
    bench.drain()
    for number in MERGES:
        received = bench.received(number - 1)
        assert consecutive([cycle for cycle, _ in received])
        order = [
            format_out.layout.get(item, "selected").bit_length() - 1
            for _, item in received
            if format_out.layout.get(item, "last")
        ]
        assert all(after == (before + 1) % number for before, after in pairwise(order))


def test_merge_after_reset_inside_a_message(benches: Benches) -> None:
    random = Random(6)
    bench = benches("stream_merge")
    for seed in range(20):
        for stream in range(sum(MERGES)):
            bench.push(Beats(64).stream([Message(bytes(40))] * 9), stream)
        bench.pace(gap=0.2, stall=0.2)
        bench.run(random.randrange(1, 30))
        bench.reset(1)
        bench.pace(gap=0.5, stall=0.2)
        check_merge(bench, seed, messages_each=5)
        bench.forget()


# ---- round_robin ----


def test_arbiter_exhaustively(benches: Benches) -> None:
    bench = benches("round_robin")
    for number in range(2, 9):
        for last in range(number):
            for request in range(1 << number):
                bench.control(request << 4 | last)
                grant = bench.status >> 4 * (number - 2) & 15
                after = [(last + step) % number for step in range(1, number + 1)]
                asking = [index for index in after if request >> index & 1]
                assert grant == (asking[0] if asking else last), (number, last, request)
                wins = bench.status >> 28 + 8 * (number - 2)
                for index in range(number):
                    rivals = after[: after.index(index)]
                    beaten = any(request >> rival & 1 for rival in rivals)
                    assert bool(wins >> index & 1) != beaten, (number, last, request, index)

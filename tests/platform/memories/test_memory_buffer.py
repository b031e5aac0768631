# SPDX-License-Identifier: Apache-2.0
"""memory_buffer with other queues, bursts, banks and slots: all comes out as it went in."""

from __future__ import annotations

from random import Random

import pytest

from tests.support.harness import SEEDS, Beats, Benches, Message, pack_meta

pytestmark = pytest.mark.slow

KINDS = 6


def messages(random: Random, count: int) -> list[Message]:
    made = []
    for _ in range(count):
        length = random.choice([0, 1, 8, 16, 127, 128, 129, 2047, 2048, 2049, 9600])
        if random.random() < 0.7:
            length = random.randrange(600)
        meta = pack_meta(length=length, kind=random.randrange(3), ip=random.getrandbits(32))
        made.append(Message(random.randbytes(length), meta))
    return made


@pytest.mark.parametrize("seed", SEEDS)
def test_all_comes_in_order(benches: Benches, seed: int) -> None:
    random = Random(seed)
    bench = benches("memory_buffer", seed=seed)
    beats = Beats(64)
    for rounds in range(3):
        bench.pace(gap=random.choice([0, 0.3]), stall=random.choice([0, 0.5]))
        sent = [messages(random, 150) for _ in range(KINDS)]
        for stream, mine in enumerate(sent):
            bench.push(beats.stream(mine), stream)
        bench.drain(quiet=1000)
        for stream, mine in enumerate(sent):
            assert beats.messages(bench.items(stream), lengths=True) == mine
        assert bench.status == 0
        bench.forget()
        if rounds == 1:
            for stream in range(KINDS):
                bench.push(beats.stream(messages(random, 20)), stream)
            bench.run(random.randrange(500))
            bench.reset(1)

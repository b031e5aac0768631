# SPDX-License-Identifier: Apache-2.0
"""Sums and drops: ones_pkg, frame_sum, drop_register."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest

from tests.support.harness import (
    META_BITS,
    PACES,
    SEEDS,
    WIDTHS,
    Beats,
    Benches,
    Layout,
    Message,
    csum,
)

pytestmark = pytest.mark.slow

HEADER = 14  # bytes that a frame's sum leaves out


# ---- ones_pkg, in benches/ones_sums.sv ----


def test_ones_sums(benches: Benches) -> None:
    """Words at random, those of one bit or all but one, and the last made to complete the sum."""
    random = Random(1)
    bench = benches("ones_sums")
    edges = [0, 0xFFFF, *(1 << place for place in range(16))]
    edges += [0xFFFF ^ edge for edge in edges[2:]]
    for _ in range(20000):
        choose = random.choice([lambda: random.choice(edges), lambda: random.getrandbits(16)])
        words = [choose() for _ in range(random.randrange(1, 7))]
        if random.random() < 0.5:
            words[-1] = -sum(words[:-1]) % 0xFFFF
        bench.control(sum(word << 16 * place for place, word in enumerate(words)))
        total = (sum(words) - 1) % 0xFFFF + 1 if any(words) else 0
        assert bench.status == (total == 0xFFFF) << 16 | total, [hex(word) for word in words]


# ---- frame_sum: one stream for each width ----

SUM_ITEM = Layout(("data", 512), ("last", 1), ("seed", 16))


def sum_items(frame: bytes, seed: int, size: int, random: Random) -> list[int]:
    parts = [frame[start : start + size] for start in range(0, len(frame), size)]
    return [
        SUM_ITEM.pack(
            data=int.from_bytes(part, "little"),
            last=int(index == len(parts) - 1),
            seed=seed if index == 0 else random.getrandbits(16),
        )
        for index, part in enumerate(parts)
    ]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("gap", [0.0, 0.5])
def test_sum(benches: Benches, seed: int, gap: float) -> None:
    random = Random(seed)
    bench = benches("frame_sum", seed=seed)
    bench.pace(gap=gap)
    expected: list[list[int]] = []
    ends: list[list[int]] = []
    for stream, width in enumerate(WIDTHS):
        payloads = [
            (random.randbytes(random.randrange(1, 300)), random.getrandbits(16)) for _ in range(200)
        ]
        # Every word of a beat at its highest, and every number of those.
        payloads += [(bytes.fromhex("ffff0000ffff0100") * 8 * n, 0xFFFF) for n in (1, 2, 150)]
        payloads += [(b"\xff\xff" * n, seed) for n in range(1, 150) for seed in (0, 0xFFFF)]
        payloads += [(b"\xff" * 9586, 0xFFFF), (bytes(64), 0), (b"\xff\xff", 0), (b"\x12", 0)]
        # A carry that runs around.
        payloads += [(bytes(2 * n) + b"\xff\xfe\x00\x01", 0) for n in range(40)]
        payloads += [(b"\xff\xff" + bytes(2 * n) + b"\x00\x01", 0) for n in range(40)]
        items = [
            sum_items(random.randbytes(HEADER) + payload, start, width // 8, random)
            for payload, start in payloads
        ]
        ends.append(list(map(len, items)))
        bench.push([item for group in items for item in group], stream)
        expected.append([csum(payload, start) for payload, start in payloads])
    bench.drain()
    for stream in range(len(WIDTHS)):
        received = bench.received(stream)
        assert len(received) == len(expected[stream])
        for (_, number), good in zip(received, expected[stream], strict=True):
            assert number & 0xFFFF == good
            assert number >> 16 == good % 0xFFFF
        lasts, position = [], 0
        for count in ends[stream]:
            position += count
            lasts.append(bench.taken(stream)[position - 1])
        assert [cycle for cycle, _ in received] == [cycle + 1 for cycle in lasts]


def test_sum_forgets_at_reset(benches: Benches) -> None:
    random = Random(1)
    bench = benches("frame_sum")
    for beats in range(1, 6):
        bench.forget()
        for stream, width in enumerate(WIDTHS):
            frame = random.randbytes(width // 8 * beats)
            bench.push(sum_items(frame + b"\xff", 0, width // 8, random)[:-1], stream)
        bench.drain()
        bench.reset(1)
        frame = random.randbytes(100)
        for stream, width in enumerate(WIDTHS):
            bench.push(sum_items(frame, 0, width // 8, random), stream)
        bench.drain()
        for stream in range(len(WIDTHS)):
            assert bench.items(stream)[-1] & 0xFFFF == csum(frame[HEADER:])


# ---- drop_register ----


def next_hops_of_beats(items: Sequence[int], beats: Beats) -> list[set[int]]:
    """The next hops shown during each message: one, since it must not change."""
    found: list[set[int]] = [set()]
    for item in items:
        found[-1].add(beats.layout.get(item, "next"))
        if beats.layout.get(item, "last"):
            found.append(set())
    return found[:-1]


def drop_messages(random: Random, count: int) -> list[Message]:
    return [
        Message(
            random.randbytes(random.choice([0, 1, 8, 9, 30])),
            random.getrandbits(META_BITS),
            {"next": random.randrange(32), "reasons": random.choice([0, 0, 1, 2, 4])},
        )
        for _ in range(count)
    ]


# Ready is cut by a skid buffer where beats are narrow, else by a FIFO.
@pytest.mark.parametrize(("width", "cuts_ready"), [(64, 0), (64, 1), (512, 1)])
@pytest.mark.parametrize("seed", SEEDS)
def test_dropped_messages_are_swallowed_and_counted(
    benches: Benches, seed: int, width: int, cuts_ready: int
) -> None:
    random = Random(seed)
    bench = benches("drop_register", seed=seed, DataWidth=width, CutsReady=cuts_ready)
    format_in = Beats(width, ("next", 5), ("reasons", 3), first_only=["next", "reasons"])
    format_out = Beats(width, ("next", 5))
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        sent = drop_messages(random, 300)
        bench.push(format_in.stream(sent, random))
        bench.drain()
        kept = [message for message in sent if not message.side["reasons"]]
        got = format_out.messages(bench.items())
        assert [(m.payload, m.meta, m.side["next"]) for m in got] == [
            (m.payload, m.meta, m.side["next"]) for m in kept
        ]
        assert next_hops_of_beats(bench.items(), format_out) == [{m.side["next"]} for m in kept]
        reasons = Counter(message.side["reasons"] for message in sent)
        assert bench.events[:3] == [reasons[1], reasons[2], reasons[4]]
    assert (bench.combinational == 0) == bool(cuts_ready)

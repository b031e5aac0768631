# SPDX-License-Identifier: Apache-2.0
"""The small modules of rtl/common: FIFO, merge, arbiter, buffers, sums, drops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest
from harness import (
    META_BITS,
    PACES,
    SEEDS,
    WIDTHS,
    Beats,
    Bench,
    Benches,
    Layout,
    Message,
    consecutive,
    csum,
)

HEADER = 14  # bytes that a frame's sum leaves out

# ---- head_fifo: one stream for each depth ----

DEPTHS = (4, 8, 16, 32, 64)


@pytest.mark.parametrize("seed", SEEDS)
def test_fifo_keeps_all_in_order(benches: Benches, seed: int) -> None:
    random = Random(seed)
    bench = benches("head_fifo", seed=seed)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        sent = [[random.getrandbits(40) for _ in range(1000)] for _ in DEPTHS]
        for stream, items in enumerate(sent):
            bench.push(items, stream)
        bench.drain()
        assert [bench.items(stream) for stream in range(len(DEPTHS))] == sent
    assert bench.combinational == 0, "ready is not a register"


def test_fifo_swings_between_full_and_empty(benches: Benches) -> None:
    random = Random(4)
    bench = benches("head_fifo")
    sent = [[random.getrandbits(40) for _ in range(3000)] for _ in DEPTHS]
    for stream, items in enumerate(sent):
        bench.push(items, stream)
    for _ in range(100):
        bench.pace(gap=random.choice([0, 0.5, 1]), stall=random.choice([0, 0.5, 1]))
        bench.run(random.randrange(80))
    bench.pace()
    bench.drain()
    assert [bench.items(stream) for stream in range(len(DEPTHS))] == sent


def test_fifo_uses_every_entry(benches: Benches) -> None:
    bench = benches("head_fifo")
    for rounds in range(3):  # at other places of the ring
        bench.pace(stall=1.0)
        for stream in range(len(DEPTHS)):
            bench.push(range(100), stream)
        bench.run(150)
        assert [100 - bench.waiting(stream) for stream in range(len(DEPTHS))] == list(DEPTHS)
        bench.pace()
        bench.drain()
        for stream in range(len(DEPTHS)):
            assert bench.items(stream) == list(range(100))
            bench.push([rounds] * (stream + 3), stream)
        bench.drain()
        bench.forget()


def test_fifo_latency_and_throughput(benches: Benches) -> None:
    bench = benches("head_fifo")
    for stream in range(len(DEPTHS)):
        bench.push(range(300), stream)
    bench.drain()
    for stream in range(len(DEPTHS)):
        cycles = [cycle for cycle, _ in bench.received(stream)]
        assert consecutive(cycles)
        assert cycles[0] == bench.taken(stream)[0] + 1


def test_fifo_forgets_at_reset(benches: Benches) -> None:
    random = Random(5)
    bench = benches("head_fifo")
    for _ in range(30):
        for stream in range(len(DEPTHS)):
            bench.push([random.getrandbits(40) for _ in range(200)], stream)
        bench.pace(gap=0.2, stall=random.choice([0.3, 1.0]))
        bench.run(random.randrange(100))
        bench.reset(1)
        bench.pace(stall=0.3)
        for stream in range(len(DEPTHS)):
            bench.push(range(80), stream)
        bench.drain()
        assert all(bench.items(stream) == list(range(80)) for stream in range(len(DEPTHS)))
        bench.forget()


# ---- block_fifo ----

BLOCK_DEPTHS = (2, 4, 32)


def test_block_fifo_keeps_all_in_order(benches: Benches) -> None:
    random = Random(6)
    bench = benches("block_fifo")
    sent = [[random.getrandbits(16) for _ in range(3000)] for _ in BLOCK_DEPTHS]
    for stream, items in enumerate(sent):
        bench.push(items, stream)
    for _ in range(200):
        bench.pace(gap=random.choice([0, 0.5, 1]), stall=random.choice([0, 0.5, 1]))
        bench.run(random.randrange(40))
    bench.pace()
    bench.drain()
    assert [bench.items(stream) for stream in range(len(BLOCK_DEPTHS))] == sent


def test_block_fifo_latency_and_capacity(benches: Benches) -> None:
    bench = benches("block_fifo")
    for count in (1, 2, 3, 100):  # at other places of the ring
        bench.pace(stall=1.0)
        for stream in range(len(BLOCK_DEPTHS)):
            bench.push(range(count), stream)
        bench.run(150)
        for stream, depth in enumerate(BLOCK_DEPTHS):
            assert count - bench.waiting(stream) == min(count, depth + 2)
        bench.pace()
        bench.drain()
        for stream in range(len(BLOCK_DEPTHS)):
            assert bench.items(stream) == list(range(count))
            assert consecutive([cycle for cycle, _ in bench.received(stream)])
        bench.forget()
        for stream in range(len(BLOCK_DEPTHS)):
            bench.push([count], stream)
        bench.drain()
        for stream in range(len(BLOCK_DEPTHS)):
            assert bench.received(stream)[0].cycle == bench.taken(stream)[0] + 1
        bench.forget()


@pytest.mark.parametrize("held", range(1, 6))
def test_block_fifo_has_no_bubbles(benches: Benches, held: int) -> None:
    """Whatever has come in while the output stood leaves in a cycle each, with what follows."""
    bench = benches("block_fifo")
    bench.pace(stall=1.0)
    for stream in range(1, len(BLOCK_DEPTHS)):
        bench.push(range(held), stream)
    bench.run(held)  # the last one comes in as the first one leaves
    bench.pace()
    for stream in range(1, len(BLOCK_DEPTHS)):
        bench.push(range(held, 50), stream)
    bench.drain()
    for stream in range(1, len(BLOCK_DEPTHS)):
        assert bench.items(stream) == list(range(50))
        assert consecutive([cycle for cycle, _ in bench.received(stream)])


def test_block_fifo_forgets_at_reset(benches: Benches) -> None:
    random = Random(7)
    bench = benches("block_fifo")
    for _ in range(30):
        for stream in range(len(BLOCK_DEPTHS)):
            bench.push([random.getrandbits(16) for _ in range(50)], stream)
        bench.pace(gap=0.2, stall=random.choice([0.3, 1.0]))
        bench.run(random.randrange(60))
        bench.reset(1)
        bench.pace(stall=0.3)
        for stream in range(len(BLOCK_DEPTHS)):
            bench.push(range(20), stream)
        bench.drain()
        assert all(bench.items(stream) == list(range(20)) for stream in range(len(BLOCK_DEPTHS)))
        bench.forget()


# ---- stream_merge: one output for each number of inputs ----

MERGES = (1, 2, 3, 4, 5)


def merge_inputs(number: int) -> range:
    return range(number * (number - 1) // 2, number * (number + 1) // 2)


def check_merge(bench: Bench, seed: int, messages_each: int = 60) -> None:
    """Random messages, marked in the metadata with where they come from."""
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


# ---- frame_buffer: depths 4 and 32 ----

BUFFER_DEPTHS = (4, 32)
BUFFER_ITEM = Layout(("data", 16), ("write", 1), ("commit", 1), ("abort", 1))


def buffer_frames(random: Random, depth: int, count: int) -> tuple[list[int], list[int]]:
    """Items that write frames, some taken back, and the data that must come out."""
    items: list[int] = []
    expected: list[int] = []
    for _ in range(count):
        data = [random.getrandbits(16) for _ in range(random.randrange(1, depth + 1))]
        keep, late = random.random() < 0.7, random.random() < 0.3
        end = {"commit": int(keep), "abort": int(not keep)}
        items += [BUFFER_ITEM.pack(data=number, write=1) for number in data[:-1]]
        if late:  # decided in a cycle without a write
            items += [BUFFER_ITEM.pack(data=data[-1], write=1), BUFFER_ITEM.pack(data=1, **end)]
        else:
            items.append(BUFFER_ITEM.pack(data=data[-1], write=1, **end))
        if keep:
            expected += data
    return items, expected


OUTPUT_REGISTER = pytest.mark.parametrize("output_register", [0, 1])


@OUTPUT_REGISTER
@pytest.mark.parametrize("seed", SEEDS)
def test_buffer_shows_what_is_committed(benches: Benches, seed: int, output_register: int) -> None:
    random = Random(seed)
    bench = benches("frame_buffer", seed=seed, OutputRegister=output_register)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        expected = {}
        for stream, depth in enumerate(BUFFER_DEPTHS):
            # A frame as long as the buffer fits only when the one before has left.
            items, expected[stream] = buffer_frames(random, depth - 1, 200)
            bench.push(items, stream)
        bench.drain()
        for stream in range(len(BUFFER_DEPTHS)):
            assert bench.items(stream) == expected[stream]


@OUTPUT_REGISTER
def test_buffer_hides_what_is_not_committed(benches: Benches, output_register: int) -> None:
    bench = benches("frame_buffer", OutputRegister=output_register)
    write = [BUFFER_ITEM.pack(data=number, write=1) for number in range(4)]
    for stream in range(2):
        bench.push(write, stream)
    bench.run(50)
    assert bench.items(0) == bench.items(1) == []
    assert bench.status == 1, "only the buffer of four is full"
    # A writer that finds the buffer full must be able to take all back and go on.
    bench.push([BUFFER_ITEM.pack(abort=1)], 1)
    bench.push([BUFFER_ITEM.pack(data=77, write=1, commit=1)], 1)
    bench.drain()
    assert bench.items(1) == [77]
    assert bench.received(1)[0].cycle == bench.taken(1)[-1] + 2 + output_register


@OUTPUT_REGISTER
def test_buffer_capacity(benches: Benches, output_register: int) -> None:
    bench = benches("frame_buffer", OutputRegister=output_register)
    bench.pace(stall=1.0)
    for stream in range(2):
        bench.push([BUFFER_ITEM.pack(data=n, write=1, commit=1) for n in range(100)], stream)
    bench.run(200)
    # The entries at the output have left the memory.
    held = 1 + output_register
    assert [len(bench.taken(stream)) for stream in range(2)] == [d + held for d in BUFFER_DEPTHS]
    bench.pace()
    bench.drain()
    for stream in range(2):
        assert bench.items(stream) == list(range(100))


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


@pytest.mark.parametrize("cuts_ready", [0, 1])
@pytest.mark.parametrize("seed", SEEDS)
def test_dropped_messages_are_swallowed_and_counted(
    benches: Benches, seed: int, cuts_ready: int
) -> None:
    random = Random(seed)
    bench = benches("drop_register", seed=seed, CutsReady=cuts_ready)
    format_in = Beats(64, ("next", 5), ("reasons", 3), first_only=["next", "reasons"])
    format_out = Beats(64, ("next", 5))
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

# SPDX-License-Identifier: Apache-2.0
"""FIFOs, queues and frame_buffer: all in order, every place used, no bubble."""

from __future__ import annotations

from random import Random

import pytest

from tests.support.harness import (
    PACES,
    SEEDS,
    Bench,
    Benches,
    Layout,
    consecutive,
)

pytestmark = pytest.mark.slow

# ---- head_fifo: one stream for each depth ----

DEPTHS = (4, 8, 16, 32, 64)


def keeps_all(
    bench: Bench, random: Random, sent: list[list[int]], *, rounds: int, longest: int
) -> None:
    """All items come out in order while both ends change their pace, `longest` cycles at most."""
    for stream, items in enumerate(sent):
        bench.push(items, stream)
    for _ in range(rounds):
        bench.pace(gap=random.choice([0, 0.5, 1]), stall=random.choice([0, 0.5, 1]))
        bench.run(random.randrange(longest))
    bench.pace()
    bench.drain()
    assert [bench.items(stream) for stream in range(len(sent))] == sent


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
    keeps_all(bench, random, sent, rounds=100, longest=80)


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


@pytest.mark.parametrize("ram", [0, 1])
def test_block_fifo_keeps_all_in_order(benches: Benches, ram: int) -> None:
    random = Random(6)
    bench = benches("block_fifo", Ram=ram)
    sent = [[random.getrandbits(16) for _ in range(3000)] for _ in BLOCK_DEPTHS]
    keeps_all(bench, random, sent, rounds=200, longest=40)
    assert not any(bench.events)  # levels of ram_fifo


@pytest.mark.parametrize("ram", [0, 1])
def test_block_fifo_latency_and_capacity(benches: Benches, ram: int) -> None:
    """ram_fifo has no entries beside its memory, and takes a cycle more. With two entries it has
    bubbles.
    """
    bench = benches("block_fifo", Ram=ram)
    for count in (1, 2, 3, 100):  # at other places of the ring
        bench.pace(stall=1.0)
        for stream in range(len(BLOCK_DEPTHS)):
            bench.push(range(count), stream)
        bench.run(150)
        for stream, depth in enumerate(BLOCK_DEPTHS):
            assert count - bench.waiting(stream) == min(count, depth + 2 * (1 - ram))
        bench.pace()
        bench.drain()
        for stream in range(len(BLOCK_DEPTHS)):
            assert bench.items(stream) == list(range(count))
            if BLOCK_DEPTHS[stream] > 2 or not ram:
                assert consecutive([cycle for cycle, _ in bench.received(stream)])
        bench.forget()
        for stream in range(len(BLOCK_DEPTHS)):
            bench.push([count], stream)
        bench.drain()
        for stream in range(len(BLOCK_DEPTHS)):
            assert bench.received(stream)[0].cycle == bench.taken(stream)[0] + 1 + ram
        bench.forget()


@pytest.mark.parametrize("held", range(1, 6))
def test_block_fifo_has_no_bubbles(benches: Benches, held: int) -> None:
    """Entries that arrived while the output was stalled leave one per cycle, and so do later
    ones.
    """
    bench = benches("block_fifo")
    bench.pace(stall=1.0)
    for stream in range(1, len(BLOCK_DEPTHS)):
        bench.push(range(held), stream)
    bench.run(held)  # the last one enters as the first one leaves
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


# ---- stream_queue: the places that each depth promises ----

QUEUE_DEPTHS = (0, 8, 128)


def test_queue_keeps_all_in_order(benches: Benches) -> None:
    random = Random(8)
    bench = benches("stream_queue")
    sent = [[random.getrandbits(16) for _ in range(6000)] for _ in QUEUE_DEPTHS]
    keeps_all(bench, random, sent, rounds=100, longest=200)
    assert bench.status == 0


def test_queue_takes_what_it_promises_while_its_output_stands(benches: Benches) -> None:
    bench = benches("stream_queue")
    for count in (1, 100, 300):  # at other places of the ring
        bench.pace(stall=1.0)
        for stream in range(len(QUEUE_DEPTHS)):
            bench.push(range(count), stream)
        bench.run(400)
        assert bench.status == 0b110
        for stream, depth in enumerate(QUEUE_DEPTHS):
            # Two behind the memory and one that comes late.
            taken = count - bench.waiting(stream)
            assert min(count, depth) <= taken <= min(count, depth + 2)
        bench.pace()
        bench.drain()
        for stream in range(len(QUEUE_DEPTHS)):
            assert bench.items(stream) == list(range(count))
            assert consecutive([cycle for cycle, _ in bench.received(stream)])
        bench.forget()


# ---- frame_buffer: depths 4 and 32 ----

BUFFER_DEPTHS = (4, 32)
BUFFER_ITEM = Layout(("data", 16), ("write", 1), ("commit", 1), ("abort", 1))


def buffer_frames(random: Random, depth: int, count: int) -> tuple[list[int], list[int]]:
    """Items that write frames, some aborted, and the expected output data."""
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
            # A frame as long as the buffer fits only after the previous one has left.
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
    # A writer that finds the buffer full must be able to abort and continue.
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

# SPDX-License-Identifier: Apache-2.0
"""The memory of a processing element: bursts of the kernel and accesses of software in any order
of arrival, against a model of bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import pytest

from tests.support.harness import PACES, Bench, Benches, Layout, consecutive

pytestmark = pytest.mark.slow

READ, WRITE, DATA, SOFTWARE = range(4)  # streams in
READ_DATA, RESPONSE, ANSWER = range(3)  # streams out
ADDRESS = Layout(("addr", 16), ("len", 8))
ACCESS = Layout(("write", 1), ("word", 16), ("data", 32))
SLVERR = 2
# The kernel writes below this address; software writes from it on, and the kernel reads there.
SHARED, END = 0x8000, 0xC000
REFUSED = 0xFFC0  # the memory refuses bursts that begin from here on
READ_ERRORS, WRITE_ERRORS, LATE = range(3)  # events
MOST_BEATS = 256 + 255  # of the kernel that are outstanding
MEMORY_CYCLES = 40  # of a single access, with some for the bench
FAILED = 0xFFFFFFFF


@dataclass
class World:
    """A bench, and the memory as it should be."""

    bench: Bench
    data_width: int
    random: Random

    def __post_init__(self) -> None:
        self.memory = bytearray(1 << 16)
        self.data = Layout(("data", self.data_width), ("strb", self.data_width // 8), ("last", 1))
        self.read_data = Layout(("data", self.data_width), ("resp", 2), ("last", 1))

    @property
    def beat_bytes(self) -> int:
        return self.data_width // 8

    def burst(self, low: int, high: int) -> tuple[int, int]:
        """An address, and a number of beats."""
        beats = self.random.randrange(1, 9)
        last = (high - low) // self.beat_bytes - beats
        return low + self.beat_bytes * self.random.randrange(last + 1), beats

    def write(self) -> None:
        """A write burst of the kernel."""
        address, beats = self.burst(0, SHARED)
        self.bench.push([ADDRESS.pack(addr=address, len=beats - 1)], WRITE)
        for beat in range(beats):
            data = self.random.randbytes(self.beat_bytes)
            strobe = self.random.getrandbits(self.beat_bytes)
            word = int.from_bytes(data, "little")
            self.bench.push([self.data.pack(data=word, strb=strobe, last=beat == beats - 1)], DATA)
            for lane in range(self.beat_bytes):
                if strobe >> lane & 1:
                    self.memory[address + beat * self.beat_bytes + lane] = data[lane]

    def read(self) -> Iterator[int]:
        """A read burst of the kernel; the items that it should get."""
        address, beats = self.burst(SHARED, END)
        self.bench.push([ADDRESS.pack(addr=address, len=beats - 1)], READ)
        for beat in range(beats):
            start = address + beat * self.beat_bytes
            data = int.from_bytes(self.memory[start : start + self.beat_bytes], "little")
            yield self.read_data.pack(data=data, resp=0, last=beat == beats - 1)

    def access(self, word: int, data: int | None = None) -> int | None:
        """An access of software; what it should read."""
        packed = ACCESS.pack(write=data is not None, word=word, data=data or 0)
        self.bench.push([packed], SOFTWARE)
        place = slice(4 * word, 4 * word + 4)
        if data is not None:
            self.memory[place] = data.to_bytes(4, "little")
            return None
        return int.from_bytes(self.memory[place], "little")

    def answers(self, wanted: list[int | None]) -> None:
        """Each read of software was answered with this word."""
        found = self.bench.items(ANSWER)
        assert len(found) == len(wanted)
        assert [each for each, want in zip(found, wanted, strict=True) if want is not None] == [
            want for want in wanted if want is not None
        ]


@pytest.mark.parametrize("data_width", [32, 64, 512])
def test_kernel_and_software(benches: Benches, data_width: int) -> None:
    random = Random(data_width)
    bench = benches("pe_memory", DataWidth=data_width)
    world = World(bench, data_width, random)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        bench.stall(ANSWER, 0)
        words: list[int] = []  # what the kernel reads
        answers: list[int | None] = []
        for _ in range(60):
            world.write()
            words += world.read()
            # Software writes beyond what the kernel reads.
            word = random.randrange(END // 4, REFUSED // 4)
            answers += [world.access(word, random.getrandbits(32)), world.access(word)]
        bench.drain(quiet=200)
        assert bench.items(READ_DATA) == words
        assert bench.items(RESPONSE) == [0] * 60
        world.answers(answers)
        # Software sees what the kernel has written; the kernel will read what it writes now.
        bench.forget()
        answers = [world.access(random.randrange(SHARED // 4)) for _ in range(100)]
        for _ in range(100):
            word = random.randrange(SHARED // 4, END // 4)
            answers.append(world.access(word, random.getrandbits(32)))
        bench.drain(quiet=200)
        world.answers(answers)
    assert bench.events[:3] == [0, 0, 0]
    assert bench.status == 0


def failed(bench: Bench) -> int:
    """Accesses of software that failed."""
    return bench.status >> 1


@pytest.mark.parametrize("beats", [1, 16, 256])
def test_software_reads_between_bursts(benches: Benches, beats: int) -> None:
    """After the bursts that the kernel has begun, and before its further ones."""
    bench = benches("pe_memory")
    bench.push([ADDRESS.pack(addr=0, len=beats - 1)] * (2000 // beats), READ)
    bench.run(100)
    bench.push([ACCESS.pack(write=0, word=3, data=0)] * 3, SOFTWARE)
    bench.drain(quiet=200)
    beats_at = [each.cycle for each in bench.received(READ_DATA)]
    lasts = [bool(item >> 66) for item in bench.items(READ_DATA)]
    assert lasts == ([False] * (beats - 1) + [True]) * (2000 // beats)
    start = 100
    for answer in bench.received(ANSWER):
        between = sum(start < cycle < answer.cycle for cycle in beats_at)
        assert between <= MOST_BEATS
        assert answer.cycle - start < MOST_BEATS + MEMORY_CYCLES
        start = answer.cycle
    assert start < beats_at[-1]


def test_software_writes_between_bursts(benches: Benches) -> None:
    bench = benches("pe_memory")
    world = World(bench, 64, Random(1))
    bench.push([ADDRESS.pack(addr=0, len=15)] * 60, WRITE)
    bench.push([world.data.pack(data=n, strb=0xFF, last=n % 16 == 15) for n in range(960)], DATA)
    bench.run(100)
    world.access(0x2000, 5)
    bench.drain(quiet=300)
    (answer,) = bench.received(ANSWER)
    assert answer.cycle < 100 + MOST_BEATS + MEMORY_CYCLES
    assert bench.taken(DATA)[-1] > answer.cycle
    assert bench.items(RESPONSE) == [0] * 60


def test_a_kernel_that_takes_nothing(benches: Benches) -> None:
    """Accesses end at their limit. The late answer is that of no later access."""
    bench = benches("pe_memory", AccessCycles=200)
    world = World(bench, 64, Random(1))
    world.access(3, 77)
    bench.drain(quiet=200)
    bench.forget()
    start = bench.cycle
    bench.stall(READ_DATA, 1)
    bench.stall(RESPONSE, 1)
    bench.push([ADDRESS.pack(addr=0x8000, len=15)], READ)
    bench.push([ADDRESS.pack(addr=0, len=0)], WRITE)
    bench.push([world.data.pack(data=0, strb=0, last=1)], DATA)
    bench.run(50)
    bench.push([ACCESS.pack(write=0, word=3, data=0)], SOFTWARE)
    bench.push([ACCESS.pack(write=1, word=3, data=7)], SOFTWARE)
    bench.run(500)
    assert len(bench.items(ANSWER)) == 2
    first, second = bench.received(ANSWER)
    assert first.item == FAILED
    assert first.cycle - start <= 50 + 200 + 5
    assert 195 <= second.cycle - first.cycle <= 205
    assert (failed(bench), bench.events[LATE]) == (2, 2)
    bench.stall(READ_DATA, 0)
    bench.stall(RESPONSE, 0)
    bench.forget()
    answers = [world.access(5), world.access(3)]  # the write had no effect
    bench.drain(quiet=200)
    world.answers(answers)
    assert len(bench.items(READ_DATA)) == 16
    assert bench.items(RESPONSE) == [0]
    assert (failed(bench), bench.events[LATE]) == (2, 0)


def test_a_kernel_that_gives_no_data(benches: Benches) -> None:
    """A write that waits for the kernel's data ends without effect; reads are not concerned."""
    bench = benches("pe_memory", AccessCycles=200)
    world = World(bench, 64, Random(1))
    bench.push([ADDRESS.pack(addr=0, len=1)], WRITE)
    bench.run(20)
    bench.push([ACCESS.pack(write=1, word=0x3000, data=7)], SOFTWARE)
    answers = [world.access(0x3000)]
    bench.run(400)
    assert bench.items(ANSWER)[1:] == answers
    assert (failed(bench), bench.events[LATE]) == (1, 1)
    bench.push([world.data.pack(data=1, strb=0xFF, last=last) for last in (0, 1)], DATA)
    bench.forget()
    answers = [world.access(0x3000), world.access(0x3000, 8), world.access(0x3000)]
    bench.drain(quiet=200)
    world.answers(answers)
    assert bench.items(RESPONSE) == [0]


def test_a_write_at_its_limit(benches: Benches) -> None:
    """In whatever cycle it becomes possible, its response is not that of the next access."""
    bench = benches("pe_memory", AccessCycles=50)
    world = World(bench, 64, Random(1))
    answers = [world.access(0x3000 + 2 * word, 100 + word) for word in range(2)]
    for number, cycles in enumerate(range(35, 60)):
        bench.push([ADDRESS.pack(addr=0, len=0)], WRITE)
        bench.run(20)
        answers += [world.access(0x2000, number), world.access(0x3000 + 2 * (number % 2))]
        bench.run(cycles)
        bench.push([world.data.pack(data=0, strb=0, last=1)], DATA)
        bench.drain(quiet=100)
    world.answers(answers)
    assert 5 < failed(bench) < 25
    assert failed(bench) == bench.events[LATE]


def test_errors_of_software(benches: Benches) -> None:
    bench = benches("pe_memory")
    accesses = [
        ACCESS.pack(write=write, word=word, data=0)
        for write in (0, 1)
        for word in (REFUSED // 4 - 1, REFUSED // 4, (1 << 14) - 1)
    ]
    bench.push(accesses, SOFTWARE)
    bench.drain(quiet=200)
    assert bench.items(ANSWER)[:3] == [0, FAILED, FAILED]
    assert failed(bench) == 4
    assert bench.events[:3] == [2, 2, 0]


@pytest.mark.parametrize("cycles", [0, 1, 3, 10, 12, 15, 20, 27])
def test_reset_within_bursts(benches: Benches, cycles: int) -> None:
    """Nothing of the time before is left."""
    bench = benches("pe_memory")
    world = World(bench, 64, Random(cycles))
    bench.push([ADDRESS.pack(addr=0x8000, len=15)] * 2, READ)
    bench.push([ADDRESS.pack(addr=0, len=15)] * 2, WRITE)
    bench.push([world.data.pack(data=n, strb=0, last=n == 15) for n in range(20)], DATA)
    bench.push([ACCESS.pack(write=cycles % 2, word=0x3000, data=0)] * 2, SOFTWARE)
    bench.run(cycles)
    bench.reset()
    bench.run(100)
    assert bench.status == 0
    bench.forget()
    words = [each for _ in range(5) for each in (world.write(), *world.read()) if each is not None]
    answers = [world.access(0x3001, 9), world.access(0x3001)]
    bench.drain(quiet=200)
    assert bench.items(READ_DATA) == words
    assert bench.items(RESPONSE) == [0] * 5
    world.answers(answers)
    assert failed(bench) == 0


def test_throughput(benches: Benches) -> None:
    """A beat per cycle each way, at the same time."""
    bench = benches("pe_memory", DataWidth=512)
    world = World(bench, 512, Random(1))
    bench.push([ADDRESS.pack(addr=1024 * n, len=15) for n in range(8)], READ)
    bench.push([ADDRESS.pack(addr=1024 * n, len=15) for n in range(16, 24)], WRITE)
    bench.push(
        [world.data.pack(data=n, strb=0, last=n % 16 == 15) for n in range(8 * 16)],
        DATA,
    )
    bench.drain(quiet=200)
    assert consecutive(bench.taken(DATA))
    assert consecutive([each.cycle for each in bench.received(READ_DATA)])
    assert len(bench.items(READ_DATA)) == 8 * 16


def test_error(benches: Benches) -> None:
    """A burst beyond the memory is answered with an error, which is counted."""
    bench = benches("pe_memory")
    world = World(bench, 64, Random(1))
    bench.push([ADDRESS.pack(addr=0, len=0), ADDRESS.pack(addr=0xFFF8, len=1)], READ)
    bench.push([ADDRESS.pack(addr=0xFFF8, len=1)], WRITE)
    bench.push([world.data.pack(data=1, strb=0xFF, last=last) for last in (0, 1)], DATA)
    bench.drain(quiet=200)
    found = [world.read_data.get(each, "resp") for each in bench.items(READ_DATA)]
    assert found == [0, SLVERR, SLVERR]
    assert bench.items(RESPONSE) == [SLVERR]
    assert bench.events[:3] == [2, 1, 0]
    assert failed(bench) == 0

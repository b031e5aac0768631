# SPDX-License-Identifier: Apache-2.0
"""Copies by streams, beside bursts of the kernel and accesses of software, against a model of
bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

import pytest

from tests.applications.pe.test_pe_memory import (
    ADDRESS,
    DATA,
    END,
    MEMORY_CYCLES,
    MOST_BEATS,
    READ,
    READ_DATA,
    REFUSED,
    RESPONSE,
    SHARED,
    WRITE,
    World,
    failed,
)
from tests.support.harness import PACES, Bench, Benches, Layout

pytestmark = pytest.mark.slow

COPY = 4  # stream in
ANSWERS = 3  # stream out
REFUSED_TOO = 0xD000  # with a control bit it refuses the bursts that begin in 256 bytes from here
BEYOND = 1 << 16  # the first address that the memory does not have
DONE, ERROR, NO, MISMATCH = range(4)  # status
COPY_ERROR, UNKNOWN = 3, 6  # events


@dataclass
class Host:
    """Sends copies, and knows their answers."""

    world: World
    # Data (None: any), where they begin in the first beat, and status.
    wanted: list[tuple[bytes | None, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = self.world.random
        self.bench: Bench = self.world.bench
        self.size = self.world.beat_bytes
        self.beat = Layout(("data", 8 * self.size), ("keep", self.size), ("last", 1))

    def send(self, opcode: bytes, address: int, length: int, data: bytes = b"") -> None:
        """A header and data, as they are. Bytes without tkeep are noise."""
        header = struct.pack("<QI4s", address, length, opcode)
        message = header + self.random.randbytes(self.size - len(header)) + data
        for start in range(0, len(message), self.size):
            part = message[start : start + self.size]
            noise = self.random.randbytes(self.size - len(part))
            item = self.beat.pack(
                data=int.from_bytes(part + noise, "little"),
                keep=(1 << len(part)) - 1,
                last=start + self.size >= len(message),
            )
            self.bench.push([item], COPY)

    def refused(self, opcode: bytes, address: int, length: int, data: bytes = b"") -> None:
        self.send(opcode, address, length, data)
        self.wanted.append((b"", 0, NO))

    def write(self, address: int, data: bytes) -> None:
        before = self.random.randbytes(address % self.size)
        after = -len(before + data) % self.size * self.random.randrange(2)
        padded = before + data + self.random.randbytes(after)
        self.send(b"WRIT", address, len(data), padded if data else b"")
        self.world.memory[address : address + len(data)] = data
        self.wanted.append((b"", 0, DONE))

    def read(self, address: int, length: int) -> None:
        self.send(b"READ", address, length)
        data = bytes(self.world.memory[address : address + length])
        self.wanted.append((data, address % self.size, DONE))

    def check(self) -> None:
        """The answers so far."""
        found = list(self.answers())
        assert [status for _, status in found] == [status for _, _, status in self.wanted]
        for (data, _), (want, offset, _) in zip(found, self.wanted, strict=True):
            if want is None:  # whatever they are
                continue
            beats = -(-(len(want) + offset) // self.size) if want else 0
            assert len(data) == beats * self.size
            assert data[offset : offset + len(want)] == want
        self.wanted.clear()

    def answers(self) -> Iterator[tuple[bytes, int]]:
        """Data and status of each answer."""
        data = b""
        for item in self.bench.items(ANSWERS):
            beat = self.beat.unpack(item)
            if beat["last"]:
                assert beat["keep"] == 1
                yield data, beat["data"] & 0xFF
                data = b""
            else:
                assert beat["keep"] == (1 << self.size) - 1
                data += beat["data"].to_bytes(self.size, "little")
        assert not data, "an answer without its status"


def opened(benches: Benches, data_width: int = 128, seed: int = 1, **parameters: int) -> Host:
    bench = benches("pe_memory", DataWidth=data_width, Dma=1, **parameters)
    return Host(World(bench, data_width, Random(seed)))


@pytest.mark.parametrize("data_width", [128, 512])
def test_copies_and_kernel(benches: Benches, data_width: int) -> None:
    """Any address and length, with any gaps, beside bursts and accesses."""
    host = opened(benches, data_width, seed=data_width)
    world, bench, random = host.world, host.bench, host.random
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        bench.stall(2, 0)  # answers to software
        words: list[int] = []
        answers: list[int | None] = []
        for _ in range(40):
            world.write()
            words += world.read()
            word = random.randrange(REFUSED // 4 - 16, REFUSED // 4)
            answers += [world.access(word, random.getrandbits(32)), world.access(word)]
            length = random.choice((random.randrange(1, 70), random.randrange(1, 3000)))
            address = random.randrange(END, REFUSED - 64 - length)
            copies = random.choice(("w", "r", "wr", "ww", "rr"))
            for copy in copies:
                if copy == "w":
                    host.write(address, random.randbytes(length))
                else:
                    host.read(address, length)
        bench.drain(quiet=300)
        host.check()
        assert bench.items(READ_DATA) == words
        assert bench.items(RESPONSE) == [0] * 40
        world.answers(answers)
        # Copies see what the kernel has written; the kernel will read what they write.
        bench.forget()
        host.read(0, SHARED // 2)
        host.write(SHARED + 5, random.randbytes(1000))
        bench.drain(quiet=300)
        host.check()
    assert bench.events[:7] == [0] * 7
    assert bench.status == 0


def test_every_alignment(benches: Benches) -> None:
    """Only the bytes of the copy are written."""
    host = opened(benches)
    random = host.random
    for offset in range(16):
        for length in (*range(18), 31, 32, 33, 240, 255, 256, 257, 300):
            at = END + 1024 + offset
            host.write(at, random.randbytes(length))
            host.read(at - 40, length + 80)
            host.read(at, length)
    host.bench.drain(quiet=300)
    host.check()
    assert host.bench.events[:7] == [0] * 7


def test_refused(benches: Benches) -> None:
    """Each is answered once, in order, and has no effect; unknown messages are not answered."""
    host = opened(benches)
    random = host.random
    host.write(0, random.randbytes(200))
    host.write(BEYOND - 128, random.randbytes(64))
    host.refused(b"READ", BEYOND - 16, 17)
    host.refused(b"READ", BEYOND, 1)
    host.refused(b"READ", (1 << 64) - 1, 2)
    host.refused(b"READ", 0, (1 << 20) + 1)
    host.refused(b"READ", 0, (1 << 32) - 1)
    host.refused(b"READ", 0, (1 << 21) + 16)  # in the lower bits a length that exists
    host.refused(b"WRIT", BEYOND - 160, 161, random.randbytes(161))
    host.refused(b"WRIT", BEYOND << 8, 1, b"x")
    host.refused(b"WRIT", 1 << 63, 16, random.randbytes(50))
    host.refused(b"WRIT", 0, 16)  # no data
    host.refused(b"READ", 0, 16, random.randbytes(16))  # data
    for opcode in (b"DAER", b"read", bytes(4), b"REAT", b"WRI\0"):
        host.send(opcode, 0, 16, random.randbytes(random.choice((0, 16, 100))))
    for opcode in (b"READ", b"WRIT"):
        for data in (b"", b"x", random.randbytes(40)):
            host.send(opcode, 3, 0, data)
            host.wanted.append((b"", 0, DONE))
    host.read(0, 256)
    host.read(BEYOND - 192, 128)
    host.bench.drain(quiet=300)
    host.check()
    assert host.bench.events[:7] == [0, 0, 0, 0, 11, 0, 5]
    assert host.bench.status == 0


def test_errors_of_the_memory(benches: Benches) -> None:
    """Of the copy that has them only, in whatever burst they are."""
    host = opened(benches, 512)
    random = host.random
    host.write(END, random.randbytes(3000))
    for length in (1, 64):
        host.send(b"READ", REFUSED + 64 - length, length)
        host.wanted.append((None, 0, ERROR))
        host.read(END + 5, 100)
        host.send(b"WRIT", REFUSED, 64, random.randbytes(64))
        host.wanted.append((b"", 0, ERROR))
        host.write(END, random.randbytes(10))
    host.read(END, 3000)
    host.bench.drain(quiet=300)
    host.check()
    assert host.bench.events[:7] == [2, 2, 0, 4, 0, 0, 0]
    assert failed(host.bench) == 0


def test_an_error_in_one_of_several_bursts(benches: Benches) -> None:
    """It is that of the copy, and of no other one."""
    host = opened(benches)
    random = host.random
    host.bench.control(1)
    for size in (700, 1):  # the refused burst is in the middle, or the only one
        at = REFUSED_TOO - 300 if size > 1 else REFUSED_TOO + 7
        host.send(b"READ", at, size)
        host.wanted.append((None, 0, ERROR))
        host.read(END, 300)
        host.send(b"WRIT", at, size, bytes(at % host.size) + random.randbytes(size))
        host.wanted.append((b"", 0, ERROR))
        host.write(END, random.randbytes(300))
    host.bench.drain(quiet=300)
    host.check()
    assert host.bench.events[COPY_ERROR] == 4


@pytest.mark.parametrize("data_width", [128, 512])
def test_messages_of_another_length(benches: Benches, data_width: int) -> None:
    """The bytes that exist are written, the status tells, and the next copy is not concerned."""
    host = opened(benches, data_width)
    random, size = host.random, host.size
    host.write(END, random.randbytes(4096))
    for length, given in ((size, size - 1), (3 * size, 2), (50 * size, size), (40, 41 * size)):
        for offset in (0, size - 1):
            at = END + size + offset
            data = random.randbytes(given)
            host.send(b"WRIT", at, length, bytes(offset) + data)
            written = min(length, given)
            host.world.memory[at : at + written] = data[:written]
            is_whole = -(-(offset + length) // size) == -(-(offset + given) // size)
            status = DONE if given >= length and is_whole else MISMATCH
            host.wanted.append((b"", 0, status))
            host.read(END, 4096)
    host.bench.drain(quiet=300)
    host.check()
    assert host.bench.events[:7] == [0, 0, 0, 0, 0, 8, 0]


@pytest.mark.parametrize("cycles", [0, 1, 3, 5, 6, 7, 12, 20, 30, 45, 60, 90])
def test_reset_in_copies(benches: Benches, cycles: int) -> None:
    """Nothing of the time before is left. The rest of a message that was cut is dropped."""
    host = opened(benches, seed=cycles)
    random, bench = host.random, host.bench
    if cycles % 2:
        host.send(b"WRIT", END, 800, random.randbytes(800))
    host.send(b"READ", END, 700)
    host.send(b"WRIT", END, 800, random.randbytes(800))
    bench.push([ADDRESS.pack(addr=0x8000, len=15)] * 2, READ)
    bench.run(cycles)
    bench.reset()
    bench.run(100)
    assert bench.status == 0
    bench.forget()
    host.world.memory[:] = bytes(BEYOND)
    host.write(END, random.randbytes(1000))
    host.read(END, 1000)
    words = [each for _ in range(3) for each in host.world.read()]
    bench.drain(quiet=300)
    host.check()
    assert bench.items(READ_DATA) == words


def test_rest_of_a_message(benches: Benches) -> None:
    """A source that is not reset sends it after the reset."""
    host = opened(benches)
    for data in (bytes(500), host.random.randbytes(500)):
        host.send(data[:4], int.from_bytes(data[4:12], "little"), 3, data)
    host.write(5, b"bombus")
    host.read(0, 20)
    host.bench.drain(quiet=300)
    host.check()
    assert host.bench.events[UNKNOWN] == 2


def test_rate(benches: Benches) -> None:
    """Of copies of 4 KiB, one after the other: data beats of the memory per cycle."""
    host = opened(benches, 512)
    beats = 64
    for number in range(8):
        host.write(4096 * number, host.random.randbytes(4096))
    host.bench.drain(quiet=300)
    taken = host.bench.taken(COPY)
    assert len(taken) == 8 * (beats + 1)
    assert 8 * beats / (taken[-1] - taken[0]) > 0.93
    host.check()
    host.bench.forget()
    for number in range(8):
        host.read(4096 * number, 4096)
    host.bench.drain(quiet=300)
    cycles = [each.cycle for each in host.bench.received(ANSWERS)]
    assert 8 * beats / (cycles[-1] - cycles[0]) > 0.97
    host.check()


def turns(kernel: list[int], copies: list[int]) -> int:
    """The most data of the kernel between two beats of copies."""
    return max(sum(start < cycle < end for cycle in kernel) for start, end in pairwise(copies))


@pytest.mark.parametrize("beats", [1, 16, 256])
def test_copy_and_kernel_take_turns(benches: Benches, beats: int) -> None:
    """While both read all the time, each waits for at most one burst of the other."""
    host = opened(benches)
    bench, copied = host.bench, 16 * 64
    bench.push([ADDRESS.pack(addr=0x8000, len=beats - 1)] * (4096 // beats), READ)
    for _ in range(2):
        host.read(0, copied)
    bench.drain(quiet=300)
    host.check()
    at = [each.cycle for each in bench.received(READ_DATA)]
    answers = [each.cycle for each in bench.received(ANSWERS)]
    assert answers[-1] < at[-1]
    assert turns(at, answers) <= 16 * beats
    inside = [cycle for cycle in at if answers[0] < cycle < answers[-1]]
    assert turns(answers, inside) <= 16 + 1  # and the status of the first copy
    assert len(at) == 4096


def test_a_copy_does_not_starve_software(benches: Benches) -> None:
    host = opened(benches)
    bench = host.bench
    for _ in range(4):
        host.read(0, 16000)
    bench.push([ADDRESS.pack(addr=0x8000, len=15)] * 200, READ)
    bench.run(200)
    start = bench.cycle
    answer = host.world.access(3)
    bench.drain(quiet=300)
    (found,) = bench.received(2)
    assert found.item == answer
    assert found.cycle - start < MOST_BEATS + MEMORY_CYCLES
    assert bench.received(ANSWERS)[-1].cycle > found.cycle
    host.check()


def test_a_host_that_waits(benches: Benches) -> None:
    """One that takes no answer, and one that stops in a message, delay the kernel by no cycle."""
    host = opened(benches)
    bench, world = host.bench, host.world
    bench.stall(ANSWERS, 1)
    for _ in range(4):
        host.read(0, 16000)  # more than there is room for
    bench.run(3000)
    bench.push([ADDRESS.pack(addr=0x8000, len=15)] * 4, READ)
    start = bench.cycle
    bench.run(64 + MEMORY_CYCLES)
    assert len(bench.items(READ_DATA)) == 64
    assert bench.received(READ_DATA)[-1].cycle - start < 64 + MEMORY_CYCLES
    bench.stall(ANSWERS, 0)
    bench.drain(quiet=300)
    host.check()
    # Nothing is left of a copy that a reset has cut before its first burst.
    host.send(b"WRIT", END, 800, bytes(800))
    beats = bench.waiting(COPY)
    while bench.waiting(COPY) > beats - 16:
        bench.run(1)
    bench.reset()
    host.write(END, bytes(800))
    while bench.waiting(COPY) > beats - 20:  # the header, a burst, and some of the next one
        bench.run(1)
    bench.gap(COPY, 1)
    bench.push([ADDRESS.pack(addr=0, len=15)] * 4, WRITE)
    data = [world.data.pack(data=n, strb=0, last=n % 16 == 15) for n in range(64)]
    bench.push(data, DATA)
    bench.run(64 + MEMORY_CYCLES)
    assert bench.items(RESPONSE) == [0] * 4
    assert bench.waiting(COPY)
    bench.pace()
    bench.drain(quiet=300)
    host.check()

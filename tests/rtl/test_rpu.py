# SPDX-License-Identifier: Apache-2.0
"""The packet processor: firmware in C decides, packets come out as it says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from harness import PACES, Beats, Bench, Benches, Message, pack_meta

from bombus.firmware import image
from bombus.firmware.build import build

ECHO = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        volatile struct rpu_window *window = rpu_window(packet);
        uint32_t ports = window->meta[0];
        window->meta[0] = ports << 16 | ports >> 16;
        rpu_send(packet);
    }
}
"""
FORWARD = """
#include "rpu.h"
int main(void) { for (;;) rpu_send(rpu_receive()); }
"""
# Descriptors as words of memory; asks whether there is one first.
FORWARD_BY_MEMORY = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = RPU_RECEIVE_WORD;
        if (packet) RPU_SEND_WORD = packet;
    }
}
"""
# Bytes, halfwords and words of the header; packets become shorter; some are dropped.
EDIT = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_poll();
        if (!packet) continue;
        volatile struct rpu_window *window = rpu_window(packet);
        volatile uint8_t *bytes = (volatile uint8_t *)window->header;
        volatile uint16_t *halves = (volatile uint16_t *)window->header;
        if (bytes[0] & 1) {
            rpu_drop(packet);
            continue;
        }
        bytes[1] = bytes[2] + 1;
        halves[2] = halves[3] ^ 0xffff;
        window->header[2] = rpu_reverse(window->header[3]);
        uint32_t shorter = bytes[0] & 2 ? RPU_LENGTH(packet) / 2 : 0;
        rpu_send(packet - shorter);
    }
}
"""


class Processor:
    """The layer with a program in it."""

    def __init__(
        self,
        benches: Benches,
        program: str,
        tmp_path: Path,
        seed: int = 1,
        width: int = 512,
        **p: int,
    ) -> None:
        self.bench: Bench = benches("rpu", seed=seed, DataWidth=width, **p)
        self.beats = Beats(width)
        self.folder = tmp_path
        self.load(program)

    def load(self, program: str) -> None:
        source, elf = self.folder / "program.c", self.folder / "program.elf"
        source.write_text(program)
        build([source], elf, code_bytes=8192, data_bytes=8192)
        found = image.read(elf)
        self.bench.control(0)
        words = [a // 4 << 32 | word for a, word in found.code.items()]
        words += [1 << 63 | a // 4 << 32 | word for a, word in found.data.items()]
        self.bench.push(words, 1)
        while self.bench.waiting(1):
            self.bench.run(10)
        self.bench.forget()
        self.bench.control(1)
        self.bench.run(60)

    def push(self, messages: Sequence[Message], random: Random | None = None) -> None:
        self.bench.push(self.beats.stream(messages, random))

    def sent(self) -> list[Message]:
        return self.beats.messages(self.bench.items(), lengths=True)

    @property
    def counts(self) -> tuple[int, ...]:
        """Too long, dropped by firmware, bad descriptors."""
        return tuple(self.bench.events[:3])


def message(random: Random, length: int) -> Message:
    ports = {"l4__ports__src_port": random.getrandbits(16), "l4__ports__dst_port": 7}
    meta = pack_meta(ip=random.getrandbits(32), length=length, tos=random.getrandbits(8), **ports)
    return Message(random.randbytes(length), meta)


def echoed(given: Message) -> Message:
    ports = given.meta & 0xFFFFFFFF
    return Message(given.payload, given.meta ^ ports | (ports << 16 | ports >> 16) & 0xFFFFFFFF)


LENGTHS = (0, 1, 2, 63, 64, 65, 127, 128, 129, 500, 1458, 2047, 2048)


@pytest.mark.parametrize("pace", PACES, ids=str)
@pytest.mark.parametrize("width", [128, 512])
def test_echo(benches: Benches, tmp_path: Path, width: int, pace: dict[str, float]) -> None:
    random = Random(1)
    processor = Processor(benches, ECHO, tmp_path, width=width)
    processor.bench.pace(**pace)
    sent = [message(random, length) for length in LENGTHS]
    sent += [message(random, random.choice(LENGTHS)) for _ in range(150)]
    processor.push(sent, random)
    processor.bench.drain(quiet=300)
    assert processor.sent() == [echoed(each) for each in sent]
    assert processor.counts == (0, 0, 0)
    assert processor.bench.status & 1 == 0, "busy"


def test_every_length(benches: Benches, tmp_path: Path) -> None:
    random = Random(2)
    processor = Processor(benches, FORWARD, tmp_path, NumSlots=4)
    sent = [message(random, length) for length in range(400)]
    processor.push(sent, random)
    processor.bench.drain(quiet=300)
    assert processor.sent() == sent


def edited(given: Message) -> Message | None:
    data = bytearray(given.payload)
    if data[0] & 1:
        return None
    data[1] = (data[2] + 1) % 256
    data[4:6] = bytes(each ^ 0xFF for each in data[6:8])
    data[8:12] = data[15:11:-1]
    if data[0] & 2:
        data = data[: len(data) - len(data) // 2]
    meta = given.meta - (len(given.payload) - len(data) << META_LENGTH)
    return Message(bytes(data), meta)


META_LENGTH = pack_meta(length=1).bit_length() - 1


@pytest.mark.parametrize("pace", PACES, ids=str)
def test_firmware_writes_headers_and_drops(
    benches: Benches, tmp_path: Path, pace: dict[str, float]
) -> None:
    random = Random(3)
    processor = Processor(benches, EDIT, tmp_path)
    processor.bench.pace(**pace)
    sent = [message(random, random.randrange(16, 300)) for _ in range(200)]
    processor.push(sent, random)
    processor.bench.drain(quiet=500)
    wanted = [edited(each) for each in sent]
    assert processor.sent() == [each for each in wanted if each]
    assert processor.counts == (0, wanted.count(None), 0)
    assert processor.bench.status & 1 == 0


def test_too_long_messages_are_dropped(benches: Benches, tmp_path: Path) -> None:
    random = Random(4)
    processor = Processor(benches, FORWARD, tmp_path, SlotBytes=256)
    sent = [message(random, random.choice([100, 256, 257, 320, 1000])) for _ in range(100)]
    processor.push(sent, random)
    processor.bench.drain(quiet=300)
    kept = [each for each in sent if len(each.payload) <= 256]
    assert processor.sent() == kept
    assert processor.counts == (100 - len(kept), 0, 0)


BAD = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        rpu_send(packet ^ 0x10000);
        rpu_send((packet & ~0x3fffu) + 4000);
        rpu_send(packet);
    }
}
"""


def test_bad_descriptors_send_nothing(benches: Benches, tmp_path: Path) -> None:
    """A slot that the core does not have; a length past the slot, which loses the packet."""
    random = Random(5)
    processor = Processor(benches, BAD, tmp_path)
    processor.push([message(random, 100) for _ in range(20)])
    processor.bench.drain(quiet=500)
    assert processor.sent() == []
    assert processor.counts == (0, 20, 60)
    assert processor.bench.status & 1 == 0, "slots are free again"


HOLD = """
#include "rpu.h"
int main(void) {
    for (int i = 0; i < 8; i++) rpu_receive();
    for (;;) {}
}
"""


def test_a_new_program_gets_all_slots(benches: Benches, tmp_path: Path) -> None:
    """What the old one had is dropped; what waits is for the new one."""
    random = Random(6)
    processor = Processor(benches, HOLD, tmp_path)
    sent = [message(random, 100) for _ in range(30)]
    processor.push(sent)
    processor.bench.run(300)
    assert processor.bench.waiting() == 2 * (30 - 16), "beats of those that have no slot"
    processor.bench.control(0)
    processor.bench.run(100)
    assert processor.counts == (0, 8, 0)
    processor.load(FORWARD)
    processor.bench.drain(quiet=300)
    assert processor.sent() == sent[8:]
    assert processor.bench.status & 1 == 0


def cycles_per_packet(processor: Processor, length: int = 60) -> float:
    """Between packets at the output, when there are always more."""
    random = Random(7)
    processor.push([message(random, length) for _ in range(200)])
    processor.bench.drain(quiet=300)
    at = [each.cycle for each in processor.bench.received()][40:160]
    return (at[-1] - at[0]) / (len(at) - 1)


FIRMWARE: dict[str, tuple[str, Callable[[float], bool]]] = {
    "custom instructions": (FORWARD, lambda cycles: cycles <= 4),
    "memory": (FORWARD_BY_MEMORY, lambda cycles: cycles <= 8),
    "echo": (ECHO, lambda cycles: cycles <= 16),
}


@pytest.mark.parametrize("name", FIRMWARE)
def test_cycles_per_packet(benches: Benches, tmp_path: Path, name: str) -> None:
    program, is_good = FIRMWARE[name]
    cycles = cycles_per_packet(Processor(benches, program, tmp_path))
    print(f"{name}: {cycles} cycles per packet")
    assert is_good(cycles), cycles


def test_latency(benches: Benches, tmp_path: Path) -> None:
    """From the only beat of a packet to that of the answer, of firmware that only forwards."""
    processor = Processor(benches, FORWARD, tmp_path)
    processor.push([message(Random(8), 60)])
    processor.bench.drain(quiet=100)
    (sent,) = processor.bench.received()
    (taken,) = processor.bench.taken()
    assert sent.cycle - taken == 9

# SPDX-License-Identifier: Apache-2.0
"""The packet processor: firmware in C decides, packets come out as it says."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from random import Random

import pytest

from tests.applications.processors.rpu_bench import ECHO, FORWARD, Processor, message
from tests.support.harness import PACES, Benches, Message, pack_meta

pytestmark = pytest.mark.slow

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


# Every byte is inverted by a sum of words, halfwords and bytes over the bus, the last ones first.
INVERT = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        volatile uint8_t *bytes = rpu_bytes(packet);
        uint32_t length = RPU_LENGTH(packet);
        for (uint32_t at = length; at > 0;) {
            at--;
            if (at % 4 == 3) {
                at -= 3;
                *(volatile uint32_t *)(bytes + at) ^= 0xffffffff;
            } else if (at % 4 == 1) {
                at -= 1;
                *(volatile uint16_t *)(bytes + at) ^= 0xffff;
            } else {
                bytes[at] ^= 0xff;
            }
        }
        rpu_send(packet);
    }
}
"""
# Two copies of what comes, if there is a slot.
COPY = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        uint32_t length = RPU_LENGTH(packet);
        rpu_packet copy = rpu_empty();
        if (!copy) {
            rpu_send(packet);
            continue;
        }
        volatile uint32_t *from = rpu_bytes(packet), *to = rpu_bytes(copy);
        for (uint32_t at = 0; at < (length + 3) / 4; at++) to[at] = from[at];
        for (int at = 0; at < 4; at++) rpu_window(copy)->meta[at] = rpu_window(packet)->meta[at];
        rpu_send(packet);
        rpu_send(copy | length);
    }
}
"""
# The accelerator counts bytes; packets with an odd count, or none, are dropped, and the second
# byte of the others says how many bits it has.
COUNT = """
#include "rpu.h"
int main(void) {
    RPU_ACCELERATOR[0] = 0x55;
    for (;;) {
        rpu_packet packet = rpu_receive();
        uint32_t count = rpu_window(packet)->verdict, ones;
        RPU_ACCELERATE(4, ones, count, 0);
        if (RPU_VERDICT(packet) % 2 || RPU_ACCELERATOR[0] != 0x55 || (packet >> 31)) {
            rpu_drop(packet);
            continue;
        }
        volatile uint8_t *bytes = (volatile uint8_t *)rpu_window(packet)->header;
        bytes[0] = count;
        bytes[1] = ones;
        rpu_send(packet);
    }
}
"""

FAULTS = """
#include "rpu.h"
volatile uint32_t faults;
void trap_handler(void) __attribute__((interrupt("machine")));
void trap_handler(void) {
    uint32_t pc;
    __asm__ volatile("csrr %0, mepc" : "=r"(pc));
    __asm__ volatile("csrw mepc, %0" : : "r"(pc + 4));
    faults = faults + 1;
}
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        volatile uint32_t *bytes = rpu_bytes(packet ^ 0x10000);
        (void)bytes[0];
        bytes[20] = 1;
        (void)*(volatile uint32_t *)(0x20100000 + 16 * 2048);
        *(volatile uint32_t *)0x20030000 = 1;
        (void)*(volatile uint32_t *)0x28000000;
        rpu_window(packet ^ 0x20000)->header[0] = faults;
        (void)rpu_window(packet ^ 0x40000)->meta[0];
        (void)rpu_window(0x100000)->meta[0];
        *(volatile uint32_t *)(0x10000000 + 8192) = faults;
        ((volatile uint32_t *)rpu_bytes(packet))[1] = faults;
        rpu_send(packet);
        (void)*(volatile uint32_t *)rpu_bytes(packet);
    }
}
"""


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


@pytest.mark.parametrize("pace", PACES, ids=str)
@pytest.mark.parametrize("width", [64, 512])
def test_bytes_over_the_bus(
    benches: Benches, tmp_path: Path, width: int, pace: dict[str, float]
) -> None:
    random = Random(11)
    processor = Processor(benches, INVERT, tmp_path, width=width, SlotBytes=2048)
    processor.bench.pace(**pace)
    sent = [message(random, random.choice([*range(1, 10), 63, 64, 65, 200])) for _ in range(60)]
    sent.append(message(random, 2048))
    processor.push(sent, random)
    processor.bench.drain(quiet=15000)
    assert processor.sent() == [Message(bytes(b ^ 255 for b in m.payload), m.meta) for m in sent]
    assert processor.counts == (0, 0, 0)


@pytest.mark.parametrize("pace", PACES, ids=str)
def test_empty_slots(benches: Benches, tmp_path: Path, pace: dict[str, float]) -> None:
    random = Random(12)
    processor = Processor(benches, COPY, tmp_path, NumSlots=4)
    processor.bench.pace(**pace)

    def copies(sent: list[Message]) -> set[int]:
        processor.bench.forget()
        processor.push(sent, random)
        processor.bench.drain(quiet=3000)
        came = groupby(processor.sent(), key=lambda each: each.meta)
        numbers = [(each, len([*group])) for each, group in came]
        assert [each for each, _ in numbers] == [each.meta for each in sent]
        return {number for _, number in numbers}

    # All at once: what comes may take all slots. One by one: there are others.
    assert copies([message(random, random.randrange(200)) for _ in range(60)]) <= {1, 2}
    for _ in range(10):
        assert copies([message(random, random.randrange(200))]) == {2}
    assert processor.counts == (0, 0, 0)
    assert processor.bench.status & 1 == 0


def counted(given: Message) -> Message | None:
    count = given.payload.count(0x55)
    if count % 2:
        return None
    return Message(bytes([count, count.bit_count()]) + given.payload[2:], given.meta)


@pytest.mark.parametrize("pace", PACES, ids=str)
@pytest.mark.parametrize("width", [64, 512])
def test_verdicts(benches: Benches, tmp_path: Path, width: int, pace: dict[str, float]) -> None:
    random = Random(13)
    processor = Processor(benches, COUNT, tmp_path, width=width, Accelerated=1)
    processor.bench.pace(**pace)
    sent = []
    for _ in range(150):
        given = message(random, random.choice([2, 64, 65, random.randrange(2, 600)]))
        payload = bytes(0x55 if random.random() < 0.1 else byte for byte in given.payload)
        sent.append(Message(payload, given.meta))
    processor.push(sent, random)
    processor.bench.drain(quiet=500)
    wanted = [counted(each) for each in sent]
    assert processor.sent() == [each for each in wanted if each]
    assert processor.counts == (0, wanted.count(None), 0)
    assert processor.bench.status & 1 == 0


def test_what_is_refused(benches: Benches, tmp_path: Path) -> None:
    """Each packet makes nine faults, and one more behind it, since it is no longer its own."""
    random = Random(14)
    processor = Processor(benches, FAULTS, tmp_path)
    sent = [message(random, 100) for _ in range(10)]
    for each in sent:
        processor.push([each])
        processor.bench.drain(quiet=600)
    faults = [int.from_bytes(each.payload[4:8], "little") for each in processor.sent()]
    assert faults == [9 + 10 * n for n in range(10)]

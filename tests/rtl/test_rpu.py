# SPDX-License-Identifier: Apache-2.0
"""The packet processor: firmware in C decides, packets come out as it says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from random import Random

import pytest
from harness import PACES, Beats, Bench, Benches, Layout, Message, pack_meta

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
BY_VERDICT = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        rpu_send(packet | (packet << 1 & RPU_DROP));
    }
}
"""
# Counts in a trap handler what is refused: a slot that is not its own, one beyond the last, an
# address without anything, over the bus and not.
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


PERIOD = 4096  # cycles of the watchdog
CONTROL = Layout(
    *(("run", 1), ("discard", 1), ("limit", 6), ("send", 1), ("place", 4), ("word", 32)),
)
STATUS = Layout(
    *(("busy", 1), ("next", 1), ("timer", 1), ("stuck", 1), ("exception", 1), ("slots", 7)),
    *(("cause", 4), ("pc", 16), ("report", 32)),
)


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
        too_long, by_firmware, no_port, _, bad = self.bench.events[:5]
        assert no_port == 0
        return too_long, by_firmware, bad

    @property
    def status(self) -> dict[str, int]:
        return STATUS.unpack(self.bench.status)


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
    sent = [message(random, random.randrange(200)) for _ in range(60)]
    processor.push(sent, random)
    processor.bench.drain(quiet=3000)
    copies = iter(processor.sent())
    numbers = [(each, len([*group])) for each, group in groupby(copies, key=lambda m: m.meta)]
    assert [each for each, _ in numbers] == [each.meta for each in sent]
    assert {number for _, number in numbers} == {1, 2}
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


LOOPS = """
#include "rpu.h"
int main(void) {
    rpu_send(rpu_receive());
    for (;;) {}
}
"""
# In every cycle but that of the jump, something that takes the place of what comes or goes.
STORES = """
#include "rpu.h"
int main(void) {
    rpu_packet packet = rpu_receive();
    rpu_send(rpu_receive());
    volatile uint32_t *word = rpu_window(packet)->header;
    for (;;) {
        for (int n = 0; n < 400; n++) {
            word[0] = 1; word[0] = 2; word[0] = 3; word[0] = 4; word[0] = 5; word[0] = 6;
            word[0] = 1; word[0] = 2; word[0] = 3; word[0] = 4; word[0] = 5; word[0] = 6;
        }
    }
}
"""
HOLDS = """
#include "rpu.h"
int main(void) {
    rpu_send(rpu_receive());
    for (;;) rpu_receive();
}
"""
EMPTIES = """
#include "rpu.h"
int main(void) {
    rpu_send(rpu_receive());
    for (;;) rpu_empty();
}
"""
STRAYS = """
#include "rpu.h"
int main(void) {
    rpu_send(rpu_receive());
    *(volatile uint32_t *)0x10004000u = 1;
    for (;;) rpu_send(rpu_receive());
}
"""
FORGES = """
#include "rpu.h"
int main(void) {
    rpu_send(rpu_receive());
    for (uint32_t slot = 0;; slot++) rpu_send((slot & 0xff) << 16 | 0x8010);
}
"""
HOSTILE = {
    "loops": LOOPS,
    "stores": STORES,
    "holds": HOLDS,
    "empties": EMPTIES,
    "strays": STRAYS,
    "forges": FORGES,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_firmware_is_stopped(benches: Benches, tmp_path: Path, name: str) -> None:
    """What comes is taken all the time, and the next program is not affected."""
    random = Random(21)
    processor = Processor(benches, HOSTILE[name], tmp_path)
    processor.bench.control(CONTROL.pack(run=1, limit=1))
    sent = [message(random, random.choice([60, 64, 300])) for _ in range(200)]
    processor.push(sent, random)
    processor.bench.run(2 * PERIOD + 2000)
    assert processor.bench.waiting() == 0, "it blocks others"
    status = processor.status
    assert status["stuck"] == 1
    assert status["slots"] == 0
    assert status["busy"] == 0
    assert status["exception"] == (name == "strays")
    if name == "strays":
        assert status["cause"] == 7
    by_firmware, _, discarded, bad, empty, exceptions, stuck = processor.bench.events[1:8]
    assert stuck == 1
    assert exceptions == (name == "strays")
    assert (bad > 100) == (name == "forges")
    assert (empty > 0) == (name == "empties")
    assert discarded > 100
    came = processor.sent()
    assert came[0] in sent[:2]
    assert len(came) + by_firmware + discarded == len(sent) + empty
    processor.load(FORWARD)
    assert processor.status["stuck"] == 0
    assert processor.status["exception"] == 0
    more = [message(random, 100) for _ in range(50)]
    processor.push(more)
    processor.bench.drain(quiet=300)
    assert processor.sent() == more


def test_watchdog_leaves_others_alone(benches: Benches, tmp_path: Path) -> None:
    """No packets for long; packets all the time; an output that stalls for long."""
    random = Random(22)
    processor = Processor(benches, FORWARD, tmp_path)
    processor.bench.control(CONTROL.pack(run=1, limit=1))
    processor.bench.run(3 * PERIOD)
    processor.bench.pace(gap=0.0, stall=1.0)
    sent = [message(random, 100) for _ in range(50)]
    processor.push(sent)
    processor.bench.run(3 * PERIOD)
    processor.bench.pace(gap=0.9, stall=0.0)
    processor.bench.drain(quiet=300)
    assert processor.sent() == sent
    assert processor.status["stuck"] == 0
    assert processor.bench.events[7] == 0


def test_discard(benches: Benches, tmp_path: Path) -> None:
    """What has come is still processed; what comes is dropped."""
    random = Random(23)
    processor = Processor(benches, HOLD, tmp_path)
    processor.push([message(random, 100) for _ in range(30)])
    processor.bench.run(300)
    processor.bench.control(CONTROL.pack(run=1, discard=1))
    processor.bench.run(100)
    assert processor.bench.waiting() == 0
    assert processor.bench.events[3] == 30 - 16
    assert processor.status["slots"] == 16
    processor.bench.control(CONTROL.pack(run=0, discard=1))
    processor.bench.run(100)
    assert processor.status["slots"] == 0
    assert processor.counts == (0, 16, 0)
    processor.load(FORWARD)
    sent = [message(random, 100) for _ in range(50)]
    processor.push(sent)
    processor.bench.drain(quiet=300)
    assert processor.sent() == sent


ALARM = """
#include "rpu.h"
volatile uint32_t alarms;
volatile uint64_t at;
void trap_handler(void) __attribute__((interrupt("machine")));
void trap_handler(void) {
    alarms = alarms + 1;
    rpu_alarm(at += 20);
}
int main(void) {
    at = rpu_time64() + 20;
    rpu_alarm(at);
    rpu_interrupts(RPU_TIMER_INTERRUPT);
    for (;;) {
        rpu_packet packet = rpu_receive();
        volatile struct rpu_window *window = rpu_window(packet);
        if (window->header[0] == 0) rpu_no_alarm();
        if (window->header[0] == 2) rpu_alarm(rpu_time64() + (1ull << 32));
        uint64_t now = rpu_time64();
        window->header[0] = (uint32_t)now;
        window->header[1] = alarms;
        window->header[2] = (uint32_t)(now >> 32);
        rpu_send(packet);
    }
}
"""


def test_timer(benches: Benches, tmp_path: Path) -> None:
    """An interrupt each 20 us of 4 cycles; the time wraps meanwhile."""
    processor = Processor(benches, ALARM, tmp_path)
    seen = []
    for word in [1] * 20 + [2] * 3 + [0] * 3:
        processor.bench.run(4000)
        sent = message(Random(24), 100)
        processor.push([Message(word.to_bytes(4, "little") + sent.payload[4:], sent.meta)])
        processor.bench.run(100)
        payload = processor.sent()[-1].payload
        seen.append([int.from_bytes(payload[at : at + 4], "little") for at in (0, 4, 8)])
        assert processor.status["timer"] == (word != 0)
    for (time, alarms, _), (next_time, next_alarms, _) in pairwise(seen[:20]):
        assert abs((next_time - time) % 2**32 / 20 - (next_alarms - alarms)) <= 1.5
    assert seen[0][0] > 2**31 > seen[-1][0]
    assert (seen[0][2], seen[-1][2]) == (0, 1)
    assert len({alarms for _, alarms, _ in seen[20:]}) == 1, "far ahead, then disarmed"
    assert processor.bench.events[6] == 0, "an interrupt is no exception"


MESSAGES = """
#include "rpu.h"
volatile uint32_t count;
void trap_handler(void) __attribute__((interrupt("machine")));
void trap_handler(void) {
    uint32_t word;
    while (rpu_message(&word) == 16 + (int)(count & 15)) count += word;
}
int main(void) {
    rpu_interrupts(RPU_MESSAGE_INTERRUPT);
    for (;;) {
        rpu_packet packet = rpu_receive();
        volatile uint32_t *header = rpu_window(packet)->header;
        RPU_SHARED[3] = header[0];
        RPU_SHARED[16 + (count & 15)] = 1;
        header[1] = RPU_SHARED[3];
        for (int n = 0; n < 10; n++) __asm__ volatile("nop");
        header[2] = count;
        rpu_send(packet);
    }
}
"""


def test_messages(benches: Benches, tmp_path: Path) -> None:
    """To itself: the words, and an interrupt for each."""
    random = Random(31)
    processor = Processor(benches, MESSAGES, tmp_path)
    sent = [message(random, 100) for _ in range(40)]
    for each in sent:
        processor.push([each])
        processor.bench.drain(quiet=400)
    for n, (given, got) in enumerate(zip(sent, processor.sent(), strict=True)):
        assert got.payload[4:8] == given.payload[:4]
        assert int.from_bytes(got.payload[8:12], "little") == n + 1
    assert processor.bench.events[6] == 0


OF_THE_HOST = """
#include "rpu.h"
int main(void) {
    for (;;) {
        uint32_t word;
        int place = rpu_message(&word);
        if (place >= 16) word = RPU_SHARED[place] << 1;
        if (place >= 0) rpu_report(word + place);
        if (place == 5) RPU_SHARED[20] = word;
    }
}
"""


def test_messages_of_the_host(benches: Benches, tmp_path: Path) -> None:
    """Each is there once, beside one that is broadcast; what the firmware tells can be read."""
    random = Random(32)
    processor = Processor(benches, OF_THE_HOST, tmp_path)
    assert processor.status["report"] == 0
    for number in range(40):
        place, word = random.randrange(16), random.getrandbits(16)
        # It is sent when the bit changes.
        processor.bench.control(CONTROL.pack(run=1, send=~number & 1, place=place, word=word))
        processor.bench.run(150)
        assert processor.status["report"] == (2 * word + 20 if place == 5 else word + place)
        assert processor.status["busy"] == 0


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


def test_cycles_with_a_verdict(benches: Benches, tmp_path: Path) -> None:
    """Drops those with a large count: the verdict is there when the descriptor is."""
    cycles = cycles_per_packet(Processor(benches, BY_VERDICT, tmp_path, Accelerated=1))
    print(f"by verdict: {cycles} cycles per packet")
    assert cycles <= 8, cycles


WORDS = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        volatile uint32_t *bytes = rpu_bytes(packet);
        uint32_t start = rpu_cycles();
        for (int n = 0; n < 100; n++) (void)bytes[20];
        uint32_t read = rpu_cycles();
        for (int n = 0; n < 100; n++) bytes[20] = 0;
        uint32_t written = rpu_cycles();
        for (int n = 0; n < 100; n++) __asm__ volatile("nop");
        uint32_t nothing = rpu_cycles();
        bytes[0] = read - start;
        bytes[1] = written - read;
        bytes[2] = nothing - written;
        rpu_send(packet);
    }
}
"""


def test_cycles_of_a_word_of_a_packet(benches: Benches, tmp_path: Path) -> None:
    """What a load and a store take beside an instruction of one cycle."""
    processor = Processor(benches, WORDS, tmp_path)
    processor.push([message(Random(15), 100)])
    processor.bench.drain(quiet=3000)
    (sent,) = processor.sent()
    cycles = [int.from_bytes(sent.payload[at : at + 4], "little") for at in (0, 4, 8)]
    read, written = (round((each - cycles[2]) / 100) + 1 for each in cycles[:2])
    assert (read, written) == (3, 2)


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

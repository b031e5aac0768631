# SPDX-License-Identifier: Apache-2.0
"""Interrupts of a packet processor: its timer, and messages of others and of the host."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from tests.applications.processors.rpu_bench import CONTROL, Processor, message
from tests.support.harness import Benches, Message

pytestmark = pytest.mark.slow

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
    """Each arrives once, next to a broadcast one; the firmware's report can be read."""
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

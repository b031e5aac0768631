# SPDX-License-Identifier: Apache-2.0
"""The register port of a packet processor, one access after another without a pause: messages of
the host, and its memory as soon as it has been stopped.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import bombus
from bombus.applications.processors.build import build
from tests.applications.processors import examples

pytestmark = pytest.mark.slow

# Broadcasts all the time, and counts messages of the host and those that are not the next one.
MESSAGES = """
#include "rpu.h"
int main(void) {
    uint32_t word, next = 0, wrong = 0;
    for (;;) {
        RPU_SHARED[16] = next;
        for (int place; (place = rpu_message(&word)) >= 0;)
            if (place == 5) {
                wrong += word != next;
                next = word + 1;
                rpu_report(wrong << 16 | next);
            }
    }
}
"""
# Stores all the time, in one word.
STORES = """
#include "rpu.h"
static volatile uint32_t words[64];
int main(void) {
    for (unsigned n = 0; n < 64; n++) words[n] = 0x1000 + n;
    rpu_empty(); // a packet inside, so that no cycle is skipped
    for (;;) words[0] = 7;
}
"""
MESSAGES_AT_ONCE = 8


def test_no_message_is_lost_or_doubled(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(MESSAGES)
    with examples.running("firewall", tmp_path) as simulation:
        processor = bombus.processors(simulation)[0]
        build([tmp_path / "program.c"], tmp_path / "program.elf")
        processor.load(tmp_path / "program.elf")
        processor.boot()
        simulation.advance(500)
        for start in range(0, 400, MESSAGES_AT_ONCE):
            for n in range(MESSAGES_AT_ONCE):
                processor.debug_send(start + n, 5)
            simulation.advance(700 + start % 13)
            assert processor.debug_word == start + MESSAGES_AT_ONCE
        processor.stop()


def test_a_read_after_the_stop_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(STORES)
    with examples.running("firewall", tmp_path) as simulation:
        processor = bombus.processors(simulation)[0]
        build([tmp_path / "program.c"], tmp_path / "program.elf")
        registers = processor.registers
        for cycles in range(12):
            processor.load(tmp_path / "program.elf")
            processor.boot()
            while not processor.status.slots:  # accesses, so that no cycle is skipped
                pass
            simulation.advance(100 + cycles)
            registers.control.run = 0
            first = [registers.data[n].word for n in (9, 10)]
            words = [registers.data[n].word for n in range(64)]
            assert [words[9], words[10]] == first
            assert words == [7, *range(0x1001, 0x1040)]

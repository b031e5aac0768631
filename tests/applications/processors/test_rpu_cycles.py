# SPDX-License-Identifier: Apache-2.0
"""Cycles that a packet processor takes for a packet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.applications.processors.rpu_bench import (
    ECHO,
    FORWARD,
    FORWARD_BY_MEMORY,
    Processor,
    message,
)
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

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
    assert sent.cycle - taken == 7

# SPDX-License-Identifier: Apache-2.0
"""Latency of words that packet processors broadcast, measured by their firmware."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random

from rich.table import Table

import bombus
from bombus import Simulation
from bombus.applications.processors.build import build

# The first byte of a frame says where its processor broadcasts the value of its cycle counter.
# SYNC sets all counters to zero. SINGLE is measured by the first instruction of the interrupt
# handler, which leaves the time in tp. After START all processors broadcast at once, each to its
# own place, and read what all have sent. The host gives each its number by NUMBER, and asks by ASK.
SYNC, SINGLE, START = 31, 16, 17
NUMBER, ASK = 1, 0
FIGURES = ("count", "most", "when", "burst_count", "burst_most")
PROGRAM = f"""
#include "rpu.h"

static struct {{
    uint32_t count, most, when, burst_count, burst_most;
}} found;
static uint32_t own;

__asm__(".balign 4; .globl trap_handler; trap_handler: rdcycle tp; j handle");

__attribute__((interrupt("machine"), used)) void handle(void) {{
    uint32_t now, word;
    __asm__ volatile("mv %0, tp" : "=r"(now));
    int place = rpu_message(&word);
    if (place == {SYNC}) {{
        __asm__ volatile("csrw mcycle, zero");
    }} else if (place == {SINGLE}) {{
        uint32_t cycles = now - word;
        if (cycles > found.most) found.most = cycles;
        found.when = 31 * found.when + now;
        found.count++;
    }} else if (place == {START}) {{
        uint32_t sent[PROCESSORS];
        RPU_SHARED[own] = rpu_cycles();
#pragma unroll
        for (uint32_t n = 0; n < PROCESSORS; n++) {{
            while ((sent[n] = RPU_SHARED[n]) < now) {{}}
        }}
        now = rpu_cycles();
#pragma unroll
        for (uint32_t n = 0; n < PROCESSORS; n++) {{
            if (now - sent[n] > found.burst_most) found.burst_most = now - sent[n];
            found.burst_count++;
        }}
    }} else if (place == {NUMBER}) {{
        own = word;
        RPU_SHARED[own] = 0;
    }} else {{
        rpu_report((&found.count)[word]);
    }}
}}

int main(void) {{
    rpu_interrupts(RPU_MESSAGE_INTERRUPT);
    for (;;) {{
        rpu_packet packet = rpu_receive();
        uint32_t place = rpu_window(packet)->header[0] & 31;
        rpu_drop(packet);
        RPU_SHARED[place] = rpu_cycles();
    }}
}}
"""
MESSAGES_EACH = 4  # single messages per processor, in all 4 per processor
BURSTS = 8
APART = 400  # cycles between broadcasts: each finds all processors waiting


@dataclass(frozen=True)
class Row:
    """Figures of one design; docs/benchmarks.md defines them."""

    case: str
    rpus: int
    single_messages: int
    single_cycles: int
    single_ns: float
    same_cycle: bool
    all_messages: int
    all_cycles: int
    all_ns: float
    lost: int


def narrow(file: Path, folder: Path) -> Path:
    """The design with data of 64 bits: broadcasts have wires of their own, and it builds faster."""
    text = file.read_text(encoding="utf-8")
    for old, new in (
        ("data_width: 512", "data_width: 64"),
        ("line_rate_gbps: 100", "line_rate_gbps: 10"),
        ("slot_bytes: 16384", "slot_bytes: 2048"),
    ):
        text = text.replace(old, new)
    changed = folder / f"narrow_{file.name}"
    changed.write_text(text.replace("name: middlebox", "name: narrow"), encoding="utf-8")
    return changed


def measure(file: Path, folder: Path) -> Row:
    """Single broadcasts from each processor, then all at once."""
    random = Random(1)
    with Simulation(file) as simulation:
        count = len(bombus.processors(simulation))
        source, elf = folder / "broadcast.c", folder / "broadcast.elf"
        source.write_text(PROGRAM.replace("PROCESSORS", str(count)), encoding="utf-8")
        build([source], elf, code_bytes=8192, data_bytes=8192)
        for number, processor in enumerate(bombus.processors(simulation)):
            processor.load(elf)
            processor.boot()
            simulation.advance(APART)
            processor.debug_send(number, NUMBER)
        if bombus.processors(simulation).shared:
            bombus.processors(simulation).distribution.policy = "round_robin"
        simulation.advance(APART)
        singles = MESSAGES_EACH * count
        for place in (SYNC, *[SINGLE] * singles, *[START] * BURSTS):
            simulation.send(bytes([place]) + random.randbytes(59), random.randrange(2))
            simulation.advance(APART + random.randrange(APART))
        found: dict[str, list[int]] = {name: [] for name in FIGURES}
        for processor in bombus.processors(simulation):
            for number, name in enumerate(FIGURES):
                processor.debug_send(number, ASK)
                simulation.advance(APART)
                found[name].append(processor.debug_word)
        simulation.check()
        clock_ns = 1e9 / simulation.clock_hz
    lost = singles * count - sum(found["count"])
    lost += BURSTS * count * count - sum(found["burst_count"])
    single, burst = max(found["most"]), max(found["burst_most"])
    return Row(
        case="broadcast",
        rpus=count,
        single_messages=singles,
        single_cycles=single,
        single_ns=round(single * clock_ns, 1),
        same_cycle=len(set(found["when"])) == 1,
        all_messages=BURSTS * count,
        all_cycles=burst,
        all_ns=round(burst * clock_ns, 1),
        lost=lost,
    )


def table(rows: Iterable[Row]) -> Table:
    names = [field.name for field in fields(Row)]
    found = Table(*names)
    for row in rows:
        found.add_row(*(str(getattr(row, name)) for name in names))
    return found

# SPDX-License-Identifier: Apache-2.0
"""Latency of words that packet processors broadcast, measured by their firmware."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random

from rich.table import Table

from bombus import Simulation
from bombus.firmware.build import build

# The first byte of a frame says where its processor broadcasts the value of its cycle counter.
# SYNC sets all counters to zero; SINGLE is measured in the interrupt handler; after START all
# processors broadcast at once, to BURST, and each reads what all have sent.
SYNC, SINGLE, START, BURST = 31, 16, 17, 18
FIGURES = ("count", "least", "most", "when", "burst_count", "burst_least", "burst_most")
PROGRAM = f"""
#include "rpu.h"

static struct {{
    uint32_t count, least, most, when, burst_count, burst_least, burst_most;
}} found = {{.least = ~0u, .burst_least = ~0u}};

__attribute__((interrupt("machine"))) void trap_handler(void) {{
    uint32_t now = rpu_cycles(), word;
    int place = rpu_message(&word);
    if (place == {SYNC}) {{
        __asm__ volatile("csrw mcycle, zero");
    }} else if (place == {SINGLE}) {{
        uint32_t cycles = now - word;
        if (cycles < found.least) found.least = cycles;
        if (cycles > found.most) found.most = cycles;
        found.when = 31 * found.when + now;
        found.count++;
    }} else if (place == {START}) {{
        RPU_SHARED[{BURST}] = rpu_cycles();
        for (uint32_t left = PROCESSORS; left;) {{
            if (rpu_message(&word) != {BURST}) continue;
            uint32_t cycles = rpu_cycles() - word;
            if (cycles < found.burst_least) found.burst_least = cycles;
            if (cycles > found.burst_most) found.burst_most = cycles;
            found.burst_count++;
            left--;
        }}
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


def measure(file: Path, folder: Path) -> Row:
    """Single broadcasts from each processor, then all at once."""
    random = Random(1)
    with Simulation(file) as simulation:
        count = len(simulation.rpus)
        source, elf = folder / "broadcast.c", folder / "broadcast.elf"
        source.write_text(PROGRAM.replace("PROCESSORS", str(count)), encoding="utf-8")
        build([source], elf, code_bytes=8192, data_bytes=8192)
        for processor in simulation.rpus:
            processor.load(elf)
            processor.boot()
        if simulation.distribution:
            simulation.lb.policy = "round_robin"
        simulation.advance(APART)
        singles = MESSAGES_EACH * count
        for place in (SYNC, *[SINGLE] * singles, *[START] * BURSTS):
            simulation.send(bytes([place]) + random.randbytes(59), random.randrange(2))
            simulation.advance(APART + random.randrange(APART))
        found: dict[str, list[int]] = {name: [] for name in FIGURES}
        for processor in simulation.rpus:
            for number, name in enumerate(FIGURES):
                processor.debug_send(number)
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

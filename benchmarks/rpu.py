# SPDX-License-Identifier: Apache-2.0
"""Packet processors between two MAC ports: rate by size and number of processors, latency, loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Annotated

from rich.table import Table

from bombus import Simulation
from bombus.base.errors import UserError
from bombus.firmware.build import build
from bombus.measure.bench import report_replies
from bombus.measure.exchanges import beats_of, wire_gbps
from bombus.simulator.frames import Exchange, latencies

SIZES = (60, 64, 65, 128, 256, 512, 1024, 1500, 9000)
LATENCY_SIZES = (64, 1500, 9000)
PROCESSORS = (1, 4, 8, 16)
BEATS = 3000  # of a row, at least; and so many frames:
FRAMES = 240
SINGLE_FRAMES = 8
LIMIT_CYCLES = 400_000
ROWS_OF_MESH = 4

# Descriptors by custom instructions, or as words of memory; out by the other port.
PROGRAMS = {
    "forward": "for (;;) rpu_send(rpu_receive() ^ RPU_PORT_BIT);",
    "forward_memory": """for (;;) {
        rpu_packet packet = RPU_RECEIVE_WORD;
        if (packet) RPU_SEND_WORD = packet ^ RPU_PORT_BIT;
    }""",
}


@dataclass(frozen=True)
class Row:
    """Figures of one case and size; docs/benchmarks.md defines them."""

    case: str
    rpus: int
    ports: int
    frame_bytes: int
    cycles_per_packet: float
    mpps: float
    gbps: float
    bound_gbps: float
    latency_cycles: int | None
    lost: int


def design_text(processors: int) -> str:
    """A mesh with both ports in the first column and the processors in the others."""
    rows = min(ROWS_OF_MESH, max(2, processors // 2))
    places = [[1 + n // rows, n % rows] for n in range(processors)]
    top = rows // 2 - 1
    place = f"at: {places[0]}"
    if processors > 1:
        place = f"replicas: {processors}\n    dispatch: round_robin\n    at: {places}"
    return f"""
name: middlebox_{processors}
data_width: 512
mac_ports:
  - {{mac: "02:b0:0b:05:00:01", ip: 10.77.0.2}}
  - {{mac: "02:b0:0b:05:00:02", ip: 10.78.0.2}}
tiles:
  - {{name: port_0, layers: [frame_rx, mac_tx], at: [0, {top}]}}
  - name: port_1
    layers: [{{frame_rx: {{mac_port: 1}}}}, {{mac_tx: {{mac_port: 1}}}}]
    at: [0, {top + 1}]
  - name: rpu
    {place}
    layers:
      - rpu: {{frames: true, num_slots: 16, slot_bytes: 16384}}
    next: {{udp_tx: drop}}
"""


def start(simulation: Simulation, folder: Path, program: str) -> None:
    """Compiles a program and starts it on all processors."""
    source, elf = folder / "program.c", folder / "program.elf"
    source.write_text(f'#include "rpu.h"\nint main(void) {{\n    {program}\n}}\n')
    build([source], elf, code_bytes=8192, data_bytes=8192)
    for processor in simulation.rpus:
        processor.load(elf)
        processor.boot()


def compare(frames: Sequence[bytes], ports: Sequence[int], done: Exchange) -> tuple[int, int]:
    """Frames that are lost; and those that are wrong, doubled, or came out of the wrong port."""
    wanted = Counter((data, 1 - port) for data, port in zip(frames, ports, strict=True))
    came = Counter((each.data, each.port) for each in done.received)
    return sum((wanted - came).values()), sum((came - wanted).values())


def cycles_each(done: Exchange) -> float:
    """Cycles per frame, of the middle half of what comes out."""
    at = [each.last_beat_cycle for each in done.received]
    middle = at[len(at) // 4 : len(at) * 3 // 4]
    if len(middle) < 2:
        raise UserError("too few frames came back to measure a rate")
    return (middle[-1] - middle[0]) / (len(middle) - 1)


def bound(simulation: Simulation, frame_bytes: int) -> float:
    """What a port can carry of such frames: its wire, or a frame in so many beats."""
    beats = beats_of(frame_bytes, simulation.data_bytes)
    line = float(simulation.manifest["line_rate_gbps"])
    return min(line, wire_gbps(frame_bytes, simulation.clock_hz / beats))


def measure(simulation: Simulation, random: Random, case: str, frame_bytes: int) -> tuple[Row, int]:
    """Figures of one size, and the number of errors."""
    count = len(simulation.rpus)
    beats = beats_of(frame_bytes, simulation.data_bytes)
    frames = [random.randbytes(frame_bytes) for _ in range(max(FRAMES, BEATS // beats))]
    # A processor alone is fed as fast as it takes; several, by both ports at line rate.
    ports = [n % 2 for n in range(len(frames))] if count > 1 else [0] * len(frames)
    line = float(simulation.manifest["line_rate_gbps"])
    for port in (0, 1):
        simulation.line_rate(line if count > 1 else None, port)
    window = 0 if count > 1 else 32
    done = simulation.exchange(frames, ports=ports, window=window, limit_cycles=LIMIT_CYCLES)
    lost, wrong = compare(frames, ports, done)
    cycles = cycles_each(done)
    mpps = simulation.clock_hz / cycles / 1e6
    latency = None
    for port in (0, 1):
        simulation.line_rate(line, port)
    if frame_bytes in LATENCY_SIZES:
        alone = []
        for number in range(SINGLE_FRAMES):
            simulation.advance_until_idle()
            simulation.advance(number)
            data = random.randbytes(frame_bytes)
            single = simulation.exchange([data], limit_cycles=LIMIT_CYCLES)
            wrong += [each.data for each in single.received] != [data]
            alone += latencies(single)
        latency = max(alone)
    row = Row(
        case=case,
        rpus=count,
        ports=len(set(ports)),
        frame_bytes=frame_bytes,
        cycles_per_packet=round(cycles, 3),
        mpps=round(mpps, 3),
        gbps=round(wire_gbps(frame_bytes, mpps * 1e6), 3),
        bound_gbps=round(bound(simulation, frame_bytes) * len(set(ports)), 3),
        latency_cycles=latency,
        lost=lost,
    )
    return row, lost + wrong


def numbers(text: str | int, known: Sequence[int]) -> list[int]:
    try:
        found = [int(each) for each in str(text).split(",")] if text else list(known)
    except ValueError:
        found = []
    if not found or min(found) < 1:
        raise UserError(f"{text!r} should be numbers such as {','.join(map(str, known))}")
    return found


def main(
    design: Path | None,
    json: Path | None,
    rpus: Annotated[str, "numbers of processors, such as 1,8"] = "",
    sizes: Annotated[str, "frame sizes, such as 60,9000"] = "",
    case: Annotated[str, "forward or forward_memory; default: forward, and both with one"] = "",
) -> None:
    if case and case not in PROGRAMS:
        raise UserError(f"--case {case}: there are {', '.join(PROGRAMS)}")
    lengths = numbers(sizes, SIZES)
    if min(lengths) < 60 or max(lengths) > 9600:
        raise UserError("--sizes should be from 60 to 9600")
    rows: list[Row] = []
    errors = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        designs = [design] if design else []
        for count in numbers(rpus, PROCESSORS) if not design else ():
            file = folder / f"middlebox_{count}.yaml"
            file.write_text(design_text(count), encoding="utf-8")
            designs.append(file)
        for file in designs:
            with Simulation(file) as simulation:
                wanted = [case] if case else list(PROGRAMS)
                for each in wanted if case or len(simulation.rpus) == 1 else wanted[:1]:
                    start(simulation, folder, PROGRAMS[each])
                    for length in lengths:
                        row, wrong = measure(simulation, Random(length), each, length)
                        rows.append(row)
                        errors += wrong
                simulation.check()
    table = Table(*Row.__annotations__)
    for row in rows:
        table.add_row(*(str(getattr(row, name)) for name in Row.__annotations__))
    report_replies(rows, errors, "packet processors", json, [table])

# SPDX-License-Identifier: Apache-2.0
"""Packet processors between two MAC ports: rate by size and number of processors, latency, loss."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from ipaddress import IPv4Network
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Annotated

import _rpu_broadcast as broadcast
import _rpu_ids as ids
from _rpu_cases import BROADCAST, CASES, LOOPBACK, NAMES, Case
from rich.table import Table

import bombus
from bombus import Simulation
from bombus.applications.firewall import blacklist
from bombus.applications.firewall import table as firewall_table
from bombus.applications.intrusion_detection.tables import MAX_ROWS, MIN_ROWS
from bombus.applications.processors.build import build
from bombus.applications.processors.firmware_cycles import ONE_PROCESSOR
from bombus.base.errors import UserError
from bombus.base.paths import DESIGNS
from bombus.base.text import listing
from bombus.measure.bench import report_replies
from bombus.measure.clock import estimated_mhz
from bombus.measure.exchanges import beats_of, wire_gbps
from bombus.simulator.frames import Exchange, latencies

SIZES = (60, 64, 65, 128, 256, 512, 1024, 1500, 9000)
LATENCY_SIZES = (64, 1500, 9000)
BEATS = 6000  # at least this many beats per row, and this many frames:
FRAMES = 240
SINGLE_FRAMES = 8
COUNTER_CYCLES = 100  # until a counter shows all
# Who drops a frame, by the end of the counter's name: frame_rx, mac_tx, firmware.
DROPS = {"overflow": "ports", "full": "ports", "by_firmware": "programs"}
LIMIT_CYCLES = 4_000_000

# By number of processors.
DESIGN_FILES = {
    1: ONE_PROCESSOR,
    4: DESIGNS / "middlebox.yaml",
    8: DESIGNS / "middlebox_8.yaml",
    16: DESIGNS / "middlebox_16.yaml",
}
PROCESSORS = tuple(DESIGN_FILES)

# A list that fills the firewall's table.
BLOCKED = [IPv4Network((10 << 24 | n << 9, 24)) for n in range(2047)]
FORWARDING = [CASES["forward"]]  # by default
FORWARDING_ALONE = [CASES["forward"], CASES["forward_memory"]]
SLOTS = re.compile(r"num_slots: \d+, slot_bytes: \d+")  # of the designs' processors


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
    dropped_by_ports: int
    dropped_by_programs: int


@dataclass(frozen=True)
class EstimatedRow(Row):
    """The same, and what it would be at the clock that `bombus area` allows."""

    mpps_estimated: float
    gbps_estimated: float
    latency_ns_estimated: float | None


def at_clock(row: Row, mhz: float, line_rate_gbps: float) -> EstimatedRow:
    """The figures of a row at another clock."""
    mpps = mhz / row.cycles_per_packet
    gbps = min(row.ports * line_rate_gbps, wire_gbps(row.frame_bytes, mpps * 1e6))
    cycles = row.latency_cycles
    return EstimatedRow(
        **asdict(row),
        mpps_estimated=round(mpps, 3),
        gbps_estimated=round(gbps, 3),
        latency_ns_estimated=None if cycles is None else round(cycles * 1e3 / mhz, 1),
    )


def with_accelerators(file: Path, case: Case, folder: Path, rows: int = MIN_ROWS) -> Path:
    """The design with what a case adds; `rows`: of the tables of intrusion detection."""
    added = case.accelerator
    if added is None:
        return file
    layer, family = added.layer.replace("ROWS", str(rows)), added.family
    text = file.read_text(encoding="utf-8")
    if case.traffic:
        text = SLOTS.sub(ids.SLOTS, text)
    text = re.sub(r"( *- )(rpu: .*)", rf"\1\2\n\1{layer}", text)
    if rows != MIN_ROWS:
        family += f"_{rows}"
    changed = folder / f"{family}_{file.name}"
    changed.write_text(text.replace("name: middlebox", f"name: {family}"), encoding="utf-8")
    return changed


def start(simulation: Simulation, folder: Path, program: str, tile: str = "") -> None:
    """Compiles a program and starts it on all processors, or on those of a tile."""
    source, elf = folder / "program.c", folder / "program.elf"
    if "int main" not in program:
        program = f'#include "rpu.h"\nint main(void) {{\n    {program}\n}}\n'
    source.write_text(program)
    build([source], elf, code_bytes=8192, data_bytes=8192)
    for processor in bombus.processors(simulation):
        if tile in ("", processor.tile):
            processor.load(elf)
            processor.boot()


def load_list(simulation: Simulation) -> None:
    """Gives the firewalls their list."""
    found = blacklist.boundaries(BLOCKED)
    for registers in simulation.registers_of("ip_blacklist"):
        firewall_table.write(registers, found)


def frame(random: Random, case: Case, frame_bytes: int, is_blocked: bool = False) -> bytes:
    """Of random bytes, or with what the case needs, of a new flow; `is_blocked`: from an address
    on the list.
    """
    if case.is_half_blocked:
        source = int(random.choice(BLOCKED).network_address) + random.randrange(256)
        ip = b"\x45" + random.randbytes(11) + (source | (not is_blocked) << 8).to_bytes(4)
        return random.randbytes(12) + b"\x08\0" + ip + random.randbytes(frame_bytes - 30)
    if case.traffic is None:
        return random.randbytes(frame_bytes)
    return ids.segment(
        case.traffic, frame_bytes, random.randbytes(12), 0, ids.PADDING * frame_bytes
    )


def compare(
    frames: Sequence[bytes], ports: Sequence[int], passes: Sequence[bool], done: Exchange
) -> tuple[int, int]:
    """Frames that are lost; and those that are wrong, doubled, came out of the wrong port, or
    should have been dropped.
    """
    sent = zip(frames, ports, passes, strict=True)
    wanted = Counter((data, 1 - port) for data, port, is_passed in sent if is_passed)
    came = Counter((each.data, each.port) for each in done.received)
    return sum((wanted - came).values()), sum((came - wanted).values())


def drops(simulation: Simulation) -> Counter[str]:
    """Frames that ports had no room for, and those that programs have dropped, so far."""
    simulation.advance(COUNTER_CYCLES)
    found: Counter[str] = Counter()
    for counters in simulation.counters().values():
        for name, count in counters.items():
            reason = name.rpartition(".")[2]
            if name.startswith("drop.") and reason in DROPS:
                found[DROPS[reason]] += count
    return found


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


def distribute(simulation: Simulation, *, by_flow: bool) -> None:
    """By flow, or in turn if the design file allows; otherwise as it says."""
    policy = "flow_hash" if by_flow else "round_robin"
    if by_flow or policy in bombus.processors(simulation).distribution.policies:
        bombus.processors(simulation).distribution.policy = policy


def measure(
    simulation: Simulation, random: Random, case: Case, frame_bytes: int, matching: ids.Matching
) -> tuple[Row, int]:
    """Figures of one size, and the number of errors."""
    count = len(bombus.processors(simulation))
    beats = beats_of(frame_bytes, simulation.data_bytes)
    total = max(FRAMES, BEATS // beats)
    # A single processor is fed as fast as it accepts frames; several are fed by both ports at line
    # rate, or by the port whose frames use the loop.
    both = count > 1 and not case.second
    # Every other frame of each port.
    passes = [not case.is_half_blocked or n // 2 % 2 == 0 for n in range(total)]
    if case.traffic:
        payloads = matching.payloads(random, frame_bytes)
        frames = ids.segments(random, case.traffic, frame_bytes, total, 2 if both else 1, payloads)
        passes = [True] * len(frames)
    else:
        frames = [frame(random, case, frame_bytes, not is_passed) for is_passed in passes]
    ports = [n % 2 if both else 0 for n in range(len(frames))]
    line = float(simulation.manifest["line_rate_gbps"])
    for port in (0, 1):
        simulation.line_rate(line if count > 1 else None, port)
    window = 0 if count > 1 else 32
    before = drops(simulation)
    done = simulation.exchange(frames, ports=ports, window=window, limit_cycles=LIMIT_CYCLES)
    dropped = drops(simulation) - before
    lost, wrong = compare(frames, ports, passes, done)
    wrong += abs(len(frames) - len(done.received) - dropped.total())  # each loss is counted
    cycles = cycles_each(done) * passes.count(True) / len(frames)
    mpps = simulation.clock_hz / cycles / 1e6
    latency = None
    for port in (0, 1):
        simulation.line_rate(line, port)
    if frame_bytes in LATENCY_SIZES:
        alone = []
        for number in range(SINGLE_FRAMES):
            simulation.advance_until_idle()
            simulation.advance(number)
            data = frame(random, case, frame_bytes)
            single = simulation.exchange([data], limit_cycles=LIMIT_CYCLES)
            wrong += [each.data for each in single.received] != [data]
            alone += latencies(single)
        latency = max(alone)
    row = Row(
        case=case.name,
        rpus=count,
        ports=len(set(ports)),
        frame_bytes=frame_bytes,
        cycles_per_packet=round(cycles, 3),
        mpps=round(mpps, 3),
        gbps=round(wire_gbps(frame_bytes, mpps * 1e6), 3),
        bound_gbps=round(bound(simulation, frame_bytes) * len(set(ports)), 3),
        latency_cycles=latency,
        lost=lost,
        dropped_by_ports=dropped["ports"],
        dropped_by_programs=dropped["programs"],
    )
    # Under more load than a processor with ids.c carries, counted drops are no errors.
    return row, wrong if case.traffic else wrong + lost


def numbers(text: str | int, known: Sequence[int]) -> list[int]:
    try:
        found = [int(each) for each in str(text).split(",")] if text else list(known)
    except ValueError:
        found = []
    if not found or min(found) < 1:
        raise UserError(f"{text!r} should be numbers such as {','.join(map(str, known))}")
    return found


def run(
    file: Path,
    cases: Sequence[Case],
    lengths: Sequence[int],
    matching: ids.Matching,
    seed: int,
    folder: Path,
    estimate: bool,
) -> tuple[list[Row], int]:
    """Rows of all cases and sizes of one design, and the number of errors. Without cases, those of
    forwarding.
    """
    rows: list[Row] = []
    errors = 0
    if cases:
        file = with_accelerators(file, cases[0], folder, matching.rows)
    mhz = estimated_mhz(file) if estimate else None
    with Simulation(file) as simulation:
        line = float(simulation.manifest["line_rate_gbps"])
        default = FORWARDING_ALONE if len(bombus.processors(simulation)) == 1 else FORWARDING
        for case in cases or default:
            prepare(simulation, case, matching, folder)
            for length in lengths:
                row, wrong = measure(simulation, Random(seed * length), case, length, matching)
                rows.append(at_clock(row, mhz, line) if mhz else row)
                errors += wrong
        simulation.check()
    return rows, errors


def prepare(simulation: Simulation, case: Case, matching: ids.Matching, folder: Path) -> None:
    """Starts the programs, and loads what accelerators need."""
    start(simulation, folder, case.program)
    if case.second:
        start(simulation, folder, case.second, "second")
    if bombus.processors(simulation).shared:  # noise frames are one flow
        distribute(simulation, by_flow=case.traffic is not None)
    if case.traffic:
        matching.load(simulation.registers_of("rule_matcher"))
    if case.is_half_blocked:
        load_list(simulation)


def run_broadcast(designs: Sequence[Path], is_given: bool, json: Path | None, folder: Path) -> None:
    """Measures words instead of frames. `is_given`: the user's design, which stays as it is."""
    files = [each for each in designs if each != ONE_PROCESSOR]
    if not files:
        raise UserError(f"--case {BROADCAST} needs several processors")
    if not is_given:
        files = [broadcast.narrow(each, folder) for each in files]
    words = [broadcast.measure(each, folder) for each in files]
    errors = sum(row.lost + (not row.same_cycle) for row in words)
    report_replies(words, errors, BROADCAST, json, [broadcast.table(words)])


def designs_of(design: Path | None, case: Case | None, rpus: str, folder: Path) -> list[Path]:
    """The user's design, or those with so many processors, or that of the case."""
    counts = numbers(rpus, PROCESSORS)
    if unknown := set(counts) - set(PROCESSORS):
        raise UserError(f"--rpus {min(unknown)}: there are {listing(PROCESSORS)}")
    if design:
        return [design]
    if case and case.second:
        loop = folder / "middlebox_loop.yaml"
        loop.write_text(LOOPBACK, encoding="utf-8")
        return [loop]
    return [DESIGN_FILES[count] for count in counts]


def main(
    design: Path | None,
    json: Path | None,
    rpus: Annotated[str, "numbers of processors, separated by commas, such as 1,8"] = "",
    sizes: Annotated[str, "frame sizes, separated by commas, such as 60,9000"] = "",
    case: Annotated[
        str, f"{listing(NAMES, 'or')}; default: forward, and forward_memory with one"
    ] = "",
    rules: Annotated[
        int, "generated rules, and payloads in the shape of traffic, in the cases ids_*"
    ] = 0,
    seed: Annotated[int, "random seed of the frames, at least 1"] = 1,
    estimate: Annotated[bool, "also at the clock that `bombus area` allows"] = False,
) -> None:
    if case and case not in NAMES:
        raise UserError(f"--case {case}: there are {listing(NAMES)}")
    cases = [CASES[case]] if case in CASES else []
    has_rules = any(each.traffic for each in cases)
    if (rules and not has_rules) or not 0 <= rules < MAX_ROWS:
        known = listing(each.name for each in CASES.values() if each.traffic)
        raise UserError(f"--rules is for the cases {known}, and below {MAX_ROWS}")
    if seed < 1:
        raise UserError(f"--seed {seed} should be at least 1")
    longest = ids.LONGEST if has_rules else 9600
    lengths = numbers(sizes, [size for size in SIZES if size <= longest])
    if min(lengths) < 60 or max(lengths) > longest:
        raise UserError(f"--sizes should be from 60 to {longest}")
    matching = ids.Matching(rules)
    rows: list[Row] = []
    errors = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        designs = designs_of(design, cases[0] if cases else None, rpus, folder)
        if case == BROADCAST:
            run_broadcast(designs, design is not None, json, folder)
            return
        for file in designs:
            found, wrong = run(file, cases, lengths, matching, seed, folder, estimate)
            rows += found
            errors += wrong
    names = [field.name for field in fields(rows[0])]
    table = Table(*names)
    for row in rows:
        table.add_row(*(str(getattr(row, name)) for name in names))
    works = [matching.work(length) for length in lengths] if rules else []
    tables = [table, ids.table(works)] if works else [table]
    more = {"matching": works} if works else {}
    report_replies(rows, errors, "packet processors", json, tables, **more)

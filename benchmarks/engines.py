# SPDX-License-Identifier: Apache-2.0
"""Chains of engines in virtual time: throughput, latency and loss at the MAC ports."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Annotated, Any, TypeVar

from rich.table import Table

from bombus import Simulation
from bombus.applications.engines.client import Card
from bombus.applications.engines.model import NextHop, Rule
from bombus.base.errors import UserError
from bombus.base.paths import DESIGNS
from bombus.design import resolve
from bombus.design.resolved import Design
from bombus.fabric.routing import LOCAL, routes
from bombus.measure.bench import numbers, report
from bombus.measure.clock import estimated_mhz
from bombus.measure.exchanges import (
    beats_of,
    burst,
    cycles_per_packet,
    idle_latencies,
    neighbour,
    wire_gbps,
)
from bombus.protocols.frames import (
    ETHERNET_BYTES,
    IPV4_BYTES,
    UDP_BYTES,
    WIRE_EXTRA_BYTES,
    Host,
    udp_frame,
)

DESIGN = DESIGNS / "engines.yaml"
FRAMES = 2000
SEED = 1
HEADERS = ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES
SIZES = (64, 128, 256, 512, 1024, 1500)
CHAINS = (1, 2, 3, 4, 5)
# HiPerNoC's traffic, as far as it is specified: packet sizes in bytes, and their shares.
MIX = {60: 4, ETHERNET_BYTES + 1500: 2, ETHERNET_BYTES + 1300: 1}
NUM_SEQUENCES = 16
FIRST_PORT = 7000
FORWARD = "engine_forward"
SINGLE_FRAMES = 2 * NUM_SEQUENCES
# Beats waiting or in flight at a time: fills the mesh, but not the buffer of mac_rx.
BEATS_UNDER_WAY = 1000

T = TypeVar("T")


def frames_under_way(beats: Sequence[int], limit: int) -> int:
    """The largest number of consecutive frames, but at least one, that never have more beats than
    `limit`; `beats`: of each frame.
    """
    first, total, most = 0, 0, len(beats)
    for last, new in enumerate(beats):
        total += new
        while total > limit:
            most = min(most, last - first)
            total -= beats[first]
            first += 1
    return max(1, most)


@dataclass(frozen=True)
class Row:
    """Figures of one chain length and size; docs/benchmarks.md defines them."""

    engines: int
    frame_bytes: float  # mean
    beats: float  # mean
    cycles_per_packet: float
    mpps: float
    wire_gbps: float
    bound_gbps: float
    flits_per_cycle: float
    latency_mean: float
    latency_max: int
    lost: int
    line_lost: int
    checked: int


@dataclass(frozen=True)
class EstimatedRow(Row):
    """The same, and what it would be at the clock that `bombus area` allows."""

    mpps_estimated: float
    wire_gbps_estimated: float
    latency_ns_estimated: float


@dataclass(frozen=True)
class LoadRow:
    """Figures of one chain length and size at one offered load; docs/benchmarks.md defines them."""

    engines: int
    frame_bytes: float  # mean
    load_percent: int
    offered_flits_per_cycle: float
    flits_per_cycle: float
    latency_mean: float
    latency_p99: int
    lost: int
    checked: int


def at_clock(row: Row, mhz: float, line_rate_gbps: float) -> EstimatedRow:
    """The figures of a row at another clock."""
    mpps = mhz / row.cycles_per_packet
    gbps = mpps * (row.frame_bytes + WIRE_EXTRA_BYTES) * 8 / 1e3
    return EstimatedRow(
        **asdict(row),
        mpps_estimated=round(mpps, 3),
        wire_gbps_estimated=round(min(line_rate_gbps, gbps), 3),
        latency_ns_estimated=round(row.latency_mean * 1e3 / mhz, 1),
    )


def sequences(random: Random, engines: Sequence[int], length: int) -> list[tuple[int, ...]]:
    """Random orders of different engines, or, if there are too few, none twice in a row."""
    found = []
    for _ in range(NUM_SEQUENCES):
        steps = random.sample(engines, min(length, len(engines)))
        while len(steps) < length:
            steps.append(random.choice([each for each in engines if each != steps[-1]]))
        found.append(tuple(steps))
    return found


def busiest(design: Design, given: Iterable[Sequence[int]]) -> float:
    """Flits that the busiest link or port of the mesh carries for one that comes in and leaves."""
    (network,) = design.networks
    places = {
        int(layer.params["engine"]): layer.tile.at
        for layer in design.layers()
        if layer.kind.name.startswith("engine_") and "engine" in layer.params
    }
    (start, *_) = (la.tile.at for la in design.layers() if la.kind.name == "engine_parser")
    loads: Counter[object] = Counter()
    count = 0
    for steps in given:
        count += 1
        way = [start, *(places[step] for step in steps), start]
        for source, target in pairwise(way):
            channels = {each for edge in routes(network.routing, source, target) for each in edge}
            if network.fabric.algorithm != "xy":  # messages have a choice of links
                channels = {each for each in channels if not each.link}
            loads.update({each.link or (each.at, each.leave == LOCAL) for each in channels})
    return max(1.0, max(loads.values()) / count)


def frame_sizes(random: Random, size: int, count: int) -> list[int]:
    """0: those of the mix."""
    if size:
        return [size] * count
    return random.choices(list(MIX), list(MIX.values()), k=count)


def middle(values: Sequence[T]) -> Sequence[T]:
    """Without the first and last fifth, in which a load begins and ends."""
    edge = len(values) // 5
    return values[edge : len(values) - edge]


class Bench:
    """A design with its simulation, and the errors found."""

    def __init__(self, design: Path, simulation: Simulation, seed: int) -> None:
        self.design, _ = resolve.load(design)
        self.simulation = simulation
        self.card = Card(simulation.manifest, simulation)
        self.random = Random(seed)
        self.errors = 0
        kinds = self.card.model.kinds
        self.engines = sorted(kinds)
        self.card.set_key(self.random.randbytes(32), self.random.randbytes(4))
        for entry in range(NUM_SEQUENCES):
            self.card.set_next_hop(entry, NextHop(bytes((2, 0, 0, 0, 1, entry))))

    def frames(self, sizes: Iterable[int]) -> list[bytes]:
        """One after another for each sequence."""
        host = Host.from_manifest(self.simulation.manifest)
        station = neighbour(self.simulation.manifest)
        return [
            udp_frame(
                station,
                host,
                self.random.randbytes(size - HEADERS),
                port=FIRST_PORT + number % NUM_SEQUENCES,
                source_port=self.random.randrange(1024, 1 << 16),
            )
            for number, size in enumerate(sizes)
        ]

    def origins(
        self, frames: Iterable[bytes], received: Iterable[bytes]
    ) -> tuple[list[int | None], int]:
        """For each frame received the number of the one that it was, and how many did not come out.

        Those that should not have come out, or not so, are errors, and None in the list.
        """
        waiting: dict[bytes, deque[int]] = defaultdict(deque)
        for number, frame in enumerate(frames):
            if leaves := self.card.model.process(frame):
                waiting[leaves[1]].append(number)
        found = [waiting[data].popleft() if waiting[data] else None for data in received]
        self.errors += found.count(None)
        return found, sum(map(len, waiting.values()))

    def lost(self, frames: Iterable[bytes], received: Iterable[bytes]) -> int:
        """Frames that should have come out; others that did are errors."""
        return self.origins(frames, received)[1]

    def beats(self, frames: Iterable[bytes]) -> float:
        """Of a frame, on average."""
        found = [beats_of(len(frame), self.simulation.data_bytes) for frame in frames]
        return sum(found) / len(found)

    def chain(self, length: int) -> list[tuple[int, ...]]:
        """Rules for random sequences."""
        given = sequences(self.random, self.engines, length)
        for index, steps in enumerate(given):
            self.card.set_rule(index, Rule(steps, index, port=FIRST_PORT + index))
        return given

    def load_row(self, length: int, size: int, count: int, percent: int) -> LoadRow:
        """Frames at equal intervals, so that they take this share of the port's cycles."""
        simulation = self.simulation
        frames = self.frames(frame_sizes(self.random, size, count))
        interval = round(self.beats(frames) * 100 / percent)
        exchange = simulation.exchange(frames, gap_cycles=interval)
        self.errors += exchange.timed_out
        origins, lost = self.origins(frames, (frame.data for frame in exchange.received))
        latencies = [
            frame.first_beat_cycle - exchange.sent[origin].first_beat_cycle
            for frame, origin in zip(exchange.received, origins, strict=True)
            if origin is not None
        ]
        steady = middle(exchange.sent)
        offered = self.beats(middle(frames)) * (len(steady) - 1)
        received = middle(exchange.received)
        came = self.beats(frame.data for frame in received[1:])
        waits = sorted(middle(latencies))
        return LoadRow(
            length,
            round(sum(map(len, frames)) / count, 1),
            percent,
            round(offered / (steady[-1].last_beat_cycle - steady[0].last_beat_cycle), 4),
            round(came / cycles_per_packet(received), 4),
            latency_mean=round(sum(waits) / len(waits), 1),
            latency_p99=waits[len(waits) * 99 // 100],
            lost=lost,
            checked=len(exchange.received),
        )

    def row(self, length: int, size: int, count: int) -> Row:
        simulation, manifest = self.simulation, self.simulation.manifest
        given = self.chain(length)
        singles = self.frames(frame_sizes(self.random, size, SINGLE_FRAMES))
        latency, answers = idle_latencies(simulation, singles)
        self.errors += self.lost(singles, (frame.data for frame in answers))
        frames = self.frames(frame_sizes(self.random, size, count))
        beats = self.beats(frames)
        each = [beats_of(len(frame), simulation.data_bytes) for frame in frames]
        exchange = simulation.exchange(frames, window=frames_under_way(each, BEATS_UNDER_WAY))
        received = exchange.received
        lost = self.lost(frames, (frame.data for frame in received))
        if len(received) < 5:
            raise UserError(f"{manifest['name']}: {len(received)} of {count} frames came out")
        line_rate = float(manifest["line_rate_gbps"])
        simulation.line_rate(line_rate)
        at_line = burst(simulation, frames).received
        simulation.line_rate(None)
        simulation.advance_until_idle()
        line_lost = self.lost(frames, (frame.data for frame in at_line))
        # Chains take different times, so the first and last packets received are not counted.
        steady = middle(received)
        cycles = cycles_per_packet(steady)
        beats = self.beats(frame.data for frame in steady[1:])
        mean = sum(map(len, steady[1:])) / len(steady[1:])

        def on_the_wire(cycles_per_frame: float) -> float:
            packets_per_second = simulation.clock_hz / cycles_per_frame
            gbps = wire_gbps(round(mean), packets_per_second)
            return round(min(line_rate, gbps), 3)

        return Row(
            length,
            round(mean, 1),
            round(beats, 2),
            cycles_per_packet=round(cycles, 3),
            mpps=round(simulation.clock_hz / 1e6 / cycles, 3),
            wire_gbps=on_the_wire(cycles),
            bound_gbps=on_the_wire(beats * busiest(self.design, given)),
            flits_per_cycle=round(beats / cycles, 4),
            latency_mean=round(sum(latency) / len(latency), 1),
            latency_max=max(latency),
            lost=lost,
            line_lost=line_lost,
            checked=len(received) + len(at_line) + len(answers),
        )


def measure(
    design: Path,
    chains: Sequence[int],
    sizes: Sequence[int],
    loads: Sequence[int],
    count: int,
    seed: int,
) -> Iterator[tuple[Row | LoadRow, int, dict[str, Any]]]:
    """Rows, the number of errors so far, and the manifest."""
    with Simulation(design, seed=seed) as simulation:
        bench = Bench(design, simulation, seed)

        def found() -> Iterator[Row | LoadRow]:
            for length, size in product(chains, sizes):
                yield bench.row(length, size, count)
            for length, size in product(chains, sizes):
                bench.chain(length)
                for percent in loads:
                    yield bench.load_row(length, size, count, percent)

        for row in found():
            errors = bench.errors + sum(simulation.errors().values())
            yield row, errors, simulation.manifest


def table(rows: Sequence[Row], manifest: dict[str, Any], mhz: float | None) -> Table:
    result = Table(title=f"Chains of engines: {manifest['name']}", title_justify="left")
    headings = ["engines", "bytes\nframe", "beats", "cycles\nper frame", "Mpps", "Gbit/s", "bound"]
    headings += ["flits\nper cycle", "latency\nmean", "max", "lost", "at the\nline rate"]
    if mhz:
        headings += [f"{mhz:.0f} MHz\n{each}" for each in ("Mpps", "Gbit/s", "ns\nlatency")]
    for heading in headings:
        result.add_column(heading, justify="right")
    for row in rows:
        cells = [row.engines, f"{row.frame_bytes:g}", f"{row.beats:g}"]
        cells += [f"{row.cycles_per_packet:.2f}", f"{row.mpps:.1f}", f"{row.wire_gbps:.1f}"]
        cells += [f"{row.bound_gbps:.1f}", f"{row.flits_per_cycle:.3f}"]
        cells += [f"{row.latency_mean:.0f}", row.latency_max, row.lost, row.line_lost]
        if isinstance(row, EstimatedRow):
            cells += [f"{row.mpps_estimated:.1f}", f"{row.wire_gbps_estimated:.1f}"]
            cells += [f"{row.latency_ns_estimated:.0f}"]
        result.add_row(*map(str, cells))
    result.caption = (
        f"{manifest['clock_mhz']:.0f} MHz, {manifest['data_width']} bits per cycle, a line of "
        f"{manifest['line_rate_gbps']:g} Gbit/s; {NUM_SEQUENCES} random sequences each; "
        f"{sum(row.checked for row in rows):,} frames compared with the model"
    )
    result.caption_justify = "left"
    return result


def load_table(rows: Sequence[LoadRow]) -> Table:
    result = Table(title="Offered load", title_justify="left")
    headings = ["engines", "bytes\nframe", "% of\nthe port", "flits per cycle\noffered", "out"]
    for heading in (*headings, "latency\nmean", "p99", "lost"):
        result.add_column(heading, justify="right")
    for row in rows:
        cells = [row.engines, f"{row.frame_bytes:g}", row.load_percent]
        cells += [f"{row.offered_flits_per_cycle:.3f}", f"{row.flits_per_cycle:.3f}"]
        cells += [f"{row.latency_mean:.0f}", row.latency_p99, row.lost]
        result.add_row(*map(str, cells))
    return result


def main(
    design: Path | None,
    json: Path | None,
    *,
    frames: Annotated[int, "frames per measurement"] = FRAMES,
    chains: Annotated[str, "numbers of engines visited, separated by commas"] = ",".join(
        map(str, CHAINS)
    ),
    sizes: Annotated[str, "bytes of a frame, separated by commas; 0: HiPerNoC's mix"] = ",".join(
        map(str, (*SIZES, 0))
    ),
    loads: Annotated[
        str, "offered loads, in percent of the port's cycles, separated by commas"
    ] = "",
    seed: Annotated[int, "random seed"] = SEED,
    estimate: Annotated[bool, "also at the clock that `bombus area` allows"] = False,
) -> None:
    if frames < 5:
        raise UserError(f"--frames {frames}: should be at least 5")
    wanted = numbers("sizes", sizes)
    if any(size and not HEADERS <= size <= 9600 for size in wanted):
        raise UserError(f"--sizes {sizes}: from {HEADERS} to 9600, or 0")
    offered = numbers("loads", loads) if loads else []
    if not all(1 <= load <= 100 for load in offered):
        raise UserError(f"--loads {loads}: from 1 to 100")
    design = design or DESIGN
    rows: list[Row] = []
    load_rows: list[LoadRow] = []
    counts = numbers("chains", chains)
    for row, so_far, described in measure(design, counts, wanted, offered, frames, seed):
        if isinstance(row, Row):
            rows.append(row)
        else:
            load_rows.append(row)
        errors, manifest = so_far, described
    mhz = estimated_mhz(design) if estimate else None
    if mhz:
        rows = [at_clock(row, mhz, float(manifest["line_rate_gbps"])) for row in rows]
    lost = sum(row.lost for row in rows)
    values = {
        "rows": [asdict(row) for row in rows],
        "loads": [asdict(row) for row in load_rows],
        "errors": errors + lost,
    }
    tables = [table(rows, manifest, mhz)]
    if load_rows:
        tables.append(load_table(load_rows))
    report(values, json, tables)
    if errors or lost:
        raise UserError(f"{manifest['name']}: {errors} wrong frames or errors, {lost} lost")

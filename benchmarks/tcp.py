# SPDX-License-Identifier: Apache-2.0
"""TCP in virtual time: cycles per segment and goodput of streams, round trips, handshakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from random import Random
from typing import Annotated, Any

from _tcp_report import draw, draw_buffers, draw_protocols, rows_of
from rich.progress import Progress
from rich.table import Table

from bombus import Simulation
from bombus.base.console import new_console
from bombus.base.errors import UserError
from bombus.base.paths import BENCHMARKS
from bombus.measure.bench import numbers, report_replies
from bombus.measure.clock import estimated_mhz
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import WIRE_EXTRA_BYTES
from bombus.protocols.tcp.peer import (
    ACK,
    HEADER_BYTES,
    PSH,
    TRIES,
    Connection,
    PeerError,
    Peers,
    pattern,
)
from bombus.simulator.frames import Sent

DESIGN = BENCHMARKS / "tcp.yaml"
PAYLOADS = (1, 64, 128, 256, 512, 1024, 1460, 4096, 8960)
SEGMENTS = 3000
# Further segments of each connection, and no more bytes than this: in the middle half slow start
# is over, and the application has filled the send buffers.
WARM_UP_SEGMENTS = 625
WARM_UP_BYTES = 1 << 20
LEAST_MSS = 64  # smallest MSS that the engine uses
SINGLE = 1  # payload for which the application writes bytes one by one
MOST_MSS = 8960
MOST_REQUEST = 1460  # one segment, also on Ethernet
SINGLES = 16  # round trips and handshakes
REQUESTS = (64,)  # bytes
WINDOW_BYTES = 98304  # maximum in flight; less than the design's buffers hold
WINDOW_SEGMENTS = 128
HALF_OPEN = 4
FIRST_PORT = 20000
DIRECTIONS = ("rx", "tx", "both")


@dataclass(frozen=True)
class Row:
    """Figures of one mode; docs/benchmarks.md defines them."""

    mode: str  # stream, rtt, handshake
    direction: str  # of the payload, as the design sees it: rx, tx, both
    buffers: str  # tile, bypass
    data_bits: int
    connections: int
    payload_bytes: int
    cycles_per_segment: float | None
    goodput_gbps: float | None
    bound_gbps: float | None
    latency_cycles: int | None
    checked: int  # bytes


@dataclass(frozen=True)
class EstimatedRow(Row):
    """The same, and what it would be at the clock that `bombus area` allows."""

    goodput_gbps_estimated: float | None
    latency_ns_estimated: float | None


def at_clock(row: Row, mhz: float) -> EstimatedRow:
    """The figures of a row at another clock."""
    goodput = None
    if row.cycles_per_segment is not None and row.bound_gbps is not None:
        goodput = min(row.bound_gbps, 8 * row.payload_bytes * mhz / 1e3 / row.cycles_per_segment)
    cycles = row.latency_cycles
    return EstimatedRow(
        **asdict(row),
        goodput_gbps_estimated=None if goodput is None else round(goodput, 3),
        latency_ns_estimated=None if cycles is None else round(cycles * 1e3 / mhz, 1),
    )


def app_port(manifest: dict[str, Any], *kinds: str) -> int:
    """The port of the application of one of the kinds."""
    for tile in manifest["tiles"]:
        for layer in tile["layers"]:
            if layer["kind"] in kinds:
                return int(layer["params"]["tcp_port"])
    raise UserError(f"{manifest['name']} has no layer of kind {' or '.join(kinds)}")


def cycles_each(came: list[tuple[int, int]], payload: int) -> float:
    """Cycles for so many bytes, of those that came in the middle half."""
    came = sorted(came)[len(came) // 4 : len(came) - len(came) // 4]
    if len(came) < 2 or came[-1][0] == came[0][0]:
        raise UserError("too few segments to measure")
    size = sum(each for _, each in came[1:])
    return (came[-1][0] - came[0][0]) * payload / size


class Bench:
    """A running design and its peers."""

    def __init__(self, simulation: Simulation, seed: int) -> None:
        self.simulation = simulation
        self.random = Random(seed)
        manifest = simulation.manifest
        self.next_port = FIRST_PORT
        kinds = {layer["kind"] for tile in manifest["tiles"] for layer in tile["layers"]}
        self.buffers = "tile" if "tcp_receive_buffer" in kinds else "bypass"
        self.line_rate = float(manifest["line_rate_gbps"])
        self.peers = Peers(simulation, neighbour(manifest), self.line_rate)
        introduce(simulation, self.peers.station)
        simulation.line_rate(self.line_rate)

    def row(self, mode: str, direction: str, connections: int, payload: int, **more: Any) -> Row:
        figures = {"cycles_per_segment", "goodput_gbps", "bound_gbps", "latency_cycles"}
        return Row(
            mode,
            direction,
            self.buffers,
            8 * self.simulation.data_bytes,
            connections,
            payload,
            **{**dict.fromkeys(figures), **more},
        )

    def open(
        self,
        port: int,
        mss: int,
        *,
        hears: bool = False,
        single: bool = False,
        echoes: bool = False,
    ) -> Connection:
        """A SYN; the application of streams takes from the port what its peer wants to hear."""
        self.next_port += 4
        iss = self.random.randrange(1 << 32)
        port_here = self.next_port + hears + 2 * single
        return self.peers.open(port_here, port, mss, iss, echoes=echoes)

    # ---- Streams ----

    def stream(self, port: int, direction: str, count: int, payload: int, segments: int) -> Row:
        """`segments`: of all connections together, each way, besides those to warm up."""
        segments += count * min(WARM_UP_SEGMENTS, WARM_UP_BYTES // payload)
        peers, simulation = self.peers, self.simulation
        hears, speaks = direction != "rx", direction != "tx"
        mss = max(payload, LEAST_MSS)
        checked = peers.checked
        ends: list[Connection] = []
        while len(ends) < count:  # never more half-open connections than the engine's limit
            some = range(min(HALF_OPEN, count - len(ends)))
            opened = [self.open(port, mss, hears=hears, single=payload == SINGLE) for _ in some]
            peers.connect(opened)
            ends += opened
        window = min(WINDOW_BYTES, payload * max(2, WINDOW_SEGMENTS // count))
        sent = heard = turn = 0
        started = simulation.cycle
        while (speaks and sent < segments) or (hears and heard < segments):
            if simulation.cycle - started > TRIES + segments * (200 + 2 * payload):
                raise PeerError(
                    f"{simulation.manifest['name']}: {sent} segments sent, {heard} came"
                )
            if speaks:
                idle = 0
                while sent < segments and peers.hungry and idle < count:
                    each = ends[turn % count]
                    turn += 1
                    if each.may_send(payload, window):
                        peers.send(each, ACK | PSH, pattern(each.nxt, payload))
                        sent += 1
                        idle = 0
                    else:
                        idle += 1
            peers.step(acknowledge=not speaks)
            if speaks:
                for each in ends:  # otherwise sent with the next segment
                    stops = sent == segments or not each.may_send(payload, window)
                    if each.to_acknowledge >= 2 and stops:
                        peers.send(each)
            heard = (peers.checked - checked) // payload
        while any(each.flight for each in ends):
            peers.step()
        figures = []
        if speaks:
            figures.append(
                cycles_each(list(chain.from_iterable(each.acknowledged for each in ends)), payload)
            )
        if hears:
            came = [(last, size) for each in ends for _, last, size in each.came]
            figures.append(cycles_each(came, payload))
        peers.reset(ends)
        cycles = max(figures)
        wire = max(HEADER_BYTES + payload, 60) + WIRE_EXTRA_BYTES
        return self.row(
            "stream",
            direction,
            count,
            payload,
            cycles_per_segment=round(cycles, 3),
            goodput_gbps=round(8 * payload * simulation.clock_hz / cycles / 1e9, 3),
            bound_gbps=round(self.line_rate * payload / wire, 3),
            checked=peers.checked - checked,
        )

    # ---- Single requests and handshakes ----

    def latency(self, each: Connection) -> int:
        """Cycles from the first beat of what has been queued to that of what it makes come."""
        simulation, peers = self.simulation, self.peers
        was_open, before = each.opened is not None, len(each.came)
        limit = simulation.cycle + TRIES
        stamps: list[Sent] = []
        while len(each.came) == before if was_open else each.opened is None:
            peers.step()
            stamps += peers.sent
            if simulation.cycle > limit:
                raise PeerError(f"{simulation.manifest['name']}: no answer")
        if was_open:
            return each.came[-1][0] - stamps[0].first_beat_cycle
        assert each.opened is not None
        return each.opened.first_beat_cycle - stamps[0].first_beat_cycle

    def settle(self, cycles: int) -> None:
        """Nothing is in flight; not always at the same phase of what an idle design does."""
        self.simulation.advance_until_idle()
        self.simulation.advance(cycles)
        self.peers.step()

    def singles(self, port: int, size: int) -> list[Row]:
        """Handshakes, and requests of so many bytes that are echoed."""
        handshakes, trips = [], []
        checked = self.peers.checked
        for number in range(SINGLES):
            self.settle(number)
            each = self.open(port, MOST_MSS, echoes=True)
            handshakes.append(self.latency(each))
            self.peers.send(each)
            self.settle(number)
            self.peers.send(each, ACK | PSH, pattern(each.nxt, size))
            trips.append(self.latency(each))
            self.peers.send(each)
            self.settle(number)
            self.peers.reset([each])
        checked = self.peers.checked - checked
        return [
            self.row("rtt", "both", 1, size, latency_cycles=max(trips), checked=checked),
            self.row("handshake", "both", 1, 0, latency_cycles=max(handshakes), checked=0),
        ]


def measure(
    design: Path,
    payloads: Sequence[int],
    connections: Sequence[int],
    requests: Sequence[int],
    segments: int,
    seed: int,
) -> tuple[list[Row], int, str]:
    """All rows, the number of errors, and the design's name."""
    with (
        Simulation(design, seed=seed) as simulation,
        Progress(console=new_console(stderr=True), transient=True) as progress,
    ):
        bench = Bench(simulation, seed)
        echo = app_port(simulation.manifest, "tcp_echo", "tcp_echo_bypass")
        trips = [row for size in requests for row in bench.singles(echo, size)]
        # Handshakes do not depend on the request.
        rows = [row for row in trips if row.mode == "rtt"]
        slowest = max(row.latency_cycles or 0 for row in trips if row.mode == "handshake")
        rows.append(bench.row("handshake", "both", 1, 0, latency_cycles=slowest, checked=0))
        port = app_port(simulation.manifest, "tcp_load")
        # Segments shorter than the smallest MSS are not sent while there is more data, but single
        # bytes can be written.
        streams = [
            (direction, count, payload)
            for count in connections
            for payload in payloads
            for direction in DIRECTIONS
            if direction == "rx" or payload == SINGLE or payload >= LEAST_MSS
        ]
        for each in progress.track(streams, description="streams"):
            rows.append(bench.stream(port, *each, segments))
        simulation.advance_until_idle()
        wrong = sum(each.get("event.tcp_load.wrong", 0) for each in simulation.counters().values())
        return rows, wrong + sum(simulation.errors().values()), str(simulation.manifest["name"])


def table(rows: Sequence[Row], name: str, mhz: float | None = None) -> Table:
    result = Table(title=f"TCP: {name}", title_justify="left")
    for heading in ("mode", "direction", "buffers"):
        result.add_column(heading)
    headings = [
        "connec-\ntions",
        "bytes",
        "cycles\na segment",
        "Gbit/s",
        "bound",
        "cycles\nlatency",
    ]
    if mhz:
        headings += [f"Gbit/s at\n{mhz:.0f} MHz", "ns"]
    for heading in headings:
        result.add_column(heading, justify="right")
    for row in rows:
        figures = [row.cycles_per_segment, row.goodput_gbps, row.bound_gbps, row.latency_cycles]
        if isinstance(row, EstimatedRow):
            figures += [row.goodput_gbps_estimated, row.latency_ns_estimated]
        cells = [str(row.connections), str(row.payload_bytes)]
        cells += ["" if figure is None else str(figure) for figure in figures]
        result.add_row(row.mode, row.direction, row.buffers, *cells)
    return result


def main(
    design: Path | None,
    json: Path | None,
    *,
    segments: Annotated[int, "segments per measurement"] = SEGMENTS,
    payloads: Annotated[str, "bytes of a segment, separated by commas"] = ",".join(
        map(str, PAYLOADS)
    ),
    connections: Annotated[str, "connections at a time, separated by commas"] = "1,8",
    requests: Annotated[str, "bytes of requests, separated by commas"] = ",".join(
        map(str, REQUESTS)
    ),
    seed: Annotated[int, "random seed"] = 1,
    estimate: Annotated[bool, "also at the clock that `bombus area` allows"] = False,
    pictures: Annotated[str, "folder for the plots"] = "",
    also: Annotated[
        str, "JSON files of other runs to plot with this one, separated by commas"
    ] = "",
) -> None:
    sizes = numbers("payloads", payloads)
    asked = numbers("requests", requests)
    if any(not 1 <= size <= MOST_REQUEST for size in asked):
        raise UserError(f"--requests {requests}: from 1 to {MOST_REQUEST}")
    if any(not 1 <= size <= MOST_MSS for size in sizes):
        raise UserError(f"--payloads {payloads}: from 1 to {MOST_MSS}")
    if segments < 20:
        raise UserError(f"--segments {segments}: should be at least 20")
    counts = numbers("connections", connections)
    if any(count < 1 for count in counts):
        raise UserError(f"--connections {connections}: should be at least 1")
    others = rows_of(Path(file) for file in also.split(",") if file)
    design = design or DESIGN
    rows, errors, name = measure(design, sizes, counts, asked, segments, seed)
    if pictures:
        plotted = [*map(asdict, rows), *others]
        draw(plotted, Path(pictures))
        draw_buffers(plotted, Path(pictures))
        draw_protocols(plotted, Path(pictures))
    mhz = estimated_mhz(design) if estimate else None
    if mhz:
        rows = [at_clock(row, mhz) for row in rows]
    report_replies(rows, errors, name, json, [table(rows, name, mhz)])

# SPDX-License-Identifier: Apache-2.0
"""UDP echo in virtual time: cycles per packet, rate and latency by size of the payload."""

from __future__ import annotations

import json as json_module
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any

from rich.table import Table

from bombus import Simulation
from bombus.base.errors import UserError
from bombus.base.paths import BENCHMARKS, DESIGNS
from bombus.golden.frames import Host, Station, padded, udp_frame
from bombus.golden.stack import echo_reply
from bombus.measure.bench import report_replies
from bombus.measure.exchanges import (
    beats_of,
    burst,
    cycles_per_packet,
    echo_port,
    idle_latencies,
    introduce,
    neighbour,
    wire_gbps,
)
from bombus.simulator.frames import Frame

DESIGN = DESIGNS / "udp_echo.yaml"
PAYLOADS = (1, 18, 64, 128, 256, 512, 1024, 1458, 1472, 4096, 8972)
PACKETS = 2000
SINGLE_PACKETS = 16


@dataclass(frozen=True)
class Row:
    """Figures of one size; docs/benchmarks.md defines them."""

    payload_bytes: int
    frame_bytes: int
    beats: int
    cycles_per_packet: float
    mpps: float
    wire_gbps: float
    bound_gbps: float
    latency_cycles: int
    checked: int


@dataclass(frozen=True)
class EstimatedRow(Row):
    """The same, and what it would be at the clock that `bombus area` allows."""

    mpps_estimated: float
    wire_gbps_estimated: float
    latency_ns_estimated: float


def at_clock(row: Row, mhz: float, line_rate_gbps: float) -> EstimatedRow:
    """The figures of a row at another clock."""
    mpps = mhz / row.cycles_per_packet
    return EstimatedRow(
        **asdict(row),
        mpps_estimated=round(mpps, 3),
        wire_gbps_estimated=round(min(line_rate_gbps, wire_gbps(row.frame_bytes, mpps * 1e6)), 3),
        latency_ns_estimated=round(row.latency_cycles * 1e3 / mhz, 1),
    )


def estimated_mhz(design: Path) -> float:
    """The clock that the area and timing estimate of a design allows."""
    from bombus.measure.area import measure as measure_area  # an extra

    mhz = measure_area(str(design)).clock_mhz
    assert mhz  # a design has paths
    return mhz


def requests(
    random: Random, station: Station, host: Host, port: int, payload_bytes: int, count: int
) -> list[bytes]:
    """Datagrams that differ in payload and source port, so that a stuck byte shows."""
    return [
        padded(
            udp_frame(
                station,
                host,
                random.randbytes(payload_bytes),
                source_port=random.randrange(1024, 1 << 16),
                port=port,
            )
        )
        for _ in range(count)
    ]


def compare(frames: Sequence[bytes], received: Sequence[Frame]) -> tuple[int, int]:
    """How many replies were compared with the model, and how many are wrong, missing or extra."""
    pairs = list(zip(map(echo_reply, frames), received, strict=False))
    wrong = sum(expected != reply.data for expected, reply in pairs)
    return len(pairs), wrong + abs(len(frames) - len(received))


def measure_row(
    simulation: Simulation, random: Random, station: Station, payload_bytes: int, packets: int
) -> tuple[Row, int]:
    """Figures of one size, and the number of errors."""
    manifest = simulation.manifest
    host, port = Host.from_manifest(manifest), echo_port(manifest)
    singles = requests(random, station, host, port, payload_bytes, SINGLE_PACKETS)
    latency, answers = idle_latencies(simulation, singles)
    _, errors_alone = compare(singles, answers)
    frames = requests(random, station, host, port, payload_bytes, packets)
    received = burst(simulation, frames).received
    checked, errors = compare(frames, received)
    if not latency or len(received) < 2:
        raise UserError(
            f"{manifest['name']}: {len(received)} of {packets} datagrams of {payload_bytes} bytes "
            f"came back"
        )
    frame_bytes = len(frames[0])
    beats = beats_of(frame_bytes, simulation.data_bytes)
    cycles = cycles_per_packet(received)
    line_rate = float(manifest["line_rate_gbps"])

    def on_the_wire(cycles_per_frame: float) -> float:
        gbps = wire_gbps(frame_bytes, simulation.clock_hz / cycles_per_frame)
        return round(min(line_rate, gbps), 3)

    row = Row(
        payload_bytes,
        frame_bytes,
        beats,
        cycles_per_packet=round(cycles, 4),
        mpps=round(simulation.clock_hz / 1e6 / cycles, 3),
        wire_gbps=on_the_wire(cycles),
        bound_gbps=on_the_wire(beats),
        latency_cycles=max(latency),
        checked=checked,
    )
    return row, errors + errors_alone


def measure(design: Path, packets: int, seed: int) -> tuple[list[Row], int, dict[str, Any]]:
    """All rows, the number of errors, and the design's manifest."""
    rows: list[Row] = []
    errors = 0
    random = Random(seed)
    with Simulation(design, seed=seed) as simulation:
        station = neighbour(simulation.manifest)
        introduce(simulation, station)
        for payload_bytes in PAYLOADS:
            row, row_errors = measure_row(simulation, random, station, payload_bytes, packets)
            rows.append(row)
            errors += row_errors
        errors += sum(simulation.errors().values())
        return rows, errors, simulation.manifest


def table(rows: Sequence[Row], manifest: dict[str, Any], mhz: float | None = None) -> Table:
    """The figures, and beside them those of others with the same width of data."""
    result = Table(title=f"UDP echo: {manifest['name']}", title_justify="left")
    for heading in (
        "bytes\nUDP",
        "bytes\nframe",
        "beats",
        "cycles\na frame",
        "Mpps",
        "Gbit/s",
        "bound",
        "cycles\nlatency",
    ):
        result.add_column(heading, justify="right")
    if mhz:
        for heading in ("Mpps", "Gbit/s", "ns\nlatency"):
            result.add_column(f"{mhz:.0f} MHz\n{heading}", justify="right")
    peers = {
        name: peer
        for name, peer in json_module.loads((BENCHMARKS / "peers.json").read_text()).items()
        if peer["data_width"] == manifest["data_width"] and "udp_echo" in peer
    }
    for name in peers:
        result.add_column(f"{name}\na frame", justify="right")
        result.add_column(f"{name}\nlatency", justify="right")
    for row in rows:
        cells = [
            f"{row.payload_bytes}",
            f"{row.frame_bytes}",
            f"{row.beats}",
            f"{row.cycles_per_packet:.2f}",
            f"{row.mpps:.1f}",
            f"{row.wire_gbps:.1f}",
            f"{row.bound_gbps:.1f}",
            f"{row.latency_cycles}",
        ]
        if isinstance(row, EstimatedRow):
            cells += [
                f"{row.mpps_estimated:.1f}",
                f"{row.wire_gbps_estimated:.1f}",
                f"{row.latency_ns_estimated:.0f}",
            ]
        for peer in peers.values():
            figures = {entry["payload_bytes"]: entry for entry in peer["udp_echo"]}
            known = figures.get(row.payload_bytes, {})
            cells += [str(known.get(key, "")) for key in ("cycles_per_packet", "latency_cycles")]
        result.add_row(*cells)
    notes = [
        f"{manifest['clock_mhz']:.0f} MHz, {manifest['data_width']} bits a cycle, a line of "
        f"{manifest['line_rate_gbps']:g} Gbit/s; {sum(row.checked for row in rows):,} replies "
        f"compared with the model"
    ]
    if mhz:
        notes.append(f"{mhz:.0f} MHz: the clock that `bombus area` allows")
    notes += [f"{name}: {peer['source']}" for name, peer in peers.items()]
    result.caption = "\n".join(notes)
    result.caption_justify = "left"
    return result


def main(
    design: Path | None,
    json: Path | None,
    *,
    packets: Annotated[int, "datagrams per measurement"] = PACKETS,
    seed: Annotated[int, "random seed"] = 1,
    estimate: Annotated[bool, "also at the clock that `bombus area` allows"] = False,
) -> None:
    if packets < 2:
        raise UserError(f"--packets {packets}: should be at least 2")
    design = design or DESIGN
    rows, errors, manifest = measure(design, packets, seed)
    mhz = estimated_mhz(design) if estimate else None
    if mhz:
        rows = [at_clock(row, mhz, float(manifest["line_rate_gbps"])) for row in rows]
    report_replies(rows, errors, manifest["name"], json, [table(rows, manifest, mhz)])

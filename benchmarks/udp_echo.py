# SPDX-License-Identifier: Apache-2.0
"""UDP echo in virtual time: cycles per packet, rate, latency by size; loss in a mix with pings."""

from __future__ import annotations

import json as json_module
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, Any

from _echo_rows import SINGLE_PACKETS, Column, Row, measured, table
from rich.table import Table

from bombus import Simulation
from bombus.base.errors import UserError
from bombus.base.paths import BENCHMARKS, DESIGNS
from bombus.measure.bench import report_replies
from bombus.measure.clock import estimated_mhz
from bombus.measure.exchanges import (
    beats_of,
    burst,
    echo_port,
    introduce,
    neighbour,
    wire_gbps,
)
from bombus.protocols.answers import echo_reply
from bombus.protocols.frames import Host, Station, arp_request, padded, ping_frame, udp_frame
from bombus.protocols.stack import FIRST_CLIENT_PORT, Stack

DESIGN = DESIGNS / "udp_echo.yaml"
PAYLOADS = (1, 18, 23, 64, 128, 256, 512, 1024, 1458, 1472, 4096, 8972)
PACKETS = 2000
# The mix: one frame in ARP_EACH is an ARP request, the others are datagrams and pings.
MIX_PAYLOADS = tuple(size for size in PAYLOADS if size <= 1472)
MIX_FRAMES = 5  # per packet
ARP_EACH = 64
# The clock of a MAC at 100 Gbit/s with 512 bits a cycle; others have the design's.
MAC_MHZ = {512: 322.265625}


@dataclass(frozen=True)
class EstimatedRow(Row):
    """The same, and what it would be at the clock that `bombus area` allows."""

    mpps_estimated: float
    wire_gbps_estimated: float
    latency_ns_estimated: float


@dataclass(frozen=True)
class MixRow:
    """Figures of the mix at one rate; docs/benchmarks.md defines them."""

    rate: str  # "wire" or "port"
    mac_mhz: float  # the clock at which frames arrive at this rate
    frames: int
    cycles: int
    beats: int
    lost: int
    checked: int


def at_clock(row: Row, mhz: float, line_rate_gbps: float) -> EstimatedRow:
    """The figures of a row at another clock."""
    mpps = mhz / row.cycles_per_packet
    return EstimatedRow(
        **asdict(row),
        mpps_estimated=round(mpps, 3),
        wire_gbps_estimated=round(min(line_rate_gbps, wire_gbps(row.frame_bytes, mpps * 1e6)), 3),
        latency_ns_estimated=round(row.latency_cycles * 1e3 / mhz, 1),
    )


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
                source_port=random.randrange(FIRST_CLIENT_PORT, 1 << 16),
                port=port,
            )
        )
        for _ in range(count)
    ]


def mix(random: Random, station: Station, manifest: dict[str, Any], count: int) -> list[bytes]:
    """Datagrams and pings of mixed sizes and ARP requests, in random order but for the ARP."""
    host, port = Host.from_manifest(manifest), echo_port(manifest)
    kinds = {layer["kind"] for tile in manifest["tiles"] for layer in tile["layers"]}
    frames = []
    for number in range(count):
        payload = random.randbytes(random.choice(MIX_PAYLOADS))
        if number % ARP_EACH == ARP_EACH - 1:
            frame = arp_request(station, host)
        elif "icmp_echo" in kinds and random.random() < 0.5:
            frame = ping_frame(station, host, payload, sequence=number & 0xFFFF)
        else:
            source = random.randrange(FIRST_CLIENT_PORT, 1 << 16)
            frame = udp_frame(station, host, payload, source_port=source, port=port)
        frames.append(padded(frame))
    return frames


def overflows(simulation: Simulation) -> int:
    """Frames for which there was no room where they came in."""
    name = "drop.mac_rx.overflow"
    return sum(counters.get(name, 0) for counters in simulation.counters().values())


def measure_mix(
    simulation: Simulation, random: Random, station: Station, rate: str, count: int
) -> tuple[MixRow, int]:
    """Figures of the mix, and the number of errors: what is wrong, or lost and not counted."""
    manifest = simulation.manifest
    clock_mhz = simulation.clock_hz / 1e6
    mac_mhz = clock_mhz
    if rate == "wire":
        mac_mhz = MAC_MHZ.get(manifest["data_width"], clock_mhz)
        # As many bytes per cycle as at the MAC's clock.
        simulation.line_rate(float(manifest["line_rate_gbps"]) * clock_mhz / mac_mhz)
    frames = mix(random, station, manifest, count)
    before = overflows(simulation)
    exchange = burst(simulation, frames)
    simulation.line_rate(None)
    simulation.advance_until_idle()
    model = Stack(Host.from_manifest(manifest))
    model.process(padded(arp_request(station, model.host)))
    expected = Counter(reply for frame in frames for reply in model.process(frame).replies)
    came = Counter(frame.data for frame in exchange.received)
    lost = sum((expected - came).values())
    row = MixRow(
        rate,
        round(mac_mhz, 2),
        frames=count,
        cycles=exchange.sent[-1].last_beat_cycle - exchange.sent[0].first_beat_cycle + 1,
        beats=sum(beats_of(len(frame), simulation.data_bytes) for frame in frames),
        lost=lost,
        checked=sum((expected & came).values()),
    )
    uncounted = abs(lost - (overflows(simulation) - before))
    return row, sum((came - expected).values()) + uncounted


def measure_row(
    simulation: Simulation, random: Random, station: Station, payload_bytes: int, packets: int
) -> tuple[Row, int]:
    """Figures of one size, and the number of errors."""
    host, port = Host.from_manifest(simulation.manifest), echo_port(simulation.manifest)
    singles, frames = (
        requests(random, station, host, port, payload_bytes, count)
        for count in (SINGLE_PACKETS, packets)
    )
    return measured(simulation, payload_bytes, singles, frames, echo_reply)


def measure(
    design: Path, packets: int, seed: int
) -> tuple[list[Row], list[MixRow], int, dict[str, Any]]:
    """All rows, those of the mix, the number of errors, and the design's manifest."""
    rows: list[Row] = []
    mixes: list[MixRow] = []
    errors = 0
    random = Random(seed)
    with Simulation(design, seed=seed) as simulation:
        station = neighbour(simulation.manifest)
        introduce(simulation, station)
        for payload_bytes in PAYLOADS:
            row, row_errors = measure_row(simulation, random, station, payload_bytes, packets)
            rows.append(row)
            errors += row_errors
        for rate in ("wire", "port"):
            mixed, mix_errors = measure_mix(simulation, random, station, rate, MIX_FRAMES * packets)
            mixes.append(mixed)
            errors += mix_errors
        errors += sum(simulation.errors().values())
        return rows, mixes, errors, simulation.manifest


def estimates(mhz: float) -> list[Column]:
    """The figures at the clock that `bombus area` allows."""
    return [
        (f"{mhz:.0f} MHz\nMpps", lambda row: f"{row.mpps_estimated:.1f}"),
        (f"{mhz:.0f} MHz\nGbit/s", lambda row: f"{row.wire_gbps_estimated:.1f}"),
        (f"{mhz:.0f} MHz\nns\nlatency", lambda row: f"{row.latency_ns_estimated:.0f}"),
    ]


def peer_figure(peer: dict[str, Any], key: str, row: Row) -> str:
    """The peer's figure for this size, or nothing."""
    figures = {entry["payload_bytes"]: entry for entry in peer["udp_echo"]}
    return str(figures.get(row.payload_bytes, {}).get(key, ""))


def echo_table(rows: Sequence[Row], manifest: dict[str, Any], mhz: float | None = None) -> Table:
    """The figures, and beside them those of others with the same width of data."""
    columns = estimates(mhz) if mhz else []
    notes = [f"{mhz:.0f} MHz: the clock that `bombus area` allows"] if mhz else []
    for name, peer in json_module.loads((BENCHMARKS / "peers.json").read_text()).items():
        if "udp_echo" in peer and peer["data_width"] == manifest["data_width"]:
            columns += [
                (f"{name}\nper frame", partial(peer_figure, peer, "cycles_per_packet")),
                (f"{name}\nlatency", partial(peer_figure, peer, "latency_cycles")),
            ]
            notes.append(f"{name}: {peer['source']}")
    return table("UDP echo", rows, manifest, columns, notes)


def mix_table(rows: Sequence[MixRow]) -> Table:
    title = f"UDP and ICMP of mixed sizes, one frame in {ARP_EACH} ARP"
    result = Table(title=title, title_justify="left")
    for heading in ("rate", "MAC's\nMHz", "frames", "beats", "cycles", "lost"):
        result.add_column(heading, justify="right")
    for row in rows:
        result.add_row(
            row.rate,
            f"{row.mac_mhz:.2f}",
            f"{row.frames:,}",
            f"{row.beats:,}",
            f"{row.cycles:,}",
            f"{row.lost / row.frames:.2%}",
        )
    result.caption = "wire: a line with preamble, FCS and gap; port: a beat each cycle"
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
    rows, mixes, errors, manifest = measure(design, packets, seed)
    mhz = estimated_mhz(design) if estimate else None
    if mhz:
        rows = [at_clock(row, mhz, float(manifest["line_rate_gbps"])) for row in rows]
    tables = [echo_table(rows, manifest, mhz), mix_table(mixes)]
    report_replies(rows, errors, manifest["name"], json, tables, mix=mixes)

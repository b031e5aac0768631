# SPDX-License-Identifier: Apache-2.0
"""Replicas in a mesh of 28 tiles: rate by their number; each policy under uneven work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any

from rich.table import Table

from bombus import Simulation
from bombus.base.errors import UserError
from bombus.base.paths import BENCHMARKS
from bombus.measure.bench import report_replies
from bombus.measure.clock import estimated_mhz
from bombus.measure.exchanges import beats_of, cycles_per_packet, introduce, neighbour
from bombus.protocols.answers import echo_reply
from bombus.protocols.frames import Host, Station, udp_frame
from bombus.simulator.frames import Exchange
from bombus.simulator.mac_ports import DEFAULT_TIMEOUT_CYCLES

DESIGN = BENCHMARKS / "scale.yaml"
PAYLOAD_BYTES = 20
HEADER_BYTES = 14 + 20 + 8
PACKETS = 1000
WORK = 300  # cycles per datagram; with uneven work, the mean
# One datagram in RARE takes LONGER times as long as the others.
RARE, LONGER = 10, 20
PER_REPLICA = 8  # datagrams in flight
LOAD = 0.5  # share of the replicas' rate at which latency is measured


@dataclass(frozen=True)
class Group:
    """Replicas of the design that do the work."""

    name: str
    policy: str
    chooser: str  # the tile that distributes
    next_hop: str
    replicas: int
    slots: int
    ports: tuple[int, ...]


@dataclass(frozen=True)
class Row:
    """Figures of one group; docs/benchmarks.md defines them."""

    policy: str
    replicas: int
    work: str  # even or uneven
    cycles_per_packet: float
    bound_cycles: float  # if no replica ever had to wait
    mpps: float
    latency_p50: int | None
    latency_p99: int | None
    largest_share: float  # largest share of datagrams times the number of replicas; 1: even
    checked: int


@dataclass(frozen=True)
class EstimatedRow(Row):
    """The same, and what it would be at the clock that `bombus area` allows."""

    mpps_estimated: float
    latency_p50_ns_estimated: float | None
    latency_p99_ns_estimated: float | None


def at_clock(row: Row, mhz: float) -> EstimatedRow:
    """The figures of a row at another clock."""

    def ns(cycles: int | None) -> float | None:
        return None if cycles is None else round(cycles * 1e3 / mhz, 1)

    return EstimatedRow(
        **asdict(row),
        mpps_estimated=round(mhz / row.cycles_per_packet, 3),
        latency_p50_ns_estimated=ns(row.latency_p50),
        latency_p99_ns_estimated=ns(row.latency_p99),
    )


def groups(manifest: dict[str, Any]) -> list[Group]:
    """The groups of replicas of a design, and how they are reached."""
    layers = {
        f"{tile['name']}.{layer['name']}": layer
        for tile in manifest["tiles"]
        for layer in tile["layers"]
    }
    return [
        Group(
            entry["group"],
            entry["policy"],
            entry["tile"],
            entry["next"][0],
            len(entry["replicas"]),
            len(entry["slots"]),
            tuple(sorted({layers[name]["params"]["udp_port"] for name in entry["replicas"]})),
        )
        for entry in manifest["dispatch"]
    ]


class Bench:
    """A running design and what its replies should be."""

    def __init__(self, simulation: Simulation, seed: int) -> None:
        self.simulation = simulation
        self.random = Random(seed)
        self.host = Host.from_manifest(simulation.manifest)
        self.station: Station = neighbour(simulation.manifest)
        introduce(simulation, self.station)
        self.beats = beats_of(PAYLOAD_BYTES, simulation.data_bytes)
        self.errors = 0

    def frames(self, group: Group, works: Sequence[int]) -> list[bytes]:
        """Datagrams of random flows, each with its number behind its work."""
        return [
            udp_frame(
                self.station,
                self.host,
                work.to_bytes(2) + number.to_bytes(4) + bytes(PAYLOAD_BYTES - 6),
                source_port=self.random.randrange(1024, 1 << 16),
                port=self.random.choice(group.ports),
            )
            for number, work in enumerate(works)
        ]

    def exchange(self, frames: Sequence[bytes], works: Sequence[int], **options: Any) -> Exchange:
        """Sends all, compares all replies."""
        limit = DEFAULT_TIMEOUT_CYCLES + 2 * sum(works) + 2 * len(works) * options["gap_cycles"]
        result = self.simulation.exchange(frames, limit_cycles=limit, **options)
        expected = Counter(map(echo_reply, frames))
        came = Counter(frame.data for frame in result.received)
        self.errors += sum((expected - came).values()) + sum((came - expected).values())
        if len(result.received) < 2:
            raise UserError(f"{len(result.received)} of {len(frames)} datagrams came back")
        return result

    def shares(self, group: Group) -> list[int]:
        self.simulation.advance_until_idle()
        return [
            self.simulation.tile_counters(f"{group.name}_{n}")["noc_in_messages"]
            for n in range(group.replicas)
        ]

    def row(self, group: Group, replicas: int, works: Sequence[int], work: str) -> Row:
        """Figures of a group with this number of active replicas."""
        before = self.shares(group)
        frames = self.frames(group, works)
        busy = self.exchange(frames, works, window=PER_REPLICA * replicas, gap_cycles=0)
        taken = [b - a for a, b in zip(before, self.shares(group), strict=True)]
        cycles = cycles_per_packet(busy.received)
        bound = (sum(works) / len(works) + self.beats) / replicas
        latency: list[int] = []
        if work == "uneven":
            calm = self.exchange(frames, works, window=0, gap_cycles=round(bound / LOAD))
            start = HEADER_BYTES + 2
            numbers = [int.from_bytes(f.data[start : start + 4]) for f in calm.received]
            latency = sorted(
                frame.first_beat_cycle - calm.sent[number].first_beat_cycle
                for number, frame in zip(numbers, calm.received, strict=True)
            )
        return Row(
            policy=group.policy,
            replicas=replicas,
            work=work,
            cycles_per_packet=round(cycles, 2),
            bound_cycles=round(bound, 2),
            mpps=round(self.simulation.clock_hz / 1e6 / cycles, 3),
            latency_p50=latency[len(latency) // 2] if latency else None,
            latency_p99=latency[len(latency) * 99 // 100] if latency else None,
            largest_share=round(max(taken) * replicas / sum(taken), 3),
            checked=len(frames) * (2 if latency else 1),
        )


def uneven(random: Random, count: int) -> list[int]:
    """Work of a few datagrams much longer than that of the others; its mean is WORK."""
    short = round(WORK * RARE / (RARE - 1 + LONGER))
    works = [short * (LONGER if n % RARE == 0 else 1) for n in range(count)]
    random.shuffle(works)
    return works


def measure(design: Path, packets: int, seed: int) -> tuple[list[Row], int, dict[str, Any]]:
    """All rows, the number of errors, and the design's manifest."""
    rows: list[Row] = []
    with Simulation(design, seed=seed) as simulation:
        bench = Bench(simulation, seed)
        known = groups(simulation.manifest)
        if not known:
            raise UserError(f"{simulation.manifest['name']} has no replicas")
        for group in (group for group in known if group.policy == "flow_hash"):
            # While it runs, the slots are redirected to more and more replicas.
            for replicas in range(1, group.replicas + 1):
                for slot in range(group.slots):
                    target = f"{group.name}_{slot % replicas}"
                    simulation.set_slot(group.chooser, group.next_hop, slot, target)
                rows.append(bench.row(group, replicas, [WORK] * packets, "even"))
        for group in known:
            rows.append(bench.row(group, group.replicas, uneven(bench.random, packets), "uneven"))
        return rows, bench.errors + sum(simulation.errors().values()), simulation.manifest


def table(rows: Sequence[Row], manifest: dict[str, Any], mhz: float | None = None) -> Table:
    result = Table(title=f"Replicas: {manifest['name']}", title_justify="left")
    result.add_column("policy", no_wrap=True)
    result.add_column("work", no_wrap=True)
    for heading in ("tiles", "cycles", "bound", "Mpps", "largest\nshare"):
        result.add_column(heading, justify="right", no_wrap=True)
    for heading in ("median\nlatency", "99 %"):
        result.add_column(heading, justify="right", no_wrap=True)
    if mhz:
        for heading in ("Mpps", "median\nns", "99 %\nns"):
            result.add_column(f"{mhz:.0f} MHz\n{heading}", justify="right", no_wrap=True)
    for row in rows:
        at_estimate: tuple[str, ...] = ()
        if isinstance(row, EstimatedRow):
            latencies = (row.latency_p50_ns_estimated, row.latency_p99_ns_estimated)
            at_estimate = (
                f"{row.mpps_estimated:.2f}",
                *("" if each is None else f"{each:.0f}" for each in latencies),
            )
        result.add_row(
            row.policy,
            row.work,
            f"{row.replicas}",
            f"{row.cycles_per_packet:.1f}",
            f"{row.bound_cycles:.1f}",
            f"{row.mpps:.2f}",
            f"{row.largest_share:.2f}",
            "" if row.latency_p50 is None else f"{row.latency_p50}",
            "" if row.latency_p99 is None else f"{row.latency_p99}",
            *at_estimate,
        )
    result.caption = (
        f"Cycles for a datagram; its work takes {WORK}. Uneven: one in {RARE} takes {LONGER} times "
        f"as long. Latency at {LOAD:.0%} load, in cycles. {sum(row.checked for row in rows):,} "
        "replies compared."
    )
    if mhz:
        result.caption += f"\n{mhz:.0f} MHz: the clock that `bombus area` allows."
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
        rows = [at_clock(row, mhz) for row in rows]
    report_replies(rows, errors, manifest["name"], json, [table(rows, manifest, mhz)])

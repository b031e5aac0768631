# SPDX-License-Identifier: Apache-2.0
"""Reed-Solomon on UDP in virtual time, by instances of the encoder; and libraries on a CPU core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from rich.table import Table
from ruamel.yaml import YAML

from bombus import Simulation
from bombus.analysis.placement import placer
from bombus.applications.reed_solomon import erasure_libraries
from bombus.applications.reed_solomon.erasure_libraries import (
    ErasureLibrary,
    MissingLibraryError,
    open_library,
)
from bombus.applications.reed_solomon.model import MATRICES, Code
from bombus.base import trust
from bombus.base.console import new_console
from bombus.base.errors import UserError
from bombus.base.paths import DESIGNS
from bombus.design import edit, resolve
from bombus.design.facts import Facts
from bombus.measure.bench import report
from bombus.measure.clock import estimated_mhz
from bombus.measure.exchanges import (
    burst,
    cycles_per_packet,
    idle_latencies,
    introduce,
    neighbour,
)
from bombus.protocols.frames import (
    ETHERNET_BYTES,
    IPV4_BYTES,
    UDP_BYTES,
    WIRE_EXTRA_BYTES,
    Host,
    udp_frame,
)
from bombus.simulator.frames import Frame

DESIGN = DESIGNS / "rs.yaml"
KIND = "rs_encode"
BLOCKS = 1000
INSTANCES = 4
SINGLE_BLOCKS = 8
CPU_SECONDS = 2.0
PLACING_EFFORT = 0.5
HEADERS = ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES
FIRST_PORT = 10_000


@dataclass(frozen=True)
class Row:
    """Figures of one number of instances; docs/benchmarks.md defines them."""

    instances: int
    cycles_per_block: float
    gbps_in: float
    gbps_port: float
    latency_cycles: int
    blocks: list[int]  # blocks that each instance encoded
    checked: int
    cpu_isal_gbps: float | None
    cpu_go_gbps: float | None


@dataclass(frozen=True)
class EstimatedRow(Row):
    """The same, and what it would be at the clock that `bombus area` allows."""

    mhz_estimated: float
    gbps_in_estimated: float
    gbps_port_estimated: float
    latency_ns_estimated: float


@dataclass(frozen=True)
class Service:
    """The encoder of a design, as its file gives it."""

    code: Code
    shard_bytes: int
    port: int

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> Service:
        for tile in manifest["tiles"]:
            for layer in tile["layers"]:
                if layer["kind"] == KIND:
                    given = layer["params"]
                    matrix = MATRICES[given["matrix"]]
                    code = Code(given["data_shards"], given["parity_shards"], matrix)
                    return cls(code, given["shard_bytes"], given["udp_port"])
        raise UserError(f"{manifest['name']} has no layer of kind {KIND}")

    @property
    def block_bytes(self) -> int:
        return self.code.data_shards * self.shard_bytes


def at_clock(row: Row, mhz: float, manifest: Mapping[str, Any]) -> EstimatedRow:
    """The figures of a row at another clock; the line stays as it is."""
    block = Service.of(manifest).block_bytes
    line = float(manifest["line_rate_gbps"]) * block / (block + HEADERS + WIRE_EXTRA_BYTES)
    port = block * 8 * mhz / row.cycles_per_block / 1e3
    return EstimatedRow(
        **asdict(row),
        mhz_estimated=round(mhz, 1),
        gbps_in_estimated=round(min(line, port), 3),
        gbps_port_estimated=round(port, 3),
        latency_ns_estimated=round(row.latency_cycles * 1e3 / mhz, 1),
    )


def with_instances(design: Path, instances: int, folder: Path) -> Path:
    """The design with this number of encoder tiles, dispatched round robin."""
    if instances == 1:
        return design
    yaml = YAML()
    document = yaml.load(design)
    document["sources"] = [
        str((design.parent / file).resolve()) for file in document.get("sources", [])
    ]
    for tile in document["tiles"]:
        if tile.get("kind") == KIND:
            tile.pop("at", None)
            tile.update({"replicas": instances, "dispatch": "round_robin"})
    trust.allow(design.resolve().parent)
    changed = folder / f"{design.stem}_{instances}.yaml"
    with changed.open("w") as file:
        yaml.dump(document, file)
    # Routes to several encoder tiles may cross those of the stack: all tiles are placed again.
    resolved, _ = resolve.load(changed)
    placed = placer.solve(Facts(resolved), {}, PLACING_EFFORT)
    changed.write_text(edit.with_positions(resolved.file, placed.positions))
    return changed


class Checker:
    """Compares parity with the model and with every library that is there."""

    def __init__(self, libraries: Iterable[ErasureLibrary]) -> None:
        self.libraries = list(libraries)
        self.errors = 0

    def parity(self, service: Service, blocks: Sequence[bytes]) -> list[bytes]:
        """What the model says; libraries that say something else are errors."""
        parity = [service.code.encode(block) for block in blocks]
        for library in self.libraries:
            said = library.encode(service.code, service.shard_bytes, b"".join(blocks))
            self.errors += said != b"".join(parity)
        return parity

    def compare(
        self, service: Service, blocks: Mapping[int, bytes], replies: Sequence[Frame]
    ) -> int:
        """`blocks`: by the port that each was sent from. How many replies were compared."""
        expected = dict(zip(blocks, self.parity(service, list(blocks.values())), strict=True))
        for reply in replies:
            port = int.from_bytes(reply.data[HEADERS - 6 : HEADERS - 4])
            self.errors += expected.pop(port, None) != reply.data[HEADERS:]
        self.errors += len(expected)
        return len(replies)


def measure_row(
    simulation: Simulation, random: Random, blocks: int, checker: Checker, cpu: dict[str, Any]
) -> Row:
    """Figures of one design."""
    manifest = simulation.manifest
    service, host, station = Service.of(manifest), Host.from_manifest(manifest), neighbour(manifest)
    introduce(simulation, station)
    checked = 0

    def requests(count: int) -> tuple[dict[int, bytes], list[bytes]]:
        data = {FIRST_PORT + n: random.randbytes(service.block_bytes) for n in range(count)}
        return data, [
            udp_frame(station, host, block, source_port=source, port=service.port)
            for source, block in data.items()
        ]

    def many() -> list[Frame]:
        nonlocal checked
        data, frames = requests(blocks)
        received = burst(simulation, frames).received
        checked += checker.compare(service, data, received)
        if len(received) != blocks:
            raise UserError(f"{manifest['name']}: {len(received)} of {blocks} blocks came back")
        return received

    def gbps(cycles: float) -> float:
        return round(service.block_bytes * 8 * simulation.clock_hz / cycles / 1e9, 3)

    data, frames = requests(SINGLE_BLOCKS)
    latency, alone = idle_latencies(simulation, frames)
    checked += checker.compare(service, data, alone)
    cycles = cycles_per_packet(many())
    simulation.line_rate(float(manifest["line_rate_gbps"]))
    cycles_at_line_rate = cycles_per_packet(many())
    simulation.advance_until_idle()
    encoded = [
        counters[f"event.{KIND}.encoded"]
        for counters in simulation.counters().values()
        if f"event.{KIND}.encoded" in counters
    ]
    checker.errors += sum(simulation.errors().values())
    return Row(
        instances=len(encoded),
        cycles_per_block=round(cycles, 4),
        gbps_in=gbps(cycles_at_line_rate),
        gbps_port=gbps(cycles),
        latency_cycles=max(latency),
        blocks=encoded,
        checked=checked,
        **cpu,
    )


def open_libraries() -> tuple[list[ErasureLibrary], list[str]]:
    """The libraries that are there, and what is said of the others."""
    found, missing = [], []
    for name in erasure_libraries.NAMES:
        try:
            found.append(open_library(name))
        except MissingLibraryError as error:
            missing.append(str(error))
    return found, missing


def measure_cpu(
    libraries: Iterable[ErasureLibrary], service: Service, seconds: float
) -> dict[str, float | None]:
    """Gbit/s of data into each library on one core; None: it is missing."""
    rates: dict[str, float | None] = {f"cpu_{name}_gbps": None for name in erasure_libraries.NAMES}
    for library in libraries:
        rates[f"cpu_{library.name}_gbps"] = library.bench(
            service.code, service.shard_bytes, seconds
        )
    return rates


def table(rows: Sequence[Row], manifest: Mapping[str, Any], missing: Sequence[str]) -> Table:
    service = Service.of(manifest)
    code = service.code
    result = Table(
        title=f"Reed-Solomon ({code.data_shards}, {code.parity_shards}) on UDP, blocks of "
        f"{service.block_bytes:,} bytes: {manifest['name']}",
        title_justify="left",
    )
    estimated = any(isinstance(row, EstimatedRow) for row in rows)
    for heading in (
        "instances",
        "cycles\na block",
        "Gbit/s in,\nat line rate",
        "Gbit/s in,\nport full",
        "cycles\nlatency",
        *(("estimated\nMHz", "at line\nrate", "port\nfull", "ns\nlatency") if estimated else ()),
        "Gbit/s in,\nISA-L, 1 core",
        "Gbit/s in,\nGo, 1 core",
    ):
        result.add_column(heading, justify="right")
    for row in rows:
        rates = (row.cpu_isal_gbps, row.cpu_go_gbps)
        at_estimate: tuple[str, ...] = ()
        if isinstance(row, EstimatedRow):
            at_estimate = (
                f"{row.mhz_estimated:.0f}",
                f"{row.gbps_in_estimated:.1f}",
                f"{row.gbps_port_estimated:.1f}",
                f"{row.latency_ns_estimated:.0f}",
            )
        result.add_row(
            f"{row.instances}",
            f"{row.cycles_per_block:.2f}",
            f"{row.gbps_in:.1f}",
            f"{row.gbps_port:.1f}",
            f"{row.latency_cycles}",
            *at_estimate,
            *("missing" if rate is None else f"{rate:.1f}" for rate in rates),
        )
    notes = [
        f"simulated time, left: {manifest['clock_mhz']:.0f} MHz, {manifest['data_width']} bits per "
        f"cycle, a line of {manifest['line_rate_gbps']:g} Gbit/s; network included",
        *(["estimated: at the clock that `bombus area` allows"] if estimated else []),
        "CPU time, right: one core of this machine, encoding alone, no network",
        f"{sum(row.checked for row in rows):,} replies compared with the model and the libraries",
        *missing,
    ]
    result.caption = "\n".join(notes)
    result.caption_justify = "left"
    return result


def main(
    design: Path | None,
    json: Path | None,
    *,
    instances: Annotated[int, "largest number of encoder tiles"] = INSTANCES,
    blocks: Annotated[int, "blocks per measurement"] = BLOCKS,
    cpu_seconds: Annotated[float, "time for each CPU library"] = CPU_SECONDS,
    seed: Annotated[int, "random seed"] = 1,
    estimate: Annotated[bool, "also at the clock that `bombus area` allows"] = False,
) -> None:
    if instances < 1:
        raise UserError(f"--instances {instances}: should be at least 1")
    if not 2 <= blocks <= BLOCKS * 40:
        raise UserError(f"--blocks {blocks}: should be 2 to {BLOCKS * 40}")
    libraries, missing = open_libraries()
    checker = Checker(libraries)
    random = Random(seed)
    rows: list[Row] = []
    cpu: dict[str, Any] = {}
    manifest: dict[str, Any] = {}
    with TemporaryDirectory() as folder:
        for count in range(1, instances + 1):
            file = with_instances(design or DESIGN, count, Path(folder))
            with Simulation(file, seed=seed) as simulation:
                manifest = simulation.manifest
                cpu = cpu or measure_cpu(libraries, Service.of(manifest), cpu_seconds)
                row = measure_row(simulation, random, blocks, checker, cpu)
            rows.append(at_clock(row, estimated_mhz(file), manifest) if estimate else row)
    result = {
        "rows": [asdict(row) for row in rows],
        "errors": checker.errors,
        "missing": missing,
        "simulated_time": ["cycles_per_block", "gbps_in", "gbps_port", "latency_cycles"],
        "estimated_time": [key for key in asdict(rows[0]) if key.endswith("_estimated")],
        "cpu_time": ["cpu_isal_gbps", "cpu_go_gbps"],
    }
    report(result, json, [table(rows, manifest, missing)])
    if json is not None:
        for said in missing:
            new_console(stderr=True).print(said)
    if checker.errors:
        raise UserError(f"{manifest['name']}: {checker.errors} wrong or missing replies, or errors")

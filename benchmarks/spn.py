# SPDX-License-Identifier: Apache-2.0
"""Sum-product networks on UDP in virtual time: samples per second, latency, error of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from rich.table import Table
from ruamel.yaml import YAML

from bombus import Simulation, spn
from bombus.applications.spn import messages
from bombus.applications.spn.client import per_batch
from bombus.base import trust
from bombus.base.errors import UserError
from bombus.base.paths import EXAMPLES
from bombus.measure.bench import report_replies
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

EXAMPLE = EXAMPLES / "spn"
DESIGN = EXAMPLE / "readings.yaml"
MODEL = EXAMPLE / "machine.spn"
HEADERS = ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES
BATCHES = 200
SINGLES = 8
FIRST_PORT = 10_000


@dataclass(frozen=True)
class Row:
    """Figures of one model; docs/benchmarks.md defines them."""

    model: str
    transport: str
    copies: int
    samples_per_second: float
    bound: float  # samples per second that the line carries
    latency_cycles: int  # of a single sample
    max_error_nats: float
    bound_nats: float
    luts: int
    dsps: int
    bram36: int


def design_of(base: Path, found: spn.Compiled, folder: Path) -> Path:
    """The example's design with the compiled layer."""
    yaml = YAML()
    document = yaml.load(base)
    document["sources"] = [str(file) for file in found.files]
    document["tiles"][-1] |= {"name": "network", "kind": found.name}
    changed = folder / "network.yaml"
    with changed.open("w") as file:
        yaml.dump(document, file)
    return changed


def samples_of(network: spn.Network, count: int, seed: int) -> npt.NDArray[np.int64]:
    """Small values, as most counts are, some large ones, and missing ones."""
    random = np.random.default_rng(seed)
    shape = count, len(network.variables)
    small = random.integers(0, 4, shape)
    values = np.where(random.random(shape) < 0.2, random.integers(0, 255, shape), small)
    return np.where(random.random(shape) < 0.02, 255, values)


@dataclass
class _Judge:
    """Compares replies with the bit-exact model, and measures the error of their results."""

    found: spn.Compiled
    errors: int = 0
    max_error_nats: float = 0.0

    def compare(self, batches: Sequence[npt.NDArray[np.int64]], replies: Sequence[Frame]) -> None:
        network = self.found.pipeline.lowered.network
        expected = dict(enumerate(batches))
        for frame in replies:
            try:
                got = messages.reply(frame.data[HEADERS:])
            except UserError:
                self.errors += 1
                continue
            rows = expected.pop(got.batch, None)
            if rows is None or got.numbers is None or len(got.numbers) != len(rows):
                self.errors += 1
                continue
            self.errors += not np.array_equal(got.numbers, self.found.pipeline.results(rows))
            exact = spn.log_likelihoods(network, np.where(rows == 255, np.nan, rows))
            error = float(np.max(np.abs(got.log_likelihoods - exact)))
            self.max_error_nats = max(self.max_error_nats, error)
        self.errors += len(expected)


def measure(
    simulation: Simulation, found: spn.Compiled, batches: int, seed: int
) -> tuple[Row, int]:
    """The row of one model, and the errors."""
    manifest = simulation.manifest
    host, station = Host.from_manifest(manifest), neighbour(manifest)
    introduce(simulation, station)
    network = found.pipeline.lowered.network
    judge = _Judge(found)

    def frames(parts: Sequence[npt.NDArray[np.int64]]) -> list[bytes]:
        port = next(
            layer["params"]["udp_port"]
            for tile in manifest["tiles"]
            for layer in tile["layers"]
            if layer["kind"] == found.name
        )
        return [
            udp_frame(
                station,
                host,
                messages.request(np.where(part == 255, np.nan, part), batch),
                source_port=FIRST_PORT,
                port=port,
            )
            for batch, part in enumerate(parts)
        ]

    singles = list(samples_of(network, SINGLES, seed)[:, None, :])
    latency, replies = idle_latencies(simulation, frames(singles))
    judge.compare(singles, replies)
    count = per_batch(len(network.variables), 8)
    parts = [samples_of(network, count, seed + n + 1) for n in range(batches)]
    line_gbps = float(manifest["line_rate_gbps"])
    simulation.line_rate(line_gbps)
    sent = frames(parts)
    received = burst(simulation, sent).received
    judge.compare(parts, received)
    per_second = count * simulation.clock_hz / cycles_per_packet(received)
    simulation.advance_until_idle()
    wire = len(sent[0]) + WIRE_EXTRA_BYTES
    size = found.resources
    row = Row(
        model=network.name,
        transport="udp",
        copies=found.copies,
        samples_per_second=round(per_second),
        bound=round(count * line_gbps * 1e9 / 8 / wire),
        latency_cycles=max(latency),
        max_error_nats=judge.max_error_nats,
        bound_nats=found.pipeline.bound,
        luts=found.copies * size.luts,
        dsps=found.copies * size.dsps,
        bram36=found.copies * size.bram36,
    )
    return row, judge.errors + sum(simulation.errors().values())


def table(rows: Sequence[Row], manifest: Mapping[str, Any]) -> Table:
    result = Table(title="Sum-product networks", title_justify="left")
    for heading in (
        "model",
        "transport",
        "copies",
        "samples/s",
        "bound of\nthe line",
        "cycles\nlatency",
        "error,\nnats",
        "its bound",
        "LUTs",
        "DSPs",
        "BRAM36",
    ):
        result.add_column(heading, justify="left" if heading == "model" else "right")
    for row in rows:
        result.add_row(
            row.model,
            row.transport,
            f"{row.copies}",
            f"{row.samples_per_second:,.0f}",
            f"{row.bound:,.0f}",
            f"{row.latency_cycles}",
            f"{row.max_error_nats:.2e}",
            f"{row.bound_nats:.2e}",
            f"{row.luts:,}",
            f"{row.dsps}",
            f"{row.bram36}",
        )
    result.caption = (
        f"simulated time: {manifest['clock_mhz']:.0f} MHz, a line of "
        f"{manifest['line_rate_gbps']:g} Gbit/s; every reply compared with the bit-exact model\n"
        "LUTs, DSPs and BRAM36 of all copies: estimated before synthesis"
    )
    result.caption_justify = "left"
    return result


def main(
    design: Path | None,
    json: Path | None,
    *,
    models: Annotated[str, "files of networks, separated by commas; default: the example's"] = "",
    batches: Annotated[int, "datagrams of samples"] = BATCHES,
    seed: Annotated[int, "random seed"] = 1,
) -> None:
    if not 2 <= batches <= 10_000:
        raise UserError(f"--batches {batches}: should be 2 to 10000")
    rows: list[Row] = []
    errors = 0
    manifest: dict[str, Any] = {}
    base = design or DESIGN
    for model in [Path(name) for name in models.split(",") if name] or [MODEL]:
        with TemporaryDirectory() as name:
            folder = Path(name)
            trust.allow(folder)
            settings = YAML(typ="safe").load(base)
            found = spn.compile(
                spn.read(model),
                folder,
                name=f"spn_{model.stem}",
                line_rate_gbps=float(settings["line_rate_gbps"]),
                clock_mhz=float(settings["clock_mhz"]),
            )
            with Simulation(design_of(base, found, folder), seed=seed) as simulation:
                manifest = simulation.manifest
                row, wrong = measure(simulation, found, batches, seed)
        rows.append(row)
        errors += wrong
    report_replies(rows, errors, base.stem, json, [table(rows, manifest)])

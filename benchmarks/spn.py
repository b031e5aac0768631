# SPDX-License-Identifier: Apache-2.0
"""Sum-product networks in virtual time: samples per second by transport, latency, errors."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from _service_messages import NONE, Messages
from _service_tcp import TcpService
from _service_udp import UdpService
from _spn_ethernet import EthernetService
from _spn_models import words
from rich.table import Table
from ruamel.yaml import YAML

from bombus import Simulation, spn
from bombus.applications.spn import messages
from bombus.applications.spn.client import per_batch
from bombus.base import trust
from bombus.base.errors import UserError
from bombus.base.paths import EXAMPLES
from bombus.base.text import listing
from bombus.measure.bench import report_replies

EXAMPLE = EXAMPLES / "spn"
DESIGN = EXAMPLE / "readings.yaml"
MODEL = EXAMPLE / "machine.spn"
# Largest message of each transport in one frame; over TCP, frames of 4 KiB of payload
PAYLOAD_BYTES = {"udp": 1472, "tcp": 4096, "ethernet": 1500}
BATCHES = 400
SINGLES = 8
WORDS = 80


@dataclass(frozen=True)
class Row:
    """Figures of one model on one transport; docs/benchmarks.md defines them."""

    model: str
    transport: str
    copies: int
    samples_per_second: float
    bound: float  # samples per second that the line carries
    latency_cycles: int  # of a single sample
    depth: int  # cycles of the pipeline
    max_error_nats: float
    bound_nats: float
    luts: int
    dsps: int
    bram36: float


def samples_of(network: spn.Network, count: int, seed: int) -> npt.NDArray[np.int64]:
    """Small values, as most counts are, some large ones, and missing ones."""
    random = np.random.default_rng(seed)
    shape = count, len(network.variables)
    small = random.integers(0, 4, shape)
    values = np.where(random.random(shape) < 0.2, random.integers(0, 255, shape), small)
    return np.where(random.random(shape) < 0.02, 255, values)


@dataclass
class Batches(Messages):
    """Compares replies with the bit-exact model, and measures the error of their results."""

    found: spn.Compiled | None = None
    max_error_nats: float = 0.0
    rows: dict[bytes, npt.NDArray[np.int64]] = field(default_factory=dict)  # of each request

    def make(self, count: int, number: int, seed: int) -> bytes:
        """The request of a batch of random samples."""
        assert self.found is not None
        rows = samples_of(self.found.pipeline.lowered.network, count, seed)
        request = messages.request(np.where(rows == 255, np.nan, rows), number)
        self.rows[request] = rows
        return request

    def reply_bytes(self, request: bytes) -> int:
        return messages.HEADER.size + len(self.rows[request]) * messages.RESULT_BYTES

    def check(self, number: int, request: bytes, reply: bytes) -> None:
        assert self.found is not None
        pipeline, rows = self.found.pipeline, self.rows[request]
        self.checked += 1
        try:
            got = messages.reply(reply)
        except UserError as refused:
            self.count_wrong(number, str(refused))
            return
        expected = pipeline.results(rows).tolist()
        if got.batch != number or got.numbers is None or got.numbers.tolist() != expected:
            self.count_wrong(number, "other results than those of the model")
            return
        values = np.where(rows == 255, np.nan, rows)
        exact = spn.log_likelihoods(pipeline.lowered.network, values)
        error = float(np.max(np.abs(got.log_likelihoods - exact)))
        self.max_error_nats = max(self.max_error_nats, error)


def service_of(
    simulation: Simulation, found: spn.Compiled, batches: Batches
) -> UdpService | TcpService:
    simulation.line_rate(float(simulation.manifest["line_rate_gbps"]))
    if found.transport == "udp":
        return UdpService(simulation, found.udp_port, batches)
    if found.transport == "ethernet":
        return EthernetService(simulation, batches)
    mss = PAYLOAD_BYTES["tcp"]
    return TcpService(simulation, found.udp_port, batches, connections=1, mss=mss)


def cycles_each(cycles: Sequence[int]) -> float:
    """Cycles of a batch, from the last beat of the first reply to that of the last one."""
    return (max(cycles) - min(cycles)) / (len(cycles) - 1)


def measure(
    simulation: Simulation, found: spn.Compiled, batches: int, seed: int
) -> tuple[Row, int]:
    """The row of one model on one transport, and the errors."""
    network = found.pipeline.lowered.network
    judge = Batches(Random(seed), None, NONE, found=found)
    service = service_of(simulation, found, judge)
    alone = service.singles([judge.make(1, n, seed + n) for n in range(SINGLES)])
    count = per_batch(len(network.variables), 8, PAYLOAD_BYTES[found.transport])
    requests = [judge.make(count, n, seed + SINGLES + n) for n in range(batches)]
    loaded = service.burst(requests, 0)
    missing = SINGLES + batches - len(alone.cycles) - len(loaded.cycles)
    if len(loaded.cycles) < 2:
        raise UserError(f"{simulation.manifest['name']}: {missing} requests got no reply")
    simulation.advance_until_idle()
    line_gbps = float(simulation.manifest["line_rate_gbps"])
    wire, _ = service.wire_bytes(len(requests[0]), judge.reply_bytes(requests[0]))
    size = found.resources
    row = Row(
        model=network.name,
        transport=found.transport,
        copies=found.copies,
        samples_per_second=round(count * simulation.clock_hz / cycles_each(loaded.cycles)),
        bound=round(count * line_gbps * 1e9 / 8 / wire),
        latency_cycles=max(alone.latencies),
        depth=size.depth,
        max_error_nats=judge.max_error_nats,
        bound_nats=found.pipeline.bound,
        luts=found.copies * size.luts,
        dsps=found.copies * size.dsps,
        bram36=found.copies * size.bram36,
    )
    return row, missing + judge.wrong + sum(simulation.errors().values())


def table(rows: Sequence[Row], manifest: Mapping[str, Any]) -> Table:
    result = Table(title="Sum-product networks", title_justify="left")
    for heading in (
        "model",
        "transport",
        "copies",
        "samples/s",
        "bound of\nthe line",
        "cycles\nlatency",
        "depth",
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
            f"{row.depth}",
            f"{row.max_error_nats:.2e}",
            f"{row.bound_nats:.2e}",
            f"{row.luts:,}",
            f"{row.dsps}",
            f"{row.bram36:g}",
        )
    result.caption = (
        f"simulated time: {manifest['clock_mhz']:.0f} MHz, a line of "
        f"{manifest['line_rate_gbps']:g} Gbit/s; every reply compared with the bit-exact model\n"
        "LUTs, DSPs and BRAM36 of all copies: estimated before synthesis"
    )
    result.caption_justify = "left"
    return result


def networks_of(models: str) -> list[spn.Network]:
    """Those of files; without any, the published ones of 10 and 80 variables where
    BOMBUS_SPN_MODELS names their folder, otherwise the example and one that is made up.
    """
    published = os.environ.get("BOMBUS_SPN_MODELS")
    if models or published:
        named = models or ",".join(f"{published}/{name}.spn" for name in ("NIPS10", "NIPS80"))
        return [spn.read(Path(name)) for name in named.split(",") if name]
    return [spn.read(MODEL), replace(words(WORDS), name=f"words{WORDS}")]


def main(
    design: Path | None,
    json: Path | None,
    *,
    models: Annotated[str, "files of networks, separated by commas; default: see above"] = "",
    transports: Annotated[str, "udp, tcp, ethernet, separated by commas"] = "udp,tcp,ethernet",
    batches: Annotated[int, "messages full of samples"] = BATCHES,
    seed: Annotated[int, "random seed"] = 1,
) -> None:
    if not 2 <= batches <= 10_000:
        raise UserError(f"--batches {batches}: should be 2 to 10000")
    chosen = [each for each in transports.split(",") if each]
    for each in chosen:
        if each not in PAYLOAD_BYTES:
            raise UserError(f"--transports {each}: should be {listing(PAYLOAD_BYTES, 'or')}")
    rows: list[Row] = []
    errors = 0
    manifest: dict[str, Any] = {}
    base = design or DESIGN
    settings = YAML(typ="safe").load(base)
    line_rate, clock = float(settings["line_rate_gbps"]), float(settings["clock_mhz"])
    for network in networks_of(models):
        for transport in chosen:
            with TemporaryDirectory() as name:
                folder = Path(name)
                trust.allow(folder)
                found = spn.compile(
                    network,
                    folder,
                    name=f"spn_{network.name}",
                    transport=transport,
                    line_rate_gbps=line_rate,
                    clock_mhz=clock,
                )
                file = spn.write_design(
                    found,
                    folder,
                    data_width=int(settings["data_width"]),
                    line_rate_gbps=line_rate,
                    clock_mhz=clock,
                    host=settings["host"],
                )
                with Simulation(file, seed=seed) as simulation:
                    manifest = simulation.manifest
                    row, wrong = measure(simulation, found, batches, seed)
            rows.append(row)
            errors += wrong
    report_replies(rows, errors, base.stem, json, [table(rows, manifest)])

# SPDX-License-Identifier: Apache-2.0
"""`bombus spn compile`: from a model to the SystemVerilog of a layer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bombus.applications.spn.graph import Network
from bombus.applications.spn.pipeline import Pipeline, pipeline
from bombus.applications.spn.resources import Resources, estimate
from bombus.applications.spn.spflow import from_spflow
from bombus.applications.spn.systemverilog import TRANSPORTS, identifier, sources
from bombus.base.errors import UserError
from bombus.base.output import write, writing

UDP_PORT = 1043
MAX_COPIES = 64


@dataclass(frozen=True)
class Compiled:
    """A written layer. `resources`: of one copy of its pipeline, estimated before synthesis."""

    name: str
    files: tuple[Path, ...]
    pipeline: Pipeline
    copies: int
    resources: Resources
    transport: str
    udp_port: int  # of the service, over TCP as well


def sample_bytes(found: Pipeline) -> int:
    """Bytes of a sample in a request."""
    return len(found.lowered.network.variables) * ((found.lowered.value_bits + 7) // 8)


def copies_for(found: Pipeline, line_rate_gbps: float, clock_mhz: float) -> int:
    """Copies of the pipeline that take all samples that a line can carry."""
    line_bytes = line_rate_gbps * 1000 / 8 / clock_mhz  # in a cycle
    return max(1, math.ceil(line_bytes / sample_bytes(found)))


def compile(
    model: Network | Any,
    folder: Path | str,
    *,
    name: str | None = None,
    variables: Sequence[str] | None = None,
    error: float | None = None,
    fraction: int | None = None,
    value_bits: int = 8,
    copies: int | None = None,
    line_rate_gbps: float = 100,
    clock_mhz: float = 250,
    transport: str = "udp",
    udp_port: int = UDP_PORT,
    floats: bool = False,
) -> Compiled:
    """Writes a layer into `folder`: NAME_model_pkg.sv, NAME_pipeline.sv, NAME.sv.

    `model`: a network, or a node of SPFlow, whose columns have the names `variables`. `error`:
    largest acceptable bound on the error of a log-likelihood, in nats, or `fraction`: bits after
    the point (default: see `pipeline`). `value_bits`: of a variable. `copies`: of the pipeline;
    without it, as many as the line rate needs at the clock. `transport`: udp, ethernet or tcp.
    """
    network = model if isinstance(model, Network) else from_spflow(model, variables)
    folder = Path(folder)
    chosen = identifier(name or network.name)
    found = pipeline(network, error=error, fraction=fraction, value_bits=value_bits, floats=floats)
    if not (line_rate_gbps > 0 and clock_mhz > 0):
        raise UserError("line rate and clock must be positive")
    number = copies_for(found, line_rate_gbps, clock_mhz) if copies is None else copies
    if not 1 <= number <= MAX_COPIES:
        raise UserError(f"1 to {MAX_COPIES} copies are supported, not {number}")
    if transport not in TRANSPORTS:
        raise UserError(f"the transport {transport} is none of {', '.join(TRANSPORTS)}")
    texts = sources(
        found,
        chosen,
        copies=number,
        transport=TRANSPORTS[transport],
        udp_port=udp_port,
        floats=floats,
    )
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        write(folder / file, text)
    files = tuple(folder / file for file in texts)
    return Compiled(chosen, files, found, number, estimate(found), transport, udp_port)

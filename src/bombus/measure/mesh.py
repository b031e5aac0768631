# SPDX-License-Identifier: Apache-2.0
"""A verilated mesh of routers without tiles, and traffic over it (`sim/platform/mesh`).

A model is a program in the cache, one for each fabric and size. A run gives it
settings (`sim/platform/mesh/run.h` says what each means) and takes back what it counted.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from rich.console import Console

from bombus.base.cache import cached_directory, content_key
from bombus.base.errors import UserError
from bombus.base.macros import CHECKS
from bombus.base.paths import RTL, SIM
from bombus.base.progress import step
from bombus.design import rtl
from bombus.fabric.config import MAX_NODES, Fabric
from bombus.simulator import verilator
from bombus.simulator.compiling import (
    Driver,
    compile_model,
    is_quick,
    optimisation,
    run_logged,
)
from bombus.simulator.verilating import VERILATOR_FLAGS

TOP = "mesh_top"
RUNTIME = SIM / "platform"
MESH = RUNTIME / "mesh"
# Room that a crosspoint router requires to start a message: 1536 bytes in flits of 64
PACKET_FLITS = 24


@dataclass(frozen=True)
class Chain:
    """Messages that travel from node to node: source, intermediate nodes, sink."""

    nodes: Sequence[int]
    weight: float = 1
    min_flits: int = 1
    max_flits: int = 1


@dataclass(frozen=True)
class Traffic:
    """Settings of one run; None: the program's default (`sim/platform/mesh/run.h`)."""

    traffic: str = "independent"  # or chain, script
    pattern: str = "uniform"  # exponential, bit_complement, transpose, hotspot
    offered: float = 0.1  # flits per cycle and source
    seed: int = 1
    packet: int | None = None  # flits
    flit_bytes: int | None = None
    warmup: int | None = None  # cycles, or (chain) messages
    measure: int | None = None
    limit: int | None = None  # cycles
    window: int | None = None  # flits
    stream_flits: int | None = None
    tile_delay: int | None = None  # cycles
    pause: float | None = None
    pause_cycles: int | None = None
    stall_cycles: int | None = None
    hotspot: float | None = None
    chains: Sequence[Chain] = ()
    stores: Iterable[int] = ()  # nodes whose tile always accepts

    def text(self) -> str:
        """The settings as input of the program."""
        lines = [
            f"{item.name} {getattr(self, item.name)}"
            for item in fields(self)
            if item.name not in ("chains", "stores") and getattr(self, item.name) is not None
        ]
        for chain in self.chains:
            nodes = " ".join(map(str, chain.nodes))
            lines.append(f"chain {chain.weight} {chain.min_flits} {chain.max_flits} {nodes}")
        lines += [f"tile {node} store" for node in self.stores]
        return "\n".join([*lines, "go", ""])


@dataclass(frozen=True)
class Result:
    """The counts of a run; `sim/platform/mesh/run.h` defines each figure."""

    cycles: int
    sent: int
    received: int
    flits: int
    lost: int
    reordered: int
    wrong: int
    missing: int
    max_flight: int
    stalled: bool
    accepted: float
    latency_mean: float
    latency_p99: float
    latency_max: float
    delivered: list[int] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Whether every message arrived once, complete, at the right place, or was counted as
        dropped.
        """
        return not (self.wrong or self.missing or self.stalled)


@dataclass(frozen=True)
class Mesh:
    """A program that simulates one mesh."""

    program: Path
    fabric: Fabric
    columns: int
    rows: int

    def run(self, traffic: Iterable[Traffic]) -> list[Result]:
        """Executes runs in sequence, each from reset. Raises UserError if the program fails."""
        return [Result(**each) for each in self.results(item.text() for item in traffic)]

    def results(self, runs: Iterable[str]) -> Iterator[dict[str, Any]]:
        """The results of runs, as the program (`main.cpp`) reads and prints them."""
        text = "".join(runs)
        done = subprocess.run([self.program], input=text, capture_output=True, text=True)
        if done.returncode != 0:
            said = (done.stderr or done.stdout[-500:]).strip()
            raise UserError(f"the mesh model {self.program} failed: {said}")
        yield from map(json.loads, done.stdout.splitlines())


def _rtl_files() -> list[Path]:
    return [file for file in rtl.rtl_files() if file.is_relative_to(RTL / "platform")]


def _program_files() -> list[Path]:
    return sorted(MESH.iterdir())


def source_key() -> str:
    """A key of everything that models are built from: RTL, program, Verilator."""
    return content_key(
        [verilator.version()],
        [
            *((file.name, file) for file in (*_rtl_files(), *_program_files())),
            *((file.name, file) for file in (RUNTIME / "random.h", RUNTIME / "model.vlt")),
            *((str(file.relative_to(RTL)), file) for file in RTL.rglob("*.svh")),
        ],
    )


def with_defaults(fabric: Fabric) -> Fabric:
    """The fabric with the defaults of a mesh without tiles."""
    return fabric.for_messages(PACKET_FLITS, rtl.constant("noc_pkg::CrosspointLate"))


def lack_of_room(fabric: Fabric) -> str:
    """Complaint about a fabric whose queues are too shallow; "" if they are not."""
    return with_defaults(fabric).lack_of_room(rtl.constant("noc_pkg::CrosspointLate"))


def build(
    fabric: Fabric,
    columns: int,
    rows: int,
    *,
    assertions: bool = False,
    console: Console | None = None,
) -> Mesh:
    """The model of a mesh, built unless it is in the cache.

    Routers have room for `max_packet_flits` of the fabric; without it, 24 flits.
    """
    if columns * rows > MAX_NODES or min(columns, rows) < 2:
        raise UserError(f"a mesh of {columns} x {rows} is not 2 x 2 to {MAX_NODES} nodes")
    if lack := lack_of_room(fabric):
        raise UserError(lack)
    parameters = {
        **fabric.traits.router_parameters(with_defaults(fabric)),
        "Columns": str(columns),
        "Rows": str(rows),
    }
    command = [
        *(*VERILATOR_FLAGS, "--top-module", TOP),
        *(("--assert", f"+define+{CHECKS}") if assertions else ("--no-assert",)),
        *(f"-G{key}={_number(value)}" for key, value in parameters.items()),
    ]
    fast = optimisation(quick=is_quick(is_slow=assertions))
    size = [f"-DBOMBUS_MESH_COLUMNS={columns}", f"-DBOMBUS_MESH_ROWS={rows}"]
    driver = Driver(
        sources=[file for file in _program_files() if file.suffix == ".cpp"],
        flags=[*size, f"-I{RUNTIME}", f"-I{MESH}"],
    )
    # Without paths, so that checkouts share models.
    key = content_key([source_key(), *fast, *size, *command], [])
    name = f"{fabric.kind}-{fabric.algorithm}-{columns}x{rows}"

    def make(directory: Path) -> None:
        work = directory / "work"
        work.mkdir()
        environment = verilator.verilator_environment()
        program = str(Path(environment["VERILATOR_ROOT"]) / "bin" / "verilator")
        listed = [RUNTIME / "model.vlt", *_rtl_files(), *_program_files()]
        what = f"building the mesh {name} failed"
        with (directory / "build.log").open("w") as log, step(console, f"Building mesh {name}"):
            run_logged(
                [
                    *(program, *command, "--Mdir", str(work)),
                    *(f"-I{folder}" for folder in rtl.include_dirs()),
                    *(str(file) for file in listed if file.suffix in (".sv", ".vlt")),
                ],
                log=log,
                cwd=work,
                environment=environment,
                what=what,
            )
            compile_model(
                work,
                directory / "mesh",
                driver,
                fast=fast,
                log=log,
                environment=environment,
                what=what,
            )
        shutil.rmtree(work)

    directory = cached_directory(f"meshes/{name}-{key}", make)
    return Mesh(directory / "mesh", fabric, columns, rows)


def _number(value: str) -> int | str:
    """A parameter's value for Verilator's command line: enum names become numbers."""
    if value.startswith("noc_pkg::"):
        return rtl.constant(value)
    return value.removeprefix("1'b")

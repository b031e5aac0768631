# SPDX-License-Identifier: Apache-2.0
"""Place and route with nextpnr-ecp5, and read its report and netlist."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bombus.generation.board.device import Device
from bombus.implementation import tool

LOG = "nextpnr.log"
_REPORT, _PLACED, _CELLS = "report.json", "placed.json", "cells.json"
_BEL = re.compile(r"X(\d+)/Y(\d+)/(.+)")
# Units of a device by the type of nextpnr's cells.
UNITS = {
    "TRELLIS_COMB": "lut4",  # carry cells and LUT RAM also count, as the LUTs that they use
    "TRELLIS_FF": "ff",
    "DP16KD": "ebr",
    "MULT18X18D": "dsp",
}


@dataclass(frozen=True)
class Cell:
    """A placed cell: hierarchical name, unit, and where it is."""

    name: str
    unit: str
    x: int
    y: int
    bel: str  # such as SLICEA.COMB0


@dataclass(frozen=True)
class Arc:
    """A step of a critical path."""

    cell: str  # cell that the signal leaves or passes through
    kind: str  # clk-to-q, routing, logic, setup
    ns: float


@dataclass(frozen=True)
class Routed:
    """A placed and routed design."""

    fmax_mhz: dict[str, float]  # by clock
    constraint_mhz: dict[str, float]
    used: dict[str, tuple[int, int]]  # by unit: used, available
    paths: dict[str, list[Arc]]  # the longest of each clock
    cells: list[Cell]


@dataclass(frozen=True)
class Request:
    """One run; all paths are relative to the working folder."""

    device: Device
    netlist: str
    top: str
    seed: int
    mhz: float  # target clock where the constraints give none
    constraints: str | None = None  # LPF
    text_config: str | None = None  # to write, for ecppack

    @property
    def arguments(self) -> list[str]:
        found = [*self.device.flags, "--json", self.netlist, "--top", self.top]
        found += ["--seed", str(self.seed), "--freq", f"{self.mhz:g}", "--timing-allow-fail"]
        found += ["--lpf", self.constraints] if self.constraints else ["--lpf-allow-unconstrained"]
        found += ["--textcfg", self.text_config] if self.text_config else []
        return [*found, "--report", _REPORT, "--write", _PLACED]


def place_and_route(request: Request, folder: Path, timeout_s: float | None = None) -> None:
    """Places and routes a netlist in `folder`; `read` gives the result."""
    call = [*tool.packaged("nextpnr-ecp5"), *request.arguments]
    tool.run(call, folder, LOG, f"nextpnr cannot place and route {request.top}", timeout_s)
    placed = json.loads((folder / _PLACED).read_text(encoding="utf-8"))
    (folder / _PLACED).unlink()  # large
    [module] = placed["modules"].values()
    cells = _cells(module["cells"])
    (folder / _CELLS).write_text(json.dumps(cells), encoding="utf-8")


def _cells(netlist: Mapping[str, Any]) -> list[list[Any]]:
    """The fields of a `Cell` for each relevant cell of a written netlist."""
    found = []
    for name, cell in netlist.items():
        place = _BEL.fullmatch(cell["attributes"].get("NEXTPNR_BEL", ""))
        if place and cell["type"] in UNITS:
            found.append([name, UNITS[cell["type"]], int(place[1]), int(place[2]), place[3]])
    return found


def plain_clock(net: str) -> str:
    """`$glbnet$clk_i$TRELLIS_IO_IN` -> `clk_i`."""
    return net.removeprefix("$glbnet$").split("$")[0]


def _path(steps: Sequence[Mapping[str, Any]]) -> list[Arc]:
    return [Arc(step["from"]["cell"], step["type"], step["delay"]) for step in steps]


def read(folder: Path) -> Routed:
    """The result that `place_and_route` left in a folder."""
    report = json.loads((folder / _REPORT).read_text(encoding="utf-8"))
    clocks = {plain_clock(net): values for net, values in report["fmax"].items()}
    paths = {}
    for path in report["critical_paths"]:
        start, end = (path[key].split(" ")[-1] for key in ("from", "to"))
        if start == end and plain_clock(start) in clocks:
            paths[plain_clock(start)] = _path(path["path"])
    return Routed(
        {clock: values["achieved"] for clock, values in clocks.items()},
        {clock: values["constraint"] for clock, values in clocks.items()},
        {
            unit: (report["utilization"][bel]["used"], report["utilization"][bel]["available"])
            for bel, unit in UNITS.items()
        },
        paths,
        [Cell(*values) for values in json.loads((folder / _CELLS).read_text(encoding="utf-8"))],
    )

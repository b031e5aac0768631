# SPDX-License-Identifier: Apache-2.0
"""The report of `bombus area`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from bombus.base.errors import UserError
from bombus.measure.area import flow, sources
from bombus.measure.area.cells import Area, count
from bombus.measure.area.clocks import ClockTiming, by_clock
from bombus.measure.area.mapper_timing import MapperTiming
from bombus.measure.area.netlist import Netlist
from bombus.measure.area.origin import Origin, Places, origins
from bombus.measure.area.paths import Path, worst
from bombus.measure.area.ready_chain import ready_chain
from bombus.measure.area.sources import Sources
from bombus.measure.area.sta import CLOSE_AT_PS, Timing


@dataclass(frozen=True)
class ModuleArea:
    """Area of a module's own cells, over all its instances, without its submodules."""

    module: str
    instances: int
    area: Area


@dataclass(frozen=True)
class Report:
    """Area of a design or module."""

    target: str
    top: str
    area: Area
    delay_ps: int | None  # longest path as the technology mapper estimates it
    sta_ps: int | None  # longest path by our own static timing analysis
    endpoints: int  # of that analysis
    endpoints_over: int  # those with a path of more than CLOSE_AT_PS
    levels: int = 0  # the most levels of any path
    ready_chain: Sequence[str] | None = None  # of a design: the layers of the longest one
    nominal_mhz: float | None = None  # the clock in the design file
    clocks: Sequence[ClockTiming] = ()  # each one, if the design has several
    link_bits: int | None = None  # of a router: bits of a flit, valid and ready
    modules: Sequence[ModuleArea] = ()
    paths: Sequence[Path] = ()

    @property
    def clock_mhz(self) -> float | None:
        """The clock that both estimates of the longest path allow; of several clocks, `clk_i`."""
        sta_ps = self.clocks[0].sta_ps if self.clocks else self.sta_ps
        slowest = max(self.delay_ps or 0, sta_ps or 0)
        return 1e6 / slowest if slowest else None

    @property
    def meets_clock(self) -> bool | None:
        """Whether both estimates fit in a cycle of the design's clock, and ours in one of each MAC
        port's; None for a module.
        """
        if self.nominal_mhz is None:
            return None
        meets = self.clock_mhz is None or self.clock_mhz >= self.nominal_mhz
        return meets and all(clock.slack_ps >= 0 for clock in self.clocks)

    def as_dict(self) -> dict[str, Any]:
        values: dict[str, Any] = {"target": self.target, **self.area.as_dict()}
        values["delay_ps"] = self.delay_ps
        values["sta_ps"] = self.sta_ps
        values["endpoints"] = self.endpoints
        values[f"endpoints_over_{CLOSE_AT_PS}_ps"] = self.endpoints_over
        values["levels"] = self.levels
        if self.ready_chain is not None:
            values["ready_chain"] = list(self.ready_chain)
        if self.nominal_mhz is not None:
            values["clock_mhz"] = self.nominal_mhz
            values["meets_clock"] = self.meets_clock
        if self.clocks:
            values["clocks"] = [clock.as_dict() for clock in self.clocks]
        if self.link_bits:
            values["link_bits"] = self.link_bits
            values["lut_per_bit"] = round(self.area.lut_total / self.link_bits, 3)
        if self.modules:
            values["modules"] = [
                {"module": part.module, "instances": part.instances, **part.area.as_dict()}
                for part in self.modules
            ]
        if self.paths:
            values["paths"] = [path.as_dict() for path in self.paths]
        return values


def measure(
    target: str,
    *,
    params: Mapping[str, int] | None = None,
    data_width: int = 512,
    tile: str | None = None,
    per_module: bool = False,
    paths: int = 0,
    by_mapper: bool = False,
) -> Report:
    """Area of a design file, of one of its tiles, or of a module of rtl/ by name.

    `params` and `data_width` (bits) are for a module, `tile` for a design. `per_module`: break the
    area down by module. `paths`: number of worst paths to describe; `by_mapper`: with the delays
    from which `delay_ps` comes.
    """
    if FilePath(target).suffix in (".yaml", ".yml"):
        if params:
            raise UserError("--param applies to modules only, not to designs")
        given = sources.of_design(FilePath(target), tile)
    else:
        if tile:
            raise UserError("--tile applies to designs only, not to modules")
        given = sources.of_module(target, params or {}, data_width)
    mapped = flow.mapped(given)
    netlist = Netlist(mapped.module(flow.NETLIST))
    timing = Timing(netlist)
    modules: list[ModuleArea] = []
    described: list[Path] = []
    if per_module or paths:
        places = Places(given.instances, given.modules())
        found = origins(Netlist(mapped.module(flow.GATES)), netlist, places)
        modules = _modules(given, netlist, found) if per_module else []
        if paths:
            shown = MapperTiming(netlist) if by_mapper else timing
            described = worst(shown, found, paths, CLOSE_AT_PS)
    several = len(given.clocks_mhz) > 1
    return Report(
        target,
        given.top,
        count(mapped.cells),
        mapped.delay_ps,
        timing.delay_ps,
        len(timing.endpoints),
        timing.above(CLOSE_AT_PS),
        timing.levels,
        ready_chain(mapped, given.layers) if given.layers else None,
        given.clocks_mhz.get("clk_i"),
        by_clock(netlist, given.clocks_mhz) if several else (),
        given.link_bits,
        modules,
        described,
    )


def _modules(given: Sources, netlist: Netlist, found: Sequence[Origin | None]) -> list[ModuleArea]:
    """Own cells of each module over all its instances, largest first."""
    cells: dict[str, Counter[str]] = {}
    for cell, origin in zip(netlist.cells, found, strict=True):
        cells.setdefault(origin.module if origin else "", Counter())[cell.kind] += 1
    instances = Counter(given.instances.values())
    instances[given.top] = 1
    parts = [ModuleArea(name, instances[name], count(each)) for name, each in cells.items()]
    parts = [part for part in parts if any(part.area.as_dict().values())]
    return sorted(parts, key=lambda part: (-part.area.lut_total, -part.area.ff, part.module))

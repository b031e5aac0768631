# SPDX-License-Identifier: Apache-2.0
"""What `bombus area` reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bombus.base.errors import UserError
from bombus.measure.area import flow, sources
from bombus.measure.area.cells import Area, count
from bombus.measure.area.netlist import Netlist
from bombus.measure.area.origin import Places, origins
from bombus.measure.area.sources import Sources


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
    delay_ps: int | None  # longest path through logic, without wires
    link_bits: int | None  # of a router: bits of a flit, valid and ready
    modules: Sequence[ModuleArea] = ()

    def as_dict(self) -> dict[str, Any]:
        values: dict[str, Any] = {"target": self.target, **self.area.as_dict()}
        values["delay_ps"] = self.delay_ps
        if self.link_bits:
            values["link_bits"] = self.link_bits
            values["lut_per_bit"] = round(self.area.lut_total / self.link_bits, 3)
        if self.modules:
            values["modules"] = [
                {"module": part.module, "instances": part.instances, **part.area.as_dict()}
                for part in self.modules
            ]
        return values


def measure(
    target: str,
    *,
    params: Mapping[str, int] | None = None,
    data_width: int = 512,
    tile: str | None = None,
    per_module: bool = False,
) -> Report:
    """Area of a design file, of one of its tiles, or of a module of rtl/ by name.

    `params` and `data_width` (bits) are for a module, `tile` for a design.
    `per_module` says where the area goes.
    """
    if Path(target).suffix in (".yaml", ".yml"):
        if params:
            raise UserError("--param applies to modules only, not to designs")
        given = sources.of_design(Path(target), tile)
    else:
        if tile:
            raise UserError("--tile applies to designs only, not to modules")
        given = sources.of_module(target, params or {}, data_width)
    mapped = flow.mapped(given)
    area = count(mapped.cells)
    modules = _modules(given, mapped) if per_module else ()
    return Report(target, given.top, area, mapped.delay_ps, given.link_bits, modules)


def _modules(given: Sources, mapped: flow.Mapped) -> list[ModuleArea]:
    """Own cells of each module over all its instances, largest first."""
    netlist = Netlist(mapped.module(flow.NETLIST))
    places = Places(given.instances, given.modules())
    found = origins(Netlist(mapped.module(flow.GATES)), netlist, places)
    cells: dict[str, Counter[str]] = {}
    for cell, origin in zip(netlist.cells, found, strict=True):
        cells.setdefault(origin.module if origin else "", Counter())[cell.kind] += 1
    instances = Counter(given.instances.values())
    instances[given.top] = 1
    parts = [ModuleArea(name, instances[name], count(each)) for name, each in cells.items()]
    parts = [part for part in parts if any(part.area.as_dict().values())]
    return sorted(parts, key=lambda part: (-part.area.lut_total, -part.area.ff, part.module))

# SPDX-License-Identifier: Apache-2.0
"""Area on UltraScale+ as estimated by Yosys: LUTs, flip-flops, memories, delay.

Works on a whole design or on one module of `rtl/`. The number of LUTs is exact
and repeatable for one version of Yosys; the delay is ABC's estimate for the
longest path through logic alone, without wires.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pyslang import ast

from bombus.analysis import check
from bombus.base.cache import cached_directory, content_key
from bombus.base.errors import DesignError, UserError
from bombus.base.text import near_matches, snake_case
from bombus.design import rtl
from bombus.generation import generate
from bombus.measure import synthesis

# LUT sites that each memory cell takes (Xilinx UG574, table "LUTRAM").
_LUT_RAM_SITES = {
    "RAM32M16": 8,
    "RAM32X16DR8": 8,
    "RAM32M": 4,
    "RAM64M8": 8,
    "RAM64M": 4,
    "RAM64X8SW": 8,
    "RAM32X1D": 2,
    "RAM64X1D": 2,
    "RAM128X1D": 4,
    "RAM256X1D": 8,
    "RAM32X1S": 1,
    "RAM64X1S": 1,
    "RAM128X1S": 2,
    "RAM256X1S": 4,
    "RAM512X1S": 8,
    "SRL16E": 1,
    "SRLC16E": 1,
    "SRLC32E": 1,
}
# Inputs that are constant in a design: the position of a router inside the mesh.
_CONSTANT_INPUTS = {"x_i": 3, "y_i": 3}
_MESH_BITS = 3  # coordinates of an 8x8 mesh
_PORT_BITS = 1
_WRAPPER = "area_top"


@dataclass(frozen=True)
class Area:
    """Cells of a netlist."""

    lut_logic: int  # LUT1 to LUT6; inverters (INV) sit in what they drive, as others count
    lut_ram: int  # LUT sites used as memory or shift register
    ff: int
    bram36: float  # a RAMB18 counts as half
    uram: int
    dsp: int

    @property
    def lut_total(self) -> int:
        return self.lut_logic + self.lut_ram

    def as_dict(self) -> dict[str, float]:
        values = asdict(self)
        return {
            "lut_logic": values.pop("lut_logic"),
            "lut_ram": values.pop("lut_ram"),
            "lut_total": self.lut_total,
            **values,
        }


def count(cells: Mapping[str, int]) -> Area:
    """Counts cells by type. UserError if there is a memory cell that it does not know."""

    def total(pattern: str) -> int:
        return sum(number for kind, number in cells.items() if re.fullmatch(pattern, kind))

    lut_ram = 0
    for kind, number in cells.items():
        if re.match(r"RAM\d|SRL", kind):
            if kind not in _LUT_RAM_SITES:
                raise UserError(f"the netlist has a memory cell of unknown size: {kind}")
            lut_ram += number * _LUT_RAM_SITES[kind]
    return Area(
        lut_logic=total(r"LUT[1-6]"),
        lut_ram=lut_ram,
        ff=total(r"FD[RSCP]E(_1)?|LD[CP]E(_1)?"),
        bram36=total(r"RAMB36E\d") + total(r"RAMB18E\d") / 2,
        uram=total(r"URAM288.*"),
        dsp=total(r"DSP48E\d"),
    )


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


@dataclass(frozen=True)
class _Sources:
    """What is to be synthesised: files by the name that they have in the work folder."""

    top: str
    files: dict[str, str]
    file_list: str
    link_bits: int | None = None


def _design_sources(design: Path) -> _Sources:
    checked, _ = check.check(design)
    texts = generate.texts(checked)
    name = checked.config.name
    return _Sources(f"{name}_top", texts, f"{name}.f")


def _wrapper(module: ast.InstanceSymbol, header: str, values: Mapping[str, int]) -> str:
    """A module without type parameters around one that has some."""
    ports = [member for member in module.body if member.kind == ast.SymbolKind.Port]
    declarations, connections = [], []
    for port in ports:
        if port.name in _CONSTANT_INPUTS:
            connections.append(f"    .{port.name}({_CONSTANT_INPUTS[port.name]})")
            continue
        direction = "input" if port.direction == ast.ArgumentDirection.In else "output"
        width = port.type.bitWidth
        declarations.append(f"  {direction} logic [{width - 1}:0] {port.name}")
        is_enum = isinstance(port.type.canonicalType, ast.EnumType)
        if direction == "input" and is_enum:
            connections.append(f"    .{port.name}({port.type}'({port.name}))")
        else:
            connections.append(f"    .{port.name}({port.name})")
    types = [
        member
        for member in module.body
        if member.kind == ast.SymbolKind.TypeParameter and not member.isLocalParam
    ]
    given = [f".{item.name}({_type_argument(item.name)})" for item in types]
    for name, value in values.items():
        kind = module.body.find(name).type
        is_enum = isinstance(kind.canonicalType, ast.EnumType)
        given.append(f".{name}({kind}'({value}))" if is_enum else f".{name}({value})")
    lines = [header + "module area_top", "  import area_pkg::*;", "("]
    lines += [",\n".join(declarations), ");"]
    lines += [f"  {module.body.definition.name} #({', '.join(given)}) u_module ("]
    lines += [",\n".join(connections), "  );", "endmodule", ""]
    return "\n".join(lines)


def _type_argument(name: str) -> str:
    return name if name in ("beat_t", "flit_t") else "beat_t"


def _module_sources(name: str, params: Mapping[str, int], data_width: int) -> _Sources:
    """A module of rtl/ with types of a sensible width in place of its type parameters."""
    files = rtl.rtl_files()
    modules = rtl.modules(files)
    if name not in modules:
        raise UserError(f"there is no module {name!r}; {near_matches(name, modules)}")
    known = modules[name]
    values = {"DataWidth": data_width} if "DataWidth" in known else {}
    by_key = {snake_case(key): key for key in known}
    for key, value in params.items():
        parameter = key if key in known else by_key.get(key)
        if parameter is None:
            raise UserError(f"module {name} has no parameter {key!r}; {near_matches(key, known)}")
        values[parameter] = value

    header = (
        '`include "bombus_types.svh"\n'
        "package area_pkg;\n"
        f"  `BOMBUS_BEAT_T(beat_t, {data_width})\n"
        f"  `BOMBUS_FLIT_T(flit_t, beat_t, {_MESH_BITS}, {_MESH_BITS}, {_PORT_BITS})\n"
        "endpackage\n"
    )
    types = [key for key in known if key.endswith("_t")]
    given = [f".{key}(area_pkg::{_type_argument(key)})" for key in types]
    given += [f".{key}({value})" for key, value in values.items()]
    probe = f"{header}module probe;\n  {name} #({', '.join(given)}) u_module ();\nendmodule\n"
    first = rtl.elaborate(files, {"probe": probe}, top="probe")
    instance = first.instance("probe").body.find("u_module")
    text = _wrapper(instance, header, values)
    whole = rtl.elaborate(files, {_WRAPPER + ".sv": text}, top=_WRAPPER)
    used = [source for source in whole.used(_WRAPPER) if isinstance(source, Path)]
    problems = rtl.elaborate(used, {_WRAPPER + ".sv": text}, top=_WRAPPER).problems()
    if problems:
        raise DesignError(problems)
    texts = {f"{i}_{file.name}": file.read_text(encoding="utf-8") for i, file in enumerate(used)}
    order = [*texts, _WRAPPER + ".sv"]
    texts[_WRAPPER + ".sv"] = text
    for folder in rtl.include_dirs():
        texts |= {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.svh")}
    texts["area.f"] = "\n".join(["+incdir+.", *order]) + "\n"
    link_bits = None
    if "flit_t" in known and name.startswith("router"):
        flit = instance.body.find("flit_t")
        channels = instance.body.find("NumChannels")
        # Each channel of a link has its own valid and ready.
        num_channels = int(channels.value.value) if channels else 1
        link_bits = flit.targetType.type.bitWidth + 2 * num_channels
    return _Sources(_WRAPPER, texts, "area.f", link_bits)


def _synthesise(sources: _Sources, *, flatten: bool) -> tuple[dict[str, Any], int | None]:
    """Statistics and delay in ps, from the cache if they are there."""
    request = synthesis.Request(sources.top, sources.file_list, flatten, "statistics.json")
    texts = [version("pyosys"), str(request)]
    texts += [part for name in sorted(sources.files) for part in (name, sources.files[name])]
    texts.append(Path(synthesis.__file__).read_text(encoding="utf-8"))

    def make(folder: Path) -> None:
        for name, text in sources.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        _, log = synthesis.run(request, folder)
        # The last line of ABC's mapping tells the delay of the final netlist.
        delays = re.findall(r"^ABC:.*Del = *([0-9]+(?:[.][0-9]+)?)", log, re.MULTILINE)
        delay = round(float(delays[-1])) if delays and flatten else None
        (folder / "delay.json").write_text(json.dumps(delay), encoding="utf-8")

    folder = cached_directory(f"area/{content_key(texts, [])}", make)
    statistics = json.loads((folder / "statistics.json").read_text())
    delay: int | None = json.loads((folder / "delay.json").read_text())
    return statistics, delay


def _plain_module(name: str) -> str:
    """`\\strip$top.u_x` -> `strip`."""
    return name.removeprefix("\\").split("$")[0] or name


def _modules(statistics: dict[str, Any]) -> list[ModuleArea]:
    """Own cells of each module over all its instances, largest first."""
    totals: dict[str, tuple[int, Counter[str]]] = {}
    for name, module in statistics["modules"].items():  # one for each instance
        kind = _plain_module(name)
        instances, cells = totals.get(kind, (0, Counter()))
        totals[kind] = (instances + 1, cells + Counter(module["num_cells_by_type"]))
    totals.pop(_WRAPPER, None)
    parts = [ModuleArea(kind, number, count(cells)) for kind, (number, cells) in totals.items()]
    return sorted(parts, key=lambda part: (-part.area.lut_total, -part.area.ff, part.module))


def measure(
    target: str,
    *,
    params: Mapping[str, int] | None = None,
    data_width: int = 512,
    per_module: bool = False,
) -> Report:
    """Area of a design file, or of a module of rtl/ by name.

    `params` and `data_width` (bits) are for a module. `per_module` synthesises
    once more, with the hierarchy kept, to say where the area goes; its sum is
    larger, since nothing is optimised across modules.
    """
    if Path(target).suffix in (".yaml", ".yml"):
        if params:
            raise UserError("--param applies to modules only, not to designs")
        sources = _design_sources(Path(target))
    else:
        sources = _module_sources(target, params or {}, data_width)
    statistics, delay = _synthesise(sources, flatten=True)
    modules: Iterable[ModuleArea] = ()
    if per_module:
        hierarchical, _ = _synthesise(sources, flatten=False)
        modules = _modules(hierarchical)
    area = count(statistics["design"]["num_cells_by_type"])
    return Report(target, sources.top, area, delay, sources.link_bits, list(modules))

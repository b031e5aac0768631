# SPDX-License-Identifier: Apache-2.0
"""The sources to synthesise: a design, one of its tiles, or a module of rtl/ in a wrapper."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pyslang import ast, syntax

from bombus.base import paths
from bombus.base.errors import DesignError, UserError
from bombus.base.text import listing, near_matches, nearest, snake_case
from bombus.design import rtl
from bombus.generation import generate

# Inputs that are constant in a design: the position of a router inside the mesh.
_CONSTANT_INPUTS = {"x_i": 3, "y_i": 3}
_MESH_BITS = 3  # coordinates of an 8x8 mesh
_PORT_BITS = 1
_WRAPPER = "area_top"


@dataclass(frozen=True)
class Part:
    """A module and the files that it needs, by their names in the work folder."""

    module: str
    files: Mapping[str, str]  # packages first; headers among them


@dataclass(frozen=True)
class Sources:
    """A module to be synthesised."""

    whole: Part
    parts: tuple[Part, ...] = ()  # modules inside that are synthesised separately first
    instances: Mapping[str, str] = field(default_factory=dict)  # module of each, by its path
    layers: frozenset[str] = frozenset()  # of a design: the instances of its layers, by path
    link_bits: int | None = None  # of a router: bits of a flit, valid and ready
    clocks_mhz: Mapping[str, float] = field(default_factory=dict)  # of a design, by clock input

    @property
    def top(self) -> str:
        return self.whole.module

    def modules(self) -> dict[str, list[tuple[int, str]]]:
        """The modules of each file, with the lines that they begin in."""
        pattern = re.compile(r"^\s*module\s+(?:automatic\s+|static\s+)?(\w+)", re.MULTILINE)
        found: dict[str, list[tuple[int, str]]] = {}
        files = {
            name: text for part in (*self.parts, self.whole) for name, text in part.files.items()
        }
        for name, text in files.items():
            for match in pattern.finditer(text):
                line = text.count("\n", 0, match.start(1)) + 1
                found.setdefault(name, []).append((line, match[1]))
        return found


def file_list(part: Part) -> str:
    """The file list of Yosys for a part."""
    folders = {Path(name).parent.as_posix() for name in part.files if name.endswith(".svh")}
    sources = [name for name in part.files if name.endswith(".sv")]
    return "\n".join([*(f"+incdir+{folder}" for folder in sorted(folders)), *sources]) + "\n"


def _instances(top: ast.InstanceSymbol) -> dict[str, str]:
    """The module of each instance inside, by its path from the top."""
    found: dict[str, str] = {}
    start = len(top.hierarchicalPath) + 1

    def visit(symbol: ast.Symbol) -> bool:
        if isinstance(symbol, ast.InstanceSymbol) and symbol is not top:
            found[symbol.hierarchicalPath[start:]] = symbol.definition.name
        return True

    top.visit(visit)
    return found


def of_design(design: Path, tile: str | None = None) -> Sources:
    """A design, to be composed of its tiles; or one tile of it."""
    checked, texts = generate.checked(design)
    name = checked.design.config.name
    # In the order of the design's file list, where packages come first.
    names = [line for line in texts[f"{name}.f"].splitlines() if not line.startswith(("+", "//"))]
    headers = {path: text for path, text in texts.items() if path.endswith(".svh")}
    elaboration = rtl.elaborate([], {path: texts[path] for path in names}, top=f"{name}_top")
    top = elaboration.instance(f"{name}_top")

    prefix = f"{name}_tile_"
    tiles = {
        member.definition.name.removeprefix(prefix): member
        for member in top.body
        if isinstance(member, ast.InstanceSymbol) and member.definition.name.startswith(prefix)
    }
    modules = {instance.definition.name: instance for instance in tiles.values()}

    def part(instance: ast.InstanceSymbol, without: Collection[str] = ()) -> Part:
        used = [str(path) for path in elaboration.used(instance, without)]
        stubs = {f"stubs/{name}.sv": _stub(modules[name]) for name in without}
        files = headers | {path: texts[path] for path in used} | stubs
        return Part(instance.definition.name, rtl.without_unused_packages(files))

    layers = {
        each.name: [f"u_{layer.name}" for layer in each.layers] for each in checked.design.tiles
    }
    if tile is not None:
        if tile not in tiles:
            raise UserError(f"design {name} has no tile {tile!r}; {near_matches(tile, tiles)}")
        return Sources(
            part(tiles[tile]),
            instances=_instances(tiles[tile]),
            layers=frozenset(layers[tile]),
            clocks_mhz={"clk_i": checked.design.config.clock_mhz},
        )
    return Sources(
        part(top, without=modules),
        tuple(part(instance) for instance in modules.values()),
        _instances(top),
        frozenset(f"u_{name}.{layer}" for name, inside in layers.items() for layer in inside),
        clocks_mhz=checked.design.config.clocks,
    )


def _stub(instance: ast.InstanceSymbol) -> str:
    """A module without its body."""
    module = instance.definition.syntax
    assert isinstance(module, syntax.ModuleDeclarationSyntax)
    return f"{module.header}\nendmodule\n"


def _wrapper(
    module: ast.InstanceSymbol, header: str, types: Mapping[str, str], values: Mapping[str, int]
) -> str:
    """A module without type parameters around one that has some."""
    ports = [member for member in module.body if isinstance(member, ast.PortSymbol)]
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
    given = [
        f".{member.name}({types[member.name]})"
        for member in module.body
        if isinstance(member, ast.TypeParameterSymbol) and not member.isLocalParam
    ]
    for name, value in values.items():
        parameter = module.body.find(name)
        assert isinstance(parameter, ast.ParameterSymbol)
        kind = parameter.type
        is_enum = isinstance(kind.canonicalType, ast.EnumType)
        given.append(f".{name}({kind}'({value}))" if is_enum else f".{name}({value})")
    lines = [header + "module area_top", "  import area_pkg::*;", "("]
    lines += [",\n".join(declarations), ");"]
    lines += [f"  {module.body.definition.name} #({', '.join(given)}) u_module ("]
    lines += [",\n".join(connections), "  );", "endmodule", ""]
    return "\n".join(lines)


def _register_types(name: str, data_width: int) -> dict[str, list[str]]:
    """The types of a layer's registers."""
    layer = rtl.library(data_width).layers.get(name)
    return layer.register_types if layer else {}


def _metadata(name: str, data_width: int) -> str:
    """The metadata struct of a module's beats: a layer's widest, otherwise a packet's."""
    library = rtl.library(data_width)
    layer = library.layers.get(name)
    kinds = layer.message_kinds() if layer else [rtl.PACKET]
    return rtl.widest(kinds, library.message_kinds).struct


def _beat(file: Path, name: str, data_width: int) -> str:
    """Declares beat_t for a module: that of its part of rtl/ (`cluster_types.svh` in `rtl/cluster`
    has `CLUSTER_BEAT_T`), or a beat of a mesh, as all layers have."""
    part = file.relative_to(paths.RTL).parts[0]
    is_layer = name in rtl.library(data_width).layers
    for folder in () if is_layer else rtl.include_dirs():
        if (folder / f"{part}_types.svh").exists():
            macro = f"`{part.upper()}_BEAT_T(beat_t, {data_width})"
            return f'`include "{part}_types.svh"\npackage area_pkg;\n  {macro}\n'
    macro = f"`BOMBUS_BEAT_T(beat_t, {data_width}, {_metadata(name, data_width)})"
    return f"package area_pkg;\n  {macro}\n"


def of_module(name: str, params: Mapping[str, int], data_width: int) -> Sources:
    """A module of rtl/ with types of a sensible width in place of its type parameters."""
    files = rtl.rtl_files()
    modules = rtl.modules(files)
    if name not in modules:
        if Path(name).is_dir():
            raise UserError(f"{name} is a folder; expected a design file or a module")
        near = listing(map(repr, nearest(name, modules)), "or")
        hint = f"did you mean {near}?" if near else "docs/modules.md lists them"
        raise UserError(f"there is no module {name!r}; {hint}")
    known = modules[name]
    values = {"DataWidth": data_width} if "DataWidth" in known else {}
    numbers = {key for key in known if not key.endswith("_t")}  # the others are types
    by_key = {snake_case(key): key for key in numbers}
    for key, value in params.items():
        parameter = key if key in numbers else by_key.get(key)
        if parameter is None:
            raise UserError(f"module {name} has no parameter {key!r}; {near_matches(key, numbers)}")
        values[parameter] = value

    # A file has the name of its module.
    file = next(file for file in files if file.stem == name)
    header = (
        '`include "bombus_types.svh"\n'
        f"{_beat(file, name, data_width)}"
        f"  `BOMBUS_FLIT_T(flit_t, beat_t, {_MESH_BITS}, {_MESH_BITS}, {_PORT_BITS})\n"
    )
    own = {"beat_t", "flit_t"}
    for key, (first_line, *body, last) in _register_types(name, data_width).items():
        header += "\n".join([f"  typedef {first_line}", *body, f"{last} {key};", ""])
        own.add(key)
    header += "endpackage\n"
    types = {key: key if key in own else "beat_t" for key in known if key.endswith("_t")}
    given = [f".{key}(area_pkg::{value})" for key, value in types.items()]
    given += [f".{key}({value})" for key, value in values.items()]
    probe = f"{header}module probe;\n  {name} #({', '.join(given)}) u_module ();\nendmodule\n"
    first = rtl.elaborate(files, {"probe": probe}, top="probe")
    # Its own message, if it has one, rather than those of all modules inside.
    refusals = [each for each in first.remarks() if each.is_error and each.file.stem == name]
    if refusals:
        raise DesignError(refusals)
    instance = first.instance("probe").body.find("u_module")
    assert isinstance(instance, ast.InstanceSymbol)
    text = _wrapper(instance, header, types, values)
    whole = rtl.elaborate(files, {_WRAPPER + ".sv": text}, top=_WRAPPER)
    top = whole.instance(_WRAPPER)
    used = [source for source in whole.used(top) if isinstance(source, Path)]
    checked = rtl.elaborate(used, {_WRAPPER + ".sv": text}, top=_WRAPPER)
    problems = checked.problems()
    if problems:
        raise DesignError(problems)
    needed = [*(path for folder in rtl.include_dirs() for path in folder.glob("*.svh")), *used]
    texts = {_home(path): path.read_text(encoding="utf-8") for path in needed}
    texts[_WRAPPER + ".sv"] = text
    link_bits = None
    if "flit_t" in known and name.startswith("router"):
        flit = instance.body.find("flit_t")
        channels = instance.body.find("NumChannels")
        assert isinstance(flit, ast.TypeParameterSymbol)
        # Each channel of a link has its own valid and ready.
        num_channels = 1
        if isinstance(channels, ast.ParameterSymbol):
            num_channels = int(channels.value.value)  # type: ignore[call-overload]
        link_bits = flit.targetType.type.bitWidth + 2 * num_channels
    return Sources(
        Part(_WRAPPER, rtl.without_unused_packages(texts)),
        instances=_instances(top),
        link_bits=link_bits,
    )


def _home(path: Path) -> str:
    """Name of a file of rtl/ in the work folder."""
    return f"rtl/{path.relative_to(paths.RTL).as_posix()}"

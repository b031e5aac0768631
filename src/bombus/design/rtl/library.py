# SPDX-License-Identifier: Apache-2.0
"""All layers that a design can use, read from SystemVerilog.

A layer needs no registration: `library` elaborates every module that has a localparam `Entry`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pyslang import syntax

from bombus.base import paths
from bombus.base.errors import DesignError, Problem, UserError
from bombus.base.text import near_matches
from bombus.design.rtl.beat import BEAT, Beat
from bombus.design.rtl.elaboration import (
    Elaboration,
    declarations,
    elaborate,
    name_of,
    parameter_names,
    rtl_files,
)
from bombus.design.rtl.layers import LayerKind, is_layer, read_layer
from bombus.design.rtl.packages import enum_names
from bombus.design.rtl.probe import description, probe, version


@dataclass(frozen=True)
class Library:
    """All layer kinds, for one data width, at the defaults of their parameters."""

    data_width: int
    versions: tuple[tuple[Path, int], ...]  # the files, and when each was last changed
    layers: Mapping[str, LayerKind]
    definitions: Mapping[str, Path]  # all modules and packages by name

    @functools.cached_property
    def bound_keys(self) -> frozenset[str]:
        """Keys that some layer binds, such as `udp_port`."""
        outputs = (each for kind in self.layers.values() for each in kind.outputs.values())
        return frozenset(output.binds for output in outputs if output.binds)

    def kind(self, name: str) -> LayerKind:
        """The layer of that kind; UserError with near matches if there is none."""
        if name in self.layers:
            return self.layers[name]
        if name in self.definitions:
            raise UserError(
                f"module {name} of {self.definitions[name].name} is not a layer: it has no "
                "`localparam string Entry`"
            )
        raise UserError(f"there is no layer kind {name!r}; {near_matches(name, self.layers)}")


def _assignments(module: syntax.SyntaxNode, data_width: int) -> list[str]:
    """Parameters of a layer whose streams all have one type."""
    names = parameter_names(module)
    given = [f".{name}({BEAT})" for name in sorted(names) if name.endswith(BEAT)]
    return given + ([f".DataWidth({data_width})"] if "DataWidth" in names else [])


def _definitions(scan: Elaboration, found: Iterable[syntax.SyntaxNode]) -> dict[str, Path]:
    """Where each module and package is; DesignError for one that is there twice."""
    first: dict[str, Path] = {}
    problems = []
    for declaration in found:
        name, location = name_of(declaration), declaration.header.name.location
        file = scan.file(location)
        other = first.setdefault(name, file)
        if other is not file:
            shipped = "comes with Bombus" if other.is_relative_to(paths.RTL) else f"is in {other}"
            message = f"{name} is there already: it {shipped}, and no source can replace it; rename"
            line = scan.manager.getLineNumber(location)
            problems.append(Problem(file, line, f"{message} this one"))
    if problems:
        raise DesignError(problems)
    return first


def library(data_width: int, sources: Iterable[Path] = ()) -> Library:
    """All layers under rtl/ and in `sources`, as they are for a data width in bits."""
    files = [*rtl_files(), *sources]
    missing = [file for file in files if not file.is_file()]
    if missing:
        raise UserError(f"there is no SystemVerilog file {missing[0]}")
    return _library(data_width, tuple((file, version(file)) for file in files))


@functools.lru_cache(maxsize=16)
def _library(data_width: int, versions: tuple[tuple[Path, int], ...]) -> Library:
    files = [file for file, _ in versions]
    scan = elaborate(files)
    problems = scan.problems(syntax_only=True)
    if problems:
        raise DesignError(problems)
    found = [module for tree in scan.trees.values() for module in declarations(tree)]
    definitions = _definitions(scan, found)
    modules = {name_of(module): module for module in found if is_layer(module)}
    beside = {name: description(definitions[name]) for name in modules}
    elaboration, probed = probe(
        files,
        {BEAT: Beat(data_width)},
        {name: _assignments(module, data_width) for name, module in modules.items()},
        {name: file for name, file in beside.items() if file},
    )
    layers = {
        name: read_layer(each.instance, elaboration, flows(), each.registers)
        for name, each in probed.items()
    }
    if problems := elaboration.problems():
        raise DesignError(problems)

    return Library(data_width, versions, layers, definitions)


@functools.cache
def flows() -> Mapping[int, str]:
    """Names of `noc_pkg::flow_e` by value."""
    return {n: name.removeprefix("flow_") for n, name in enum_names("noc_pkg", "flow_e").items()}

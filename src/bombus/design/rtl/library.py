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
from bombus.design.rtl.layer_kind import LayerKind
from bombus.design.rtl.layer_reader import is_layer, read_layer
from bombus.design.rtl.messages import PACKET, MessageKind, read_kinds, widest, without_struct
from bombus.design.rtl.packages import enum_names
from bombus.design.rtl.probe import Probed, description, probe, version
from bombus.design.rtl.shared import ALONE, Shared


@dataclass(frozen=True)
class Library:
    """All layer kinds with their default parameters, for one data width and the values that a
    design's layers share.
    """

    data_width: int
    shared: Shared
    versions: tuple[tuple[Path, int], ...]  # the files, and when each was last changed
    layers: Mapping[str, LayerKind]
    definitions: Mapping[str, Path]  # all modules and packages by name
    message_kinds: Mapping[str, MessageKind]  # kinds that have a struct
    refusing: frozenset[str]  # layers that refuse this width, or their own defaults, by `$error`

    @functools.cached_property
    def bound_keys(self) -> frozenset[str]:
        """Keys that some layer binds, such as `udp_port`."""
        outputs = (each for kind in self.layers.values() for each in kind.outputs.values())
        return frozenset(output.binds for output in outputs if output.binds)

    def mac_layers(self, direction: str) -> list[str]:
        """Kinds of layers that take frames from a MAC port (`rx`) or send them to one (`tx`)."""
        return sorted(n for n, kind in self.layers.items() if direction in kind.mac_directions)

    def with_metadata(self, kind: LayerKind, beats: Mapping[str, Beat]) -> dict[str, Beat]:
        """Beats of a layer's streams, by type parameter, with room for all declared kinds."""
        return {
            name: beat._replace(
                metadata=widest(kind.message_kinds(name), self.message_kinds).struct
            )
            for name, beat in beats.items()
        }

    def kind(self, name: str) -> LayerKind:
        """The layer of that kind; UserError with near matches if there is none."""
        if name in self.layers:
            return self.layers[name]
        if name in self.definitions:
            raise UserError(
                f"{name} of {self.definitions[name].name} is not a layer: it has no "
                "`localparam string Entry`"
            )
        raise UserError(f"there is no layer kind {name!r}; {near_matches(name, self.layers)}")


def _assignments(
    module: syntax.SyntaxNode, data_width: int, shared: Shared, beat: str
) -> list[str]:
    """Parameters of a layer whose streams all have one type, `beat`."""
    names = parameter_names(module)
    given = [f".{name}({beat})" for name in sorted(names) if name.endswith(BEAT)]
    given += [f".DataWidth({data_width})"] if "DataWidth" in names else []
    return given + [f".{key}({value})" for key, value in shared.parameters.items() if key in names]


def _definitions(
    scan: Elaboration, found: Iterable[syntax.SyntaxNode], known: Mapping[str, Path]
) -> dict[str, Path]:
    """The file of each module and package; DesignError for duplicates, also of `known` ones."""
    first: dict[str, Path] = {}
    problems = []
    for declaration in found:
        name, location = name_of(declaration), declaration.header.name.location
        file = scan.file(location)
        other = known.get(name) or first.setdefault(name, file)
        if other is not file:
            is_ours = other.is_relative_to(paths.RTL)
            whose = "a module of Bombus" if is_ours else f"a module in {other}"
            line = scan.manager.getLineNumber(location)
            message = f"{name} is the name of {whose}; rename yours"
            problems.append(Problem(file, line, message))
    if problems:
        raise DesignError(problems)
    return first


def library(data_width: int, sources: Iterable[Path] = (), shared: Shared = ALONE) -> Library:
    """All layers under rtl/ and in `sources`, for a data width in bits."""
    shipped = rtl_files()
    given = [file for file in dict.fromkeys(sources) if file not in shipped]
    missing = [file for file in (*shipped, *given) if not file.is_file()]
    if missing:
        raise UserError(f"there is no SystemVerilog file {missing[0]}")
    return _library(data_width, shared, _versions(shipped), _versions(given))


_Versions = tuple[tuple[Path, int], ...]


def _versions(files: Iterable[Path]) -> _Versions:
    return tuple((file, version(file)) for file in files)


@functools.lru_cache(maxsize=16)
def _library(data_width: int, shared: Shared, shipped: _Versions, given: _Versions) -> Library:
    """`given`: files of a design, whose layers are added to those that are shipped."""
    if given:
        known = _library(data_width, shared, shipped, ())
    else:
        known = Library(data_width, shared, (), {}, {}, {}, frozenset())
    files = [file for file, _ in (*shipped, *given)]
    scan = elaborate(files)
    problems = scan.problems(syntax_only=True)
    if problems:
        raise DesignError(problems)
    trees = (scan.trees[file] for file, _ in given or shipped)
    found = [module for tree in trees for module in declarations(tree)]
    definitions = _definitions(scan, found, known.definitions)
    modules = {name_of(module): module for module in found if is_layer(module)}
    beside = {name: description(definitions[name]) for name in modules}

    def read(
        metadata: Mapping[str, MessageKind],
    ) -> tuple[Elaboration, dict[str, Probed], dict[str, LayerKind]]:
        """`metadata`: of layers whose metadata is not a packet's."""
        types = {f"{name}_{BEAT}": Beat(data_width, kind.struct) for name, kind in metadata.items()}
        elaboration, probed = probe(
            files,
            {BEAT: Beat(data_width), **types},
            {
                name: _assignments(
                    module,
                    data_width,
                    shared,
                    f"{name}_{BEAT}" if name in metadata else BEAT,
                )
                for name, module in modules.items()
            },
            {name: file for name, file in beside.items() if file},
            shared.num_mac_ports,
        )
        return (
            elaboration,
            probed,
            {
                name: read_layer(each.instance, elaboration, flows(), each.registers, shared)
                for name, each in probed.items()
            },
        )

    elaboration, probed, layers = read({})
    kinds = read_kinds(elaboration)
    problems = [
        Problem(layer.file, layer.line, f"layer {layer.name}: {message}")
        for layer in layers.values()
        for message in without_struct(layer.all_kinds, kinds)
    ]
    if problems:
        raise DesignError(problems)
    metadata = {name: widest(layer.message_kinds(), kinds) for name, layer in layers.items()}
    metadata = {name: kind for name, kind in metadata.items() if kind.name != PACKET}
    if metadata:
        elaboration, probed, layers = read(metadata)
    # Rejected parameters only matter to designs with that layer.
    refused = {each.file for each in elaboration.remarks() if each.is_error}
    if problems := elaboration.problems(without_remarks=True):
        raise DesignError(problems)
    refusing = frozenset(
        name
        for name, each in probed.items()
        if refused and refused.intersection(elaboration.used(each.instance))
    )
    return Library(
        data_width,
        shared,
        (*shipped, *given),
        {**known.layers, **layers},
        {**known.definitions, **definitions},
        kinds,
        known.refusing | refusing,
    )


@functools.cache
def flows() -> Mapping[int, str]:
    """Names of `noc_pkg::flow_e` by value."""
    return {n: name.removeprefix("flow_") for n, name in enum_names("noc_pkg", "flow_e").items()}

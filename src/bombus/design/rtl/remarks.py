# SPDX-License-Identifier: Apache-2.0
"""Layers at given parameter values: their declarations, and the errors they report."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from bombus.base.errors import DesignError, Problem
from bombus.design.rtl.beat import BEAT, Beat
from bombus.design.rtl.layer_kind import LayerKind
from bombus.design.rtl.layer_reader import read_layer
from bombus.design.rtl.library import Library, flows
from bombus.design.rtl.probe import description, probe
from bombus.design.rtl.shared import Shared

Beats = Mapping[str, Beat]  # of a layer's streams, by type parameter


def remarks(
    library: Library, kind: LayerKind, params: Mapping[str, int], beats: Beats
) -> list[Problem]:
    """`$error` and `$warning` messages of a layer with these parameters (by key), or why it cannot
    be elaborated. They name parameters by key. None if `with_parameters` raises an error.
    """
    try:
        said = _at(library, kind, params, beats)[1]
    except DesignError:
        return []
    return list(_about(kind, params, said))


def _about(
    kind: LayerKind, params: Mapping[str, int], said: Iterable[Problem]
) -> Iterator[Problem]:
    """Modules inside the layer refuse the same values, and what follows from these: if a message
    is about given parameters, only the first one about each.
    """
    keys = {parameter.name: key for key, parameter in kind.parameters.items()}
    found: dict[str, Problem] = {}
    others = []
    for problem in said:
        words = re.split(r"\b", problem.message)
        named = [keys[word] for word in words if word in keys]
        problem = replace(problem, message="".join(keys.get(word, word) for word in words))
        if named and named[0] in params:
            found.setdefault(named[0], problem)
        else:
            others.append(problem)
    yield from found.values()
    yield from (each for each in others if not (found and each.is_error))


def with_parameters(
    library: Library, kind: LayerKind, params: Mapping[str, int], beats: Beats
) -> LayerKind:
    """The layer as it declares itself with these parameters, by key.

    Raises DesignError if it breaks the contract of a layer with them: with the layer's own `$error`
    messages, if it has some about that.
    """
    if not params and set(beats.values()) <= {Beat(library.data_width)}:
        return kind
    try:
        return _at(library, kind, params, beats)[0]
    except DesignError as error:
        raise DesignError(_about(kind, params, error.problems)) from None


def _at(
    library: Library, kind: LayerKind, params: Mapping[str, int], beats: Beats
) -> tuple[LayerKind, tuple[Problem, ...]]:
    given = [f".{name}({name})" for name in beats]
    if "data_width" in kind.parameters:
        width = beats[BEAT].data_width if BEAT in beats else library.data_width
        given.append(f".DataWidth({width})")
    names = {parameter.name for parameter in kind.parameters.values()}
    for key, number in library.shared.parameters.items():
        if key in names:
            given.append(f".{key}({number})")
    for key, value in sorted(params.items()):
        parameter = kind.parameters[key]
        text = f"{parameter.width}'d{value}" if value >= 0 else str(value)
        given.append(f".{parameter.name}({text})")
    types = library.with_metadata(kind, beats)
    return _instance(
        library.versions,
        library.shared,
        tuple(types.items()),
        kind.name,
        kind.file,
        tuple(given),
    )


@functools.lru_cache(maxsize=256)
def _instance(
    versions: tuple[tuple[Path, int], ...],
    shared: Shared,
    beats: tuple[tuple[str, Beat], ...],
    name: str,
    layer_file: Path,
    given: tuple[str, ...],
) -> tuple[LayerKind, tuple[Problem, ...]]:
    files = [file for file, _ in versions]
    beside = description(layer_file)
    elaboration, probed = probe(
        files, dict(beats), {name: given}, {name: beside} if beside else {}, shared.num_mac_ports
    )
    said = elaboration.remarks()
    # Other errors often follow from what the layer rejects.
    is_refused = any(remark.is_error for remark in said)
    found = probed[name]
    try:
        kind = read_layer(found.instance, elaboration, flows(), found.registers, shared)
    except DesignError:
        if is_refused:
            raise DesignError(remark for remark in said if remark.is_error) from None
        raise
    return kind, tuple(said if is_refused else [*said, *elaboration.problems()])

# SPDX-License-Identifier: Apache-2.0
"""Layers at given parameter values: their declarations, and the errors they report."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from pyslang import ast

from bombus.base.errors import Problem
from bombus.design.rtl.beat import BEAT, Beat, probe
from bombus.design.rtl.elaboration import elaborate
from bombus.design.rtl.layers import LayerKind, read_layer
from bombus.design.rtl.library import Library, flows

Beats = Mapping[str, Beat]  # of a layer's streams, by type parameter


def remarks(
    library: Library, kind: LayerKind, params: Mapping[str, int], beats: Beats
) -> list[Problem]:
    """`$error` and `$warning` of a layer with these parameters, by key, or why it has none."""
    return list(_instance(library.versions, *_given(kind, params, beats))[1])


def with_parameters(
    library: Library, kind: LayerKind, params: Mapping[str, int], beats: Beats
) -> LayerKind:
    """The layer as it declares itself with these parameters, by key."""
    if not params and set(beats.values()) <= {Beat(library.data_width)}:
        return kind
    return _instance(library.versions, *_given(kind, params, beats))[0]


def _given(
    kind: LayerKind, params: Mapping[str, int], beats: Beats
) -> tuple[tuple[tuple[str, Beat], ...], str]:
    """The types of a layer's streams, and its instance."""
    given = [f".{name}({name})" for name in beats]
    if BEAT in beats and "data_width" in kind.parameters:
        given.append(f".DataWidth({beats[BEAT].data_width})")
    for key, value in sorted(params.items()):
        parameter = kind.parameters[key]
        number = f"{parameter.width}'d{value}" if value >= 0 else str(value)
        given.append(f".{parameter.name}({number})")
    return tuple(beats.items()), f"{kind.name} #({', '.join(given)}) u_layer ();"


@functools.lru_cache(maxsize=256)
def _instance(
    versions: tuple[tuple[Path, int], ...], beats: tuple[tuple[str, Beat], ...], instance: str
) -> tuple[LayerKind, tuple[Problem, ...]]:
    text = probe(dict(beats), [instance])
    elaboration = elaborate([file for file, _ in versions], {"probe": text}, top="probe")
    said = elaboration.remarks()
    # What else is wrong often follows from what the layer refuses.
    is_refused = any(remark.is_error for remark in said)
    found = next(
        member
        for member in elaboration.instance("probe").body
        if member.kind == ast.SymbolKind.Instance
    )
    kind = read_layer(found, elaboration, flows())
    return kind, tuple(said if is_refused else [*said, *elaboration.problems()])

# SPDX-License-Identifier: Apache-2.0
"""Layers at values of their parameters: what they declare then, and what they say against them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from pyslang import ast

from bombus.base.errors import Problem
from bombus.design.rtl.elaboration import elaborate
from bombus.design.rtl.layers import LayerKind, read_layer
from bombus.design.rtl.library import Library, flows


def remarks(library: Library, kind: LayerKind, params: Mapping[str, int]) -> list[Problem]:
    """`$error` and `$warning` of a layer with these parameters, by key, or why it has none."""
    return list(_instance(library.versions, library.data_width, kind.name, _given(kind, params))[1])


def with_parameters(library: Library, kind: LayerKind, params: Mapping[str, int]) -> LayerKind:
    """The layer as it declares itself with these parameters, by key."""
    if not params:
        return kind
    return _instance(library.versions, library.data_width, kind.name, _given(kind, params))[0]


def _given(kind: LayerKind, params: Mapping[str, int]) -> str:
    given = [".beat_t(beat_t)"]
    for key, value in sorted(params.items()):
        parameter = kind.parameters[key]
        number = f"{parameter.width}'d{value}" if value >= 0 else str(value)
        given.append(f".{parameter.name}({number})")
    return ", ".join(given)


@functools.lru_cache(maxsize=256)
def _instance(
    versions: tuple[tuple[Path, int], ...], data_width: int, name: str, given: str
) -> tuple[LayerKind, tuple[Problem, ...]]:
    probe = "\n".join(
        (
            '`include "bombus_types.svh"',
            "module probe;",
            f"  `BOMBUS_BEAT_T(beat_t, {data_width})",
            f"  {name} #({given}) u_layer ();",
            "endmodule",
            "",
        )
    )
    elaboration = elaborate([file for file, _ in versions], {"probe": probe}, top="probe")
    said = elaboration.remarks()
    # What else is wrong often follows from what the layer refuses.
    is_refused = any(remark.is_error for remark in said)
    instance = next(
        member
        for member in elaboration.instance("probe").body
        if member.kind == ast.SymbolKind.Instance
    )
    kind = read_layer(instance, elaboration, flows())
    return kind, tuple(said if is_refused else [*said, *elaboration.problems()])

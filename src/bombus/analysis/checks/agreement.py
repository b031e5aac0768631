# SPDX-License-Identifier: Apache-2.0
"""Parameters of layers that work together: whether their values fit each other."""

from __future__ import annotations

import operator
from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.design.elements import Layer
from bombus.design.facts import Facts
from bombus.design.resolved import Design
from bombus.design.rtl.layer_kind import Agreement

HOLDS = {"=": operator.eq, ">=": operator.ge, "<=": operator.le}
WORDS = {"=": "", ">=": "at least ", "<=": "at most "}


def problems(facts: Facts) -> Iterator[Problem]:
    """Parameters that violate an `Agrees` declaration of their layer."""
    design = facts.design
    partners = _partners(design)
    for layer in design.layers():
        for agreement in layer.kind.agreements:
            own = own_value(layer, agreement)
            for other in (*_beside(layer, agreement.kind), *partners.get(layer, ())):
                value = other.param(agreement.other) if other.kind.name == agreement.kind else None
                if own is None or value is None or HOLDS[agreement.relation](own, value):
                    continue
                yield design.file.problem(layer.loc, _message(layer, agreement, other))


def own_value(layer: Layer, agreement: Agreement) -> int | None:
    """What the parameter of the other layer is compared with."""
    return layer.param(agreement.own) if agreement.number is None else agreement.number


def _message(layer: Layer, agreement: Agreement, other: Layer) -> str:
    here, there = layer.given_name, other.given_name
    if agreement.number is not None:
        return (
            f"{here}: set {agreement.other} of {there} to {WORDS[agreement.relation]}"
            f"{_shown(other, agreement.other, agreement.number)} (now "
            f"{_shown(other, agreement.other, other.param(agreement.other))}), or replace the "
            f"layer {layer.kind.name}"
        )
    return (
        f"{here} has {agreement.own} {layer.param(agreement.own)}; it should be "
        f"{WORDS[agreement.relation]}{other.param(agreement.other)}, the {agreement.other} of "
        f"{there}"
    )


def _shown(layer: Layer, key: str, value: int | None) -> str:
    """The value of a parameter as a design file has it."""
    is_bit = layer.kind.parameters[key].width == 1
    return str(bool(value)).lower() if is_bit else str(value)


def _partners(design: Design) -> dict[Layer, list[Layer]]:
    """Layers that each layer exchanges messages with, in either direction."""
    found: dict[Layer, dict[Layer, None]] = {}
    for hop in design.hops:
        if hop.target:
            ends = hop.source.layer, hop.target.layer
            for here, there in (ends, ends[::-1]):
                found.setdefault(here, {})[there] = None
    return {layer: list(others) for layer, others in found.items()}


def _beside(layer: Layer, kind: str) -> list[Layer]:
    """The layers of a kind in the same tile; if there are several of both kinds, they pair up in
    order.
    """
    others = [each for each in layer.tile.layers if each.kind.name == kind]
    alike = [each for each in layer.tile.layers if each.kind.name == layer.kind.name]
    if len(others) > 1 and len(others) == len(alike):
        return [others[alike.index(layer)]]
    return others

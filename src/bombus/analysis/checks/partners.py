# SPDX-License-Identifier: Apache-2.0
"""Layers that do not work by themselves: whether the design has what they declare to need."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bombus.analysis.checks.agreement import HOLDS, WORDS, own_value
from bombus.base.errors import DesignError, Problem
from bombus.base.text import listing
from bombus.design import rtl
from bombus.design.elements import Layer
from bombus.design.facts import Facts
from bombus.design.resolved import Design
from bombus.design.rtl.layer_kind import Agreement, LayerKind


def order(facts: Facts) -> Iterator[Problem]:
    """Layers before one that they are joined to and should follow (`Leads`)."""
    design = facts.design
    for tile in design.tiles:
        for number, layer in enumerate(tile.layers):
            for prefix in layer.kind.leads:
                signals = {
                    signal for port, signal in layer.joined.items() if port.startswith(f"{prefix}_")
                }
                for other in tile.layers[:number]:
                    if signals.intersection(other.joined.values()):
                        yield design.file.problem(
                            other.loc,
                            f"{other.given_name} is joined to {layer.given_name} by {prefix}_* and "
                            "should follow it: change the order of these layers",
                        )


def places(facts: Facts) -> Iterator[Problem]:
    """Layers that stand before one that takes other messages than they read (`Precedes`)."""
    design = facts.design
    for hop in design.hops:
        layer, target = hop.source.layer, hop.target
        entries = layer.kind.precedes
        if not (layer.before and entries and target) or hop.name != hop.source.stream.hops[0]:
            continue
        if hop.source.name != rtl.MAIN_OUTPUT or target.stream.entry in (*entries, rtl.ANY):
            continue
        fitting = {
            f"`{each.given_name}`"
            for each in design.inputs()
            if each.stream.entry in entries and each.layer is not layer
        }
        known = f": name {listing(sorted(fitting), 'or')}" if fitting else ""
        yield design.file.problem(
            layer.loc,
            f"{layer.given_name} stands before {target.given_name}, whose messages it would "
            f"misread; {_with(layer, design, lambda kind: kind.precedes)}it should be before "
            f"{listing(entries, 'or')}{known}",
        )


def needs(facts: Facts) -> Iterator[Problem]:
    """Layers without a partner that they declare (`Needs`).

    Those of a part of a larger design are found in the whole.
    """
    design = facts.design
    for layer in () if design.is_part else design.layers():
        for need in layer.kind.needed:
            others = [
                each
                for each in design.layers()
                if each.kind.name == need.kind and each is not layer
            ]
            if any(_suits(each, layer, need) for each in others):
                continue
            wanted = ""
            if need.own:
                wanted = f" with {need.other} {WORDS[need.relation]}{own_value(layer, need)}"
                wanted += "".join(
                    f"; {each.given_name} has {each.param(need.other)}" for each in others[:1]
                )
            yield design.file.problem(
                layer.loc,
                f"{layer.given_name} has no partner: "
                f"{_with(layer, design, lambda kind: kind.needs)}it needs a layer {need.kind}"
                f"{wanted}",
            )


def _suits(other: Layer, layer: Layer, need: Agreement) -> bool:
    if not need.own:
        return True
    own, value = own_value(layer, need), other.param(need.other)
    return own is not None and value is not None and HOLDS[need.relation](own, value)


def _with(layer: Layer, design: Design, declared: Callable[[LayerKind], tuple[str, ...]]) -> str:
    """The parameter of the design file on which a declaration depends."""
    beats = {name: network.beat for name, network in layer.types.items()}
    for key, value in layer.params.items():
        others = {name: each for name, each in layer.params.items() if name != key}
        try:
            kind = rtl.with_parameters(
                design.library, design.library.kind(layer.kind.name), others, beats
            )
        except DesignError:
            continue
        if declared(kind) != declared(layer.kind):
            return f"with {key} {value} "
    return ""

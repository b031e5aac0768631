# SPDX-License-Identifier: Apache-2.0
"""What layers themselves report about their parameters."""

from __future__ import annotations

from collections.abc import Iterator

from bombus.analysis.checks import bindings
from bombus.base.errors import Problem
from bombus.design import rtl
from bombus.design.facts import Facts


def of_layers(facts: Facts) -> Iterator[Problem]:
    """Errors and warnings of the layers' own checks, except in lines with a wrong bound value."""
    design = facts.design
    lines = {each.line for each in bindings.values(facts)}
    for layer in design.layers():
        if design.file.line(layer.loc) in lines:
            continue
        as_read = not layer.params and {*layer.networks.values()} <= {design.networks[0]}
        if as_read and layer.kind.name not in design.library.refusing:
            continue
        beats = {name: network.beat for name, network in layer.types.items()}
        for said in rtl.remarks(design.library, layer.kind, layer.params, beats):
            verb = "rejects its parameters" if said.is_error else "warns"
            message = f"{layer.given_name} {verb}: {said.message}"
            yield design.file.problem(layer.loc, message, is_error=said.is_error)

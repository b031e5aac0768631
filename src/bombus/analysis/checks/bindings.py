# SPDX-License-Identifier: Apache-2.0
"""Values of bound keys, such as UDP ports."""

from __future__ import annotations

from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.design.elements import Binding
from bombus.design.facts import Facts


def values(facts: Facts) -> Iterator[Problem]:
    """Bound layers must have distinct values that fit in the width of the key."""
    design = facts.design
    for key in sorted({binding.key for binding in design.bindings}):
        binders = [
            (layer, output)
            for layer in design.layers()
            for output in layer.kind.outputs.values()
            if output.binds == key
        ]
        widths = [
            min(
                output.key_width,
                layer.kind.parameters["bound_keys"].width
                // max(1, layer.kind.default("num_bound") or 1),
            )
            for layer, output in binders
        ]
        low = 0 if all(output.binds_zero for _, output in binders) else 1
        limit = 1 << min(widths, default=32)
        first: dict[int, Binding] = {}
        for binding in design.bindings_of(key):
            # Replicas may share a value.
            holders = {
                each.layer.bound_value(key): each.layer for each in reversed(binding.targets)
            }
            for value in binding.values if binding.targets else ():
                layer = holders[value]
                if not low <= value < limit:
                    message = f"{layer} has {key} {value}; it should be {low} to {limit - 1}"
                    yield design.file.problem(layer.loc, message)
                elif (other := first.setdefault(value, binding)) is not binding:
                    message = f"{layer} has {key} {value}, which {other.targets[0]} already has"
                    yield design.file.problem(layer.loc, message)

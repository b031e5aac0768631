# SPDX-License-Identifier: Apache-2.0
"""Whether the simulator can see that a layer still works on a message."""

from __future__ import annotations

from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.design.facts import Facts


def visible(facts: Facts) -> Iterator[Problem]:
    """Warnings of clocked layers that receive messages and have no busy_o; one for each kind."""
    design = facts.design
    kinds = {layer.kind.name: layer for layer in reversed([*design.layers()])}
    for name, layer in reversed(kinds.items()):
        ports = layer.kind.ports
        if layer.kind.inputs and "clk_i" in ports and "busy_o" not in ports:
            message = (
                f"{name} has a clock but no port busy_o: the simulator may skip cycles while a "
                "message is inside"
            )
            yield design.file.problem(layer.loc, message, is_error=False)

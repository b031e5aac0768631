# SPDX-License-Identifier: Apache-2.0
"""Whether accesses to registers can wait for each other in the mesh that carries them."""

from __future__ import annotations

from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.base.text import listing
from bombus.design.facts import Facts
from bombus.design.knots import shortest_cycle


def waits(facts: Facts) -> Iterator[Problem]:
    """Cycles of the resource graph of the mesh of registers."""
    network = facts.register_network
    cycle = network and shortest_cycle(network.graph())
    if cycle:
        yield facts.design.file.problem(
            ("registers",), f"possible deadlock: register accesses wait for {listing(cycle)}"
        )

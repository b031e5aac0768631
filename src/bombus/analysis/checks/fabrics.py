# SPDX-License-Identifier: Apache-2.0
"""Whether the queues of a fabric are large enough for their messages."""

from __future__ import annotations

from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.design import rtl
from bombus.design.facts import Facts
from bombus.fabric.kind import Traffic


def queues(facts: Facts) -> Iterator[Problem]:
    """Complaints of each network's kind of fabric."""
    for network in facts.design.networks:
        fabric = network.fabric
        traffic = Traffic(
            network.data_width,
            rtl.constant("bombus_pkg::MaxFrameBytes"),
            rtl.constant("noc_pkg::CrosspointLate"),
            network.routing.holds_links,
        )
        for each in fabric.traits.complaints(fabric, network.given, traffic):
            loc = (*network.loc, "fabric", each.key)
            yield facts.design.file.problem(loc, each.message, is_error=each.is_error)

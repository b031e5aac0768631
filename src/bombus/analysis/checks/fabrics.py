# SPDX-License-Identifier: Apache-2.0
"""Whether the queues of a fabric are large enough for their messages."""

from __future__ import annotations

from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.design import rtl
from bombus.design.facts import Facts
from bombus.design.network import Network
from bombus.design.resolved import Design


def queues(facts: Facts) -> Iterator[Problem]:
    """Queues of the networks' routers."""
    for network in facts.design.networks:
        yield from _fabric(facts.design, network)


def _fabric(design: Design, network: Network) -> Iterator[Problem]:
    """Whether the queues of a crosspoint fabric are large enough for their messages."""
    fabric = network.fabric
    if fabric.kind != "crosspoint":
        return
    loc = (*network.loc, "fabric")
    width, longest = network.data_width, rtl.constant("bombus_pkg::MaxFrameBytes")
    if not fabric.lossless:
        if (room := fabric.depth * width // 8) < longest:
            yield design.file.problem(
                (*loc, "buffer_depth"),
                f"messages of more than {room} bytes never fit into queues of {fabric.depth} flits "
                f"and are dropped; a MAC port may deliver {longest}",
                is_error=False,
            )
        return
    if lack := fabric.lack_of_room(rtl.constant("noc_pkg::CrosspointLate")):
        key = "buffer_depth" if network.given.buffer_depth else "max_packet_flits"
        yield design.file.problem((*loc, key), lack)
    if fabric.algorithm == "adaptive" and network.routing.holds_links:
        # Without it, a message that continues over a link waits for room in every queue that it
        # could have taken there, even those that its head did not choose. So it can wait for a
        # message that waits for it.
        yield design.file.problem(
            (*loc, "max_packet_flits"),
            f"adaptive routing needs room for whole messages: max_packet_flits should be at least "
            f"{-(-longest * 8 // width)}, for the {longest} bytes that a MAC port may deliver",
        )

# SPDX-License-Identifier: Apache-2.0
"""Windows that do not prevent deadlocks: too large, or with messages that they do not count."""

from __future__ import annotations

from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.base.text import listing
from bombus.design import rtl
from bombus.design.elements import Input, Layer
from bombus.design.facts import Facts
from bombus.design.flight import Flight
from bombus.design.resources import awaited_hops


def problems(facts: Facts) -> Iterator[Problem]:
    """Why windows do not prevent deadlocks, or are not needed."""
    design = facts.design
    for network in design.networks:
        if network.given.window is None:
            continue
        loc = (*network.loc, "fabric", "window")
        flight = facts.flights.get(network)
        if flight is None:
            text = "no cycle of waiting messages uses a queue of this fabric: it needs no window"
            yield design.file.problem(loc, text, is_error=False)
            continue
        if design.config.tables != "fixed":
            yield design.file.problem(
                loc,
                "with a window, next hops and slots must not change at run time: the credits of a "
                "message that software redirects would never be returned; add "
                "`tables: fixed`",
            )
        for message in _size_problems(flight):
            yield design.file.problem(loc, message)
        for layer, message in layer_problems(flight):
            yield design.file.problem(layer.loc, message)
        for layer, message in waiting_problems(flight):
            yield design.file.problem(layer.loc, message)


def _size_problems(flight: Flight) -> Iterator[str]:
    network, count = flight.network, len(flight.sources)
    longest = -(-rtl.constant("bombus_pkg::MaxFrameBytes") * 8 // network.data_width)
    if network.routing.holds_links:
        yield (
            "a window needs routers that reserve room for whole messages: max_packet_flits should "
            f"be at least {longest}, for the longest frame"
        )
        return
    if flight.flits > flight.safe:
        yield (
            f"a window of {flight.flits} flits is too large: a cycle of waiting messages holds "
            f"{flight.safe + 1}; it should be at most {flight.safe}, or `auto`"
        )
    if flight.share < longest:
        among = f" for each of {count} sources ({listing(flight.sources)})" if count > 1 else ""
        yield (
            f"a window of {flight.flits} flits has {flight.share}{among}, too few for the longest "
            f"frame of {longest}, which could never start; "
            f"{'deeper queues' if flight.flits >= flight.safe else 'a larger window'} would do"
        )


def layer_problems(flight: Flight) -> Iterator[tuple[Layer, str]]:
    """Layers that may send messages that the window does not count."""
    for output in flight.mixed:
        inputs, makers = flight.origins(output)
        others = [*makers, *(each for each in inputs if each not in flight.inputs)]
        yield (
            output.layer,
            f"{output} passes on messages that the window counts, and sends others, from "
            f"{listing(sorted(map(str, others)))}; move the origin of these into a tile of its own",
        )
    for layer in flight.between:
        if not layer.kind.constants.get("forwards"):
            yield (
                layer,
                f"{layer} passes on messages that the window counts, but does not declare "
                "`Forwards`, the promise to send each message at most once, none of its own, and "
                "none longer than received",
            )


def waiting_problems(flight: Flight) -> Iterator[tuple[Layer, str]]:
    """Counted messages that wait for messages held back by the window."""
    for _, each in flight.stuck:
        yield (
            each.layer,
            f"{each} waits for the window, and messages that the window counts wait for it: they "
            "use queues or layers before it; move tiles, or let another tile start these messages",
        )
    for node in sorted((each for each in flight.needed if isinstance(each, Input)), key=str):
        for name in node.stream.waits_for_inputs:
            awaited = Input(node.layer, name)
            if flight.hops.intersection(awaited_hops(awaited, node, flight.topology)):
                yield (
                    node.layer,
                    f"{node} waits for a message on {awaited}, which the window may hold back "
                    "while it counts those that wait",
                )

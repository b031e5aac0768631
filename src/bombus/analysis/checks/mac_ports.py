# SPDX-License-Identifier: Apache-2.0
"""MAC ports: their layers, widths, and what a port without link may stop."""

from __future__ import annotations

from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.base.text import listing
from bombus.design import rtl
from bombus.design.elements import Layer
from bombus.design.facts import Facts
from bombus.design.resolved import Design

_DIRECTIONS = {"rx": "receive", "tx": "transmit"}


def layers(facts: Facts) -> Iterator[Problem]:
    """One receiving and one transmitting layer for each MAC port."""
    design = facts.design
    if not _is_whole(design):
        return
    ports: dict[tuple[str, int], Layer] = {}
    by_tile: dict[tuple[str, str], Layer] = {}
    for layer in design.layers():
        for direction in sorted(layer.kind.mac_directions):
            other = by_tile.setdefault((direction, layer.tile.name), layer)
            if other is not layer:
                yield design.file.problem(
                    layer.loc,
                    f"tile {layer.tile.name!r} has two layers with a MAC port to "
                    f"{_DIRECTIONS[direction]} ({_mac_layers(design, direction)}); "
                    f"put each in its own tile",
                )
            number = layer.param("mac_port") or 0
            other = ports.setdefault((direction, number), layer)
            if other is not layer:
                yield design.file.problem(
                    layer.loc,
                    f"{layer} uses MAC port {number} ({direction}), which {other} already uses; "
                    f"give one of them another mac_port",
                )
    if design.is_part:
        return  # other parts may have the rest
    if not ports:
        needed = " and ".join(f"a layer {_mac_layers(design, way)}" for way in ("rx", "tx"))
        message = f"the design has no MAC port: it needs {needed}"
        yield design.file.problem(("tiles",), message)
        return
    count, given = design.mac_count(), len(design.config.ports)
    inner = design.ports_without_mac()
    if inner and inner != set(range(count, given)):
        key = design.config.port_loc(0)[0]
        yield design.file.problem(
            (key,),
            f"ports without a MAC are the last ones of `{key}`, here from {count} to {given - 1}; "
            f"the layers name {listing(map(str, sorted(inner)))}",
        )
    elif not inner and count != given:
        key = design.config.port_loc(0)[0]
        yield design.file.problem(
            (key,),
            f"the layers of the design use {count} MAC port{'s' * (count > 1)}, but `{key}` has "
            f"the addresses of {given}; give each its own under `mac_ports`",
        )
    for number in range(count):
        for direction in ("rx", "tx"):
            if (direction, number) not in ports:
                message = f"MAC port {number} has no layer {_mac_layers(design, direction)}"
                yield design.file.problem(("tiles",), message)


def _is_whole(design: Design) -> bool:
    """Whether all tiles and layers of the design file have a position and a kind."""
    there = {tile.name: len(tile.layers) for tile in design.tiles}
    return all(
        there.get(instance.name) == len(list(instance.given.layer_configs()))
        for instance in design.config.instances
    )


_DIRECTIONS = {"rx": "receive", "tx": "transmit"}


def _mac_layers(design: Design, direction: str) -> str:
    return listing(design.library.mac_layers(direction), "or")


def widths(facts: Facts) -> Iterator[Problem]:
    """MAC ports must be as wide as the first network."""
    design = facts.design
    first = design.networks[0]
    for layer in design.layers():
        width = layer.types[rtl.BEAT].data_width if layer.kind.mac_ports else first.data_width
        if width != first.data_width:
            yield design.file.problem(
                layer.loc,
                f"{layer} has {width} bits; MAC ports have the width of the first network, "
                f"{first.data_width} bits",
            )


def stopped(facts: Facts) -> Iterator[Problem]:
    """MAC ports that block all others while their link is down."""
    design = facts.design
    if design.mac_count() < 2:
        return
    for layer in design.layers():
        if layer.kind.mac_ports and layer.params.get("drops_when_full") == 0:
            yield design.file.problem(
                layer.loc,
                f"{layer} has drops_when_full: false: while its link is down, it stops the "
                "messages to all MAC ports; leave it out to drop what its buffer cannot hold",
                is_error=False,
            )

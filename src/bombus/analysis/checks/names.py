# SPDX-License-Identifier: Apache-2.0
"""Names of generated modules, signals and registers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from bombus.base.errors import Problem
from bombus.design import register_map
from bombus.design.facts import Facts
from bombus.design.resolved import Design
from bombus.fabric.routing import STEPS, step


def distinct(facts: Facts) -> Iterator[Problem]:
    """No generated module may have the name of an existing one, and no two links the same name."""
    design = facts.design
    name = design.config.name
    generated = [f"{name}_top", f"{name}_pkg"]
    generated += [f"{name}_tile_{tile.name}" for tile in design.tiles]
    for module in generated:
        if module in design.library.definitions:
            message = (
                f"the design would generate {module}, but a module of that name exists; rename it"
            )
            yield design.file.problem(("name",), message)
    if name in register_map.type_names(design):
        message = f"registers of the design have a type {name!r}; choose another name"
        yield design.file.problem(("name",), message)
    links: dict[str, str] = {}
    for signal, link in _links(design):
        if (other := links.setdefault(signal, link)) != link:
            message = f"the links from {other} and from {link} would both be called {signal}"
            yield design.file.problem(("tiles",), f"{message}; rename one of the tiles")
    layers = {layer.name: layer for layer in design.layers()}
    for network in design.networks[1:]:
        if network.name in layers:
            message = f"network {network.name!r} has the name of layer {layers[network.name]}"
            yield design.file.problem(network.loc, f"{message}; rename it")
    names = {tile.name for tile in design.tiles}
    if len(names) < len(design.tiles):
        message = "tile names `empty_<x>_<y>` are reserved for empty tiles; use other names"
        yield design.file.problem(("tiles",), message)


def _links(design: Design) -> Iterator[tuple[str, str]]:
    """Signals between neighbours, and what they are, as words."""
    for network, tile in product(design.networks, design.tiles):
        for direction in STEPS:
            x, y = step(tile.at, direction)
            if network.area.holds(tile.at) and network.area.holds((x, y)):
                other = design.tiles[y * design.columns + x].name
                where = f" on network {network.label}" if network.label else ""
                yield network.link_name(tile.name, other), f"{tile.name} to {other}{where}"

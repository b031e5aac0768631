# SPDX-License-Identifier: Apache-2.0
"""Ports of layers outside the contract: joined in a tile, raised to the top, or open."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bombus.base.errors import Problem
from bombus.base.text import listing, near_matches
from bombus.design import config
from bombus.design.elements import Layer, Tile
from bombus.design.rtl.ports import FurtherPort, axi_streams
from bombus.fabric.routing import STEPS

# Ports that every top has, or may have.
_OF_TOP = re.compile(r"clk|rst|tick_us|reg_\w+|mac\d+_\w+|in_flight|busy")

# Ports that a tile has, or may have, without the names of networks.
_OF_TILE = re.compile(
    rf"host|route|time_us|timer|done|(?:done_from|dispatched)_\w+|credit_(?:return|sent|waits|left)|"
    rf"(?:{'|'.join(STEPS)})(?:_valid|_ready)?|\w+_register_(?:request|response)(?:_valid|_ready)?"
)


def _is_of_tile(name: str, file: config.DesignFile) -> bool:
    """Whether a tile has, or may have, a port of a name."""
    _, *others = file.config.all_networks
    prefixes = ("", *(f"{network}_" for network in others))
    return any(_OF_TILE.fullmatch(name.removeprefix(prefix)) for prefix in prefixes)


def _group(port: str, groups: Iterable[str]) -> str | None:
    """The longest of the names that the port's begins with."""
    fitting = [group for group in groups if port.startswith(f"{group}_")]
    return max(fitting, key=len, default=None)


def _join_ports(tile: Tile, given: config.TileOfLayers | config.TileOfKind) -> Iterator[Problem]:
    """Notes the ports that layers of a tile share: outputs and inputs with the same name.

    If several layers of a kind have the output, the n-th is joined to the n-th layer of a kind that
    has the input. If as many layers have the output as the input, the n-th is joined to the n-th,
    whatever their kinds; so are those of a row. Yields ports with several drivers, those joined to
    their own layer, and differing widths.
    """
    drivers: dict[str, list[tuple[Layer, FurtherPort]]] = {}
    takers: dict[str, list[tuple[Layer, FurtherPort]]] = {}
    for layer in tile.layers:
        for port in layer.kind.further:
            if _group(port.name, given.ports) is None:
                ends = drivers if port.is_output else takers
                ends.setdefault(port.name[:-2], []).append((layer, port))
    for name, driving in drivers.items():
        count = len(driving)
        taking = takers.get(name, [])
        numbers = Counter(layer.kind.name for layer, _ in taking)
        is_one_kind = len({layer.kind.name for layer, _ in driving}) == 1
        is_row = _is_row(driving, taking)
        is_chain = is_row or (count == len(taking) and not is_one_kind)
        if count > 1 and not is_chain and not (is_one_kind and set(numbers.values()) <= {count}):
            (first, _), (other, port) = driving[:2]
            message = f"layer {other.name}: {first.name} drives {port.name} too"
            yield Problem(port.file, port.line, message)
            continue
        seen: Counter[str] = Counter()
        for place, (layer, port) in enumerate(taking[:count] if is_row else taking):
            number = place if is_chain else seen[layer.kind.name] if count > 1 else 0
            seen[layer.kind.name] += 1
            driver, output = driving[number]
            signal = f"joined_{name}" + (f"_{number + 1}" if count > 1 else "")
            driver.joined[output.name] = layer.joined[port.name] = signal
            if driver is layer:
                message = (
                    f"layer {layer.name}: {output.name} would be joined to its own {port.name}; "
                    "another order of the layers joins it to a neighbour"
                )
                yield Problem(port.file, port.line, message)
            if port.width != output.width:
                message = (
                    f"layer {layer.name}: port {port.name} has {port.width} bits, but "
                    f"{output.name} of {driver.name}, to which it is joined, has {output.width}"
                )
                yield Problem(port.file, port.line, message)


def _is_row(
    driving: Sequence[tuple[Layer, FurtherPort]], taking: Sequence[tuple[Layer, FurtherPort]]
) -> bool:
    """Whether the layers pass something on, each to the next: some have the output and the input.
    A port that is left over at an end of the row must be one that may stay open.
    """
    ends = [*driving[len(taking) :], *taking[len(driving) :]]
    return {layer for layer, _ in driving}.intersection(layer for layer, _ in taking) != set() and (
        len(ends) <= 1
        and all(_group(port.name, layer.kind.optional) is not None for layer, port in ends)
    )


def _unconnected(
    layer: Layer, ports: Iterable[FurtherPort], tile: Tile, file: config.DesignFile
) -> Iterator[Problem]:
    """One problem for all AXI-Streams of a layer, at the tile; one for each other port, at its line
    in the layer.
    """
    of_streams = sorted(axi_streams(port.name for port in ports))
    for port in ports:
        if _group(port.name, of_streams) is None:
            yield port.problem(layer.kind.name)
    if of_streams:
        prefixes = {name.partition("_")[0] for name in of_streams}
        raised = ", ".join(f"{prefix}: <name>" for prefix in sorted(prefixes))
        yield file.problem(
            tile.loc,
            f"no layer of tile {tile.given_name!r} has the other end of "
            f"{listing(map(repr, of_streams))} of {layer.name}; add one, or raise "
            f"{'it' if len(of_streams) == 1 else 'them'} to the top by `ports: {{{raised}}}`",
        )


def raise_ports(
    tiles: Mapping[Tile, config.TileOfLayers | config.TileOfKind], file: config.DesignFile
) -> Iterator[Problem]:
    """Notes in each layer which of its ports become ports of the top.

    Yields names that match no port, names that the top already has, and ports that are not raised.
    """
    taken: dict[str, str] = {}
    members = Counter(layer.kind.broadcasts for tile in tiles for layer in tile.layers)
    for tile, given in tiles.items():
        suffix = tile.name.removeprefix(tile.given_name)  # a replica's number
        used: set[str] = set()
        yield from _join_ports(tile, given)
        for layer in tile.layers:
            unconnected: list[FurtherPort] = []
            for port in layer.kind.further:
                group = _group(port.name, given.ports)
                if group is None and port.name in layer.joined:
                    continue
                if group is None and _group(port.name, [layer.kind.broadcasts]) is not None:
                    # A broadcast with a single member is useless.
                    alone = members[layer.kind.broadcasts] == 1
                    (layer.open if alone else layer.shared).add(port.name)
                    continue
                if group is None and _group(port.name, layer.kind.optional) is not None:
                    layer.open.add(port.name)
                    continue
                if group is None:
                    unconnected.append(port)
                    continue
                used.add(group)
                name = f"{given.ports[group]}{suffix}{port.name.removeprefix(group)}"
                layer.raised[port.name] = name
                place = (*tile.loc, "ports", group)
                if _OF_TOP.fullmatch(name[:-2]):
                    yield file.problem(place, f"the top has a port {name}; choose another name")
                elif _is_of_tile(name[:-2], file):
                    yield file.problem(place, f"tiles have a port {name}; choose another name")
                elif name in taken:
                    yield file.problem(
                        place, f"two ports of the top would be {name}: this and {taken[name]}'s"
                    )
                taken.setdefault(name, layer.full_name)
            yield from _unconnected(layer, unconnected, tile, file)
        ports = [port.name for layer in tile.layers for port in layer.kind.further]
        for group in given.ports.keys() - used:
            names = sorted({port.rpartition("_")[0] for port in ports})
            message = f"no layer of tile {tile.given_name!r} has a port {group}_*"
            hint = near_matches(group, names) if names else "it has none to raise"
            yield file.problem((*tile.loc, "ports", group), f"{message}; {hint}")

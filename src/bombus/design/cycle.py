# SPDX-License-Identifier: Apache-2.0
"""A cycle of messages that wait for each other, described for users."""

from __future__ import annotations

from dataclasses import dataclass

from bombus.base.text import listing
from bombus.design.elements import Hop, Input, Layer, Resource, Tile, resource_name
from bombus.fabric.routing import Channel


@dataclass(frozen=True)
class Leg:
    """A part of a cycle that messages of one next hop hold, in the order they take it."""

    hop: Hop
    resources: tuple[Resource, ...]

    @property
    def channels(self) -> list[Channel]:
        return [resource for resource in self.resources if isinstance(resource, Channel)]

    @property
    def end(self) -> Layer | None:
        """The layer that takes its messages; None: none does."""
        return self.hop.target.layer if self.hop.target else None


@dataclass(frozen=True)
class Cycle:
    """Resources that messages can hold while each waits for the next, in a cycle.

    The first resource of each leg is the one that the previous leg needs.
    """

    legs: tuple[Leg, ...]
    chains: tuple[tuple[Layer, ...], ...]  # paths from a source to a sink that take the legs

    @property
    def tiles(self) -> list[Tile]:
        """Source and target tiles of the messages of the cycle."""
        found: dict[Tile, None] = {}
        for leg in self.legs:
            found[leg.hop.source.tile] = None
            if leg.hop.target:
                found[leg.hop.target.tile] = None
        return list(found)

    def __str__(self) -> str:
        lines = ["possible deadlock:"]
        lines += [f"  chain {' -> '.join(map(str, chain))}" for chain in self.chains]
        for leg, following in zip(self.legs, self.legs[1:] + self.legs[:1], strict=True):
            held = f"holds {listing(leg.channels)}; " if leg.channels else ""
            text = resource_name(following.resources[0])
            if awaiting := _awaiting(leg):
                lines.append(f"  {awaiting}")
            way = f"{_name(leg.hop.source.layer)} -> {_name(leg.end)}"
            lines.append(f"  {way}: {held}waits for {text}")
        lines.append(f"  tiles {', '.join(tile.name for tile in self.tiles)}")
        return "\n".join(lines)


def _awaiting(leg: Leg) -> str:
    """The start of the leg, if it is an input of a layer other than the sender."""
    held = leg.resources[0]
    if not isinstance(held, Input) or held.layer is leg.hop.source.layer:
        return ""
    names = listing(str(Input(held.layer, name)) for name in held.stream.waits_for_inputs)
    if not names:
        is_near = held.tile is leg.hop.source.tile
        where = "in its tile" if is_near else "beyond the mesh"
        return f"layer {held}: hands messages on to {leg.hop.source.layer}, {where}"
    return f"layer {held}: waits for a message on {names}, which needs {leg.hop.source.layer}"


def _name(layer: Layer | None) -> str:
    return f"{layer} ({layer.tile.x}, {layer.tile.y})" if layer else "nowhere"

"""A design with all its names resolved: what leads where, by wire or by mesh.

`resolve` takes the design file, the layers' own description of themselves and
the placement, and works out every hop, every tile's entries from the mesh and
its next-hop table. All later steps (check, generate, show) read this.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import networkx as nx

from bombus import config, place, rtl
from bombus.errors import Problem, UserError
from bombus.routing import Channel, Link, routes
from bombus.rtl import LayerKind, Library
from bombus.text import listing, near_matches


@dataclass(eq=False)
class Layer:
    """A layer in its tile."""

    name: str  # unique in its tile
    kind: LayerKind
    params: dict[str, int]  # by key, as the design file sets them
    tile: Tile
    loc: config.Loc
    app_index: int | None = None

    @property
    def full_name(self) -> str:
        return f"{self.tile.name}.{self.name}"

    def param(self, key: str) -> int | None:
        """Value of a parameter: the design file's, or else the layer's default."""
        return self.params.get(key, self.kind.default(key))

    def mac_directions(self) -> set[str]:
        """`rx` (frames from the network), `tx` or none, as the layer has MAC ports."""
        return {port.split("_")[1] for port in self.kind.mac_ports}

    def __str__(self) -> str:
        return self.full_name if len(self.tile.layers) > 1 else self.tile.name


@dataclass(eq=False)
class Tile:
    """A tile of the mesh; one without layers fills the rectangle."""

    name: str
    index: int
    x: int
    y: int
    loc: config.Loc
    layers: list[Layer] = field(default_factory=list)
    next: dict[int, str] = field(default_factory=dict)  # the design file's `next`, by number
    # Layers that messages from the mesh may enter, by entry port.
    entries: list[Layer] = field(default_factory=list)
    # Layers that send into the mesh, in the order of the network interface's inputs.
    sources: list[Layer] = field(default_factory=list)

    def counters(self) -> list[str]:
        """Names of the tile's counters in the order of their registers."""
        traffic = [
            f"{side}_{way}_{unit}"
            for side, whole in (("noc", "messages"), ("mac", "frames"))
            for way in ("in", "out")
            for unit in (whole, "bytes")
        ]
        return traffic + self.events()

    def events(self) -> list[str]:
        """Names of the counters that count pulses."""
        names = ["drop.no_route"]
        for layer in self.layers:
            names += [f"drop.{layer.name}.{reason}" for reason in layer.kind.drops]
            names += [f"event.{layer.name}.{event}" for event in layer.kind.events]
        return names


@dataclass(frozen=True, eq=False)
class Hop:
    """One next hop that a layer may choose, and the layer that it leads to."""

    source: Layer
    number: int
    target: Layer | None  # None: dropped and counted

    @property
    def in_tile(self) -> bool:
        return self.target is not None and self.target.tile is self.source.tile


@dataclass(eq=False)
class Network:
    """The whole design, resolved."""

    file: config.DesignFile
    library: Library
    columns: int
    rows: int
    tiles: list[Tile]  # by index: row by row
    hops: list[Hop]

    @property
    def design(self) -> config.Design:
        return self.file.design

    @property
    def routing(self) -> tuple[str, str]:
        """Kind of the fabric and routing algorithm, as `bombus.routing` names them."""
        return self.design.fabric.kind, "xy"

    def layers(self) -> Iterator[Layer]:
        for tile in self.tiles:
            yield from tile.layers

    def apps(self) -> list[Layer]:
        """Applications by index."""
        found = [layer for layer in self.layers() if layer.app_index is not None]
        return sorted(found, key=lambda layer: layer.app_index or 0)

    def hops_from(self, layer: Layer) -> list[Hop]:
        return [hop for hop in self.hops if hop.source is layer]

    def hops_to(self, layer: Layer) -> list[Hop]:
        return [hop for hop in self.hops if hop.target is layer]

    def mac_count(self) -> int:
        """Number of MAC ports: one more than the highest port number in use."""
        ports = [layer.param("mac_port") or 0 for layer in self.layers() if layer.kind.mac_ports]
        return max(ports, default=-1) + 1

    def links(self, source: Tile, target: Tile) -> list[Link]:
        """Links that a message may take, those that it may take first coming first."""
        ways: nx.DiGraph[Channel] = nx.DiGraph()
        ways.add_edges_from(routes(*self.routing, (source.x, source.y), (target.x, target.y)))
        found = [channel.link for channel in nx.lexicographical_topological_sort(ways)]
        return list(dict.fromkeys(link for link in found if link))


def _param_value(value: bool | int | str, parameter: rtl.Parameter) -> int:
    """A value of the design file as a number; ValueError says what is wrong."""
    if isinstance(value, str):
        if re.fullmatch(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", value):
            number = config.mac_number(value)
        else:
            try:
                number = int(ipaddress.IPv4Address(value))
            except ValueError:
                raise ValueError(
                    f"should be a number, true, false, an IPv4 or a MAC address, not {value!r}"
                ) from None
    else:
        number = int(value)
    low = -(1 << (parameter.width - 1)) if parameter.is_signed else 0
    high = (1 << (parameter.width - int(parameter.is_signed))) - 1
    if not low <= number <= high:
        raise ValueError(f"should be between {low} and {high}, not {number}")
    return number


class _Resolver:
    def __init__(self, file: config.DesignFile, library: Library) -> None:
        self.file = file
        self.library = library
        self.problems: list[Problem] = []

    def error(self, loc: config.Loc, message: str) -> None:
        self.problems.append(self.file.problem(loc, message))

    def warning(self, loc: config.Loc, message: str) -> None:
        self.problems.append(self.file.problem(loc, message, is_error=False))

    def params(
        self, given: config.LayerConfig, kind: LayerKind, loc: config.Loc, known_keys: Iterable[str]
    ) -> dict[str, int]:
        values: dict[str, int] = {}
        for key, value in given.params.items():
            parameter = kind.parameters.get(key)
            if parameter is None or parameter.name in rtl.FILLED_IN:
                usable = [k for k, p in kind.parameters.items() if p.name not in rtl.FILLED_IN]
                hint = near_matches(key, [*usable, *known_keys])
                self.error((*loc, key), f"layer {kind.name} has no parameter {key!r}; {hint}")
                continue
            try:
                values[key] = _param_value(value, parameter)
            except ValueError as error:
                self.error((*loc, key), f"parameter {key} of {kind.name} {error}")
        return values

    def tile_layers(self, tile: Tile, given: config.TileOfLayers | config.TileOfKind) -> None:
        is_shorthand = isinstance(given, config.TileOfKind)
        tile_keys = config.TileOfKind.model_fields if is_shorthand else ()
        for layer in given.layer_configs():
            loc = (*tile.loc, *layer.loc)
            try:
                kind = self.library.kind(layer.kind)
            except UserError as error:
                self.error(loc, str(error))
                continue
            params = self.params(layer, kind, (*tile.loc, *layer.params_loc), tile_keys)
            same = sum(other.kind is kind for other in tile.layers)
            name = kind.name if not same else f"{kind.name}_{same + 1}"
            tile.layers.append(Layer(name, kind, params, tile, loc))

    def tile_next(self, tile: Tile, given: config.TileOfLayers | config.TileOfKind) -> None:
        for name, target in given.next.items():
            number = self.library.next_number(name)
            loc = (*tile.loc, "next", name)
            may_choose = 0
            for layer in tile.layers:
                may_choose |= layer.kind.next_hops
            if number is None or not may_choose >> number & 1:
                names = [n for i, n in self.library.next_names.items() if may_choose >> i & 1]
                hint = near_matches(name, names)
                self.error(loc, f"no layer of tile {tile.name!r} has a next hop {name!r}; {hint}")
            else:
                tile.next[number] = target

    def entry(self, layer: Layer) -> int:
        """Number of the next hop that leads to a layer; 0: none does."""
        if layer.app_index is not None:
            return self.library.first_app + layer.app_index
        return layer.kind.entry

    def overridden(self, tile: Tile, number: int, tiles: dict[str, Tile]) -> Layer | None:
        """The layer that the design file names for a next hop of a tile."""
        target = tile.next[number]
        hop = self.library.next_names[number]
        loc = (*tile.loc, "next", hop)
        tile_name, _, layer_name = target.partition(".")
        if target == config.DROP:
            return None
        if tile_name not in tiles:
            hint = near_matches(tile_name, tiles)
            self.error(loc, f"next hop {hop!r} leads to {target!r}, which is no tile; {hint}")
            return None
        candidates = tiles[tile_name].layers
        if layer_name:
            candidates = [layer for layer in candidates if layer.name == layer_name]
            if not candidates:
                names = near_matches(layer_name, [la.name for la in tiles[tile_name].layers])
                self.error(loc, f"tile {tile_name!r} has no layer {layer_name!r}; {names}")
                return None
        fitting = [layer for layer in candidates if self.entry(layer) == number]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            names = listing(layer.full_name for layer in fitting)
            self.error(loc, f"next hop {hop!r} may lead to {names}: name one of them")
        else:
            self.error(loc, f"{target!r} does not answer to next hop {hop!r}")
        return None

    def default_target(self, source: Layer, number: int, entries: dict[int, list[Layer]]) -> Hop:
        """The layer that answers to a next hop; one in the same tile goes first."""
        hop = self.library.next_names[number]
        fitting = entries.get(number, [])
        near = [layer for layer in fitting if layer.tile is source.tile]
        if len(fitting) > 1 and len(near) == 1:
            fitting = near
        if len(fitting) == 1:
            return Hop(source, number, fitting[0])
        if fitting:
            names = listing(layer.full_name for layer in fitting)
            self.error(
                source.loc,
                f"next hop {hop!r} of {source} may lead to {names}; say which with "
                f"`next: {{{hop}: {fitting[0].tile.name}}}` in tile {source.tile.name!r}",
            )
        else:
            self.warning(
                source.loc,
                f"no layer answers to next hop {hop!r} of {source}: such messages will be dropped "
                f"and counted (say `next: {{{hop}: drop}}` if that is what you want)",
            )
        return Hop(source, number, None)

    def hops(self, tiles: list[Tile]) -> list[Hop]:
        by_name = {tile.name: tile for tile in tiles}
        layers = [layer for tile in tiles for layer in tile.layers]
        entries: dict[int, list[Layer]] = {}
        for layer in layers:
            if self.entry(layer):
                entries.setdefault(self.entry(layer), []).append(layer)
        num_apps = sum(layer.app_index is not None for layer in layers)
        hops = []
        for layer in layers:
            for number in self.library.next_names:
                if number == 0 or not layer.kind.next_hops >> number & 1:
                    continue
                if number >= self.library.first_app + num_apps:
                    continue  # an application that the design has not
                if number in layer.tile.next:
                    target = self.overridden(layer.tile, number, by_name)
                    hops.append(Hop(layer, number, target))
                else:
                    hops.append(self.default_target(layer, number, entries))
        return hops


def resolve(file: config.DesignFile, library: Library) -> tuple[Network, list[Problem]]:
    """Resolves a design; where there are errors among the problems, as far as it goes."""
    resolver = _Resolver(file, library)
    placement = place.place(file)
    resolver.problems += placement.problems
    columns = placement.columns

    named: list[Tile] = []
    for i, given in enumerate(file.design.tiles):
        x, y = placement.positions.get(given.name, (0, 0))
        tile = Tile(given.name, y * columns + x, x, y, ("tiles", i))
        resolver.tile_layers(tile, given)
        resolver.tile_next(tile, given)
        named.append(tile)

    apps = [la for tile in named for la in tile.layers if la.kind.entry == library.first_app]
    for index, layer in enumerate(apps):
        layer.app_index = index
    if len(apps) > rtl.MAX_APPS:
        message = f"there are {len(apps)} applications; {rtl.MAX_APPS} are the most"
        resolver.error(apps[rtl.MAX_APPS].loc, message)
        return Network(file, library, columns, placement.rows, named, []), resolver.problems

    hops = resolver.hops(named)
    for hop in hops:
        if hop.in_tile:
            continue
        if hop.source not in hop.source.tile.sources:
            hop.source.tile.sources.append(hop.source)
        if hop.target and hop.target not in hop.target.tile.entries:
            hop.target.tile.entries.append(hop.target)
    for tile in named:
        tile.entries.sort(key=tile.layers.index)

    tiles = {tile.index: tile for tile in reversed(named)}
    for index in range(columns * placement.rows):
        y, x = divmod(index, columns)
        tiles.setdefault(index, Tile(f"empty_{x}_{y}", index, x, y, ("tiles",)))
    ordered = [tiles[index] for index in sorted(tiles)]
    return Network(file, library, columns, placement.rows, ordered, hops), resolver.problems


def load(path: Path) -> tuple[Network, list[Problem]]:
    """Reads a design file and resolves it."""
    file = config.load(path)
    library = rtl.library(file.design.data_width, file.source_files())
    return resolve(file, library)

"""Resolves the names of a design file: what leads where, by wire or by mesh.

`resolve` takes the design file, the layers' own description of themselves and the
positions, and works out every hop, every tile's entries from the mesh and its
next-hop table.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from bombus import config, rtl
from bombus.errors import Problem, UserError
from bombus.network import Group, Hop, Layer, Network, Tile
from bombus.placement import snake
from bombus.rtl import LayerKind, Library
from bombus.text import counted, listing, near_matches
from bombus.yaml_file import Loc

# Inputs of a router as `noc_pkg::dir_e` numbers them.
INPUTS = ("local", "north", "east", "south", "west")
SHARE_TOLERANCE = 1e-6  # of parts that should make a whole


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
        # Layers that stand before others, with these: one, or its replicas.
        self.served: dict[Layer, list[Layer]] = {}
        # Tiles of the design file whose `next` or `traffic` names no next hop of theirs: what
        # is said of the others would follow from it.
        self.misspelt: set[Loc] = set()
        self.has_unknown_kinds = False
        self.num_apps = 0

    def unique_problems(self) -> list[Problem]:
        """Problems, each once: replicas have the same."""
        return list(dict.fromkeys(self.problems))

    def error(self, loc: Loc, message: str) -> None:
        self.problems.append(self.file.problem(loc, message))

    def warning(self, loc: Loc, message: str) -> None:
        self.problems.append(self.file.problem(loc, message, is_error=False))

    def params(
        self, given: config.LayerConfig, kind: LayerKind, loc: Loc, known_keys: Iterable[str]
    ) -> dict[str, int]:
        values: dict[str, int] = {}
        for key, value in given.params.items():
            parameter = kind.parameters.get(key)
            if parameter is not None and parameter.name == rtl.BEFORE:
                continue
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
                self.has_unknown_kinds = True
                continue
            params = self.params(layer, kind, (*tile.loc, *layer.params_loc), tile_keys)
            same = sum(other.kind is kind for other in tile.layers)
            name = kind.name if not same else f"{kind.name}_{same + 1}"
            found = Layer(name, kind, params, tile, loc)
            self.stand_before(found, layer, (*tile.loc, *layer.params_loc))
            self.share_ports(found)
            tile.layers.append(found)

    def share_ports(self, layer: Layer) -> None:
        """Replicas that are told apart by their port have one port each."""
        group = layer.tile.group
        port = layer.param("udp_port")
        if group and group.policy == "dst_port" and port is not None:
            layer.params["udp_port"] = port + group.tiles.index(layer.tile)

    def stand_before(self, layer: Layer, given: config.LayerConfig, loc: Loc) -> None:
        key = layer.kind.before_key
        if key is None:
            return
        target = given.params.get(key)
        if isinstance(target, str):
            layer.before = target
        else:
            self.error(
                (*loc, key),
                f"layer {layer.kind.name} stands before a tile: say which, "
                f"`{key}: <tile>` or `{key}: <tile>.<layer>`",
            )

    def names_of_hops(
        self, tile: Tile, key: str, given: Iterable[str]
    ) -> Iterator[tuple[str, int]]:
        """Next hops that the design file names under a key of a tile, and their numbers."""
        may_choose = 0
        for layer in tile.layers:
            may_choose |= layer.kind.next_hops
        known = {
            name: number
            for number, name in self.library.next_names.items()
            if may_choose >> number & 1
        }
        end = self.library.first_app + self.num_apps
        for name in given:
            loc = (*tile.loc, key, name)
            number = known.get(name)
            if number is None:
                hint = near_matches(name, (each for each, number in known.items() if number < end))
                self.misspelt.add(tile.loc)
                text = f"no layer of tile {tile.given_name!r} has a next hop {name!r}; {hint}"
                self.error(loc, text)
            elif number >= end:
                there = counted(self.num_apps, "application")
                self.error(
                    loc,
                    f"nothing is ever sent to next hop {name!r}: the design has {there}, and the "
                    "first is app0",
                )
            else:
                yield name, number

    def tile_next(self, tile: Tile, given: config.TileOfLayers | config.TileOfKind) -> None:
        for name, number in self.names_of_hops(tile, "next", given.next):
            tile.next[number] = given.next[name]

    def tile_traffic(self, tile: Tile, given: config.TileOfLayers | config.TileOfKind) -> None:
        shares = {
            number: given.traffic[name]
            for name, number in self.names_of_hops(tile, "traffic", given.traffic)
        }
        names = self.library.next_names
        for layer in tile.layers:
            own = {n: share for n, share in shares.items() if layer.kind.next_hops >> n & 1}
            if (total := sum(own.values())) > 1 + SHARE_TOLERANCE:
                parts = " + ".join(f"{names[n]} {share:g}" for n, share in own.items())
                self.error(
                    (*tile.loc, "traffic"),
                    f"the parts of {layer.given_name}'s messages are more than all of them: "
                    f"{parts} = {total:g}; together they should be at most 1",
                )
        tile.traffic = {names[number]: share for number, share in shares.items()}

    def traffic_that_goes_nowhere(self, tiles: list[Tile], hops: list[Hop]) -> None:
        """Shares of next hops that lead to no layer."""
        used = {(hop.source.tile, hop.number) for hop in hops if hop.target}
        for tile in tiles:
            for number, name in self.library.next_names.items():
                if name in tile.traffic and (tile, number) not in used:
                    self.error(
                        (*tile.loc, "traffic", name),
                        f"next hop {name!r} of tile {tile.given_name!r} leads nowhere: its part of "
                        "the traffic has no effect",
                    )

    def entry(self, layer: Layer) -> int:
        """Number of the next hop that leads to a layer; 0: none does."""
        if layer.before:
            if layer not in self.served:
                return 0  # an error has been told
            layer = self.served[layer][0]
        if layer.app_index is not None:
            return self.library.first_app + layer.app_index
        return layer.kind.entry

    def next_hops(self, layer: Layer) -> int:
        """The next hops that a layer may choose, as bits."""
        return 1 << self.entry(layer) if layer in self.served else layer.kind.next_hops

    def serve(self, tiles: list[Tile]) -> None:
        """Finds what the layers that stand before others stand before."""
        named = [layer for tile in tiles for layer in tile.layers if layer.before]
        for layer in named:
            assert layer.before is not None
            loc = (*layer.tile.loc, layer.kind.before_key or "")
            name, _, layer_name = layer.before.partition(".")
            targets = [
                other
                for tile in self.by_name(tiles).get(name, [])
                for other in tile.layers
                if other.kind.entry and other.name == (layer_name or other.name)
            ]
            names = sorted({other.name for other in targets})
            if not targets:
                hint = near_matches(name, self.by_name(tiles))
                self.error(loc, f"{layer.before!r} is no tile that takes messages; {hint}")
            elif len(names) > 1:
                self.error(
                    loc,
                    f"tile {name!r} has several layers that take messages: name one of them, "
                    + listing(f"`{name}.{each}`" for each in names),
                )
            elif any(target.before for target in targets):
                self.error(loc, f"{layer.before!r} itself stands before a tile")
            elif other := next((la for la, its in self.served.items() if its == targets), None):
                if other.tile.given_name == layer.tile.given_name:  # replicas
                    self.served[layer] = targets
                else:
                    self.error(loc, f"{other} stands before {layer.before!r} already")
            else:
                self.served[layer] = targets

    def by_name(self, tiles: list[Tile]) -> dict[str, list[Tile]]:
        """Tiles by the names that the design file may give them; replicas also all together."""
        found = {tile.name: [tile] for tile in tiles}
        for tile in tiles:
            if tile.group:
                found.setdefault(tile.group.name, tile.group.tiles)
        return found

    def overridden(
        self, source: Layer, number: int, tiles: dict[str, list[Tile]]
    ) -> list[Layer] | None:
        """The layer, or its replicas, that the design file names for a next hop of a tile."""
        target = source.tile.next[number]
        hop = self.library.next_names[number]
        loc = (*source.tile.loc, "next", hop)
        tile_name, _, layer_name = target.partition(".")
        if target == config.DROP:
            return None
        if tile_name not in tiles:
            hint = near_matches(tile_name, tiles)
            self.error(loc, f"next hop {hop!r} leads to {target!r}, which is no tile; {hint}")
            return None
        candidates = [layer for tile in tiles[tile_name] for layer in tile.layers]
        if layer_name:
            names = near_matches(layer_name, [la.name for la in candidates])
            candidates = [layer for layer in candidates if layer.name == layer_name]
            if not candidates:
                self.error(loc, f"tile {tile_name!r} has no layer {layer_name!r}; {names}")
                return None
        fitting = [layer for layer in candidates if self.entry(layer) == number]
        if _are_replicas(fitting):
            return fitting
        if fitting:
            names = listing(layer.full_name for layer in fitting)
            self.error(loc, f"next hop {hop!r} may lead to {names}: name one of them")
        else:
            self.error(loc, f"{target!r} does not answer to next hop {hop!r}")
        return None

    def default_targets(
        self, source: Layer, number: int, entries: dict[int, list[Layer]]
    ) -> list[Layer] | None:
        """The layer that answers to a next hop, or its replicas; one in the same tile is first."""
        hop = self.library.next_names[number]
        fitting = entries.get(number, [])
        if source in self.served:
            return self.served[source]
        served = [layer for targets in self.served.values() for layer in targets]
        near = [layer for layer in fitting if layer.tile is source.tile]
        if len(fitting) > 1 and len(near) == 1:
            return near
        fitting = [layer for layer in fitting if layer not in served]
        if _are_replicas(fitting):
            return fitting
        if source.tile.loc in self.misspelt:
            return None
        if fitting:
            names = listing(layer.full_name for layer in fitting)
            first = fitting[0].tile
            self.error(
                source.loc,
                f"next hop {hop!r} of {source.given_name} may lead to {names}; say which with "
                f"`next: {{{hop}: {first.group.name if first.group else first.name}}}` in tile "
                f"{source.tile.given_name!r}",
            )
        else:
            self.warning(
                source.loc,
                f"no layer answers to next hop {hop!r} of {source.given_name}: such messages will "
                f"be dropped and counted (say `next: {{{hop}: drop}}` if that is what you want)",
            )
        return None

    def hops(self, tiles: list[Tile]) -> list[Hop]:
        by_name = self.by_name(tiles)
        layers = [layer for tile in tiles for layer in tile.layers]
        self.serve(tiles)
        entries: dict[int, list[Layer]] = {}
        for layer in layers:
            if self.entry(layer):
                entries.setdefault(self.entry(layer), []).append(layer)
        apps = {layer.app_index for layer in layers if layer.app_index is not None}
        hops = []
        for layer in layers:
            for number in self.library.next_names:
                if number == 0 or not self.next_hops(layer) >> number & 1:
                    continue
                if number >= self.library.first_app + len(apps):
                    continue  # an application that the design has not
                if number in layer.tile.next:
                    targets = self.overridden(layer, number, by_name)
                else:
                    targets = self.default_targets(layer, number, entries)
                if targets is None:
                    hops.append(Hop(layer, number, None))
                    continue
                group = targets[0].tile.group if len(targets) > 1 else None
                hops += [Hop(layer, number, target, group) for target in targets]
        return hops


def _are_replicas(layers: list[Layer]) -> bool:
    """Whether layers are one, or one of each replica of a tile."""
    if len(layers) <= 1:
        return bool(layers)
    group = layers[0].tile.group
    return group is not None and [layer.tile for layer in layers] == group.tiles


def resolve(file: config.DesignFile, library: Library) -> tuple[Network, list[Problem]]:
    """Resolves a design; where there are errors among the problems, as far as it goes."""
    resolver = _Resolver(file, library)
    placement = snake.place(file)
    resolver.problems += placement.problems
    columns = placement.columns

    named: list[Tile] = []
    groups: dict[str, Group] = {}
    for instance in file.design.instances:
        given = instance.given
        x, y = placement.positions.get(instance.name, (0, 0))
        tile = Tile(instance.name, y * columns + x, x, y, instance.loc)
        if instance.replica is not None:
            policy = given.dispatch or "flow_hash"
            tile.group = groups.setdefault(given.name, Group(given.name, policy, instance.loc))
            tile.group.tiles.append(tile)
        resolver.tile_layers(tile, given)
        named.append(tile)

    apps: dict[tuple[str, str], int] = {}
    for tile in named:
        for layer in tile.layers:
            if layer.kind.entry == library.first_app and layer.kind.before_key is None:
                layer.app_index = apps.setdefault((tile.given_name, layer.name), len(apps))
    network = Network(file, library, columns, placement.rows, named, [], list(groups.values()))
    if resolver.has_unknown_kinds:  # what leads where would only follow from it
        return network, resolver.unique_problems()
    if len(apps) > rtl.MAX_APPS:
        message = f"there are {len(apps)} applications; {rtl.MAX_APPS} are the most"
        first = next(layer for layer in network.apps() if layer.app_index == rtl.MAX_APPS)
        resolver.error(first.loc, message)
        return network, resolver.unique_problems()

    resolver.num_apps = len(apps)
    for tile, instance in zip(named, file.design.instances, strict=True):
        resolver.tile_next(tile, instance.given)
        resolver.tile_traffic(tile, instance.given)
    network.hops = resolver.hops(named)
    if not resolver.problems:
        resolver.traffic_that_goes_nowhere(named, network.hops)
    for hop in network.hops:
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
    network.tiles = [tiles[index] for index in sorted(tiles)]
    for tile in network.tiles:
        tile.router_drops = () if file.design.fabric.lossless else INPUTS
    return network, resolver.unique_problems()


def load(path: Path) -> tuple[Network, list[Problem]]:
    """Reads a design file and resolves it."""
    file = config.load(path)
    library = rtl.library(file.design.data_width, file.source_files())
    return resolve(file, library)

# SPDX-License-Identifier: Apache-2.0
"""Name resolution: where each next hop leads, by wire or by mesh.

`resolve` takes the design file, the layers' own description of themselves and the
positions, and finds every hop, every tile's entries from the mesh and its sources.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from bombus.base import trust
from bombus.base.errors import DesignError, Problem, UserError
from bombus.base.macros import CHECKS, MAC_PORTS
from bombus.base.text import near_matches
from bombus.base.yaml_file import Loc
from bombus.design import config, rtl, snake
from bombus.design.elements import Binding, Group, Interface, Layer, Tile
from bombus.design.hop_networks import hop_problem
from bombus.design.hops import HopResolver
from bombus.design.network import Area, Network, StreamNetworks, networks_of, types_of
from bombus.design.parameters import parameter_value
from bombus.design.raised import raise_ports
from bombus.design.resolved import Design
from bombus.design.rtl import LayerKind, Library


class _Tiles:
    """Tiles with their layers, as the design file gives them."""

    def __init__(self, file: config.DesignFile, library: Library, networks: list[Network]) -> None:
        self.file = file
        self.networks = networks
        self.library = library
        self.problems: list[Problem] = []
        self.has_unknown_kinds = False

    def error(self, loc: Loc, message: str) -> None:
        self.problems.append(self.file.problem(loc, message))

    def add_layers(self, tile: Tile, given: config.TileOfLayers | config.TileOfKind) -> None:
        is_shorthand = isinstance(given, config.TileOfKind)
        tile_keys = config.TileOfKind.model_fields if is_shorthand else ()
        chosen = StreamNetworks(self.networks, given.networks)
        has_unknown_kind = False
        for layer in given.layer_configs():
            loc = (*tile.loc, *layer.loc)
            try:
                kind = self.library.kind(layer.kind)
            except UserError as error:
                self.error(loc, str(error))
                self.has_unknown_kinds = has_unknown_kind = True
                continue
            params_loc = (*tile.loc, *layer.params_loc)
            params = self.params(layer, kind, params_loc, tile_keys)
            self.share_bound_values(tile, kind, params)
            same = sum(other.kind.name == kind.name for other in tile.layers)
            name = kind.name if not same else f"{kind.name}_{same + 1}"
            networks = chosen.of_layer(name, kind)
            try:
                types = types_of(kind, networks)
                beats = {each: network.beat for each, network in types.items()}
                kind = rtl.with_parameters(self.library, kind, params, beats)
            except ValueError as error:
                self.error((*tile.loc, "networks"), str(error))
                networks = dict.fromkeys(networks, self.networks[0])
            except DesignError as error:
                messages = "; ".join(problem.message for problem in error.problems)
                self.error(loc, f"{kind.name} rejects its parameters: {messages}")
            if kind.sends_given:
                kind = kind.sending(self.sent_kinds(layer, params_loc))
            key = next(iter(sorted(self.library.bound_keys & kind.parameters.keys())), "")
            found = Layer(name, kind, params, tile, loc, bound_key=key, networks=networks)
            if kind.stands_before:
                self.stand_before(found, layer, params_loc)
            tile.layers.append(found)
        if has_unknown_kind:
            return  # its streams may be the ones that are missing
        for key, message in chosen.problems(tile.given_name):
            self.error((*tile.loc, "networks", key), message)

    def params(
        self, given: config.LayerConfig, kind: LayerKind, loc: Loc, known_keys: Iterable[str]
    ) -> dict[str, int]:
        values: dict[str, int] = {}
        for key, value in given.params.items():
            if (kind.stands_before and key == rtl.BEFORE) or (
                kind.sends_given and key == rtl.SENDS
            ):
                continue
            parameter = kind.parameters.get(key)
            if key in kind.unsettable:
                message = f"parameter {key} of {kind.name} is not a whole number in the layer"
                self.error((*loc, key), f"{message}; a design file cannot set it")
                continue
            if parameter is None or parameter.is_filled_in:
                usable = [k for k, p in kind.parameters.items() if not p.is_filled_in]
                hint = near_matches(key, [*usable, *known_keys])
                why = ""
                if key in kind.constants:
                    why = ": that is a localparam, a constant of the layer"
                self.error((*loc, key), f"layer {kind.name} has no parameter {key!r}{why}; {hint}")
                continue
            try:
                values[key] = parameter_value(value, parameter)
            except ValueError as error:
                self.error((*loc, key), f"parameter {key} of {kind.name} {error}")
        return values

    def share_bound_values(self, tile: Tile, kind: LayerKind, params: dict[str, int]) -> None:
        """Gives each replica its own value, if replicas are selected by a bound value such as their
        port.
        """
        if not (tile.group and "dst_port" in tile.group.policies):
            return
        for key in self.library.bound_keys & kind.parameters.keys():
            first = params.get(key, kind.default(key))
            if first is not None:
                params[key] = first + tile.group.tiles.index(tile)

    def sent_kinds(self, given: config.LayerConfig, loc: Loc) -> tuple[str, ...]:
        """The kinds of messages that the design file names for a layer; by default, packets."""
        kinds = self.library.message_kinds
        names = str(given.params.get(rtl.SENDS, rtl.PACKET)).split()
        for name in names:
            if name not in kinds:
                message = f"there is no kind of message {name!r}; {near_matches(name, kinds)}"
                self.error((*loc, rtl.SENDS), message)
        return tuple(name for name in names if name in kinds) or (rtl.PACKET,)

    def stand_before(self, layer: Layer, given: config.LayerConfig, loc: Loc) -> None:
        target = given.params.get(rtl.BEFORE)
        if isinstance(target, str):
            layer.before = target
        else:
            self.error(
                (*loc, rtl.BEFORE),
                f"layer {layer.kind.name} precedes a tile; name it: "
                f"`{rtl.BEFORE}: <tile>` or `{rtl.BEFORE}: <tile>.<layer>`",
            )


def _bindings(
    tiles: Iterable[Tile], keys: Iterable[str], design: config.DesignConfig
) -> tuple[Binding, ...]:
    """The targets of bound keys, in the order of the design file; then those elsewhere."""
    found: dict[tuple[str, str], list[Layer]] = {}
    first: dict[tuple[str, str, str], int] = {}  # the first replica's value
    for tile in tiles:
        for layer in tile.layers:
            for key in sorted(keys):
                value = layer.bound_value(key)
                if value is None or not layer.inputs or layer.before:
                    continue
                name = layer.inputs[0].stream.entry
                if key == layer.bound_key:
                    given = first.setdefault((key, tile.given_name, layer.name), value)
                    name = f"{key}_{given}"
                found.setdefault((key, name), []).append(layer)
    return tuple(
        Binding(
            key,
            name,
            tuple(dict.fromkeys(layer.bound_value(key) or 0 for layer in layers)),
            tuple(layer.inputs[0] for layer in layers),
        )
        for (key, name), layers in found.items()
    ) + tuple(
        Binding(key, name, tuple(values), ())
        for key, hops in design.elsewhere.items()
        for name, values in hops.items()
        if (key, name) not in found
    )


def _crossings(tile: Tile, design: config.DesignConfig) -> tuple[tuple[int, str], ...]:
    """MAC ports of a tile that have their own clock, with the direction."""
    ends = (
        (layer.param("mac_port") or 0, way)
        for layer in tile.layers
        for way in sorted(layer.kind.mac_directions)
    )
    return tuple((n, way) for n, way in ends if design.has_own_clock(n))


def _without_entry(tile: Tile, file: config.DesignFile) -> list[Problem]:
    """Layers named in `waits` that no message from the mesh reaches."""
    names = [target.layer.name for target in tile.entries]
    return [
        file.problem(
            (*tile.loc, "waits", number),
            f"no layer {name!r} of tile {tile.given_name!r} takes messages from the mesh; "
            f"{near_matches(name, names)}",
        )
        for number, name in enumerate(tile.waits)
        if name not in names
    ]


def _join(design: Design) -> None:
    """Gives every tile its interfaces, and every network the rectangle that it fills."""
    used: dict[tuple[Tile, Network], Interface] = {}
    for hop in design.hops:
        if hop.in_tile:
            continue
        key = hop.source.tile, hop.source.network
        sources = used.setdefault(key, Interface(key[1])).sources
        if hop.source not in sources:
            sources.append(hop.source)
        if hop.target:
            key = hop.target.tile, hop.target.network
            entries = used.setdefault(key, Interface(key[1])).entries
            if hop.target not in entries:
                entries.append(hop.target)
    for network in design.networks:
        network.area = Area(0, 0, design.columns, design.rows)
        if network.index:
            network.area = Area.around(tile.at for tile, other in used if other is network)
    for tile in design.tiles:
        tile.interfaces = [
            used.get((tile, network), Interface(network))
            for network in design.networks
            if network.area.holds(tile.at)
        ]
        inputs = [each for layer in tile.layers for each in layer.inputs]
        for interface in tile.interfaces:
            interface.entries.sort(key=inputs.index)


def resolve(
    file: config.DesignFile, library: Library, placement: snake.Placement | None = None
) -> tuple[Design, list[Problem]]:
    """Resolves a design; if there are errors, as far as possible.

    `placement`: positions to use instead of those in the file.
    """
    placement = placement or snake.place(file)
    columns = placement.columns
    networks = networks_of(file.config)
    reader = _Tiles(file, library, networks)
    problems = reader.problems
    problems += placement.problems

    named: list[Tile] = []
    groups: dict[str, Group] = {}
    for instance in file.config.instances:
        given = instance.given
        x, y = placement.positions.get(instance.name, (0, 0))
        tile = Tile(instance.name, y * columns + x, x, y, instance.loc)
        if instance.replica is not None:
            group = Group(given.name, given.policies, instance.loc)
            tile.group = groups.setdefault(given.name, group)
            tile.group.tiles.append(tile)
        named.append(tile)
        reader.add_layers(tile, given)

    design = Design(
        file,
        library,
        tuple(networks),
        columns,
        placement.rows,
        tuple(named),
        (),
        tuple(groups.values()),
        _bindings(named, library.bound_keys, file.config),
    )
    if reader.has_unknown_kinds:  # problems of next hops would only follow from it
        return design, list(dict.fromkeys(problems))
    given_tiles = {
        tile: instance.given for tile, instance in zip(named, file.config.instances, strict=True)
    }
    problems += raise_ports(given_tiles, file)
    hops = HopResolver(design, problems).resolve(given_tiles)
    for hop in hops:
        if message := hop_problem(hop):
            problems.append(file.problem(hop.source.layer.loc, message))

    tiles = {tile.index: tile for tile in reversed(named)}
    for index in range(columns * placement.rows):
        y, x = divmod(index, columns)
        tiles.setdefault(index, Tile(f"empty_{x}_{y}", index, x, y, ("tiles",)))
    for tile in tiles.values():
        tile.crossings = _crossings(tile, file.config)
    whole = replace(design, tiles=tuple(tiles[index] for index in sorted(tiles)), hops=tuple(hops))
    _join(whole)
    for tile, said in given_tiles.items():
        tile.waits = tuple(said.waits)
        problems += _without_entry(tile, file)
    for network in networks[1:]:
        if not any(hop.network is network for hop in hops if not hop.in_tile):
            message = (
                f"no message travels over network {network.name!r}, so it gets no routers; remove "
                "it, or name it for a stream under `networks` of a tile"
            )
            problems.append(file.problem(network.loc, message, is_error=False))
    # Replicas have the same problems.
    return whole, list(dict.fromkeys(problems))


def _check_mac_ports(file: config.DesignFile) -> None:
    count = len(file.config.ports)
    if count > 1 and count > (limit := rtl.constant("bombus_pkg::MostMacPorts")):
        raise DesignError(
            [
                file.problem(
                    ("mac_ports",),
                    f"has {count} MAC ports; a design has at most {limit}",
                )
            ]
        )


def _source_warnings(file: config.DesignFile) -> list[Problem]:
    """DesignError if a source includes what it may not."""
    macros = [CHECKS, f"{MAC_PORTS}={len(file.config.ports)}"]
    problems = trust.source_problems(file.source_files(), file.folder, rtl.include_dirs(), macros)
    if errors := [each for each in problems if each.is_error]:
        raise DesignError(errors)
    return problems


def load(path: Path) -> tuple[Design, list[Problem]]:
    """Reads a design file and resolves it."""
    file = config.load(path)
    width = networks_of(file.config)[0].data_width
    _check_mac_ports(file)
    warnings = _source_warnings(file)
    library = rtl.library(
        width,
        file.source_files(),
        rtl.Shared(len(file.config.ports), file.config.num_routes),
    )
    design, problems = resolve(file, library)
    return design, warnings + problems

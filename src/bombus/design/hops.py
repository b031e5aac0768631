# SPDX-License-Identifier: Apache-2.0
"""Targets of the next hops of a design: given by the design file, or found by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from bombus.base.errors import Problem
from bombus.base.text import listing, near_matches
from bombus.base.yaml_file import Loc
from bombus.design import config
from bombus.design.elements import Hop, Input, Layer, Output, Tile
from bombus.design.next_hops import hop_names
from bombus.design.resolved import Design
from bombus.design.rtl import ANY, BEFORE, MAIN_INPUT, MAIN_OUTPUT

SHARE_TOLERANCE = 1e-6  # for shares that should sum to 1
_Given = config.TileOfLayers | config.TileOfKind


class HopResolver:
    """Resolves every next hop of a design's outputs to an input, to replicas, or to nothing."""

    def __init__(self, design: Design, problems: list[Problem]) -> None:
        self.design = design
        self.problems = problems
        # Layers that precede others, with the inputs of those: one, or one per replica.
        self.served: dict[Layer, tuple[Input, ...]] = {}
        # Tiles of the design file whose `next` or `traffic` names an unknown next hop; further
        # problems there would only follow from it.
        self.misspelt: set[Loc] = set()
        self.by_name = self._tiles_by_name()

    def error(self, loc: Loc, message: str) -> None:
        self.problems.append(self.design.file.problem(loc, message))

    def warning(self, loc: Loc, message: str) -> None:
        self.problems.append(self.design.file.problem(loc, message, is_error=False))

    def resolve(self, given: Mapping[Tile, _Given]) -> list[Hop]:
        """All hops; `given`: the entry of each tile in the design file."""
        self._serve()
        for tile, said in given.items():
            tile.next = {name: said.next[name] for name in self._known(tile, "next", said.next)}
            self._traffic(tile, said)
        hops = [hop for output in self.design.outputs() for hop in self._hops(output)]
        if not self.problems:
            self._traffic_that_goes_nowhere(hops)
        return hops

    def _tiles_by_name(self) -> dict[str, list[Tile]]:
        """Tiles by the names usable in the design file; a group of replicas also has one name."""
        found = {tile.name: [tile] for tile in self.design.tiles}
        for tile in self.design.tiles:
            if tile.group:
                found.setdefault(tile.group.name, tile.group.tiles)
        return found

    # ---- Next hops in the design file ----

    def _known(self, tile: Tile, key: str, given: Iterable[str]) -> Iterator[str]:
        """Next hops that the design file names under a key of a tile and that exist."""
        own = [name for layer in tile.layers for name in self._names_of(layer)]
        full = [f"{layer.name}.{name}" for layer in tile.layers for name in self._names_of(layer)]
        for name in given:
            if name in own or (key == "next" and name in full):
                yield name
                continue
            self.misspelt.add(tile.loc)
            self.error(
                (*tile.loc, key, name),
                f"no layer of tile {tile.given_name!r} has a next hop {name!r}; "
                f"{near_matches(name, own)}",
            )

    def _names_of(self, layer: Layer) -> list[str]:
        return [name for output in layer.outputs for name in hop_names(output, self.design)]

    def _traffic(self, tile: Tile, given: _Given) -> None:
        tile.slow = given.slow
        tile.traffic = {
            name: given.traffic[name] for name in self._known(tile, "traffic", given.traffic)
        }
        for layer in tile.layers:
            own = {n: tile.traffic[n] for n in self._names_of(layer) if n in tile.traffic}
            if (total := sum(own.values())) > 1 + SHARE_TOLERANCE:
                parts = " + ".join(f"{name} {share:g}" for name, share in own.items())
                self.error(
                    (*tile.loc, "traffic"),
                    f"the parts of {layer.given_name}'s messages add up to more than 1: "
                    f"{parts} = {total:g}; the maximum is 1",
                )

    def _traffic_that_goes_nowhere(self, hops: list[Hop]) -> None:
        used = {(hop.source.tile, hop.name) for hop in hops if hop.target}
        for tile in self.design.tiles:
            for name in tile.traffic:
                if (tile, name) not in used:
                    self.error(
                        (*tile.loc, "traffic", name),
                        f"next hop {name!r} of tile {tile.given_name!r} has no target, so its "
                        "share of the traffic has no effect",
                    )

    # ---- Layers that precede tiles ----

    def _serve(self) -> None:
        """Finds the targets of the layers that precede others."""
        for layer in [layer for layer in self.design.layers() if layer.before]:
            assert layer.before is not None
            loc = (*layer.tile.loc, BEFORE)
            name = layer.before.partition(".")[0]
            targets = self._inputs(layer.before)
            names = sorted({f"{target.layer.name}.{target.name}" for target in targets})
            if not targets:
                last = layer.before.rpartition(".")[2]
                inputs = (each for each in self.design.inputs() if each.layer.name == last)
                alike = {each.layer.given_name for each in inputs}
                hint = near_matches(layer.before if alike else name, alike or self.by_name)
                self.error(loc, f"{layer.before!r} is not a tile that takes messages; {hint}")
            elif len(names) > 1:
                self.error(
                    loc,
                    f"tile {name!r} has several inputs: name one of them, "
                    + listing(sorted({f"`{target.given_name}`" for target in targets})),
                )
            elif any(target.layer.before for target in targets):
                self.error(loc, f"{layer.before!r} itself precedes a tile")
            elif other := next((la for la, its in self.served.items() if its == targets), None):
                if other.tile.given_name == layer.tile.given_name:  # replicas
                    self.served[layer] = targets
                else:
                    self.error(loc, f"{other} already precedes {layer.before!r}")
            else:
                self.served[layer] = targets

    def _inputs(self, name: str) -> tuple[Input, ...]:
        """Inputs that `tile`, `tile.layer` or `tile.layer.input` names."""
        tile_name, *rest = name.split(".")
        layer_name, stream = (*rest, "", "")[:2]
        return tuple(
            each
            for tile in self.by_name.get(tile_name, [])
            for layer in tile.layers
            for each in layer.inputs
            if layer.name == (layer_name or layer.name) and each.name == (stream or each.name)
        )

    def _behind(self, target: Input) -> Input:
        """The final input of messages to `target`: another one if `target` precedes it."""
        while target.layer in self.served and target.name == MAIN_INPUT:
            target = self.served[target.layer][0]
        return target

    def _through(self, source: Output, targets: tuple[Input, ...]) -> tuple[Input, ...]:
        """The inputs, or those of the layer that precedes them."""
        for layer, served in self.served.items():
            if set(targets) <= set(served) and layer is not source.layer:
                tile = layer.tile
                replicas = tile.group.tiles if tile.group else [tile]
                before = [la for each in replicas for la in each.layers if la.name == layer.name]
                return tuple(each.inputs[0] for each in before)
        return targets

    # ---- Next hops ----

    def _hops(self, source: Output) -> Iterator[Hop]:
        for number, name in enumerate(hop_names(source, self.design)):
            full = f"{source.layer.name}.{name}"
            if given := next((each for each in (full, name) if each in source.tile.next), None):
                targets = self._overridden(source, name, given)
            else:
                targets = self._default(source, name)
            if not targets:
                yield Hop(source, number, name, None)
                continue
            group = targets[0].tile.group if len(targets) > 1 else None
            for target in targets:
                yield Hop(source, number, name, target, group)

    def _bound(self, source: Output, name: str) -> tuple[Input, ...] | None:
        """Target of a bound next hop; None if the next hop is not bound by a key."""
        for binding in self.design.bindings_of(source.stream.binds):
            if binding.name == name:
                kinds = {*source.stream.sends_by(len(source.stream.hops)), ANY}
                return tuple(_taker(each.layer, kinds) for each in binding.targets)
        return None

    def _answers_to(self, target: Input, source: Output, name: str) -> bool:
        """Whether an input takes messages of a next hop."""
        if target.stream.entry == ANY or source.layer.kind.sends_given:
            return True
        target = self._behind(target)
        if self._bound(source, name) is not None:
            return target.layer.bound_value(source.stream.binds) is not None
        return target.stream.entry == name

    def _overridden(self, source: Output, name: str, key: str) -> tuple[Input, ...]:
        """The input, or inputs of replicas, that the design file names for a next hop of a tile."""
        given = source.tile.next[key]
        loc = (*source.tile.loc, "next", key)
        tile_name = given.partition(".")[0]
        if given == config.DROP:
            return ()
        if tile_name not in self.by_name:
            hint = near_matches(tile_name, self.by_name)
            self.error(loc, f"next hop {name!r} leads to {given!r}, which is not a tile; {hint}")
            return ()
        candidates = self._inputs(given)
        if not candidates:
            self.error(loc, self._no_such_input(given))
            return ()
        fitting = tuple(each for each in candidates if self._answers_to(each, source, name))
        if _are_replicas(fitting):
            return fitting
        if fitting:
            names, _ = _told_apart(fitting)
            self.error(loc, f"next hop {name!r} may lead to {names}: name one of them")
        else:
            self.error(loc, f"{given!r} does not answer to next hop {name!r}")
        return ()

    def _no_such_input(self, given: str) -> str:
        """Which part of a name does not exist: the layer or the input."""
        tile_name, _, rest = given.partition(".")
        layer_name, _, stream = rest.partition(".")
        layers = [layer for tile in self.by_name[tile_name] for layer in tile.layers]
        named = [layer for layer in layers if layer.name == layer_name]
        if not named:
            hint = near_matches(layer_name, [layer.name for layer in layers])
            return f"tile {tile_name!r} has no layer {layer_name!r}; {hint}"
        hint = near_matches(stream, [each.name for layer in named for each in layer.inputs])
        return f"layer {layer_name} has no input {stream!r}; {hint}"

    def _default(self, source: Output, name: str) -> tuple[Input, ...]:
        """The input that answers to a next hop, or its replicas; one in the same tile takes
        precedence.
        """
        precedes = source.layer in self.served and source.name == MAIN_OUTPUT
        if precedes and name == source.stream.hops[0]:
            return self.served[source.layer]
        fitting = self._bound(source, name)
        if fitting is None:
            fitting = tuple(
                each
                for each in self.design.inputs()
                if each.stream.entry == name and not (each.layer.before and each.name == MAIN_INPUT)
            )
        elif [each.layer for each in fitting] == [source.layer]:
            return ()  # a layer that binds its own kind does not send to itself
        near = tuple(each for each in fitting if each.tile is source.tile)
        if len(fitting) > 1 and len(near) == 1:
            return near
        if _are_replicas(fitting):
            return self._through(source, fitting)
        if source.tile.loc in self.misspelt:
            return ()
        layer = source.layer
        if fitting:
            names, first = _told_apart(fitting)
            key = source.stream.binds
            is_bound = self._bound(source, name) is not None
            if is_bound and all(key in each.layer.kind.parameters for each in fitting):
                cause = f", which have the same {key}: give one of them another, or"
            else:
                cause = ";"
            self.error(
                layer.loc,
                f"next hop {name!r} of {layer.given_name} may lead to {names}{cause} choose one "
                f"with `next: {{{name}: {first}}}` in tile {layer.tile.given_name!r}",
            )
        else:
            known = sorted(
                kind.name
                for kind in self.design.library.layers.values()
                if any(stream.entry == name for stream in kind.inputs.values())
            )
            hint = f" ({listing(known, 'or')} would)" if known else ""
            self.warning(
                layer.loc,
                f"no layer answers to next hop {name!r} of {layer.given_name}{hint}: its messages "
                f"will be dropped and counted (write `next: {{{name}: drop}}` to silence this "
                "warning)",
            )
        return ()


def _taker(layer: Layer, kinds: Set[str]) -> Input:
    """The first input of a layer that takes one of these kinds of messages, or else its first
    input.
    """
    takers = (each for each in layer.inputs if kinds & set(each.stream.takes))
    return next(takers, layer.inputs[0])


def _told_apart(targets: tuple[Input, ...]) -> tuple[str, str]:
    """Names of inputs, with the stream if a layer has several, and an example of what to write."""
    layers = [each.layer.full_name for each in targets]
    if len(set(layers)) == len(layers):
        return listing(layers), targets[0].tile.given_name
    names = [f"{each.layer.full_name}.{each.name}" for each in targets]
    return listing(names), f"{targets[0].tile.given_name}.{targets[0].layer.name}.{targets[0].name}"


def _are_replicas(targets: tuple[Input, ...]) -> bool:
    """Whether the inputs are a single one, or the same one of each replica."""
    if len(targets) <= 1:
        return bool(targets)
    group = targets[0].tile.group
    return group is not None and [target.tile for target in targets] == group.tiles

# SPDX-License-Identifier: Apache-2.0
"""Splitting: the design of a cluster becomes one design for each board.

The design file is resolved as if all tiles stood in one mesh. A next hop to a tile on another board
becomes one to a `cluster_send` layer of the board's bridge tile; a `cluster_receive` layer on the
other board sends the messages on. Each input of a tile that messages from other boards are for has
a channel. A channel has a number that no other channel of its boards has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bombus.analysis import check as checking
from bombus.base import yaml_file
from bombus.base.errors import DesignError, Problem
from bombus.base.yaml_file import Loc
from bombus.cluster.config import (
    DEFAULT,
    PLACE,
    ClusterConfig,
    ClusterDesignConfig,
    Endpoint,
    Link,
    load,
)
from bombus.cluster.description import ETHERNET
from bombus.cluster.links import Links, links_of, unknown_board
from bombus.design import config, rtl
from bombus.design.elements import Hop, Input
from bombus.design.facts import Facts
from bombus.design.resolve import resolve
from bombus.design.resolved import Design

MAX_CHANNELS = 32  # cluster_pkg::ChannelBits
MAX_PARTIES = 32  # boards that one channel leads to, or comes from
BRIDGE = "bridge"  # the tile with the node of the network between boards
NODE, SEND, RECEIVE = "cluster_node", "cluster_send", "cluster_receive"
CARRIER = "cluster_ethernet"
MAX_BUFFER_BEATS = 1000  # cluster_link
_STAGE_CYCLES = 30  # of a link and its carrier, on both sides
_PER_BOARD = ("tiles", "cluster", "elsewhere", "memories")


@dataclass
class Channel:
    """Messages from other boards to one input of a tile, or of its replicas."""

    target: str  # tile, or tile.layer.input
    tile: str  # that receives, in the design file
    loc: Loc  # of the tile
    kinds: tuple[str, ...]
    network: str  # of the mesh, "" for the first one
    endpoint: Endpoint
    to: tuple[int, ...]  # the boards of the input, one for each replica
    by_flow: bool = False  # policy of several boards
    sources: list[int] = field(default_factory=list)
    number: int = 0

    @property
    def boards(self) -> set[int]:
        return {*self.to, *self.sources}


@dataclass(frozen=True)
class Board:
    """The design of one board."""

    number: int
    name: str
    data: Mapping[str, Any]  # its design file
    sends: Sequence[Channel]  # in the order of its layers
    receives: Sequence[Channel]

    def registers(self, links: Links) -> Iterator[dict[str, Any]]:
        """Register writes after reset: what differs from other boards of the same design."""
        if BRIDGE not in (tile["name"] for tile in self.data["tiles"]):
            return
        (bridge,) = (tile for tile in self.data["tiles"] if tile["name"] == BRIDGE)
        writes = {NODE: links.registers(self.number)}
        if any(CARRIER in layer for layer in bridge["layers"]):
            writes[CARRIER] = links.carrier_registers(self.number)
        for layer, registers in writes.items():
            for register, index, value in registers:
                at = {} if index is None else {"index": index}
                place = {"tile": BRIDGE, "layer": layer, "register": register}
                yield {**place, **at, "value": value}


@dataclass(frozen=True)
class Cluster:
    """A design on several boards, split."""

    file: config.DesignFile
    whole: Facts  # all tiles as if they were in one mesh
    links: Links
    boards: Sequence[Board]
    channels: Sequence[Channel]
    problems: Sequence[Problem]  # warnings

    @property
    def config(self) -> ClusterConfig:
        assert isinstance(self.file.config, ClusterDesignConfig)
        return self.file.config.cluster


def in_one_mesh(file: config.DesignFile) -> config.DesignFile:
    """The file without positions and boards: its tiles could not all have theirs in one mesh."""
    given = file.config
    free = {"columns": None, "rows": None}
    changes: dict[str, Any] = {
        "tiles": [tile.model_copy(update={"at": None}) for tile in given.tiles],
        "fabric": given.fabric.model_copy(update=free),
    }
    if given.networks:
        changes["networks"] = {
            name: each.model_copy(update={"fabric": each.fabric.model_copy(update=free)})
            for name, each in given.networks.items()
        }
    whole = given.model_copy(update=changes)
    for cached in ("instances", "board_of"):
        whole.__dict__.pop(cached, None)
    return config.DesignFile(file.path, whole, file.document)


def resolved_in_one_mesh(file: config.DesignFile) -> tuple[Facts, list[Problem]]:
    """All tiles as if they were in one mesh, and warnings."""
    whole = in_one_mesh(file)
    network = next(iter(whole.config.all_networks.values()))
    library = rtl.library(
        network.data_width,
        file.source_files(),
        rtl.Shared(len(file.config.ports), file.config.num_routes),
    )
    design, problems = resolve(whole, library)
    facts = Facts(design)
    problems = checking.problems_of(facts, problems)
    _refuse(problems)
    return facts, problems


def split(path: Path) -> Cluster:
    """Reads the design file of a cluster and splits it.

    DesignError with all errors and warnings if it is invalid; deadlocks are found by
    `bombus.cluster.check`.
    """
    return split_file(load(path))


def split_file(file: config.DesignFile) -> Cluster:
    """Splits a design file that has been read."""
    if problems := list(_unknown_boards(file)):
        raise DesignError(problems)
    facts, problems = resolved_in_one_mesh(file)
    links = links_of(file)
    splitter = _Splitter(file, facts, links)
    problems += splitter.problems
    _refuse(problems)
    boards = [splitter.board(number) for number in range(len(splitter.cluster.names))]
    problems += splitter.problems
    _refuse(problems)
    return Cluster(file, facts, links, boards, splitter.channels, list(dict.fromkeys(problems)))


def _refuse(problems: list[Problem]) -> None:
    if any(problem.is_error for problem in problems):
        problems = list(dict.fromkeys(problems))
        problems.sort(key=lambda problem: (not problem.is_error, problem.line or 0))
        raise DesignError(problems)


def _unknown_boards(file: config.DesignFile) -> Iterator[Problem]:
    assert isinstance(file.config, ClusterDesignConfig)
    cluster = file.config.cluster
    for number, tile in enumerate(file.config.tiles):
        given = tile.board
        for name in given if isinstance(given, list) else [given]:
            if name == PLACE and not isinstance(given, list):
                message = f"the board of {tile.name} is not chosen: run `bombus place {file.path}`"
                yield file.problem(("tiles", number, "board"), message)
            elif cluster.number(name) is None:
                yield file.problem(("tiles", number, "board"), unknown_board(file, name))
    names = {DEFAULT, *(tile.name for tile in file.config.tiles)}
    seen: set[str] = set()
    for number, endpoint in enumerate(cluster.endpoints):
        loc = ("cluster", "endpoints", number)
        if endpoint.name in seen:
            message = f"{endpoint.name!r} has another entry before; put all keys into one"
            yield file.problem((*loc, "name"), message)
        seen.add(endpoint.name)
        if endpoint.name not in names:
            message = f"there is no tile {endpoint.name!r} that an endpoint could be for"
            yield file.problem((*loc, "name"), message)
        if endpoint.words * 64 % cluster.link.width:
            message = f"`words` should be a multiple of {cluster.link.width // 64}, those of a beat"
            yield file.problem((*loc, "words"), message)
    if any(tile.name == BRIDGE for tile in file.config.tiles):
        message = f"{BRIDGE!r} is the name of the tile that joins a board to the others"
        yield file.problem(("tiles",), message)


class _Splitter:
    """The channels of a cluster, and the designs of its boards."""

    def __init__(self, file: config.DesignFile, whole: Facts, links: Links) -> None:
        assert isinstance(file.config, ClusterDesignConfig)
        self.file = file
        self.whole = whole
        self.links = links
        self.config = file.config
        self.cluster = file.config.cluster
        self.problems: list[Problem] = []
        self.board_of = file.config.board_of
        self.crossing: dict[Hop, Channel] = {}
        self.channels: list[Channel] = []
        self._link()
        self._find()
        if not self.problems:
            self._number()

    def error(self, loc: Loc, message: str) -> None:
        self.problems.append(self.file.problem(loc, message))

    # ---- Links ----

    def _link(self) -> None:
        """Finds properties that links do not have together."""
        if self.cluster.link.carrier == ETHERNET and not self.cluster.link.check:
            message = "links by ethernet lose frames: they need retry; remove `check: false`"
            self.error(("cluster", "link", "check"), message)

    def _node(self, number: int) -> dict[str, int]:
        """Parameters of a board's node."""
        link = self.cluster.link
        found: dict[str, int] = {
            "link_width": link.width,
            "num_links": max(1, self.links.ports(number)),
            "num_boards": len(self.cluster.names),
        }
        if link.carrier == ETHERNET:
            beats = _round_trip(link)
            found["buffer_beats"] = min(beats, MAX_BUFFER_BEATS)
            found["retry_beats"] = min(max(512, 1 << (beats - 1).bit_length()), 2048)
        if "buffer" in link.model_fields_set:
            found["buffer_beats"] = link.buffer
        if not link.check:
            found["check"] = False
        return found

    # ---- Channels ----

    def _find(self) -> None:
        design = self.whole.design
        found: dict[tuple[Any, ...], Channel] = {}
        by_output: dict[Any, list[Hop]] = {}
        for hop in design.hops:
            by_output.setdefault((hop.source, hop.number), []).append(hop)
        for layer in design.layers():
            if layer.before and self._is_elsewhere(layer.before.partition(".")[0], layer.tile.name):
                self.error(layer.loc, f"{layer} precedes {layer.before}, which is on another board")
        for hops in by_output.values():
            source = self.board_of.get(hops[0].source.tile.name)
            targets = [hop for hop in hops if hop.target is not None]
            there = [self.board_of[hop.target.tile.name] for hop in targets if hop.target]
            if source is None or not targets or all(board == source for board in there):
                continue
            hop = targets[0]
            assert hop.target is not None
            loc = hop.source.layer.loc
            way = f"next hop {hop.name!r} of {hop.source.layer.given_name}"
            if source in there:
                self.error(
                    loc,
                    f"{way}: some replicas of {hop.target.tile.given_name} are on this board and "
                    "others are not; put none of them there",
                )
                continue
            names = self.cluster.names
            for board in dict.fromkeys(there):
                if not self.links.lead(0, source, board):
                    self.error(
                        loc,
                        f"{way} leads to {hop.target.tile.given_name} on board {names[board]}, "
                        f"but no links lead there from board {names[source]}",
                    )
            self._add(found, hops, hop.target, source, tuple(there), way)
        self.channels = list(found.values())

    def _is_elsewhere(self, given: str, tile: str) -> bool:
        """Whether a tile, or its replicas, are on another board than a tile."""
        there = {
            self.board_of.get(each.name)
            for each in self.whole.design.tiles
            if given in (each.name, each.given_name) and each.layers
        }
        return bool(there - {self.board_of.get(tile)})

    def _add(
        self,
        found: dict[tuple[Any, ...], Channel],
        hops: list[Hop],
        target: Input,
        source: int,
        there: tuple[int, ...],
        way: str,
    ) -> None:
        group = hops[0].group
        several = len(set(there)) > 1
        if several and group is not None:
            policy = group.policy
            if len(group.policies) > 1 or policy not in ("round_robin", "flow_hash"):
                self.error(
                    (*group.loc, "dispatch"),
                    f"replicas of {group.name} are on several boards: `dispatch` should be "
                    "round_robin or flow_hash",
                )
        loc = target.tile.loc
        if max(len(there), 1) > MAX_PARTIES:
            self.error(loc, f"{way} leads to {len(there)} replicas; at most {MAX_PARTIES}")
        name = target.given_name
        kinds = self.whole.messages.by(hops[0])
        key = (name, target.name, there if group else target.tile.name)
        label = target.network.name if target.network.index else ""
        channel = found.get(key)
        if channel is None:
            tile = target.tile.given_name
            channel = found[key] = Channel(
                f"{tile}.{target.layer.name}.{target.name}",
                tile,
                loc,
                (),
                label,
                self.cluster.endpoint(tile),
                there,
                by_flow=several and group is not None and group.policy == "flow_hash",
            )
        channel.kinds = tuple(sorted({*channel.kinds, *kinds}))
        if source not in channel.sources:
            channel.sources.append(source)
        for hop in hops:
            self.crossing[hop] = channel

    def _number(self) -> None:
        """Gives channels that share a board different numbers."""
        for place, channel in enumerate(self.channels):
            channel.sources.sort()
            used = {each.number for each in self.channels[:place] if each.boards & channel.boards}
            channel.number = next(n for n in range(len(used) + 1) if n not in used)
            if channel.number >= MAX_CHANNELS:
                self.error(
                    channel.loc,
                    f"a board of {channel.tile} would have more than {MAX_CHANNELS} channels; put "
                    "tiles that exchange messages on one board",
                )

    # ---- Designs ----

    def board(self, number: int) -> Board:
        """The design of a board."""
        document = yaml_file.plain(self.file.document)
        sends = [each for each in self.channels if number in each.sources]
        receives = [each for each in self.channels if number in each.to]
        data = {key: value for key, value in document.items() if key not in _PER_BOARD}
        tiles = [
            tile
            for place, given in enumerate(document["tiles"])
            if (tile := self._tile(place, given, number, sends)) is not None
        ]
        if sends or receives or self.links.ports(number):
            tiles.append(self._bridge(number, sends, receives))
        if not tiles:
            self.error(("cluster", "boards"), f"board {self.cluster.names[number]} has no tiles")
        raised = {name for tile in tiles for name in tile.get("ports", {}).values()}
        if memories := {n: m for n, m in document.get("memories", {}).items() if n in raised}:
            data["memories"] = memories
        if elsewhere := self._elsewhere(number):
            data["elsewhere"] = elsewhere
        data["tiles"] = tiles
        return Board(number, self.cluster.names[number], data, sends, receives)

    def _tile(
        self, place: int, given: dict[str, Any], number: int, sends: Sequence[Channel]
    ) -> dict[str, Any] | None:
        """A tile of the file as it is on a board; None: it is not there."""
        here = [
            each
            for each in self.config.instances
            if each.loc == ("tiles", place) and self.board_of[each.name] == number
        ]
        if not here:
            return None
        tile = {key: value for key, value in given.items() if key != "board"}
        if here[0].replica is not None:
            places = [each.at for each in here]
            for key in ("replicas", "at") + (("dispatch",) if len(here) == 1 else ()):
                tile.pop(key, None)
            if len(here) > 1:
                tile["replicas"] = len(here)
            if all(places):
                given_places = [list(at) for at in places if at]
                tile["at"] = given_places if len(here) > 1 else given_places[0]
        hops = [
            hop
            for hop in self.whole.design.hops
            if hop.source.tile.name in {each.name for each in here}
        ]
        following = dict(given.get("next", {}))
        for hop in hops:
            if channel := self.crossing.get(hop):
                following.pop(hop.name, None)
                following[f"{hop.source.layer.name}.{hop.name}"] = (
                    f"{BRIDGE}.{_name(SEND, sends.index(channel))}"
                )
        tile.pop("next", None)
        if following:
            tile["next"] = following
        return tile

    def _bridge(
        self, number: int, sends: Sequence[Channel], receives: Sequence[Channel]
    ) -> dict[str, Any]:
        """The tile that joins a board to the others."""
        layers: list[dict[str, Any]] = [{NODE: self._node(number)}]
        following: dict[str, str] = {}
        networks: dict[str, str] = {}
        for place, channel in enumerate(sends):
            layers.append(
                {
                    SEND: {
                        **self._common(channel),
                        "destinations": _packed(channel.to),
                        "num_destinations": len(channel.to),
                        "by_flow": channel.by_flow,
                    }
                }
            )
            if channel.network:
                networks[f"{_name(SEND, place)}.in"] = channel.network
        for place, channel in enumerate(receives):
            layers.append(
                {
                    RECEIVE: {
                        **self._common(channel),
                        "sends": " ".join(channel.kinds),
                        "sources": _packed(channel.sources),
                        "num_sources": len(channel.sources),
                    }
                }
            )
            following[f"{_name(RECEIVE, place)}.received"] = channel.target
            if channel.network:
                networks[f"{_name(RECEIVE, place)}.out"] = channel.network
        tile: dict[str, Any] = {"name": BRIDGE, "layers": layers}
        if following:
            tile["next"] = following
        if networks:
            tile["networks"] = networks
        if self.cluster.bridge_at:
            tile["at"] = list(self.cluster.bridge_at)
        if ports := self.links.ports(number):
            tile["ports"] = {f"link{n}": f"link{n}" for n in range(ports)}
            if self.cluster.link.carrier == ETHERNET:
                tile["layers"].append({CARRIER: self._carrier(ports)})
                tile["ports"] = {"wire": ETHERNET}
        return tile

    def _carrier(self, ports: int) -> dict[str, int]:
        """Parameters of the layer that carries links in frames."""
        link = self.cluster.link
        return {
            "link_width": link.width,
            "num_links": ports,
            "ether_type": link.ether_type,
            "frame_bytes": link.frame_bytes,
        }

    def _common(self, channel: Channel) -> dict[str, Any]:
        """Parameters of both ends of a channel."""
        endpoint = channel.endpoint
        return {
            "link_width": self.cluster.link.width,
            "channel": channel.number,
            "target": self.channels.index(channel) & 255,
            "num_boards": len(self.cluster.names),
            "managed": endpoint.managed,
            "max_words": endpoint.words,
            "buffer_size": endpoint.buffer_size,
            "flow_offset": endpoint.flow_offset,
            "flow_stride": endpoint.flow_stride,
            "init_budget": endpoint.init_budget,
            "grant_period": endpoint.grant_period,
        }

    def _elsewhere(self, number: int) -> dict[str, dict[str, list[int]]]:
        """Keys by which layers of a board find layers on others."""
        design: Design = self.whole.design
        binders = {
            output.stream.binds
            for output in design.outputs()
            if output.stream.binds and self.board_of.get(output.tile.name) == number
        }
        found: dict[str, dict[str, list[int]]] = {}
        for binding in design.bindings:
            there = {self.board_of[each.tile.name] for each in binding.targets}
            if binding.key in binders and number not in there:
                found.setdefault(binding.key, {})[binding.name] = list(binding.values)
        return found


def _round_trip(link: Link) -> int:
    """Beats that are sent in a round trip. A frame waits for one, and is stored by the switch."""
    frame = -(-link.frame_bytes * 8 // link.width)
    return 2 * (link.latency_cycles + 2 * frame + _STAGE_CYCLES)


def _name(kind: str, place: int) -> str:
    """The name of the n-th layer of a kind in its tile."""
    return kind if not place else f"{kind}_{place + 1}"


def _packed(boards: Sequence[int]) -> int:
    """Boards as the bytes of a parameter."""
    return sum(board << 8 * n for n, board in enumerate(boards))

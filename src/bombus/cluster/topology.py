# SPDX-License-Identifier: Apache-2.0
"""Topologies of a cluster: boards and the links between their ports.

Source: "A Transport-Layer Network for Distributed FPGA Platforms", section IV and figure 7: any
direct network with at most four links a board.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import networkx as nx

from bombus.base.errors import DesignError, Problem, UserError
from bombus.base.text import near_matches
from bombus.base.yaml_text import read_text

MAX_BOARDS = 256  # cluster_pkg::BoardBits
MAX_LINKS = 4  # cluster_pkg::MaxLinks


class Port(NamedTuple):
    """A port of a board; as a channel: the direction of its link that leaves the board there."""

    board: int
    port: int


class Link(NamedTuple):
    """A link between two ports."""

    board_a: int
    port_a: int
    board_b: int
    port_b: int

    @property
    def ends(self) -> tuple[Port, Port]:
        return Port(self.board_a, self.port_a), Port(self.board_b, self.port_b)


@dataclass(frozen=True)
class Topology:
    """Boards, numbered from 0, and their links."""

    kind: str
    names: tuple[str, ...]
    links: tuple[Link, ...]
    num_links: tuple[int, ...]  # by board; also the number of its local port

    @property
    def boards(self) -> int:
        """Number of boards."""
        return len(self.names)

    @cached_property
    def peers(self) -> dict[Port, Port]:
        """The port at the other end of each port's link."""
        return {one: other for link in self.links for one, other in (link.ends, link.ends[::-1])}

    @cached_property
    def channels(self) -> tuple[Port, ...]:
        """All directions of links, by their sending port."""
        return tuple(sorted(self.peers))

    @cached_property
    def leaving(self) -> tuple[tuple[Port, ...], ...]:
        """By board: the ports that have a link."""
        found: list[list[Port]] = [[] for _ in self.names]
        for channel in self.channels:
            found[channel.board].append(channel)
        return tuple(map(tuple, found))

    @cached_property
    def graph(self) -> nx.Graph[int]:
        """Boards and which of them are neighbours."""
        graph: nx.Graph[int] = nx.Graph()
        graph.add_nodes_from(range(self.boards))
        graph.add_edges_from((link.board_a, link.board_b) for link in self.links)
        return graph

    def name(self, channel: Port) -> str:
        """A channel for messages, such as `board_0.1 -> board_1.0`."""
        peer = self.peers[channel]
        ends = (f"{self.names[end.board]}.{end.port}" for end in (channel, peer))
        return " -> ".join(ends)

    def hops(self, source: int, target: int) -> int:
        """Links on a shortest path. Raises networkx.NetworkXNoPath if there is none."""
        return int(nx.shortest_path_length(self.graph, source, target))

    def without(self, links: Iterable[Link] = (), boards: Iterable[int] = ()) -> Topology:
        """The same boards and port numbers, without dead links and the links of dead boards."""
        dead = {frozenset(link.ends) for link in links}
        gone = set(boards)
        if strange := dead - {frozenset(link.ends) for link in self.links}:
            ends = sorted(next(iter(strange)))
            raise UserError(f"there is no link {' - '.join(f'{b}.{p}' for b, p in ends)}")
        kept = tuple(
            link
            for link in self.links
            if frozenset(link.ends) not in dead and not gone & {link.board_a, link.board_b}
        )
        return Topology(self.kind, self.names, kept, self.num_links)


# ---- Regular topologies ----

Pair = tuple[int, int]


def _bar(boards: int) -> Iterator[Pair]:
    return ((n, n + 1) for n in range(boards - 1))


def _ring(boards: int) -> Iterator[Pair]:
    yield from _bar(boards)
    if boards > 2:
        yield boards - 1, 0


def _torus(boards: int, columns: int | None = None) -> Iterator[Pair]:
    if columns is None:
        columns = next(n for n in range(int(boards**0.5), 0, -1) if boards % n == 0)
    if columns < 1 or boards % columns:
        raise UserError(f"a torus of {boards} boards cannot have {columns} columns")
    rows = boards // columns
    for row in range(rows):
        yield from ((row * columns + a, row * columns + b) for a, b in _ring(columns))
    for column in range(columns):
        yield from ((a * columns + column, b * columns + column) for a, b in _ring(rows))


def _star_of_rings(boards: int, rings: int | None = None) -> Iterator[Pair]:
    """Board 0 is joined to one board of each ring."""
    around = boards - 1
    if rings is None:
        rings = max(1, min(MAX_LINKS, around // 3))
    if not 1 <= rings <= min(MAX_LINKS, around):
        most = min(MAX_LINKS, around)
        raise UserError(f"a star of {boards} boards has 1 to {most} rings, not {rings}")
    first = 1
    for ring in range(rings):
        size = around // rings + (ring < around % rings)
        yield 0, first
        yield from ((first + a, first + b) for a, b in _ring(size))
        first += size


def _full_mesh(boards: int) -> Iterator[Pair]:
    return ((a, b) for a in range(boards) for b in range(a + 1, boards))


_KINDS: Mapping[str, Callable[..., Iterator[Pair]]] = {
    "bar": _bar,
    "ring": _ring,
    "torus": _torus,
    "star_of_rings": _star_of_rings,
    "full_mesh": _full_mesh,
}
KINDS = tuple(_KINDS)


def build(kind: str, boards: int | Sequence[str], **options: int | None) -> Topology:
    """A regular topology of so many boards, or of boards with these names.

    Options: `columns` of a torus, `rings` of a star_of_rings. UserError if there is no such one.
    """
    if kind not in _KINDS:
        raise UserError(f"there is no topology {kind!r}; {near_matches(kind, KINDS)}")
    names = _names(boards)
    known = {"torus": {"columns"}, "star_of_rings": {"rings"}}.get(kind, set())
    given = {name: value for name, value in options.items() if value is not None}
    if strange := sorted(set(given) - known):
        raise UserError(f"topology {kind} has no option {strange[0]!r}")
    if kind == "star_of_rings" and len(names) < 2:
        raise UserError("a star_of_rings has at least 2 boards")
    return from_pairs(kind, names, list(_KINDS[kind](len(names), **given)))


def from_pairs(kind: str, boards: int | Sequence[str], pairs: Sequence[Pair]) -> Topology:
    """The topology with these links; the ports of a board are numbered in the order of the links.

    UserError for more links of a board than it has ports, and for boards that are not connected.
    """
    names = _names(boards)
    used = [0] * len(names)
    links = []
    for a, b in pairs:
        if a == b:
            raise UserError(f"board {names[a]} is linked to itself")
        links.append(Link(a, used[a], b, used[b]))
        used[a] += 1
        used[b] += 1
    topology = Topology(kind, names, tuple(links), tuple(used))
    if crowded := [name for name, count in zip(names, used, strict=True) if count > MAX_LINKS]:
        count = max(used)
        message = f"has {count} links; a board has at most {MAX_LINKS}"
        raise UserError(f"topology {kind} of {len(names)} boards: board {crowded[0]} {message}")
    if apart := _apart(topology):
        raise UserError(apart)
    return topology


def _names(boards: int | Sequence[str]) -> tuple[str, ...]:
    names = [f"board_{n}" for n in range(boards)] if isinstance(boards, int) else boards
    if not 1 <= len(names) <= MAX_BOARDS:
        raise UserError(f"a cluster has 1 to {MAX_BOARDS} boards, not {len(names)}")
    return tuple(names)


def _apart(topology: Topology) -> str:
    """What is wrong if not all boards are connected."""
    reached = nx.node_connected_component(topology.graph, 0)
    missing = [name for n, name in enumerate(topology.names) if n not in reached]
    if not missing:
        return ""
    shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
    return f"no path of links joins {topology.names[0]} and {shown}"


# ---- Irregular topologies from a file ----

_END = re.compile(r"([A-Za-z_]\w*|\d+)\.(\d+)")


def read(path: Path, names: Sequence[str] | None = None) -> Topology:
    """A topology from a file with a line `A.port - B.port` for each link; `#` starts a comment.

    names: the boards by number. Without it, boards are those of the file: if all are numbers, board
    0 to the greatest one, otherwise in the order of the file. DesignError with every line that is
    inconsistent: a port used twice, a link with one end, an unknown board, too many links, boards
    that are not connected.
    """
    problems: list[Problem] = []
    found: list[tuple[int, tuple[str, int], tuple[str, int]]] = []
    for number, text in enumerate(read_text(path, "topology file").splitlines(), 1):
        line = text.partition("#")[0].strip()
        if not line:
            continue
        ends = _ends(line)
        if isinstance(ends, str):
            problems.append(Problem(path, number, ends))
        else:
            found.append((number, *ends))
    known = list(names) if names is not None else _known(found)
    if len(known) > MAX_BOARDS:
        message = f"{len(known)} boards; a cluster has at most {MAX_BOARDS}"
        raise DesignError([*problems, Problem(path, None, message)])
    index = {name: n for n, name in enumerate(known)}
    index |= {str(n): n for n in range(len(known)) if str(n) not in index}
    first_use: dict[Port, int] = {}
    links = []
    for number, *pair in found:
        ports = []
        for name, port in pair:
            if name not in index:
                near = near_matches(name, known)
                problems.append(Problem(path, number, f"there is no board {name!r}; {near}"))
            elif port >= MAX_LINKS:
                message = f"{name}.{port}: a board has at most {MAX_LINKS} links, ports 0 to 3"
                problems.append(Problem(path, number, message))
            else:
                ports.append(Port(index[name], port))
        if len(ports) < 2:
            continue
        if ports[0].board == ports[1].board:
            message = f"board {known[ports[0].board]} is linked to itself"
            problems.append(Problem(path, number, message))
            continue
        for end in ports:
            if end in first_use:
                message = f"port {known[end.board]}.{end.port} is used twice, first in line"
                problems.append(Problem(path, number, f"{message} {first_use[end]}"))
            first_use.setdefault(end, number)
        links.append(Link(*ports[0], *ports[1]))
    if not found and not problems:
        problems.append(Problem(path, 1, "has no links, such as `0.1 - 1.0`"))
    if problems:
        raise DesignError(problems)
    counts = [0] * len(known)
    for end in first_use:
        counts[end.board] = max(counts[end.board], end.port + 1)
    topology = Topology("file", tuple(map(_shown, known)), tuple(links), tuple(counts))
    if apart := _apart(topology):
        reached = nx.node_connected_component(topology.graph, 0)
        lines = [n for n, link in zip(found, links, strict=True) if link.board_a not in reached]
        raise DesignError([Problem(path, lines[0][0] if lines else None, apart)])
    return topology


def _shown(name: str) -> str:
    return f"board_{name}" if name.isdecimal() else name


def _ends(line: str) -> tuple[tuple[str, int], tuple[str, int]] | str:
    """The two ends of a link, or what is wrong with the line."""
    if "->" in line or "<-" in line:
        return f"{line!r}: links have both directions; write `A.port - B.port`"
    parts = [part.strip() for part in line.split("-")]
    if len(parts) != 2 or not all(parts):
        ends = sum(map(bool, parts))
        return f"{line!r}: a link has two ends, `A.port - B.port`, not {ends}"
    found = []
    for part in parts:
        match = _END.fullmatch(part)
        if not match:
            return f"{part!r} is not a port of a board, such as `3.0` or `left.0`"
        name = str(int(match[1])) if match[1].isdecimal() else match[1]
        found.append((name, int(match[2])))
    return found[0], found[1]


def _known(found: Iterable[tuple[int, tuple[str, int], tuple[str, int]]]) -> list[str]:
    """The boards that a file names."""
    names = list(dict.fromkeys(name for _, *pair in found for name, _ in pair))
    if names and all(name.isdecimal() for name in names):
        return [str(n) for n in range(min(max(map(int, names)), MAX_BOARDS) + 1)]
    return names or ["0"]

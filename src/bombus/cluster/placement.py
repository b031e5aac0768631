# SPDX-License-Identifier: Apache-2.0
"""Boards for tiles with `board: place`: little traffic on links, no deadlock.

OR-tools CP-SAT looks for boards with the least traffic times hops between boards, at most
`max_tiles` tiles on each. `bombus.cluster.check` checks each proposal. What it refuses is
forbidden, and the solver looks again: after a deadlock, the tiles of its cycle must not be on
boards in this way, whichever boards these are, since the network between boards adds nothing to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from bombus.analysis import load as traffic
from bombus.analysis.check import DeadlockError
from bombus.base.errors import DesignError
from bombus.base.extras import extra
from bombus.base.text import counted
from bombus.cluster import routing
from bombus.cluster.check import check_file
from bombus.cluster.config import PLACE, ClusterDesignConfig, load
from bombus.cluster.links import CLASSES, Links, links_of
from bombus.cluster.split import BRIDGE, resolved_in_one_mesh
from bombus.design import config
from bombus.design.facts import Facts

_UNIT = 1000  # traffic is counted in these parts of the line rate
_ROUNDS = 200  # proposals

Boards = dict[str, int]  # by tile of the design file


@dataclass(frozen=True)
class PlacedBoards:
    """Result of the solver."""

    file: config.DesignFile  # with the boards
    boards: Boards  # of the tiles that had none
    gbps_hops: float  # sum over all next hops: expected Gbit/s times links on the way
    is_best: bool  # proven to be the least
    refused: int  # proposals that the check refused


@dataclass
class _Task:
    file: config.DesignFile
    links: Links
    free: list[str]
    fixed: dict[str, list[int]]  # boards of other tiles, one or one of each replica
    sizes: dict[str, int]  # tiles that each stands for
    traffic: dict[tuple[str, str], int]  # in units
    hops: list[list[int]] = field(init=False)  # between boards

    def __post_init__(self) -> None:
        count = self.links.topology.boards
        self.hops = [[_hops(self.links, a, b) for b in range(count)] for a in range(count)]

    @property
    def max_tiles(self) -> int | None:
        assert isinstance(self.file.config, ClusterDesignConfig)
        return self.file.config.cluster.max_tiles

    def used(self, board: int) -> int:
        """Tiles that are on a board in any case."""
        return sum(there.count(board) for there in self.fixed.values())

    def cost(self, boards: Mapping[str, int]) -> float:
        """Units times hops."""
        where = self.fixed | {tile: [board] for tile, board in boards.items()}
        return sum(
            units
            * sum(self.hops[a][b] for a in where[source] for b in where[target])
            / (len(where[source]) * len(where[target]))
            for (source, target), units in self.traffic.items()
        )


def _hops(links: Links, source: int, target: int) -> int:
    """Links between two boards, on the longer way if classes differ."""
    return max(
        len(routing.path(links.topology, links.tables, number, source, target) or ())
        for number in range(CLASSES)
    )


def free_tiles(file: config.DesignFile, *, move: bool) -> list[str]:
    """The tiles whose boards are to be chosen; `move`: also of those that have one, but no MAC."""
    with_mac = _with_mac(file)
    return [
        tile.name
        for tile in file.config.tiles
        if getattr(tile, "board", 0) == PLACE
        or (move and not isinstance(getattr(tile, "board", 0), list) and tile.name not in with_mac)
    ]


def _with_mac(file: config.DesignFile) -> set[str]:
    """The tiles with a MAC port, which are where its cable is."""
    facts, _ = resolved_in_one_mesh(file)
    return {layer.tile.given_name for layer in facts.design.layers() if layer.kind.mac_ports}


def place(path: Path, *, move: bool = False, effort: float = 5.0) -> PlacedBoards:
    """The best boards found. DesignError if there are none without a deadlock."""
    file = load(path)
    assert isinstance(file.config, ClusterDesignConfig)
    with_mac = _with_mac(file)
    problems = []
    for number, tile in enumerate(file.config.tiles):
        given = getattr(tile, "board", 0)
        if given == PLACE and tile.name in with_mac:
            message = f"{tile.name} has a MAC port: give the board that the cable leads to"
            problems.append(file.problem(("tiles", number, "board"), message))
    if problems:
        raise DesignError(problems)
    task = _task(file, free_tiles(file, move=move))
    return _solve(task, effort)


def _task(file: config.DesignFile, free: list[str]) -> _Task:
    assert isinstance(file.config, ClusterDesignConfig)
    cluster = file.config.cluster
    fixed: dict[str, list[int]] = {}
    sizes: dict[str, int] = {}
    for tile in file.config.tiles:
        sizes[tile.name] = tile.replicas or 1
        given = getattr(tile, "board", 0)
        if tile.name not in free:
            several = given if isinstance(given, list) else [given] * sizes[tile.name]
            fixed[tile.name] = [cluster.number(each) or 0 for each in several]
    facts, _ = resolved_in_one_mesh(file)
    return _Task(file, links_of(file), free, fixed, sizes, _traffic(facts, sizes))


def _traffic(facts: Facts, tiles: Mapping[str, int]) -> dict[tuple[str, str], int]:
    unit = facts.design.config.line_rate_gbps / _UNIT
    found: dict[tuple[str, str], int] = {}
    for hop, gbps in traffic.expected(facts).items():
        if hop.target is None:
            continue
        pair = hop.source.tile.given_name, hop.target.tile.given_name
        if pair[0] != pair[1] and {*pair} <= tiles.keys():
            found[pair] = found.get(pair, 0) + max(1, round(gbps / unit))
    return found


def _solve(task: _Task, effort: float) -> PlacedBoards:
    model = _Model(task)
    last: DesignError | None = None
    for refused in range(_ROUNDS):
        status, boards = model.solve(effort)
        if boards is None:
            raise last or _no(task, _too_many(task))
        file = with_boards(task.file, boards)
        try:
            check_file(file)
        except DesignError as error:
            last = error
            if not task.free:
                raise
            model.forbid(boards, error)
            continue
        unit = task.file.config.line_rate_gbps / _UNIT
        return PlacedBoards(file, boards, task.cost(boards) * unit, status == "OPTIMAL", refused)
    assert last is not None
    raise last


def _too_many(task: _Task) -> str:
    tiles = sum(task.sizes.values())
    boards = counted(task.links.topology.boards, "board")
    return f"{counted(tiles, 'tile')} do not fit on {boards} with `max_tiles: {task.max_tiles}`"


def _no(task: _Task, message: str) -> DesignError:
    return DesignError([task.file.problem(("cluster",), message)])


def with_boards(file: config.DesignFile, boards: Mapping[str, int]) -> config.DesignFile:
    """The design with these boards of tiles."""
    given = file.config
    tiles = [
        tile.model_copy(update={"board": boards[tile.name]}) if tile.name in boards else tile
        for tile in given.tiles
    ]
    placed = given.model_copy(update={"tiles": tiles})
    for cached in ("instances", "board_of"):
        placed.__dict__.pop(cached, None)
    return config.DesignFile(file.path, placed, file.document)


class _Model:
    """Which tile is on which board, for CP-SAT."""

    def __init__(self, task: _Task) -> None:
        with extra("bombus place", "OR-tools", "place"):
            from ortools.sat.python import cp_model
        self._cp = cp_model
        self._task = task
        self._model = model = cp_model.CpModel()
        count = task.links.topology.boards
        self._at = {
            tile: [model.new_bool_var(f"{tile} on {board}") for board in range(count)]
            for tile in task.free
        }
        for choices in self._at.values():
            model.add_exactly_one(choices)
        if task.max_tiles is not None:
            for board in range(count):
                chosen = sum(task.sizes[tile] * self._at[tile][board] for tile in task.free)
                model.add(chosen + task.used(board) <= task.max_tiles)
        self._together: dict[tuple[str, str], cp_model.IntVar] = {}
        cost = sum(self._cost(*pair, units) for pair, units in task.traffic.items())
        # Among equals, the first boards.
        order = sum(board * var for at in self._at.values() for board, var in enumerate(at))
        most = 1 + count * sum(task.sizes.values())
        model.minimize(cost * most + order)

    def _cost(self, source: str, target: str, units: int) -> Any:
        """Traffic times hops of a pair of tiles."""
        hops = self._task.hops
        if source not in self._at and target not in self._at:
            return 0
        if source in self._at and target in self._at:
            most = max(map(max, hops))
            cost = self._model.new_int_var(0, most, "")
            for a, here in enumerate(self._at[source]):
                for b, there in enumerate(self._at[target]):
                    if hops[a][b]:
                        self._model.add(cost >= hops[a][b]).only_enforce_if(here, there)
            return units * cost
        tile, other = (source, target) if source in self._at else (target, source)
        places = self._task.fixed[other]
        # With replicas on several boards, each gets its part.
        return sum(
            units * sum(hops[board][place] for place in places) // len(places) * var
            for board, var in enumerate(self._at[tile])
        )

    def forbid(self, boards: Mapping[str, int], error: DesignError) -> None:
        """Forbids a proposal that the check has refused, and others for the same reason."""
        tiles = _tangled(error, self._task) if isinstance(error, DeadlockError) else []
        everywhere = {tile: [board] for tile, board in boards.items()}
        where = self._task.fixed | everywhere
        if len({board for tile in tiles for board in where[tile]}) < 2 or any(
            len(set(where[tile])) > 1 for tile in tiles
        ):
            self._model.add_bool_or([~self._at[tile][board] for tile, board in boards.items()])
            return
        clause = []
        for one, other in combinations(tiles, 2):
            if one not in boards and other not in boards:
                continue
            together = self._are_together(one, other)
            clause.append(~together if where[one][0] == where[other][0] else together)
        self._model.add_bool_or(clause)

    def _are_together(self, one: str, other: str) -> Any:
        """True if two tiles are on one board, of which at least one is free."""
        pair = (one, other) if one <= other else (other, one)
        if pair not in self._together:
            found = self._together[pair] = self._model.new_bool_var("")
            count = self._task.links.topology.boards
            for board in range(count):
                here = [
                    self._at[tile][board]
                    if tile in self._at
                    else self._model.new_constant(int(board in self._task.fixed[tile]))
                    for tile in pair
                ]
                self._model.add_bool_or([~found, ~here[0], here[1]])
                self._model.add_bool_or([~here[0], ~here[1], found])
        return self._together[pair]

    def solve(self, effort: float) -> tuple[str, Boards | None]:
        """CP-SAT's status, and boards if there are any."""
        solver = self._cp.CpSolver()
        solver.parameters.num_workers = 4
        solver.parameters.interleave_search = True
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = effort
        solver.parameters.catch_sigint_signal = False
        status = solver.solve(self._model)
        if status not in (self._cp.OPTIMAL, self._cp.FEASIBLE):
            return solver.status_name(status), None
        return solver.status_name(status), {
            tile: next(board for board, var in enumerate(at) if solver.value(var))
            for tile, at in self._at.items()
        }


def _tangled(error: DeadlockError, task: _Task) -> list[str]:
    """The tiles of the design file that are in the first cycle."""
    known = task.sizes.keys()
    names = dict.fromkeys(tile.given_name for tile in error.cycles[0].tiles)
    return [name for name in names if name in known and name != BRIDGE]

# SPDX-License-Identifier: Apache-2.0
"""What a change of routes writes and counts, with boards that are only numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bombus.base.errors import UserError
from bombus.cluster import routing, topology
from bombus.cluster.description import BoardDescription, Description, LinkDescription, RegisterWrite
from bombus.cluster.links import CLASSES, Links
from bombus.cluster.rerouting import Rerouted, Routes
from bombus.cluster.split import BRIDGE as TILE
from bombus.cluster.split import NODE

BOARDS = 4
HOLD = 256
FIELDS = {"hold": "cycles", "pause": "endpoints", "disable_links": "links"}
Counts = dict[str, int]


class Boards:
    """A ring of boards. `step`: called with the cycles of each run."""

    def __init__(self, latency: int = 75) -> None:
        shape = topology.build("ring", BOARDS)
        found = Links(shape, routing.tables(shape, CLASSES))
        self.description = Description(
            "numbers",
            tuple(
                BoardDescription(
                    board,
                    name,
                    Path("none.yaml"),
                    tuple(
                        RegisterWrite(TILE, register, value, NODE, index)
                        for register, index, value in found.registers(board)
                    ),
                )
                for board, name in enumerate(shape.names)
            ),
            tuple(LinkDescription(*link.ends, latency) for link in shape.links),
        )
        self.cycle = 0
        self.values: dict[tuple[int, str], int] = {
            **{(board, "hold"): HOLD for board in range(BOARDS)},
            **{(board, name): 0 for board in range(BOARDS) for name in ("pause", "disable_links")},
        }
        self.written: list[tuple[int, str, int]] = []
        self.counts: list[Counts] = [{} for _ in range(BOARDS)]
        self.restarts = [0] * BOARDS
        self.step: Callable[[int], None] = lambda cycles: None

    def run(self, cycles: int) -> None:
        self.cycle += cycles
        self.step(cycles)

    def write_registers(self, board: int, writes: Sequence[RegisterWrite]) -> None:
        for write in writes:
            self.written.append((board, write.register, write.value))
            self.values[board, write.register] = write.value

    def resets(self, board: int) -> int:
        return self.restarts[board]

    def __getitem__(self, board: int) -> Any:
        node = {
            name: SimpleNamespace(**{field: self.values[board, name]})
            for name, field in FIELDS.items()
        }
        node |= {f"received{port}": SimpleNamespace(expected=7, known=1) for port in range(2)}
        tiles = {TILE: SimpleNamespace(**{NODE: SimpleNamespace(**node)})}

        def tile_counters(_: str, names: set[str]) -> Counts:
            return {name: self.counts[board].get(name.split(".")[-1], 0) for name in names}

        return SimpleNamespace(registers=SimpleNamespace(tiles=tiles), tile_counters=tile_counters)

    def add(self, board: int, **counts: int) -> None:
        for name, more in counts.items():
            self.counts[board][name] = self.counts[board].get(name, 0) + more

    def drains(self) -> list[int]:
        return [value for (_, name), value in self.values.items() if name.startswith("drain")]

    def is_as_before(self) -> bool:
        """Endpoints run, and links are neither disabled nor drained."""
        values = self.values
        return not any(self.drains()) and all(
            (values[board, "hold"], values[board, "pause"], values[board, "disable_links"])
            == (HOLD, 0, 0)
            for board in range(BOARDS)
        )


def change(boards: Boards, links: Sequence[int] = (0,)) -> Rerouted:
    return Routes(boards).change(links)


def test_endpoints_go_on_after_an_error() -> None:
    """Whatever has been written until then."""
    boards = Boards()
    routes = Routes(boards)
    before = routes.tables
    boards.step = lambda _: boards.add(1, local_in=1)
    with pytest.raises(UserError, match="routes are as before, and endpoints go on"):
        routes.change([0])
    assert boards.is_as_before()
    assert routes.tables is before

    def move(_: int) -> None:
        if any(name == "route" for _, name, _ in boards.written):
            boards.add(1, local_in=1)

    boards.step = move
    with pytest.raises(UserError, match="routes are the new ones"):
        routes.change([0])
    assert boards.is_as_before()
    assert routes.tables is not before

    boards = Boards()
    boards.add(1, local_in=1)
    boards.step = lambda _: boards.add(1, local_in=any(boards.drains()))
    with pytest.raises(UserError, match="routes are the new ones"):
        change(boards)
    assert boards.is_as_before()


def test_links_that_were_disabled_stay_so() -> None:
    boards = Boards()
    board, port = boards.description.links[0].a
    boards.values[board, "disable_links"] = 1 << (1 - port)
    boards.add(1, local_in=1)
    change(boards)
    found = [value for at, name, value in boards.written if (at, name) == (board, "disable_links")]
    assert found == [0b11, 1 << (1 - port)]


def test_dead_links_are_drained_whatever_the_sum_of_counters_is() -> None:
    """A packet is inside of the link; the counters of a board that was reset hide it."""
    boards = Boards()
    routes = Routes(boards)
    boards.add(1, local_in=1)  # the packet
    boards.add(0, local_out=1)  # of a packet whose local_in was reset
    boards.restarts[3] += 1

    def step(_: int) -> None:
        if any(boards.drains()) and boards.counts[2].get("local_out", 0) == 0:
            boards.add(2, local_out=1)

    boards.step = step
    done = routes.change([0])
    assert (done.inside, done.waiting) == (1, None)
    assert routes.change().waiting is None
    # From here on it is known again.
    boards.add(1, local_in=3)
    boards.step = lambda _: None
    done = routes.change([0])
    assert (done.inside, done.waiting) == (0, 3)
    boards.add(2, local_out=3)
    assert routes.change().waiting == 0


def test_packets_move_while_the_sum_is_zero() -> None:
    """One has arrived whose sender was reset; another is on its way."""
    boards = Boards()
    boards.restarts[3] = 1
    boards.add(0, local_out=1)
    boards.add(1, local_in=1)
    moves = [1, 1, 1]

    def step(_: int) -> None:
        if moves:
            boards.add(2, local_in=moves[0], local_out=moves.pop())

    boards.step = step
    change(boards)
    assert not moves


def test_packets_on_long_wires_are_not_at_rest() -> None:
    """No counter changes while a packet is on its way around the ring."""
    latency = 20_000
    boards = Boards(latency)
    boards.add(1, local_in=1)
    arrives = 3 * latency

    def step(_: int) -> None:
        if boards.cycle >= arrives and not boards.counts[2]:
            boards.add(2, local_out=1)
            assert not any(name == "route" for _, name, _ in boards.written)

    boards.step = step
    assert change(boards).waiting == 0
    assert boards.counts[2]

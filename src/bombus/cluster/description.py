# SPDX-License-Identifier: Apache-2.0
"""What a simulation of many boards needs to know: `cluster.json`, which `bombus generate` writes
for a design file with boards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bombus.base.errors import UserError

DEFAULT_LATENCY_CYCLES = 75  # 0.48 us at 156.25 MHz
ROUTE = "route"  # the table of a board's node, by {class, destination}
ETHERNET = "ethernet"  # the carrier, and the port of a board


@dataclass(frozen=True)
class RegisterWrite:
    """A register that software writes after a reset: such as a board's number, or a route."""

    tile: str
    register: str
    value: int
    layer: str | None = None
    index: int | None = None

    @property
    def place(self) -> tuple[str, str | None, str, int | None]:
        """The register."""
        return self.tile, self.layer, self.register, self.index


@dataclass(frozen=True)
class BoardDescription:
    """A board. `design`: a design file, or a directory that `bombus generate` has written."""

    board: int
    name: str
    design: Path
    registers: Sequence[RegisterWrite] = ()

    @property
    def node(self) -> tuple[str, str] | None:
        """The tile and the layer with the route table; None: the board has none."""
        for write in self.registers:
            if write.register == ROUTE and write.layer is not None:
                return write.tile, write.layer
        return None


@dataclass(frozen=True)
class LinkDescription:
    """A link between two boards: number of the board and of its link there, of both ends.

    Links by Ethernet share the port of their board.
    """

    a: tuple[int, int]
    b: tuple[int, int]
    latency_cycles: int = DEFAULT_LATENCY_CYCLES
    carrier: str = "serial"

    @property
    def name(self) -> str:
        return f"{self.a[0]}.{self.a[1]}-{self.b[0]}.{self.b[1]}"

    @property
    def ends(self) -> tuple[tuple[int, int], tuple[int, int]]:
        return self.a, self.b

    @property
    def is_switched(self) -> bool:
        """Whether frames carry it, over a switch."""
        return self.carrier == ETHERNET

    def port(self, end: tuple[int, int]) -> str:
        """The raised port of a board that it leads to."""
        return ETHERNET if self.is_switched else f"link{end[1]}"


@dataclass(frozen=True)
class Description:
    """Boards and links. UserError if they do not fit each other."""

    name: str
    boards: Sequence[BoardDescription]
    links: Sequence[LinkDescription]

    def __post_init__(self) -> None:
        if problem := next(self._problems(), None):
            raise UserError(f"cluster {self.name}: {problem}")

    def _problems(self) -> Iterator[str]:
        if not self.boards:
            yield "there are no boards"
        numbers = Counter(board.board for board in self.boards)
        for number, count in numbers.items():
            if count > 1:
                yield f"{count} boards have the number {number}"
        ends = Counter(end for link in self.links for end in link.ends)
        for (board, port), count in ends.items():
            if board not in numbers:
                yield f"a link leads to board {board}, which does not exist"
            if count > 1:
                yield f"{count} links are at port {port} of board {board}"
        for link in self.links:
            if link.latency_cycles < 1:
                yield f"link {link.name} has a latency of {link.latency_cycles} cycles, below 1"

    def board(self, number: int) -> BoardDescription:
        for board in self.boards:
            if board.board == number:
                return board
        known = ", ".join(str(board.board) for board in self.boards)
        raise UserError(f"cluster {self.name}: there is no board {number}; boards: {known}")

    @property
    def window(self) -> int:
        """Cycles that boards can run for without the beats of the others: the lookahead."""
        return min((link.latency_cycles for link in self.links), default=DEFAULT_LATENCY_CYCLES)


def parsed(given: Mapping[str, Any], folder: Path) -> Description:
    """A description as `cluster.json` holds it. folder: that of the file.

    ValueError, KeyError or TypeError if it is none, UserError if boards and links do not fit.
    """
    return Description(
        given["name"],
        tuple(
            BoardDescription(
                board["board"],
                board.get("name", f"board_{board['board']}"),
                folder / board["design"],
                tuple(
                    RegisterWrite(
                        each["tile"],
                        each["register"],
                        each["value"],
                        each.get("layer"),
                        each.get("index"),
                    )
                    for each in board.get("registers", ())
                ),
            )
            for board in given["boards"]
        ),
        tuple(
            LinkDescription(
                (link["a"][0], link["a"][1]),
                (link["b"][0], link["b"][1]),
                link.get("latency_cycles", DEFAULT_LATENCY_CYCLES),
                link.get("carrier", "serial"),
            )
            for link in given["links"]
        ),
    )


def distribution(description: Description, ranks: int) -> list[list[int]]:
    """The boards of each rank, by number: neighbours in the file together, as many each."""
    count = len(description.boards)
    if not 1 <= ranks <= count:
        raise UserError(f"{ranks} ranks for {count} boards; each needs one, so at most {count}")
    numbers = [board.board for board in description.boards]
    return [numbers[count * rank // ranks : count * (rank + 1) // ranks] for rank in range(ranks)]

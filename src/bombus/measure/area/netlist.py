# SPDX-License-Identifier: Apache-2.0
"""A flat netlist in the JSON of Yosys: cells, drivers of signals, and names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Bit = int | str  # the number of a net, or a constant: "0", "1", "x"

_CLOCKS = {"C", "CLK", "WCLK", "CLKARDCLK", "CLKBWRCLK", "CLKA", "CLKB", "G", "WCK"}
# Cells with combinational outputs. LUT RAM is read without a clock.
_LOGIC = ("LUT", "MUXF", "CARRY", "INV", "$_", "BUF", "XORCY", "MUXCY", "PFUMX", "L6MUX", "CCU2C")


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A cell with its nets by port, lowest bit first."""

    name: str
    kind: str
    src: str  # SystemVerilog locations, as recorded by Yosys
    params: Mapping[str, str]
    inputs: Mapping[str, list[Bit]]
    outputs: Mapping[str, list[Bit]]

    @property
    def is_logic(self) -> bool:
        return self.kind.startswith(_LOGIC) and not self.kind.startswith(("$_DFF", "$_SDFF"))

    def is_clock(self, port: str) -> bool:
        """Whether a port carries no path, since clocks have their own network."""
        return port in _CLOCKS and not (port == "C" and self.kind.startswith("DSP"))


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a net."""

    text: str  # with its instances, such as u_udp_rx.u_strip.hold_q[3]
    register: str  # the same without the number of the bit
    src: str  # where it is declared


class Netlist:
    """A module's cells."""

    def __init__(self, module: Mapping[str, Any]) -> None:
        self.cells = [_cell(name, cell) for name, cell in module["cells"].items()]
        self.ports: Mapping[str, Any] = module["ports"]
        self._nets = module["netnames"]

    @cached_property
    def drivers(self) -> dict[Bit, tuple[int, str]]:
        """The cell (by number) and its port that drive a net."""
        return {
            bit: (number, port)
            for number, cell in enumerate(self.cells)
            for port, bits in cell.outputs.items()
            for bit in bits
        }

    @cached_property
    def _clock_inputs(self) -> dict[Bit, str]:
        return {bit: name for name, port in self.ports.items() for bit in port["bits"]}

    def clock(self, number: int, port: str) -> str | None:
        """The input from which a cell gets the clock of one of its ports, through buffers.

        Another clock is called by the name of its net. None: the cell has no clock.
        """
        cell = self.cells[number]
        nets = [cell.inputs[name][0] for name in _clock_ports(cell, port) if cell.inputs[name]]
        if not nets:
            return None
        net = nets[0]
        while (driver := self.drivers.get(net)) and self.cells[driver[0]].kind.startswith("BUF"):
            net = self.cells[driver[0]].inputs["I"][0]
        name = self.names.get(net)
        return self._clock_inputs.get(net) or (name.text if name else str(net))

    @cached_property
    def names(self) -> dict[Bit, Name]:
        """Names of nets; if a net has several, the one with the fewest instances, then the
        shortest.
        """
        found: dict[Bit, tuple[tuple[int, int], str, str, int | None]] = {}
        for text, net in self._named():
            cost = (text.count("."), len(text))
            src = net["attributes"].get("src", "")
            bits = net["bits"]
            base = net.get("offset", 0)
            for index, bit in enumerate(bits):
                known = found.get(bit)
                if not isinstance(bit, str) and (known is None or cost < known[0]):
                    found[bit] = (cost, text, src, base + index if len(bits) > 1 else None)
        return {
            bit: Name(text if index is None else f"{text}[{index}]", text, src)
            for bit, (_, text, src, index) in found.items()
        }

    def named_nets(self) -> Iterator[tuple[str, list[Bit]]]:
        """Every name in the source, with its instances, and its nets; a net may have several."""
        for text, net in self._named():
            yield text, net["bits"]

    def _named(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for text, net in self._nets.items():
            if not net.get("hide_name") and not text.startswith("$"):
                yield text, net

    def in_order(self, chosen: Iterable[int]) -> Iterator[int]:
        """The chosen cells, each after those of them that drive it. Loops are cut somewhere."""
        wanted = set(chosen)
        state: dict[int, bool] = {}  # False: begun, True: done
        for start in sorted(wanted):
            stack = [start]
            while stack:
                number = stack[-1]
                if number not in state:
                    state[number] = False
                    for bit in self.read(number):
                        driver = self.drivers.get(bit)
                        if driver and driver[0] in wanted and driver[0] not in state:
                            stack.append(driver[0])
                    continue
                stack.pop()
                if not state[number]:
                    state[number] = True
                    yield number

    def read(self, number: int) -> Iterator[Bit]:
        """The nets that a cell reads, without clocks and constants."""
        cell = self.cells[number]
        for port, bits in cell.inputs.items():
            if not cell.is_clock(port):
                yield from (bit for bit in bits if not isinstance(bit, str))


def _clock_ports(cell: Cell, port: str) -> list[str]:
    """The clock inputs of a cell, that of the port first.

    A block RAM with two clocks is read at one port and written at the other: Yosys reads at A and
    writes at B.
    """
    found = [name for name in cell.inputs if cell.is_clock(name)]
    if cell.kind.startswith("RAMB"):
        writes = re.match(r"DIN|WE|\w*B(WR|$)", port)
        found.sort(key=lambda name: name.startswith("CLKB") != bool(writes))
    return found


def _cell(name: str, cell: Mapping[str, Any]) -> Cell:
    directions = cell["port_directions"]
    nets = cell["connections"]
    return Cell(
        name,
        cell["type"],
        cell["attributes"].get("src", ""),
        cell["parameters"],
        {port: bits for port, bits in nets.items() if directions[port] == "input"},
        {port: bits for port, bits in nets.items() if directions[port] != "input"},
    )

# SPDX-License-Identifier: Apache-2.0
"""Static timing analysis of a mapped netlist: the longest path to each endpoint.

A path starts at the clock of a flip-flop or memory, or at an input, which counts as driven by a
flip-flop; it ends at a port of a flip-flop or memory with its set-up time, or at an output.
Every path counts, also one that no input can excite. There is one clock: paths between clocks,
which a design's own synchronisers carry, count as others do. `delays` says what cells and wires
take. Not known: placement and routing, so that long wires and congestion are missing; copies of
registers that a placer makes for large fan-outs; clock skew and jitter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bombus.measure.area import delays
from bombus.measure.area.netlist import CLOCKS, Bit, Cell, Netlist

CLOSE_AT_PS = 4000  # endpoints above it are counted: 250 MHz
_ADDRESSES = ("ADDR", "A", "DPRA")  # of memory in LUTs, with a suffix


@dataclass(frozen=True, slots=True)
class Step:
    """A cell on a path: the wire to it, and the delay through it."""

    cell: int | None  # number in the netlist; None: a port of the module
    output: Bit  # the net that it drives
    wire_ps: int
    cell_ps: int
    fanout: int  # of the wire to it
    arrival_ps: int  # at its output


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a path ends."""

    cell: int | None  # None: an output of the module
    port: str
    net: Bit
    delay_ps: int  # from clock to clock


class Timing:
    """The analysis of one netlist."""

    through_memory = True  # paths go through reads of memory in LUTs

    def __init__(self, netlist: Netlist) -> None:
        self.netlist = netlist
        self._fanouts = _fanouts(netlist)
        # For each net: arrival time, and the previous net on the latest path.
        self._arrivals: dict[Bit, int] = {}
        self._steps: dict[Bit, tuple[Bit | None, int | None, int, int]] = {}
        self._levels: dict[Bit, int] = {}
        self._propagate()
        self.endpoints = sorted(self._find_endpoints(), key=lambda end: -end.delay_ps)

    @property
    def delay_ps(self) -> int | None:
        """The longest path; None if there is none."""
        return self.endpoints[0].delay_ps if self.endpoints else None

    @property
    def levels(self) -> int:
        """The most levels of any path: LUTs, reads of LUT memory, and carry chains; slice
        multiplexers count with the LUTs that they combine.
        """
        return max((self._levels[end.net] for end in self.endpoints), default=0)

    def above(self, limit_ps: int) -> int:
        """Number of endpoints with a longer path."""
        return sum(end.delay_ps > limit_ps for end in self.endpoints)

    def path(self, end: Endpoint) -> list[Step]:
        """The longest path to an endpoint, from its start; without the wire to the end."""
        steps: list[Step] = []
        net: Bit | None = end.net
        while net is not None:
            before, cell, wire, delay = self._steps[net]
            fanout = self._fanouts.get(before, 0) if before is not None else 0
            steps.append(Step(cell, net, wire, delay, fanout, self._arrivals[net]))
            net = before
        return steps[::-1]

    def fanout(self, net: Bit) -> int:
        return self._fanouts.get(net, 0)

    def wire_ps(self, net: Bit, cell: int | None, port: str) -> int:
        """The wire from a net's driver to a port of a cell, or to an output."""
        driver = self.netlist.drivers.get(net)
        kind = self.netlist.cells[driver[0]].kind if driver else ""
        reader = self.netlist.cells[cell].kind if cell is not None else ""
        return delays.net_ps(kind, reader, port, self._fanouts.get(net, 1))

    def _setup_ps(self, kind: str, port: str) -> int:
        return delays.setup_ps(kind, port)

    def _clock_to_output_ps(self, cell: Cell | None, port: str) -> int:
        """None: an input of the module."""
        return _clock_to_output(cell, port) if cell else delays.FF_CLOCK_TO_OUTPUT

    def _arcs(self, cell: Cell) -> Iterator[tuple[Bit, list[tuple[str, Bit, int]]]]:
        """For each output, the inputs that it depends on, with their delays."""
        return _arcs(cell)

    def _start(self, net: Bit, cell: int | None, delay: int) -> None:
        self._arrivals[net] = delay
        self._steps[net] = (None, cell, 0, delay)
        self._levels[net] = 0

    def _propagate(self) -> None:
        netlist = self.netlist
        for port in netlist.ports.values():
            if port["direction"] != "output":
                for bit in port["bits"]:
                    self._start(bit, None, self._clock_to_output_ps(None, ""))
        through = []
        for number, cell in enumerate(netlist.cells):
            if cell.is_logic or (self.through_memory and _is_lut_ram(cell)):
                through.append(number)
            if not cell.is_logic:
                for port_name, bits in cell.outputs.items():
                    for bit in bits:
                        self._start(bit, number, self._clock_to_output_ps(cell, port_name))
        for number in netlist.in_order(through, self._read):
            for output, inputs in self._arcs(netlist.cells[number]):
                self._reach(number, output, inputs)

    def _read(self, number: int) -> Iterator[Bit]:
        cell = self.netlist.cells[number]
        for port, bits in cell.inputs.items():
            if cell.is_logic or port.startswith(_ADDRESSES):
                yield from (bit for bit in bits if not isinstance(bit, str))

    def _reach(self, number: int, output: Bit, inputs: Sequence[tuple[str, Bit, int]]) -> None:
        best = self._arrivals.get(output, -1)
        kind = self.netlist.cells[number].kind
        for port, bit, delay in inputs:
            arrival = self._arrivals.get(bit)
            if arrival is None:  # a constant, or a net of a loop
                continue
            wire = self.wire_ps(bit, number, port)
            levels = self._levels[bit] + self._counts(kind, port)
            self._levels[output] = max(levels, self._levels.get(output, 0))
            if arrival + wire + delay > best:
                best = arrival + wire + delay
                self._arrivals[output] = best
                self._steps[output] = (bit, number, wire, delay)

    @staticmethod
    def _counts(kind: str, port: str) -> bool:
        """Whether the path through a cell from this port counts as a level."""
        return not kind.startswith(("MUXF", "INV", "BUF")) and port not in ("CI", "CYINIT")

    def _find_endpoints(self) -> Iterator[Endpoint]:
        for number, cell in enumerate(self.netlist.cells):
            if cell.is_logic or cell.kind.startswith(("BUFG", "$")):
                continue
            for port, bits in cell.inputs.items():
                passes = self.through_memory and _is_lut_ram(cell) and not _is_written(cell, port)
                if port in CLOCKS or passes:
                    continue
                setup = self._setup_ps(cell.kind, port)
                for bit in bits:
                    if bit in self._arrivals:
                        wire = self.wire_ps(bit, number, port)
                        yield Endpoint(number, port, bit, self._arrivals[bit] + wire + setup)
        for name, port_of in self.netlist.ports.items():
            if port_of["direction"] == "output":
                for bit in port_of["bits"]:
                    if bit in self._arrivals:
                        wire = self.wire_ps(bit, None, name)
                        delay = self._arrivals[bit] + wire + self._setup_ps("FD", "D")
                        yield Endpoint(None, name, bit, delay)


def _fanouts(netlist: Netlist) -> dict[Bit, int]:
    """How many ports read each net."""
    found: dict[Bit, int] = {}
    for number in range(len(netlist.cells)):
        for bit in netlist.read(number):
            found[bit] = found.get(bit, 0) + 1
    for port in netlist.ports.values():
        if port["direction"] == "output":
            for bit in port["bits"]:
                found[bit] = found.get(bit, 0) + 1
    # The output of an inverter counts as driven by the inverter's driver.
    for cell in netlist.cells:
        if cell.kind == "INV":
            (before,), (after,) = cell.inputs["I"], cell.outputs["O"]
            found[before] = found.get(before, 1) - 1 + found.get(after, 0)
    return found


def _is_lut_ram(cell: Cell) -> bool:
    return cell.kind.startswith(("RAM", "SRL")) and not cell.kind.startswith("RAMB")


def _is_written(cell: Cell, port: str) -> bool:
    """Whether a port of LUT memory is sampled by the clock; read-only addresses are not."""
    if not port.startswith(_ADDRESSES):
        return True
    if cell.kind.startswith("SRL") or port.startswith("DPRA"):
        return False
    several = sorted(name for name in cell.inputs if name.startswith("ADDR"))
    return not several or port == several[-1]  # RAM32M16 is written at ADDRH


def _clock_to_output(cell: Cell, port: str) -> int:
    if cell.kind.startswith("RAMB"):
        # DOUTADOUT and DOUTPADOUTP are of port A.
        side = "A" if port.removeprefix("DOUT").removeprefix("P").startswith("A") else "B"
        registered = int(cell.params.get(f"DO{side}_REG", "0"), 2) != 0
        return (
            delays.BLOCK_RAM_REGISTER_TO_OUTPUT if registered else delays.BLOCK_RAM_CLOCK_TO_OUTPUT
        )
    if cell.kind.startswith("URAM"):
        registered = cell.params.get(f"OREG_{port[-1]}", "FALSE").strip() == "TRUE"
        return (
            delays.ULTRA_RAM_REGISTER_TO_OUTPUT if registered else delays.ULTRA_RAM_CLOCK_TO_OUTPUT
        )
    return delays.LUT_RAM_CLOCK_TO_OUTPUT if _is_lut_ram(cell) else delays.FF_CLOCK_TO_OUTPUT


def _arcs(cell: Cell) -> Iterator[tuple[Bit, list[tuple[str, Bit, int]]]]:
    """For each output, the inputs that it depends on, with their delays."""
    kind, inputs = cell.kind, cell.inputs
    if kind.startswith("LUT"):
        size = int(kind[3:])
        pins = [(f"I{pin}", inputs[f"I{pin}"][0]) for pin in range(size)]
        arcs = [(port, bit, delays.lut_pin_ps(size, pin)) for pin, (port, bit) in enumerate(pins)]
        yield cell.outputs["O"][0], arcs
    elif kind.startswith("CARRY"):
        for port in ("O", "CO"):
            for index, output in enumerate(cell.outputs.get(port, ())):
                arcs = []
                for (before, after), delay in delays.CARRY.items():
                    bits = inputs.get(before, [])[: index + 1] if after == port else []
                    # A sum depends only on the data of the bits below it.
                    bits = bits[:index] if (before, after) == ("DI", "O") else bits
                    arcs += [(before, bit, delay) for bit in bits]
                yield output, arcs
    elif _is_lut_ram(cell):
        for port, outputs in cell.outputs.items():
            names = _read_address(cell, port)
            arcs = [(name, bit, delays.LUT_RAM_READ) for name in names for bit in inputs[name]]
            for output in outputs:
                yield output, arcs
    else:
        for outputs in cell.outputs.values():
            for output in outputs:
                arcs = []
                for port, bits in inputs.items():
                    delay = delays.MUX_SELECT if port == "S" else delays.MUX_DATA
                    arcs += [(port, bit, delay if kind.startswith("MUXF") else 0) for bit in bits]
                yield output, arcs


def _read_address(cell: Cell, port: str) -> list[str]:
    """The ports that address an output of memory in LUTs."""
    if f"ADDR{port[-1]}" in cell.inputs:  # DOB of RAM32M16 is read by ADDRB
        return [f"ADDR{port[-1]}"]
    addresses = [name for name in cell.inputs if name.startswith(_ADDRESSES)]
    dual = [name for name in addresses if name.startswith("DPRA")]
    return dual if dual and port == "DPO" else [name for name in addresses if name not in dual]

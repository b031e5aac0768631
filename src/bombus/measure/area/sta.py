# SPDX-License-Identifier: Apache-2.0
"""Static timing analysis of a mapped netlist: the longest path to each endpoint.

A path starts at the clock of a flip-flop or memory, or at an input, which counts as driven by a
flip-flop; it ends at a port of a flip-flop or memory with its set-up time, or at an output. DSP
slices end paths where they have registers. Cells of unknown delay, and loops without a register,
are errors. Every path counts, also one that no input can excite. Paths between clocks, which a
design's own synchronisers carry, count as others do, unless the analysis is limited to some clocks
(`clocks`). `delays` says what cells and wires take. Not known: placement and routing, so that long
wires and congestion are missing; copies of registers that a placer makes for large fan-outs; clock
skew and jitter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bombus.base.errors import UserError
from bombus.measure.area import arcs, delays
from bombus.measure.area.arcs import Arcs
from bombus.measure.area.netlist import Bit, Cell, Netlist

CLOSE_AT_PS = 4000  # endpoints above it are counted: 250 MHz
_NAMED_IN_LOOP = 6  # nets named in an error


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
    """The analysis of one netlist.

    `starts`, `ends`: clocks (`Netlist.clock`) at which paths start and end; None among them stands
    for inputs and outputs of the module. All, if not given.
    """

    through_blocks = True  # paths go through reads of memory in LUTs, and DSP slices

    def __init__(
        self,
        netlist: Netlist,
        starts: Collection[str | None] | None = None,
        ends: Collection[str | None] | None = None,
    ) -> None:
        self.netlist = netlist
        self._refuse_unknown()
        self._start_clocks, self._end_clocks = starts, ends
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
        """The most levels of any path: LUTs, reads of LUT memory, carry chains, and passages of a
        DSP slice; slice multiplexers count with the LUTs that they combine.
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

    def _refuse_unknown(self) -> None:
        """Raises UserError if there is a cell whose delays are not known."""
        arcs.refuse_unknown(self.netlist)

    def _setup_ps(self, cell: Cell | None, port: str) -> int:
        """None: an output of the module."""
        return arcs.setup_ps(cell, port) if cell else delays.FF_SETUP

    def _clock_to_output_ps(self, cell: Cell | None, port: str) -> int | None:
        """`cell` None: an input of the module. Returns None where no path starts."""
        return arcs.clock_to_output_ps(cell, port) if cell else delays.FF_CLOCK_TO_OUTPUT

    def _arcs(self, cell: Cell) -> Iterator[tuple[Bit, Arcs]]:
        """For each output, the inputs that it depends on, with their delays."""
        return arcs.arcs(cell)

    def _assigned(self, cell: Cell, inputs: Arcs) -> Arcs:
        """The arcs of an output, once the arrivals at its inputs are known."""
        return inputs

    def _passes(self, cell: Cell) -> bool:
        """Whether paths go through a cell that is not logic."""
        return self.through_blocks and (arcs.is_lut_ram(cell) or arcs.is_dsp(cell))

    def _ends(self, cell: Cell, port: str) -> bool:
        """Whether paths end at a port of a cell that is not logic, and no clock."""
        return not (self._passes(cell) and arcs.is_passed(cell, port))

    def _in(self, clocks: Collection[str | None] | None, cell: int | None, port: str) -> bool:
        """Whether the clock of a cell's port is one of these; `cell` None: a port of the module."""
        if clocks is None:
            return True
        return (None if cell is None else self.netlist.clock(cell, port)) in clocks

    def _start(self, net: Bit, cell: int | None, port: str, delay: int | None) -> None:
        if delay is not None and self._in(self._start_clocks, cell, port):
            self._arrivals[net] = delay
            self._steps[net] = (None, cell, 0, delay)
            self._levels[net] = 0

    def _propagate(self) -> None:
        netlist = self.netlist
        for name, port in netlist.ports.items():
            if port["direction"] != "output":
                for bit in port["bits"]:
                    self._start(bit, None, name, self._clock_to_output_ps(None, ""))
        through: dict[Bit, tuple[int, Arcs]] = {}
        for number, cell in enumerate(netlist.cells):
            if not cell.is_logic:
                for port_name, bits in cell.outputs.items():
                    for bit in bits:
                        delay = self._clock_to_output_ps(cell, port_name)
                        self._start(bit, number, port_name, delay)
            if cell.is_logic or self._passes(cell):
                through.update((output, (number, inputs)) for output, inputs in self._arcs(cell))
        for net in self._in_order(through):
            number, inputs = through[net]
            self._reach(number, net, self._assigned(netlist.cells[number], inputs))

    def _in_order(self, through: Mapping[Bit, tuple[int, Arcs]]) -> Iterator[Bit]:
        """The nets driven by logic, each after those that it depends on.

        Nets, not cells: one read port of a memory may well feed the address of another, and a sum
        of a carry chain the data of a higher bit.
        """
        state: dict[Bit, bool] = {}  # False: begun, True: done
        for start in through:
            stack = [start]
            while stack:
                net = stack[-1]
                if net not in state:
                    state[net] = False
                    for _, before, _ in through[net][1]:
                        if before not in through:
                            continue
                        if before not in state:
                            stack.append(before)
                        elif not state[before]:
                            path = [each for each in stack if state.get(each) is False]
                            raise UserError(self._loop(path[path.index(before) :]))
                    continue
                stack.pop()
                if not state[net]:
                    state[net] = True
                    yield net

    def _loop(self, nets: Sequence[Bit]) -> str:
        """The message about nets that depend on each other.

        The mapper keeps few names inside logic, so what else their cells read is named, too.
        """
        netlist = self.netlist
        cells = dict.fromkeys(netlist.drivers[net][0] for net in nets)
        near = [*nets, *(net for number in cells for net in netlist.read(number))]
        names = dict.fromkeys(netlist.names[net].text for net in near if net in netlist.names)
        told = list(names) or [netlist.cells[number].name for number in cells]
        return f"logic forms a loop without a register near {', '.join(told[:_NAMED_IN_LOOP])}"

    def _reach(self, number: int, output: Bit, inputs: Arcs) -> None:
        best = self._arrivals.get(output, -1)
        kind = self.netlist.cells[number].kind
        for port, bit, delay in inputs:
            arrival = self._arrivals.get(bit)
            if arrival is None:  # a constant
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
                if cell.is_clock(port) or not self._ends(cell, port):
                    continue
                if not self._in(self._end_clocks, number, port):
                    continue
                setup = self._setup_ps(cell, port)
                for bit in bits:
                    if bit in self._arrivals:
                        wire = self.wire_ps(bit, number, port)
                        yield Endpoint(number, port, bit, self._arrivals[bit] + wire + setup)
        for name, port_of in self.netlist.ports.items():
            if port_of["direction"] == "output" and self._in(self._end_clocks, None, name):
                for bit in port_of["bits"]:
                    if bit in self._arrivals:
                        wire = self.wire_ps(bit, None, name)
                        delay = self._arrivals[bit] + wire + self._setup_ps(None, name)
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

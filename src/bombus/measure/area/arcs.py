# SPDX-License-Identifier: Apache-2.0
"""Where paths start, pass and end in the cells of UltraScale+, with the delays of `delays`.

A latch counts as a flip-flop, although paths go through it while it is open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bombus.base.errors import UserError
from bombus.measure.area import delays
from bombus.measure.area.cells import LUT_RAM_SITES
from bombus.measure.area.netlist import Bit, Cell, Netlist

# For an output, the inputs that it depends on: port, net, and delay from there.
Arcs = list[tuple[str, Bit, int]]

_KNOWN = re.compile(
    r"LUT[1-6]|MUXF[789]|CARRY4|INV|BUFG|FD[RSCP]E(_1)?|LD[CP]E(_1)?"
    r"|RAMB(18|36)E2|URAM288(_BASE)?|DSP48E2|\$scopeinfo"
)
_ADDRESSES = ("ADDR", "A", "DPRA")  # of memory in LUTs, with a suffix

# Registers of a DSP slice at the ports that carry data or select an operation.
_DSP_REGISTERS = {
    "A": "AREG",
    "ACIN": "AREG",
    "B": "BREG",
    "BCIN": "BREG",
    "C": "CREG",
    "D": "DREG",
    "INMODE": "INMODEREG",
    "OPMODE": "OPMODEREG",
    "ALUMODE": "ALUMODEREG",
    "CARRYIN": "CARRYINREG",
    "CARRYINSEL": "CARRYINSELREG",
    "PCIN": "",  # straight to the adder
}
_DSP_MULTIPLIED = ("A", "ACIN", "B", "BCIN", "INMODE")  # before the register of the product
# Uses of a DSP slice without published delays
_DSP_DEFAULTS = {"AMULTSEL": "A", "BMULTSEL": "B", "USE_PATTERN_DETECT": "NO_PATDET"}


def refuse_unknown(netlist: Netlist) -> None:
    """Raises UserError if there is a cell whose delays are not known."""
    kinds = {cell.kind for cell in netlist.cells}
    unknown = sorted(
        kind for kind in kinds if not _KNOWN.fullmatch(kind) and kind not in LUT_RAM_SITES
    )
    if unknown:
        raise UserError(f"the netlist has cells of unknown delay: {', '.join(unknown)}")
    for cell in netlist.cells:
        if is_dsp(cell):
            _refuse_unknown_dsp(cell)


def _refuse_unknown_dsp(cell: Cell) -> None:
    uses = [
        f"{name} {cell.params[name]}"
        for name, default in _DSP_DEFAULTS.items()
        if cell.params.get(name, default) != default
    ]
    uses += [f"output {port}" for port, bits in cell.outputs.items() if port != "P" and bits]
    uses += [
        f"input {port}"
        for port in cell.inputs
        if not (port in _DSP_REGISTERS or port.startswith(("CE", "RST")) or cell.is_clock(port))
        and _is_live(cell, port)
    ]
    if uses:
        raise UserError(f"{cell.name}: a DSP slice with unknown delay: {', '.join(uses)}")


def is_lut_ram(cell: Cell) -> bool:
    return cell.kind in LUT_RAM_SITES


def is_dsp(cell: Cell) -> bool:
    return cell.kind.startswith("DSP")


def is_passed(cell: Cell, port: str) -> bool:
    """Whether paths go through a memory or DSP slice from this port, and none ends there."""
    if is_dsp(cell):
        return port in _DSP_REGISTERS and not (
            _has(cell, _DSP_REGISTERS[port])
            or _has(cell, "PREG")
            or (port in _DSP_MULTIPLIED and _has(cell, "MREG"))
        )
    return is_lut_ram(cell) and not _is_written(cell, port)


def setup_ps(cell: Cell, port: str) -> int:
    """The set-up time of a port at which a path ends."""
    if is_dsp(cell):
        register = _DSP_REGISTERS.get(port)
        if register is None or _has(cell, register):
            return delays.DSP_SETUP
        behind = delays.DSP_SETUP_BEHIND
        return behind.get(port, behind[""])
    return delays.setup_ps(cell.kind, port)


def clock_to_output_ps(cell: Cell, port: str) -> int | None:
    """None: no path starts at this output."""
    if is_dsp(cell):
        return _dsp_clock_to_output(cell)
    if cell.kind.startswith("RAMB"):
        # DOUTADOUT and DOUTPADOUTP are of port A.
        side = "A" if port.removeprefix("DOUT").removeprefix("P").startswith("A") else "B"
        registered = _has(cell, f"DO{side}_REG", "0")
        return (
            delays.BLOCK_RAM_REGISTER_TO_OUTPUT if registered else delays.BLOCK_RAM_CLOCK_TO_OUTPUT
        )
    if cell.kind.startswith("URAM"):
        registered = cell.params.get(f"OREG_{port[-1]}", "FALSE").strip() == "TRUE"
        return (
            delays.ULTRA_RAM_REGISTER_TO_OUTPUT if registered else delays.ULTRA_RAM_CLOCK_TO_OUTPUT
        )
    return delays.LUT_RAM_CLOCK_TO_OUTPUT if is_lut_ram(cell) else delays.FF_CLOCK_TO_OUTPUT


def _dsp_clock_to_output(cell: Cell) -> int | None:
    if _has(cell, "PREG"):
        return delays.DSP_REGISTER_TO_OUTPUT
    live = [port for port in _DSP_REGISTERS if _is_live(cell, port)]
    registers = {_DSP_REGISTERS[port] for port in live}
    registers |= {"MREG" for port in live if port in _DSP_MULTIPLIED}
    return delays.DSP_CLOCK_TO_OUTPUT if any(_has(cell, name) for name in registers) else None


def _has(cell: Cell, register: str, default: str = "1") -> bool:
    """Whether a cell has one of its optional registers."""
    return bool(register) and int(cell.params.get(register, default), 2) != 0


def _is_live(cell: Cell, port: str) -> bool:
    return any(not isinstance(bit, str) for bit in cell.inputs.get(port, ()))


def _is_written(cell: Cell, port: str) -> bool:
    """Whether a port of LUT memory is sampled by the clock; read-only addresses are not."""
    if not port.startswith(_ADDRESSES):
        return True
    if cell.kind.startswith("SRL") or port.startswith("DPRA"):
        return False
    several = sorted(name for name in cell.inputs if name.startswith("ADDR"))
    return not several or port == several[-1]  # RAM32M16 is written at ADDRH


def arcs(cell: Cell) -> Iterator[tuple[Bit, Arcs]]:
    """The arcs to each output of logic, memory in LUTs, or a DSP slice."""
    kind, inputs = cell.kind, cell.inputs
    if kind.startswith("LUT"):
        size = int(kind[3:])
        pins = [(f"I{pin}", inputs[f"I{pin}"][0]) for pin in range(size)]
        found = [(port, bit, delays.lut_pin_ps(size, pin)) for pin, (port, bit) in enumerate(pins)]
        yield cell.outputs["O"][0], found
    elif kind.startswith("CARRY"):
        yield from _carry_arcs(cell)
    elif is_lut_ram(cell):
        for port, outputs in cell.outputs.items():
            names = _read_address(cell, port)
            found = [(name, bit, delays.LUT_RAM_READ) for name in names for bit in inputs[name]]
            for output in outputs:
                yield output, found
    elif is_dsp(cell):
        through = delays.DSP_THROUGH
        found = [
            (port, bit, through.get(port, through[""]))
            for port, bits in inputs.items()
            if is_passed(cell, port)
            for bit in bits
        ]
        for output in cell.outputs["P"]:
            yield output, found
    else:
        for outputs in cell.outputs.values():
            for output in outputs:
                found = []
                for port, bits in inputs.items():
                    delay = delays.MUX_SELECT if port == "S" else delays.MUX_DATA
                    found += [(port, bit, delay if kind.startswith("MUXF") else 0) for bit in bits]
                yield output, found


def _carry_arcs(cell: Cell) -> Iterator[tuple[Bit, Arcs]]:
    for port in ("O", "CO"):
        for index, output in enumerate(cell.outputs.get(port, ())):
            found: Arcs = []
            for (before, after), delay in delays.CARRY.items():
                bits = cell.inputs.get(before, [])[: index + 1] if after == port else []
                # A sum depends only on the data of the bits below it.
                bits = bits[:index] if (before, after) == ("DI", "O") else bits
                found += [(before, bit, delay) for bit in bits]
            yield output, found


def _read_address(cell: Cell, port: str) -> list[str]:
    """The ports that address an output of memory in LUTs."""
    if f"ADDR{port[-1]}" in cell.inputs:  # DOB of RAM32M16 is read by ADDRB
        return [f"ADDR{port[-1]}"]
    addresses = [name for name in cell.inputs if name.startswith(_ADDRESSES)]
    dual = [name for name in addresses if name.startswith("DPRA")]
    return dual if dual and port == "DPO" else [name for name in addresses if name not in dual]

# SPDX-License-Identifier: Apache-2.0
"""Static timing analysis of a netlist for ECP5, before it is placed: the analysis of `bombus area`
with the delays of ECP5 cells.

It is there to be compared with the clock that nextpnr reaches on the same netlist, which says how
far the analysis can be trusted without a placement.

Cells: delays of speed grade 8 at the slow corner, as nextpnr writes them to its SDF file; they come
from Project Trellis's database, which has them from Lattice's tools. Cells without a delay there
(inputs of LUT RAM's write port) take nothing. Wires: `wire_ps`, a least-squares fit to the 85,000
routed wires of `udp_echo_5g` on an LFE5UM5G-85F, by the medians of groups of fan-outs in steps of a
factor of two. Wires of small designs are shorter.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

from bombus.base.errors import UserError
from bombus.measure.area.arcs import Arcs
from bombus.measure.area.netlist import Bit, Cell, Netlist
from bombus.measure.area.sta import Timing

SPEED = 8  # speed grade of the delays

_FF_CLOCK_TO_OUTPUT = 309
_FF_SETUP = {"LSR": 225}  # DI, M and CE have none
_LUT = 141  # any pin; also the read port of LUT RAM
_LUT_RAM_SETUP = {"WRE": 208}
_BLOCK_RAM_CLOCK_TO_OUTPUT = {"DOA": 1364, "DOB": 1419}
_BLOCK_RAM_SETUP = {"ADA": 67, "ADB": 57, "DI": 59, "WE": 42, "CE": 85}
# Slice multiplexers behind two LUTs, and behind two of these: by port.
_MUX = {
    "PFUMX": {"ALUT": 98, "BLUT": 98, "C0": 151},
    "L6MUX21": {"D0": 141, "D1": 141, "SD": 151},
}
# Two bits of a carry chain: from a data pin to its own sum and to the carry behind it, and from the
# carry to the sums and to the next carry.
_CARRY_DATA_TO_SUM = 141
_CARRY_DATA_TO_CARRY = 278
_CARRY_TO_SUM = {"S0": 230, "S1": 257}
_CARRY_THROUGH = 43

_KINDS = {"LUT4", "CCU2C", "TRELLIS_FF", "TRELLIS_DPR16X4", "DP16KD", *_MUX}
# Cells that share a slice with a flip-flop if it is their only reader.
_PACKED = _KINDS - {"TRELLIS_FF", "DP16KD"}
# Other wires that do not leave a slice: cell and port that read them, and the cell that drives.
_IN_SLICE = {
    ("PFUMX", "ALUT"): "LUT4",
    ("PFUMX", "BLUT"): "LUT4",
    ("L6MUX21", "D0"): "PFUMX",
    ("L6MUX21", "D1"): "PFUMX",
    ("CCU2C", "CIN"): "CCU2C",
}
_WIRE = 426
_PER_DOUBLING = 137  # per doubling of the fan-out
_MOST = 512


def wire_ps(fanout: int) -> int:
    """A wire between slices."""
    return _WIRE + round(_PER_DOUBLING * log2(min(max(1, fanout), _MOST)))


def unknown_cells(netlist: Netlist) -> list[str]:
    """The kinds of cells whose delays are not known, such as multipliers."""
    return sorted({cell.kind for cell in netlist.cells} - _KINDS - {"$scopeinfo"})


def _by_prefix(table: dict[str, int], port: str) -> int:
    return next((ps for name, ps in table.items() if port.startswith(name)), 0)


class Ecp5Timing(Timing):
    """The analysis of a netlist of ECP5 cells that is not placed."""

    def _refuse_unknown(self) -> None:
        if unknown := unknown_cells(self.netlist):
            raise UserError(f"the netlist has cells of unknown delay: {', '.join(unknown)}")

    def wire_ps(self, net: Bit, cell: int | None, port: str) -> int:
        driver = self.netlist.drivers.get(net)
        drives = self.netlist.cells[driver[0]].kind if driver else ""
        reads = self.netlist.cells[cell].kind if cell is not None else ""
        fanout = self.fanout(net)
        if drives and _IN_SLICE.get((reads, port)) == drives:
            return 0
        if port == "DI" and reads == "TRELLIS_FF" and drives in _PACKED and fanout == 1:
            return 0
        return wire_ps(fanout)

    def _setup_ps(self, cell: Cell | None, port: str) -> int:
        if cell is None or cell.kind == "TRELLIS_FF":
            return _FF_SETUP.get(port, 0)
        block = cell.kind == "DP16KD"
        return _by_prefix(_BLOCK_RAM_SETUP if block else _LUT_RAM_SETUP, port)

    def _clock_to_output_ps(self, cell: Cell | None, port: str) -> int | None:
        if cell is not None and cell.kind == "DP16KD":
            return _by_prefix(_BLOCK_RAM_CLOCK_TO_OUTPUT, port)
        if cell is not None and cell.kind == "TRELLIS_DPR16X4":
            return None  # what is written does not show at once
        return _FF_CLOCK_TO_OUTPUT

    def _passes(self, cell: Cell) -> bool:
        return cell.kind == "TRELLIS_DPR16X4"

    def _ends(self, cell: Cell, port: str) -> bool:
        return not (cell.kind == "TRELLIS_DPR16X4" and port == "RAD")

    def _arcs(self, cell: Cell) -> Iterator[tuple[Bit, Arcs]]:
        inputs = cell.inputs
        if cell.kind == "CCU2C":
            yield from _carry_arcs(cell)
            return
        delays = _MUX.get(cell.kind)
        if cell.kind == "TRELLIS_DPR16X4":
            inputs = {"RAD": inputs["RAD"]}
        found = [
            (port, bit, delays[port] if delays else _LUT)
            for port, bits in inputs.items()
            for bit in bits
        ]
        for outputs in cell.outputs.values():
            for output in outputs:
                yield output, found

    @staticmethod
    def _counts(kind: str, port: str) -> bool:
        return kind not in _MUX and port != "CIN"


def _carry_arcs(cell: Cell) -> Iterator[tuple[Bit, Arcs]]:
    data = {
        digit: [(f"{pin}{digit}", bit) for pin in "ABCD" for bit in cell.inputs[f"{pin}{digit}"]]
        for digit in "01"
    }
    carry = [("CIN", bit) for bit in cell.inputs["CIN"]]
    for port, to_sum in _CARRY_TO_SUM.items():
        found = [(name, bit, to_sum) for name, bit in carry]
        found += [(name, bit, _CARRY_DATA_TO_SUM) for name, bit in data[port[1]]]
        if port == "S1":
            found += [(name, bit, _CARRY_DATA_TO_CARRY + to_sum) for name, bit in data["0"]]
        for output in cell.outputs[port]:
            yield output, found
    through = [(name, bit, _CARRY_THROUGH) for name, bit in carry]
    through += [(name, bit, _CARRY_DATA_TO_CARRY) for digit in "01" for name, bit in data[digit]]
    for output in cell.outputs["COUT"]:
        yield output, through

# SPDX-License-Identifier: Apache-2.0
"""Delays of UltraScale+ cells and wires, in ps.

Cells, and wires inside a slice: RapidWright's delay model 0.5 for UltraScale+ (its
`timing/ultrascaleplus/intrasite_delay_terms.txt`; Maidee, Neely, Kaviani and Lavin, "An
Open-source Lightweight Timing Model for RapidWright", FPT 2019), which was fitted to Vivado's
reports at the slow corner. Of several arcs between two ports the longest counts.

Wires between slices: `wire_ps`, fitted by eye to routed nets of published Vivado reports of small
UltraScale+ designs: 223 and 251 ps at a fan-out of 2, 344 at 4, 203 at 6, 259 and 346 at 8, 366 at
22, 261 at 23, 682 at 57 (Calyx programs on a Zynq UltraScale+, -1, in public repositories), times
0.86 for the speed grade of the cells (their LUT pins take 174 ps where the model has 150). The sum
of these nine agrees within 5%, single ones are up to 65% off. Larger fan-outs count as 64, since
placers copy their drivers. `bombus area` cannot know how far apart two cells are placed; the fit
is for neighbours.

DSP slices: delays that Vivado reports for a placed design, published with RapidWright (its
`tcl/rwroute/test_data/dump_all_dsp_delay`). Flip-flops take 79 ps in the same reports, so the speed
grade is that of the other cells. A multiplication without registers took 1,923 ps in a report for
speed grade -1 (lakeroad-evaluation on GitHub, Zynq UltraScale+), 1,654 times the 0.86 above. The
data sheets (DS923, DS925: F_MAX_MULT_NOMREG, 544 MHz at -2) promise 1,838 ps from register to
register, with a margin on what the reports say.
"""

from __future__ import annotations

from math import log2

# Flip-flops (bel AFF). There are no arcs for CE and R; they are treated like D.
FF_CLOCK_TO_OUTPUT = 77
FF_SETUP = 25
# A LUT's pins, fastest first (A6 to A1 of the bel A6LUT); the mapper puts late signals there.
LUT_PINS = (35, 50, 90, 100, 125, 150)
MUX_DATA = 70  # F7MUX; also used for the wider ones, which have no arc
MUX_SELECT = 77
# Memory in LUTs (A5LUT): read like a LUT by the slowest pin, written by the clock.
LUT_RAM_READ = 165
LUT_RAM_CLOCK_TO_OUTPUT = 312
LUT_RAM_SETUP = {"WE": 180, "CE": 180, "A": 117, "D": 81}  # by prefix of the port
# RAMB36E2, and RAMB18E2 the same.
BLOCK_RAM_CLOCK_TO_OUTPUT = 1003
BLOCK_RAM_REGISTER_TO_OUTPUT = 229  # with DOA_REG or DOB_REG
BLOCK_RAM_SETUP = {"ADDREN": 445, "ADDR": 383, "D": 313, "": 445}
# URAM288 without and with OREG.
ULTRA_RAM_CLOCK_TO_OUTPUT = 1292
ULTRA_RAM_REGISTER_TO_OUTPUT = 767
ULTRA_RAM_SETUP = {"ADDR": 522, "D": 571, "": 491}
# DSP48E2 as a multiplier, without pre-adder and pattern detector. Inputs without a number of
# their own are not in the reports; they count as B, the slowest of those that are.
DSP_THROUGH = {"A": 1510, "ACIN": 1510, "": 1560}  # without registers, to P
DSP_SETUP = 300  # of a register at an input, clock enable or reset
# To P's register, or to that of the product, which is nearer.
DSP_SETUP_BEHIND = {"PCIN": 540, "": 1440}
DSP_CLOCK_TO_OUTPUT = 1620  # from registers at A; from other registers that are not P's at most
DSP_REGISTER_TO_OUTPUT = 280  # from P's register
# Yosys's CARRY4 is half of a CARRY8: delay from a port to a sum and to a carry. A carry passing
# through costs half of CARRY8's delay from CIN to CO7, 23 + 26.
CARRY = {
    ("S", "O"): 139,
    ("S", "CO"): 186,
    ("DI", "O"): 115,
    ("DI", "CO"): 182,
    ("CI", "O"): 82,
    ("CI", "CO"): 25,
    ("CYINIT", "O"): 82,
    ("CYINIT", "CO"): 60,
}

# Wires inside a slice, by driving and reading cell, if there is no other reader.
_IN_SLICE = {
    ("LUT", "FD"): 50,
    ("LUT", "MUXF"): 25,
    ("MUXF", "MUXF"): 25,
    ("MUXF", "FD"): 32,
    ("LUT", "CARRY"): 15,
    ("CARRY", "FD"): 25,
}
_SLICE_PORTS = {("MUXF", "I0"), ("MUXF", "I1"), ("CARRY", "S"), ("CARRY", "DI")}
_WIRE = 140
_PER_DOUBLING = 50  # per doubling of the fan-out
_MOST = 64


def wire_ps(fanout: int) -> int:
    """A wire between slices."""
    return _WIRE + round(_PER_DOUBLING * log2(min(max(1, fanout), _MOST)))


def net_ps(driver: str, reader: str, port: str, fanout: int) -> int:
    """A net from a cell of one type to a port of a cell of another."""
    if driver.startswith("CARRY") and port == "CI":
        return 0  # the carry chain, included in the cell
    if driver == "INV":
        return 0  # absorbed into the cell it drives
    if fanout == 1:
        for (of, to), delay in _IN_SLICE.items():
            inside = port == "D" or (to, port) in _SLICE_PORTS
            if inside and driver.startswith(of) and reader.startswith(to):
                return delay
    return wire_ps(fanout)


def setup_ps(kind: str, port: str) -> int:
    """The set-up time of a port of a flip-flop or memory."""
    if kind.startswith(("FD", "LD")):
        return FF_SETUP
    if kind.startswith("RAMB"):
        table = BLOCK_RAM_SETUP
    elif kind.startswith("URAM"):
        table = ULTRA_RAM_SETUP
    else:
        table = LUT_RAM_SETUP
    return next((delay for name, delay in table.items() if port.startswith(name)), FF_SETUP)


def lut_pin_ps(size: int, pin: int) -> int:
    """Input I<pin> of a LUT; the highest one is the fastest."""
    return LUT_PINS[size - 1 - pin]

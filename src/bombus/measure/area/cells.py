# SPDX-License-Identifier: Apache-2.0
"""Area: the cells of a netlist, counted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from bombus.base.errors import UserError

# LUT sites that each memory cell takes (Xilinx UG574, table "LUTRAM").
LUT_RAM_SITES = {
    "RAM32M16": 8,
    "RAM32X16DR8": 8,
    "RAM32M": 4,
    "RAM64M8": 8,
    "RAM64M": 4,
    "RAM64X8SW": 8,
    "RAM32X1D": 2,
    "RAM64X1D": 2,
    "RAM128X1D": 4,
    "RAM256X1D": 8,
    "RAM32X1S": 1,
    "RAM64X1S": 1,
    "RAM128X1S": 2,
    "RAM256X1S": 4,
    "RAM512X1S": 8,
    "SRL16E": 1,
    "SRLC16E": 1,
    "SRLC32E": 1,
}


@dataclass(frozen=True)
class Area:
    """Cells of a netlist."""

    lut_logic: int  # LUT1 to LUT6; inverters (INV) are absorbed into the cells they drive
    lut_ram: int  # LUT sites used as memory or shift register
    ff: int
    bram36: float  # a RAMB18 counts as half
    uram: int
    dsp: int

    @property
    def lut_total(self) -> int:
        return self.lut_logic + self.lut_ram

    def as_dict(self) -> dict[str, float]:
        values = asdict(self)
        return {
            "lut_logic": values.pop("lut_logic"),
            "lut_ram": values.pop("lut_ram"),
            "lut_total": self.lut_total,
            **values,
        }


def count(cells: Mapping[str, int]) -> Area:
    """Counts cells by type. Raises UserError for an unknown memory cell."""

    def total(pattern: str) -> int:
        return sum(number for kind, number in cells.items() if re.fullmatch(pattern, kind))

    lut_ram = 0
    for kind, number in cells.items():
        if re.match(r"RAM\d|SRL", kind):
            if kind not in LUT_RAM_SITES:
                raise UserError(f"the netlist has a memory cell of unknown size: {kind}")
            lut_ram += number * LUT_RAM_SITES[kind]
    return Area(
        lut_logic=total(r"LUT[1-6]"),
        lut_ram=lut_ram,
        ff=total(r"FD[RSCP]E(_1)?|LD[CP]E(_1)?"),
        bram36=total(r"RAMB36E\d") + total(r"RAMB18E\d") / 2,
        uram=total(r"URAM288.*"),
        dsp=total(r"DSP48E\d"),
    )

# SPDX-License-Identifier: Apache-2.0
"""Area and timing on UltraScale+ as estimated with Yosys: LUTs, flip-flops, memories, delay.

Works on a whole design, one of its tiles, or a module of `rtl/`. One version of Yosys always
gives the same numbers.
"""

from __future__ import annotations

from bombus.measure.area.cells import Area, count
from bombus.measure.area.report import ModuleArea, Report, measure
from bombus.measure.area.sta import CLOSE_AT_PS

__all__ = ["CLOSE_AT_PS", "Area", "ModuleArea", "Report", "count", "measure"]

# SPDX-License-Identifier: Apache-2.0
"""Synthesis for ECP5 in its own process: `python -m bombus.implementation.yosys_ecp5 <json>`.

A process, since Yosys writes its log to the process's standard output, keeps global state and its
memory, and ends the process on an error.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from bombus.base.extras import require
from bombus.implementation import tool

LOG = "yosys.log"
_UNSET = "DONTCARE"  # default in Yosys's library of cells


@dataclass(frozen=True)
class Request:
    """One synthesis; all paths are relative to the working folder."""

    top: str
    file_list: str  # SystemVerilog, as slang reads it
    netlist: str  # JSON for nextpnr

    @property
    def commands(self) -> list[str]:
        return [
            f"read_slang -F {self.file_list} --top {self.top}",
            f"synth_ecp5 -top {self.top} -json {self.netlist}",
        ]


def cells(command: str) -> str:
    """Verilog of the cells of the device that a design may instantiate, such as PLLs."""
    require("pyosys", command, "Yosys", "board")
    share = files("pyosys") / "share" / "ecp5" / "cells_bb.v"
    return share.read_text(encoding="utf-8")


def run(request: Request, folder: Path) -> None:
    """Synthesises in `folder`; UserError with Yosys's words if it does not accept the design."""
    file = folder / "synthesis.json"
    file.write_text(json.dumps(vars(request)), encoding="utf-8")
    call = [sys.executable, "-P", "-m", "bombus.implementation.yosys_ecp5", file.name]
    tool.run(call, folder, LOG, f"Yosys rejects {request.top}")
    netlist = folder / request.netlist
    netlist.write_text(_without_defaults(netlist.read_text(encoding="utf-8")), encoding="utf-8")


def _without_defaults(text: str) -> str:
    """A netlist without parameters that nothing set: read_slang writes their defaults, too."""
    if _UNSET not in text:
        return text
    netlist = json.loads(text)
    for module in netlist["modules"].values():
        for cell in module["cells"].values():
            values = cell["parameters"]
            cell["parameters"] = {name: value for name, value in values.items() if value != _UNSET}
    return json.dumps(netlist)


def _main(request: Request) -> None:
    from pyosys import libyosys

    design = libyosys.Design()
    for command in request.commands:
        libyosys.run_pass(command, design)


if __name__ == "__main__":
    _main(Request(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))

# SPDX-License-Identifier: Apache-2.0
"""A design with AMD's Ethernet MACs around it, as a target of its FuseSoC core.

`cmac`: the UltraScale+ integrated block for 100 Gbit/s Ethernet (AMD PG203), 512 bits at
322.265625 MHz. `xxv_10g`: the 10G/25G Ethernet subsystem at 10 Gbit/s (PG210), 64 bits at 156.25
MHz. Nothing of this is run here: Verilator reads the shell, with the MAC as a black box.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bombus.design.resolved import Design
from bombus.generation.render import templates


@dataclass(frozen=True)
class MacShell:
    """A kind of MAC, and the files around a design that uses it."""

    target: str
    data_width: int
    clock_mhz: float
    lanes: int  # of transceivers
    part: str  # of a board that has it; `fusesoc run ... --part` names another one

    def files(self, name: str) -> dict[str, str]:
        """Paths in the output folder, with FuseSoC's type of each file, the shell first."""
        base = f"shell/{name}_{self.target}"
        return {
            f"{base}.sv": "systemVerilogSource",
            f"{base}.tcl": "tclSource",
            f"{base}.xdc": "xdc",
        }


_SHELLS = (
    MacShell("cmac", 512, 322.265625, 4, "xcu250-figd2104-2L-e"),
    MacShell("xxv_10g", 64, 156.25, 1, "xcku5p-ffvb676-2-e"),
)


def mac_shell(design: Design) -> MacShell | None:
    """The shell that a design fits: by its width, by the clock of each of its MAC ports."""
    config = design.config
    raised = any(layer.raised for layer in design.layers())
    for shell in _SHELLS:
        clocks = {port.clock_mhz for port in config.ports}
        if design.networks[0].data_width == shell.data_width and clocks == {shell.clock_mhz}:
            return None if raised else shell
    return None


def texts(design: Design, shell: MacShell) -> dict[str, str]:
    """The files of a shell, by path in the output folder."""
    context = _context(design, shell)
    return {
        path: templates().get_template(f"mac_shell{Path(path).suffix}.j2").render(context)
        for path in shell.files(design.config.name)
    }


def _context(design: Design, shell: MacShell) -> Mapping[str, object]:
    config = design.config
    return {
        "name": config.name,
        "source": design.file.path.name,
        "shell": shell,
        "ports": range(len(config.ports)),
        "clock_khz": round(config.clock_mhz * 1000),
        "period_ns": 1000 / config.clock_mhz,
        "shortest_ns": 1000 / max(config.clock_mhz, shell.clock_mhz),
    }

# SPDX-License-Identifier: Apache-2.0
"""A design with AMD's Ethernet MACs around it, as a target of its FuseSoC core.

`cmac`: the UltraScale+ integrated block for 100 Gbit/s Ethernet (AMD PG203), 512 bits at
322.265625 MHz. `xxv_10g`: the 10G/25G Ethernet subsystem at 10 Gbit/s (PG210), 64 bits at 156.25
MHz. Nothing of this is run here: Verilator reads the shell, with the MAC as a black box.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bombus.base import paths
from bombus.base.templates import templates
from bombus.base.text import listing
from bombus.design.facts import Facts
from bombus.design.resolved import Design

_BRIDGE = "rtl/platform/registers/axi_lite_registers.sv"


@dataclass(frozen=True)
class MacShell:
    """A kind of MAC, and the files around a design that uses it."""

    target: str
    mac: str  # as AMD calls it
    data_width: int
    clock_mhz: float
    lanes: int  # of transceivers
    part: str  # of a board that has it; `fusesoc run ... --part` names another one
    design: str = ""  # name of the design

    @property
    def files(self) -> Mapping[str, str]:
        """Paths in the output folder, with FuseSoC's type of each file, the shell first."""
        base = f"shell/{self.design}_{self.target}"
        return {
            f"{base}.sv": "systemVerilogSource",
            f"{base}.tcl": "tclSource",
            f"{base}.xdc": "xdc",
            **dict.fromkeys(axi_lite_registers(), "systemVerilogSource"),
        }


_SHELLS = (
    MacShell("cmac", "CMAC", 512, 322.265625, 4, "xcu250-figd2104-2L-e"),
    MacShell("xxv_10g", "10G/25G Ethernet subsystem", 64, 156.25, 1, "xcku5p-ffvb676-2-e"),
)


@dataclass(frozen=True)
class _Context:
    """Values for the templates of a shell."""

    name: str
    source: str  # the design file
    shell: MacShell
    ports: range
    clock_khz: int
    period_ns: float
    shortest_ns: float  # period of the fastest clock
    address_bits: int  # of the register map
    map_bytes: int


def mac_shell(design: Design) -> MacShell | None:
    """The shell that a design fits: by its width, by the clock of each of its MAC ports."""
    shell = _of_width(design)
    return None if shell is None or _misfit(design, shell) else shell


def why_none(design: Design) -> str:
    """Why a design has no shell, in one sentence; "" if it has one."""
    shell = _of_width(design)
    if shell is None:
        widths = listing((f"{each.data_width} ({each.mac})" for each in _SHELLS), "or")
        return f"data_width is {design.networks[0].data_width}; a MAC has {widths}"
    return _misfit(design, shell)


def _of_width(design: Design) -> MacShell | None:
    width = design.networks[0].data_width
    named = (replace(shell, design=design.config.name) for shell in _SHELLS)
    return next((shell for shell in named if shell.data_width == width), None)


def _misfit(design: Design, shell: MacShell) -> str:
    """What keeps a design of the right width from a shell; "": nothing."""
    for number, port in enumerate(design.config.ports):
        if port.clock_mhz != shell.clock_mhz:
            found = f"{port.clock_mhz}" if port.clock_mhz else "not set"
            return (
                f"clock_mhz of MAC port {number} is {found}; the {shell.mac} needs "
                f"{shell.clock_mhz}"
            )
    raised = [name for layer in design.layers() for name in layer.raised.values()]
    return f"it would not connect the raised port {raised[0]}" if raised else ""


def axi_lite_registers() -> dict[str, str]:
    """The bridge between AXI4-Lite and the register port, by its path in the output folder."""
    return {_BRIDGE: (paths.RTL.parent / _BRIDGE).read_text(encoding="utf-8")}


def texts(facts: Facts, shell: MacShell) -> dict[str, str]:
    """The files of a shell, by path in the output folder."""
    context = _context(facts, shell)
    found = axi_lite_registers()
    for path in shell.files.keys() - found.keys():
        template = templates().get_template(f"mac_shell{Path(path).suffix}.j2")
        found[path] = template.render(vars(context))
    return found


def _context(facts: Facts, shell: MacShell) -> _Context:
    design = facts.design
    config = design.config
    return _Context(
        name=config.name,
        source=design.file.path.name,
        shell=shell,
        ports=range(len(config.ports)),
        clock_khz=round(config.clock_mhz * 1000),
        period_ns=1000 / config.clock_mhz,
        shortest_ns=1000 / max(config.clock_mhz, shell.clock_mhz),
        address_bits=facts.register_map.address_bits,
        map_bytes=facts.register_map.map_bytes,
    )

# SPDX-License-Identifier: Apache-2.0
"""Small netlists of mapped cells, as Yosys writes them."""

from __future__ import annotations

from typing import Any

from bombus.measure.area.netlist import Netlist

_OUTPUTS = ("O", "Q", "CO", "DOA", "DOB", "DOUTADOUT", "P", "PCOUT")  # of UltraScale+
_ECP5_CLOCKS = {"TRELLIS_FF": "CLK", "TRELLIS_DPR16X4": "WCK", "DP16KD": "CLKA"}
_ECP5_OUTPUTS = ("Z", "Q", "S0", "S1", "COUT", "DO", "DOA0", "DOB0")
CLOCK = 2


def cell(kind: str, **ports: list[int | str]) -> dict[str, Any]:
    """A cell of UltraScale+ with its nets by port, and the clock at C."""
    return _cell(kind, _OUTPUTS, {"C": [CLOCK], **ports})


def ecp5_cell(kind: str, **ports: list[int | str]) -> dict[str, Any]:
    """A cell of an ECP5 with its nets by port; a flip-flop or memory also has the clock."""
    clock: dict[str, list[int | str]] = (
        {_ECP5_CLOCKS[kind]: [CLOCK]} if kind in _ECP5_CLOCKS else {}
    )
    return _cell(kind, _ECP5_OUTPUTS, clock | ports)


def _cell(kind: str, outputs: tuple[str, ...], ports: dict[str, list[int | str]]) -> dict[str, Any]:
    return {
        "type": kind,
        "attributes": {},
        "parameters": {},
        "port_directions": {name: "output" if name in outputs else "input" for name in ports},
        "connections": ports,
    }


def netlist(names: dict[str, list[int]] | None = None, **cells: dict[str, Any]) -> Netlist:
    """The module of these cells; `names`: nets by name."""
    found = {name: {"bits": bits, "attributes": {}} for name, bits in (names or {}).items()}
    return Netlist({"cells": cells, "ports": {}, "netnames": found})

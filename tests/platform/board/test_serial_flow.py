# SPDX-License-Identifier: Apache-2.0
"""A link over a transceiver of the ECP5: synthesis, place and route, bitstream."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.design import rtl
from bombus.generation.board import config, serial_lane, shell
from bombus.implementation import bitstream, nextpnr, yosys_ecp5
from bombus.implementation.timing import routed, synthesised
from tests import ROOT

DESIGNS = Path(__file__).parent / "designs"
BOARD = config.board("versa_ecp5")
TIMEOUT_S = 3600
TOP = "serial_link_top"


def test_constraints_name_the_lane() -> None:
    facts = shell.checked(DESIGNS / "serial_link.yaml", BOARD, BOARD.serdes)
    constraints = shell.constraints(facts.design, BOARD, 1)
    assert 'LOCATE COMP "serdes0_rx_p_i" SITE "Y7";' in constraints
    assert 'FREQUENCY NET "lane0_rx_clk" 125 MHZ;' in constraints
    assert "phy0" not in constraints  # the design has no MAC port


def test_lane_that_the_transceiver_cannot_run_is_refused() -> None:
    lane = BOARD.serdes[0].model_copy(update={"refclk_mhz": 125.0, "gbps": 3.0})
    with pytest.raises(serial_lane.UserError, match="no transceiver runs at 3 Gbit/s from"):
        serial_lane.verilog(lane, "a test")


def test_slow_design_is_refused() -> None:
    lane = BOARD.serdes[0].model_copy(update={"gbps": 5.0})
    with pytest.raises(serial_lane.UserError, match=r"too slow for link0 at 5 Gbit/s: .* 62\.5"):
        shell.checked(DESIGNS / "serial_link.yaml", BOARD, [lane])


@pytest.mark.slow
@pytest.mark.sweep
def test_bitstream_with_a_lane() -> None:
    made = bitstream.build(DESIGNS / "serial_link.yaml", BOARD, timeout_s=TIMEOUT_S)
    assert sorted(made.result.constraint_mhz.values()) == [50, 125, 125]
    assert b"LFE5UM5G-45F" in made.bit.read_bytes()[:200]


@pytest.mark.slow
@pytest.mark.sweep
def test_routed_link_with_its_lane() -> None:
    """The whole link, which the board's design above leaves out where nothing uses it."""
    sources = {
        str(file.relative_to(ROOT)): file.read_text()
        for file in (*rtl.rtl_files(), *(ROOT / "rtl").rglob("*.svh"))
    }
    folders = {Path(name).parent for name in sources if name.endswith(".svh")}
    sources["cells.v"] = yosys_ecp5.cells("a test")
    sources["serdes.v"] = serial_lane.verilog(BOARD.serdes[0], "a test")
    sources[f"{TOP}.sv"] = (DESIGNS / f"{TOP}.sv").read_text()
    used = [name for name in sources if name.startswith(("rtl/cluster/link", "rtl/cluster/con"))]
    used += [*serial_lane.SOURCES, "rtl/platform/clocks/async_reset.sv"]
    files = [f"+incdir+{folder}" for folder in sorted(folders)]
    files += [name for name in used if name.endswith("_pkg.sv")]
    files += [name for name in used if not name.endswith(("_pkg.sv", ".svh"))]
    sources["synthesis.f"] = "\n".join([*files, "cells.v", "serdes.v", f"{TOP}.sv", ""])
    request = yosys_ecp5.Request(TOP, "synthesis.f", "netlist.json")
    netlist = synthesised(sources, request, "a test")
    pins = {"refclk": BOARD.serdes[0].refclk, "rx": BOARD.serdes[0].rx, "tx": BOARD.serdes[0].tx}
    lines = [
        f'LOCATE COMP "{name}_{end}_{"o" if name == "tx" else "i"}" SITE "{getattr(pair, end)}";'
        for name, pair in pins.items()
        for end in ("p", "n")
    ]
    ports = {"clk_i": "P3", "rst_i": "H2", "scan_i": "K3", "scan_o": "E16"}
    lines += [f'LOCATE COMP "{port}" SITE "{pin}";' for port, pin in ports.items()]
    lines += [f'FREQUENCY NET "lane_{side}_clk" 125 MHZ;' for side in ("tx", "rx")]
    run = nextpnr.Request(BOARD.fpga, "netlist.json", TOP, 1, 62.5, "board.lpf", "board.config")
    placed = routed(
        netlist, run, "a test", constraints="\n".join([*lines, ""]), timeout_s=TIMEOUT_S
    )
    found = nextpnr.read(placed)
    print(found.fmax_mhz, found.used)
    assert all(found.fmax_mhz[clock] >= mhz for clock, mhz in found.constraint_mhz.items())
    assert found.used["lut4"][0] > 2000

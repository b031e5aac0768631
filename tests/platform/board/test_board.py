# SPDX-License-Identifier: Apache-2.0
"""Boards: their files, their clocks, and what is written around a design."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.base.errors import DesignError, UserError
from bombus.design import rtl
from bombus.generation.board import shell
from bombus.generation.board.config import board
from bombus.implementation import bitstream, nextpnr, yosys_ecp5
from tests import ROOT

WIRE = Path(__file__).parent / "designs" / "frame_wire.yaml"
VERSA = ROOT / "boards" / "versa_ecp5.yaml"


def test_pins_of_a_board_are_used_once() -> None:
    for file in sorted((ROOT / "boards").glob("*.yaml")):
        found = board(str(file))
        pins = [found.clock.pin, *(pin for phy in found.phys for _, pin in phy.pins())]
        pins += [found.reset_n.pin] if found.reset_n else []
        pins += [pin for lane in found.serdes for _, pin in lane.pins()]
        pins += [output.pin for output in found.high]
        assert len(set(pins)) == len(pins)
        assert found.name == file.stem
        assert found.fpga.package == found.package


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("lfe5um5g-45f-8", "xc7a35t", "is not a device"),
        ("pin: P3", "pin: p3", "P3|pattern|should"),
        ("[T20, U20, T19, R18]", "[T20, U20, T19]", "4"),
        ("mhz: 100", "mhz: 1000", "400"),
    ],
)
def test_mistakes_in_a_board_file_are_named(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    file = tmp_path / "mine.yaml"
    text = VERSA.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(DesignError, match=message):
        board(str(file))


def test_unknown_board_is_refused() -> None:
    with pytest.raises(UserError, match="did you mean 'versa_ecp5'"):
        board("versa_ecp")


@pytest.mark.parametrize(("oscillator", "core"), [(100, 50), (100, 62.5), (25, 100)])
def test_pll_makes_both_clocks(oscillator: float, core: float) -> None:
    found = shell.pll(oscillator, core)
    compared = oscillator / found.input_divider
    vco = compared * found.feedback_divider * found.core_divider
    assert compared >= 10
    assert 400 <= vco <= 800
    assert (vco / found.core_divider, vco / found.tx_divider) == (core, 125)


def test_impossible_clocks_are_refused() -> None:
    with pytest.raises(UserError, match="cannot make 61 MHz and 125 MHz from 100 MHz"):
        shell.pll(100, 61)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("two_ports.yaml", "no clock_mhz"),
        ("udp_echo.yaml", "data_width 512 is too wide for the MAC of versa_ecp5: at most 64"),
        ("udp_echo_memory.yaml", "raised port fill_o cannot be connected on versa_ecp5"),
    ],
)
def test_designs_that_do_not_fit_are_refused(file: str, message: str) -> None:
    facts, _ = check.check(ROOT / "designs" / file)
    with pytest.raises(UserError, match=message):
        shell.refuse_what_does_not_fit(facts, board("versa_ecp5"))


@pytest.mark.slow
def test_board_top_elaborates_and_every_port_has_a_pin() -> None:
    facts, _ = check.check(WIRE)
    sources = shell.on_board(facts, board("versa_ecp5"), "the test")
    cells = yosys_ecp5.cells("a test")
    texts = {name: text for name, text in sources.items() if name.endswith((".sv", ".v"))}
    top = "frame_wire_board"
    elaboration = rtl.elaborate([], {"cells.v": cells, **texts}, top=top)
    assert not elaboration.problems()
    for path, text in {**sources, **shell.with_links(facts, "the test")}.items():
        if not path.endswith((".json", ".md", "liteeth_mac.v")):
            assert "SPDX-License-Identifier: Apache-2.0" in text[:100], path
    pins = sources["board/frame_wire.lpf"]
    for port in elaboration.instance(top).body:
        if str(port.kind) == "SymbolKind.Port":
            width = port.type.bitWidth
            names = [port.name] if width == 1 else [f"{port.name}[{i}]" for i in range(width)]
            assert all(f'LOCATE COMP "{name}" SITE' in pins for name in names)
    assert 'FREQUENCY PORT "phy0_rx_clk_i" 125 MHZ;' in pins


def test_missed_clocks_are_told(tmp_path: Path) -> None:
    facts, _ = check.check(WIRE)
    result = nextpnr.Routed({"clk": 49.0, "rx": 130.0}, {"clk": 50.0, "rx": 125.0}, {}, {}, [])
    made = bitstream.Bitstream(facts.design, board("versa_ecp5"), result, tmp_path, tmp_path)
    assert made.slow == ["clk reaches 49.0 of 50 MHz"]

# SPDX-License-Identifier: Apache-2.0
"""The whole way of the smallest design: routed timing with a floorplan, and a board's bitstream."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.cli.timing import draw
from bombus.generation.board import config
from bombus.generation.board.device import device
from bombus.implementation import bitstream, timing
from bombus.implementation.owners import OUTSIDE, TOP

pytestmark = [pytest.mark.slow, pytest.mark.sweep]  # minutes of place and route, then cached
WIRE = Path(__file__).parent / "designs" / "frame_wire.yaml"
BOARD = "versa_ecp5"
TIMEOUT_S = 3600


def test_routed_timing_and_floorplan(tmp_path: Path) -> None:
    result = timing.measure(WIRE, device("lfe5u-25f-6"), seeds=1, timeout_s=TIMEOUT_S)
    (seed,) = result.seeds
    assert seed.clocks == {"clk_i": timing.ClockRate(seed.fmax_mhz, 50)}
    assert result.median_mhz == seed.fmax_mhz > 50
    assert set(result.tiles) <= {"wire", "transmit", TOP, OUTSIDE}
    assert result.tiles["wire"]["ebr"] > 0  # the frame store of mac_rx
    used, available = result.used["ff"]
    assert sum(cells["ff"] for cells in result.tiles.values()) == used < available
    delay_ns = sum(part.logic_ns + part.wire_ns for part in result.path)
    assert delay_ns == pytest.approx(1000 / seed.fmax_mhz, rel=0.01)
    picture = tmp_path / "floorplan.svg"
    draw(result, picture)
    text = picture.read_text()
    assert "frame_wire on lfe5u-25f-6, seed 1" in text
    assert f"wire: {result.tiles['wire']['lut4']:,}" in text


def test_bitstream() -> None:
    made = bitstream.build(WIRE, config.board(BOARD), timeout_s=TIMEOUT_S)
    needed = made.result.constraint_mhz
    assert sorted(needed.values()) == [50, 125, 125]  # design, transmitter and receiver
    assert all(made.result.fmax_mhz[clock] >= needed[clock] for clock in needed)
    assert b"LFE5UM5G-45F" in made.bit.read_bytes()[:200]
    assert made.bit.stat().st_size > 100_000
    assert "STATE" in made.svf.read_text()

# SPDX-License-Identifier: Apache-2.0
"""Area: cells are counted right, and synthesis gives what is known beforehand."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.base.errors import UserError
from bombus.measure import area


def test_cells_are_counted() -> None:
    cells = {"LUT2": 3, "LUT6": 4, "INV": 1, "RAM32M16": 2, "SRLC32E": 5, "FDRE": 7, "FDSE": 1}
    counted = area.count(cells | {"RAMB36E2": 2, "RAMB18E2": 1, "URAM288": 1, "DSP48E2": 3})
    assert counted.lut_logic == 7
    assert counted.lut_ram == 2 * 8 + 5
    assert counted.lut_total == 28
    assert (counted.ff, counted.bram36, counted.uram, counted.dsp) == (8, 2.5, 1, 3)


def test_unknown_memory_is_not_left_out() -> None:
    with pytest.raises(UserError, match="RAM1024X1D"):
        area.count({"RAM1024X1D": 1})


@pytest.mark.slow
def test_stream_register_is_one_register_per_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOMBUS_CACHE", str(tmp_path))
    report = area.measure("stream_register", data_width=64)
    # 64 bits of data, 4 of the number of bytes, last, 125 of metadata, valid.
    assert report.area.ff == 64 + 4 + 1 + 125 + 1
    assert report.area.lut_ram == 0
    assert report.delay_ps is not None
    again = area.measure("stream_register", data_width=64, per_module=True)
    assert again.area == report.area
    assert sum(part.area.ff for part in again.modules) == report.area.ff


@pytest.mark.parametrize(
    ("target", "params", "message"),
    [
        ("router_wormole", {}, "did you mean 'router_wormhole'"),
        ("router_wormhole", {"Deph": 1}, "did you mean 'Depth'"),
        ("designs/udp_echo.yaml", {"depth": 1}, "applies to modules only"),
    ],
)
def test_mistakes_are_named(target: str, params: dict[str, int], message: str) -> None:
    with pytest.raises(UserError, match=message):
        area.measure(target, params=params)


def test_parameters_of_enums_are_numbers() -> None:
    lut = [
        area.measure("crosspoint_input", params={"Routing": routing}, data_width=64).area.lut_total
        for routing in (0, 2)
    ]
    assert lut[0] < lut[1]  # XY has nothing to choose from

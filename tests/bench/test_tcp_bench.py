# SPDX-License-Identifier: Apache-2.0
"""`bombus bench tcp`: the pattern that its peers compare with, and how cycles are counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bombus.analysis import check
from bombus.base.errors import UserError
from bombus.measure import bench
from bombus.measure.tcp_peer import pattern


def test_pattern() -> None:
    for start in (0, 255, 65_530, (1 << 24) - 3, (1 << 32) - 3):
        places = [(start + n) % (1 << 32) for n in range(9)]
        expected = bytes((p ^ p >> 8 ^ p >> 16) & 255 for p in places)
        assert pattern(start, 9) == expected


def test_cycles_of_the_middle_half() -> None:
    benchmark: Any = bench.load("tcp")
    came = [(7 * n, 128) for n in range(100)]
    assert benchmark.cycles_each(came, 64) == 3.5
    with pytest.raises(UserError, match="too few"):
        benchmark.cycles_each(came[:1], 64)


def test_options_are_checked() -> None:
    with pytest.raises(UserError, match="--payloads"):
        bench.run("tcp", None, None, payloads="8961")
    with pytest.raises(UserError, match="--segments"):
        bench.run("tcp", None, None, segments=3)


@pytest.mark.parametrize("name", ["tcp.yaml", "tcp_10g.yaml"])
def test_design_is_sound(name: str) -> None:
    """Its own application follows the messages of the engine."""
    design, warnings = check.check(Path(__file__).parents[2] / "benchmarks" / name)
    assert "tcp_load" in design.library.definitions
    assert not warnings

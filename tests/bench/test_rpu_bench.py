# SPDX-License-Identifier: Apache-2.0
"""`bombus bench rpu`: designs are sound, options are checked, rates are of the middle half."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bombus.analysis import check
from bombus.base.errors import UserError
from bombus.measure import bench


def test_designs_have_so_many_processors(tmp_path: Path) -> None:
    benchmark: Any = bench.load("rpu")
    alone = tmp_path / "alone.yaml"
    alone.write_text(benchmark.ALONE)
    for processors, file in {1: alone, **benchmark.SHIPPED}.items():
        design, warnings = check.check(file)
        assert not warnings
        kinds = [layer.kind.name for tile in design.tiles for layer in tile.layers]
        assert kinds.count("rpu") == processors
        design, _ = check.check(benchmark.with_accelerators(file, "firewall", tmp_path))
        kinds = [layer.kind.name for tile in design.tiles for layer in tile.layers]
        assert kinds.count("ip_blacklist") == processors


def test_options_are_checked() -> None:
    wrong = {"case": ("back",), "sizes": ("59", "9601"), "rpus": ("none", "3")}
    for name, value in ((name, value) for name, values in wrong.items() for value in values):
        with pytest.raises(UserError, match=f"{name}|none"):
            bench.run("rpu", None, None, **{name: value})


def test_cycles_of_the_middle_half() -> None:
    benchmark: Any = bench.load("rpu")
    done = SimpleNamespace(received=[SimpleNamespace(last_beat_cycle=3 * n) for n in range(40)])
    assert benchmark.cycles_each(done) == 3
    with pytest.raises(UserError, match="too few"):
        benchmark.cycles_each(SimpleNamespace(received=done.received[:2]))

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


@pytest.mark.parametrize("processors", [1, 2, 8, 16])
def test_designs_are_sound(processors: int, tmp_path: Path) -> None:
    benchmark: Any = bench.load("rpu")
    file = tmp_path / "design.yaml"
    file.write_text(benchmark.design_text(processors))
    design, warnings = check.check(file)
    assert not warnings
    assert sum(layer.kind.name == "rpu" for t in design.tiles for layer in t.layers) == processors


def test_options_are_checked() -> None:
    for name, value in (("case", "back"), ("sizes", "59"), ("sizes", "9601"), ("rpus", "none")):
        with pytest.raises(UserError, match=f"{name}|none"):
            bench.run("rpu", None, None, **{name: value})


def test_cycles_of_the_middle_half() -> None:
    benchmark: Any = bench.load("rpu")
    done = SimpleNamespace(received=[SimpleNamespace(last_beat_cycle=3 * n) for n in range(40)])
    assert benchmark.cycles_each(done) == 3
    with pytest.raises(UserError, match="too few"):
        benchmark.cycles_each(SimpleNamespace(received=done.received[:2]))

# SPDX-License-Identifier: Apache-2.0
"""Positions of tiles that have none."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from bombus.design import config, snake
from tests.support.helpers import DESIGNS


def unplaced(tmp_path: Path, tiles: int, fabric: str = "") -> config.DesignFile:
    text = (DESIGNS / "udp_echo.yaml").read_text()
    head = text[: text.index("tiles:")] + fabric
    names = "".join(f"  - {{name: t{i}, kind: udp_tx}}\n" for i in range(tiles))
    file = tmp_path / "design.yaml"
    file.write_text(f"{head}tiles:\n{names}")
    return config.load(file)


@pytest.mark.parametrize(
    ("tiles", "size"), [(1, (1, 1)), (2, (2, 1)), (3, (2, 2)), (5, (3, 2)), (9, (3, 3))]
)
def test_mesh_is_small_and_nearly_square(tmp_path: Path, tiles: int, size: tuple[int, int]) -> None:
    placement = snake.place(unplaced(tmp_path, tiles))
    assert (placement.columns, placement.rows) == size


@pytest.mark.parametrize("tiles", range(1, 20))
def test_tiles_that_follow_each_other_are_neighbours(tmp_path: Path, tiles: int) -> None:
    placement = snake.place(unplaced(tmp_path, tiles))
    at = [placement.positions[f"t{i}"] for i in range(tiles)]
    assert len(set(at)) == tiles
    for (x0, y0), (x1, y1) in pairwise(at):
        assert abs(x0 - x1) + abs(y0 - y1) == 1


def test_given_size_and_positions_stand(tmp_path: Path) -> None:
    file = unplaced(tmp_path, 4, "fabric: {columns: 4, rows: 2}\n")
    file.path.write_text(file.path.read_text().replace("t1, ", "t1, at: [0, 0], "))
    placement = snake.place(config.load(file.path))
    assert (placement.columns, placement.rows) == (4, 2)
    assert placement.positions == {"t1": (0, 0), "t0": (1, 0), "t2": (2, 0), "t3": (3, 0)}


def test_too_small_a_mesh_is_reported(tmp_path: Path) -> None:
    file = unplaced(tmp_path, 5, "fabric: {columns: 2, rows: 2}\n")
    (problem,) = snake.place(file).problems
    assert problem.message == "a mesh of 2 x 2 is too small for 5 tiles"
    lines = file.path.read_text().splitlines()
    assert "columns: 2" in lines[(problem.line or 0) - 1]

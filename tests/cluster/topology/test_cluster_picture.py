# SPDX-License-Identifier: Apache-2.0
"""The picture of a whole cluster: places of boards, and what is drawn."""

from __future__ import annotations

from itertools import combinations
from math import dist
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bombus.cli import app
from bombus.cluster import topology
from bombus.cluster.layout import is_clear, positions, stub
from tests.cluster.bar import bar_of


@pytest.mark.parametrize(
    ("kind", "boards", "stubs"),
    [
        ("bar", 1, 0),
        ("bar", 2, 0),
        ("bar", 20, 0),
        ("ring", 3, 0),
        ("ring", 16, 0),
        ("torus", 9, 6),
        ("torus", 16, 8),
        ("torus", 12, 7),
        ("star_of_rings", 10, 0),
        ("full_mesh", 5, 0),
    ],
)
def test_boards_have_room_and_lines_pass_none(kind: str, boards: int, stubs: int) -> None:
    shape = topology.build(kind, boards)
    places = positions(shape)
    assert len(places) == boards
    assert all(dist(one, other) > 0.99 for one, other in combinations(places, 2))
    assert min(min(place) for place in places) > -1e-9
    hidden = [link for link in shape.links if not is_clear(places, link.board_a, link.board_b)]
    assert len(hidden) == stubs


@pytest.mark.parametrize("boards", [40, 100])
def test_large_irregular_clusters_have_places(boards: int) -> None:
    places = positions(topology.build("star_of_rings", boards))
    assert len(set(places)) == boards


def test_short_lines_point_away_from_the_other_board() -> None:
    reach = 2.0, 5.0
    assert stub((1.0, 1.0), (3.0, 0.0), reach) == (-1.0, 1.0)
    assert stub((5.0, 5.0), (1.0, 1.0), reach) == (7.0, 5.0)
    assert stub((1.0, 1.0), (0.0, 3.0), reach) == (1.0, -4.0)


def test_show_draws_the_cluster_beside_its_boards(tmp_path: Path) -> None:
    design = bar_of(4, tmp_path)
    text = design.read_text().replace("topology: bar", "topology: {kind: torus, columns: 4}")
    design.write_text(text.replace("udp_port: 7,", "udp_port: 7, replicas: 2,"))
    picture = tmp_path / "cluster.svg"
    done = CliRunner().invoke(app, ["show", str(design), "-o", str(picture)])
    assert done.exit_code == 0, done.output
    drawn = picture.read_text()
    for words in ("board_0", "udp_rx", "passes packets on", "echo \N{MULTIPLICATION SIGN}2"):
        assert f">{words}<" in drawn
    assert drawn.count(">passes packets on<") == 2
    assert (tmp_path / "cluster_board_0.svg").exists()
    bad = CliRunner().invoke(app, ["show", str(design), "-o", str(tmp_path / "cluster.txt")])
    assert "should end in .svg" in str(bad.exception)

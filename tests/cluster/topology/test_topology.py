# SPDX-License-Identifier: Apache-2.0
"""Topologies: boards, links and ports; files that are inconsistent."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import networkx as nx
import pytest

from bombus.base.errors import DesignError, UserError
from bombus.cluster import topology
from bombus.cluster.topology import Link, Port


@pytest.mark.parametrize(
    ("kind", "boards", "options", "links", "diameter"),
    [
        ("bar", 1, {}, 0, 0),
        ("bar", 20, {}, 19, 19),
        ("ring", 2, {}, 1, 1),
        ("ring", 9, {}, 9, 4),
        ("torus", 16, {}, 32, 4),
        ("torus", 6, {"columns": 2}, 9, 2),
        ("torus", 7, {}, 7, 3),
        ("star_of_rings", 13, {}, 16, 4),
        ("star_of_rings", 10, {"rings": 2}, 11, 6),
        ("full_mesh", 5, {}, 10, 1),
    ],
)
def test_regular_topologies(
    kind: str, boards: int, options: dict[str, int], links: int, diameter: int
) -> None:
    made = topology.build(kind, boards, **options)
    assert (made.boards, len(made.links)) == (boards, links)
    assert nx.diameter(made.graph) == diameter
    assert len(made.peers) == 2 * links
    assert all(made.peers[made.peers[port]] == port for port in made.peers)
    degrees = Counter(port.board for port in made.peers)
    assert [degrees[board] for board in range(boards)] == list(made.num_links)
    assert max(made.num_links) <= topology.MAX_LINKS


@pytest.mark.parametrize(
    ("kind", "boards", "options", "message"),
    [
        ("full_mesh", 6, {}, "board board_0 has 5 links; a board has at most 4"),
        ("torus", 6, {"columns": 4}, "a torus of 6 boards cannot have 4 columns"),
        ("star_of_rings", 9, {"rings": 5}, "has 1 to 4 rings, not 5"),
        ("star_of_rings", 1, {}, "at least 2 boards"),
        ("ring", 4, {"columns": 2}, "topology ring has no option 'columns'"),
        ("tours", 4, {}, "did you mean 'torus'?"),
        ("bar", 257, {}, "1 to 256 boards, not 257"),
        ("bar", 0, {}, "1 to 256 boards, not 0"),
    ],
)
def test_bad_regular_topologies(
    kind: str, boards: int, options: dict[str, int], message: str
) -> None:
    with pytest.raises(UserError, match=message.replace("?", r"\?")):
        topology.build(kind, boards, **options)


def test_file(tmp_path: Path) -> None:
    file = tmp_path / "links.txt"
    file.write_text("# three boards\n0.3 - 2.0\n\n1.1 - 2.1  # the other\n")
    made = topology.read(file)
    assert made.links == (Link(0, 3, 2, 0), Link(1, 1, 2, 1))
    assert made.num_links == (4, 2, 2)
    assert made.peers[Port(2, 1)] == Port(1, 1)
    file.write_text("left.0 - right.1\n")
    assert topology.read(file).names == ("left", "right")
    assert topology.read(file, ["right", "left"]).links == (Link(1, 0, 0, 1),)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("0.0 - 1.0\n1.0 - 2.0\n", 2, "port 1.0 is used twice, first in line 1"),
        ("0.0 - 1.0\n1.0 - 0.0\n", 2, "port 1.0 is used twice"),
        ("0.0 - 1.0\n1.1 -\n", 2, "a link has two ends"),
        ("0.0 - 1.0 - 2.0\n", 1, "not 3"),
        ("0.0 -> 1.0\n", 1, "links have both directions"),
        ("0.4 - 1.0\n", 1, "at most 4 links"),
        ("0.0 - 0.1\n", 1, "board 0 is linked to itself"),
        ("zero - 1.0\n", 1, "'zero' is not a port of a board"),
        ("0.0 - 1.0\n3.0 - 2.0\n", 2, "no path of links joins board_0 and board_2, board_3"),
        ("0.0 - 2.0\n", None, "no path of links joins board_0 and board_1"),
        ("0.0 - 900.0\n", None, "at most 256"),
        ("# nothing\n", 1, "has no links"),
    ],
)
def test_inconsistent_files(tmp_path: Path, text: str, line: int | None, message: str) -> None:
    file = tmp_path / "links.txt"
    file.write_text(text)
    with pytest.raises(DesignError) as error:
        topology.read(file)
    problem = error.value.problems[0]
    assert (problem.line, message in problem.message) == (line, True), problem


def test_unknown_board_and_all_problems_at_once(tmp_path: Path) -> None:
    file = tmp_path / "links.txt"
    file.write_text("left.0 - middle.0\nleft.0 - right.0\n0.1 - 1.9\n")
    with pytest.raises(DesignError) as error:
        topology.read(file, ["left", "right"])
    assert [problem.line for problem in error.value.problems] == [1, 3]
    assert "there is no board 'middle'" in str(error.value)


def test_dead_links_and_boards() -> None:
    ring = topology.build("ring", 5)
    bar = ring.without([ring.links[0]])
    assert (len(bar.links), bar.num_links) == (4, ring.num_links)
    assert len(ring.without(boards=[2]).links) == 3
    with pytest.raises(UserError, match=r"there is no link 0\.0 - 3\.0"):
        ring.without([Link(0, 0, 3, 0)])

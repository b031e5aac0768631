# SPDX-License-Identifier: Apache-2.0
"""`bombus place` chooses boards: the least traffic between them, and no deadlock."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bombus.base.errors import DesignError
from bombus.cli import app
from bombus.cluster import placement
from bombus.cluster.check import check, check_file
from bombus.cluster.config import load

pytest.importorskip("ortools")

HEAD = """\
name: placed  # the name
data_width: 64
line_rate_gbps: 10
host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2, prefix: 24, gateway: 10.77.0.1}
cluster: {boards: 3, topology: TOPOLOGY, link: {width: 64}LIMIT}
tiles:
  - {name: eth_rx, layers: [mac_rx, eth_rx]}
  - {name: ipv4_rx, kind: ipv4_rx}
  - {name: ipv4_tx, kind: ipv4_tx}
  - {name: eth_tx, layers: [eth_tx, mac_tx]}
  - {name: arp, kind: arp}
"""
TILES = {
    "icmp": "kind: icmp_echo",
    "udp_rx": "kind: udp_rx",
    "echo": "kind: udp_echo, udp_port: 7",
    "udp_tx": "kind: udp_tx",
}


def design(
    folder: Path, boards: dict[str, object], *, topology: str = "bar", max_tiles: int = 0
) -> Path:
    limit = f", max_tiles: {max_tiles}" if max_tiles else ""
    lines = [
        f"  - {{name: {name}, {rest}, board: {boards[name]}}}  # {name}\n"
        for name, rest in TILES.items()
    ]
    file = folder / "placed.yaml"
    file.write_text(HEAD.replace("TOPOLOGY", topology).replace("LIMIT", limit) + "".join(lines))
    return file


ALL = dict.fromkeys(TILES, "place")
STAR = "{links: [[0, 1], [0, 2]]}"


def test_without_a_limit_all_stay_where_the_mac_is(tmp_path: Path) -> None:
    placed = placement.place(design(tmp_path, {**ALL}))
    assert placed.boards == dict.fromkeys(TILES, 0)
    assert (placed.gbps_hops, placed.is_best, placed.refused) == (0, True, 0)


@pytest.mark.parametrize("max_tiles", [6, pytest.param(7, marks=pytest.mark.sweep)])
def test_the_least_traffic_of_all_boards_without_deadlock(tmp_path: Path, max_tiles: int) -> None:
    """Against every choice, for the tiles that lie on the path of a datagram."""
    file = design(tmp_path, {**ALL, "icmp": 2}, max_tiles=max_tiles)
    placed = placement.place(file)
    given = load(file)
    free = ["udp_rx", "echo", "udp_tx"]
    task = placement._task(given, free)
    best = []
    for boards in product(range(3), repeat=len(free)):
        where = dict(zip(free, boards, strict=True))
        if max(5 + boards.count(0), boards.count(1), 1 + boards.count(2)) > max_tiles:
            continue
        try:
            check_file(placement.with_boards(given, where))
        except DesignError:
            continue
        best.append(task.cost(where))
    assert best
    assert task.cost(placed.boards) == min(best)
    assert placed.is_best


def test_a_deadlock_is_not_chosen(tmp_path: Path) -> None:
    """On board 0 the echo would make datagrams leave that board twice."""
    boards = {"icmp": 0, "udp_rx": 1, "echo": "place", "udp_tx": 2}
    placed = placement.place(design(tmp_path, boards, topology=STAR))
    assert placed.refused > 0
    assert placed.boards == {"echo": 1}
    with pytest.raises(DesignError, match="deadlock"):
        check(design(tmp_path, {**boards, "echo": 0}, topology=STAR))


def test_every_board_would_deadlock(tmp_path: Path) -> None:
    """The replicas have room on board 2 only, and what follows them is on board 1."""
    boards = {"icmp": 0, "udp_rx": 1, "echo": "place", "udp_tx": 1}
    file = design(tmp_path, boards, max_tiles=6)
    assert placement.place(file).boards == {"echo": 1}
    file.write_text(file.read_text().replace("udp_port: 7", "udp_port: 7, replicas: 5"))
    with pytest.raises(DesignError, match="deadlock"):
        placement.place(file)


def test_the_command_writes_boards_and_keeps_the_rest(tmp_path: Path) -> None:
    file = design(tmp_path, {**ALL, "icmp": 1}, max_tiles=6)
    before = file.read_text()
    refused = CliRunner().invoke(app, ["check", str(file)])
    assert f"the board of echo is not chosen: run `bombus place {file}`" in str(refused.exception)
    dry = CliRunner().invoke(app, ["place", str(file), "--dry-run", "--json", "-"])
    assert dry.exit_code == 0, dry.output
    boards = json.loads(dry.stdout)["boards"]
    assert file.read_text() == before
    done = CliRunner().invoke(app, ["place", str(file)])
    assert done.exit_code == 0, done.output
    expected = before
    for tile, board in boards.items():
        expected = expected.replace(f"board: place}}  # {tile}\n", f"board: {board}}}  # {tile}\n")
    assert file.read_text() == expected
    assert "place" not in expected.replace("placed", "")
    check(file)
    again = CliRunner().invoke(app, ["place", str(file)])
    assert "nothing to place" in again.output
    moved = placement.place(file, move=True)
    assert set(moved.boards) == {*TILES, "ipv4_rx", "ipv4_tx", "arp"}


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([("layers: [mac_rx, eth_rx]", "layers: [mac_rx, eth_rx], board: place")], "a MAC port"),
        ([("boards: 3", "boards: [a, place, b]")], "no board can have the name 'place'"),
        ([("link:", "max_tiles: 2, link:")], "do not fit on 3 boards with `max_tiles: 2`"),
        ([("link:", "max_tiles: 0, link:")], "max_tiles"),
        ([("board: 1}  # icmp", "board: 7}  # icmp")], "there is no board 7"),
    ],
)
def test_what_cannot_be(tmp_path: Path, edits: list[tuple[str, str]], message: str) -> None:
    file = design(tmp_path, {**ALL, "icmp": 1})
    text = file.read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    with pytest.raises(DesignError, match=message):
        placement.place(file)

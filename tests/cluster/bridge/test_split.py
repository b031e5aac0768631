# SPDX-License-Identifier: Apache-2.0
"""Designs on several boards: the file, the split, deadlocks of the whole, the written files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bombus.analysis.check import DeadlockError
from bombus.base.errors import DesignError, UserError
from bombus.cli import app
from bombus.cluster import files
from bombus.cluster.check import check
from bombus.cluster.config import load
from bombus.cluster.generate import generate_cluster
from bombus.cluster.split import split
from tests import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "cluster" / "udp_echo.yaml"


def edited(folder: Path, *edits: tuple[str, str]) -> Path:
    text = EXAMPLE.read_text()
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    file = folder / "cluster.yaml"
    file.write_text(text)
    return file


def problems(file: Path) -> list[str]:
    with pytest.raises(DesignError) as caught:
        check(file)
    return [f"{each.line}: {each.message}" for each in caught.value.problems if each.is_error]


def layers(data: object) -> dict[str, list[str]]:
    assert isinstance(data, dict)
    return {
        tile["name"]: [
            next(iter(each)) if isinstance(each, dict) else each for each in tile["layers"]
        ]
        if "layers" in tile
        else [tile["kind"]]
        for tile in data["tiles"]
    }


def test_each_board_has_its_tiles_and_a_bridge() -> None:
    cluster = split(EXAMPLE)
    zero, one = cluster.boards
    assert layers(zero.data)["bridge"] == ["cluster_node", "cluster_send", "cluster_receive"]
    assert layers(one.data) == {
        "echo": ["udp_echo"],
        "bridge": ["cluster_node", "cluster_send", "cluster_receive"],
    }
    assert "echo" not in layers(zero.data)
    assert zero.data["elsewhere"] == {"udp_port": {"udp_port_7": [7]}}
    assert [(each.target, each.sources, each.to) for each in cluster.channels] == [
        ("echo.udp_echo.in", [0], (1,)),
        ("udp_tx.udp_tx.in", [1], (0,)),
    ]
    assert [each.number for each in cluster.channels] == [0, 1]


def test_links_without_check(tmp_path: Path) -> None:
    file = edited(tmp_path, ("latency_cycles: 75", "latency_cycles: 75, check: false"))
    for board in check(file).cluster.boards:
        (bridge,) = [tile for tile in board.data["tiles"] if tile["name"] == "bridge"]
        assert bridge["layers"][0]["cluster_node"]["check"] is False


def test_both_ends_of_a_channel_have_its_parameters(tmp_path: Path) -> None:
    entry = "  endpoints: [{name: echo, words: 16, init_budget: 1, grant_period: 3}]\n  link:"
    cluster = split(edited(tmp_path, ("  link:", entry)))
    ends = [
        layer[kind]
        for board, kind in zip(cluster.boards, ("cluster_send", "cluster_receive"), strict=True)
        for layer in board.data["tiles"][-1]["layers"]
        if kind in layer
    ]
    assert len(ends) == 2
    for end in ends:
        given = {name: end[name] for name in ("max_words", "init_budget", "grant_period")}
        assert given == {"max_words": 16, "init_budget": 1, "grant_period": 3}


def test_without_other_boards_nothing_changes(tmp_path: Path) -> None:
    """All tiles on one board of one: the design is that of the same file without boards."""
    file = edited(tmp_path, ("boards: 2", "boards: 1"), (", board: 1", ""))
    (board,) = split(file).boards
    assert board.data["tiles"] == load(file).document["tiles"]


@pytest.mark.parametrize(
    "edits, message",
    [
        ([("board: 1", "board: 2")], "20: there is no board 2; `cluster` has boards 0 to 1"),
        (
            [("boards: 2", "boards: [front, back]"), ("board: 1", "board: middle")],
            "20: there is no board 'middle'; `cluster` has front, back",
        ),
        ([("topology: bar", "topology: {links: [[0, 2]]}")], "9: there is no board 2"),
        (
            [("topology: bar", "topology: {links: [[0, 0]]}")],
            "9: board board_0 is linked to itself",
        ),
        ([("boards: 2", "boards: 3"), ("topology: bar", "topology: {links: [[0, 2]]}")], "9: "),
        ([("topology: bar", "topology: mesh")], "9: "),
        ([("width: 64,", "width: 100,")], "10: "),
        ([("  link:", "  endpoints: [{name: ecko}]\n  link:")], "10: there is no tile 'ecko'"),
        (
            [("  link:", "  endpoints:\n  - name: echo\n  - {name: echo, words: 16}\n  link:")],
            "12: 'echo' has another entry before; put all keys into one",
        ),
        (
            [("  link:", "  endpoints: [{name: echo, flow_stride: 90}]\n  link:")],
            "10: cluster.endpoints[0]: `flow_offset` and `flow_stride` sum to 91",
        ),
        (
            [("  link:", "  endpoints: [{name: echo, init_budget: 5}]\n  link:")],
            "10: cluster.endpoints[0]: `init_budget` 5: more than `flow_stride`, 4",
        ),
        (
            [("  link:", "  endpoints: [{name: echo, grant_period: -1}]\n  link:")],
            "10: cluster.endpoints[0].grant_period: ",
        ),
        ([("board: 1}", "replicas: 2, board: [1]}")], "20: "),
        (
            [("75}", "75, frame_bytes: 1514}")],
            "10: cluster.link: `frame_bytes` is for `carrier: ethernet`",
        ),
        ([("75}", "75, buffer: 3}")], "10: cluster.link.buffer: "),
        ([("75}", "75, buffer: 1025}")], "10: cluster.link.buffer: "),
        (
            [("75}", "75, buffer: 260}")],
            "10: cluster.link: `buffer` 260: should be 261 or more at 64 bits",
        ),
        (
            [
                ("boards: 2", "boards: 3"),
                ("board: 1}", "replicas: 2, dispatch: least_loaded, board: [1, 2]}"),
            ],
            "20: replicas of echo are on several boards: `dispatch` should be round_robin",
        ),
        (
            [("board: 1}", "replicas: 2, dispatch: round_robin, board: [0, 1]}")],
            "14: next hop 'udp_port_7' of udp_rx: some replicas of echo are on this board",
        ),
        ([("name: echo,", "name: bridge,")], "11: 'bridge' is the name of the tile"),
    ],
)
def test_a_bad_file_has_line_and_reason(
    tmp_path: Path, edits: list[tuple[str, str]], message: str
) -> None:
    found = problems(edited(tmp_path, *edits))
    assert any(each.startswith(message) for each in found), found


def test_a_ring_through_two_boards_is_found(tmp_path: Path) -> None:
    """Chains that visit the bridge of a board twice wait there for themselves."""
    file = edited(tmp_path, ("kind: ipv4_rx, at: [1, 0]", "kind: ipv4_rx, board: 1"))
    with pytest.raises(DeadlockError) as caught:
        check(file)
    text = str(caught.value.problems[0])
    assert "possible deadlock" in text
    assert "board_0/udp_rx" in text and "board_1/bridge.cluster_receive" in text
    assert "cluster_send" in text


def test_a_deadlock_is_drawn_on_each_of_its_boards(tmp_path: Path) -> None:
    file = edited(tmp_path, ("kind: ipv4_rx, at: [1, 0]", "kind: ipv4_rx, board: 1"))
    verdict = tmp_path / "verdict.json"
    arguments = ["check", str(file), "-o", str(tmp_path / "cycle.svg"), "--json", str(verdict)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1
    found = json.loads(verdict.read_text())
    pictures = [tmp_path / f"cycle_board_{board}.svg" for board in (0, 1)]
    assert found["pictures"] == [str(picture) for picture in pictures]
    assert not found["valid"] and "possible deadlock" in found["problems"][0]["message"]
    texts = [picture.read_text() for picture in pictures]
    assert "board_0/udp_rx" in texts[0] and "board_1/" not in texts[0]
    assert "board_1/echo" in texts[1]
    without = CliRunner().invoke(app, ["check", str(file)])
    said = without.output.replace("\n", " ")
    assert "-o cycle.svg` draws" in said and "--move` searches" in said


@pytest.mark.parametrize("command", [["area"], ["build"], ["run"], ["timing"], ["bench", "tcp"]])
def test_commands_for_one_board_name_those_for_all(command: list[str]) -> None:
    with pytest.raises(DesignError) as caught:
        CliRunner().invoke(app, [*command, str(EXAMPLE)], catch_exceptions=False)
    (problem,) = caught.value.problems
    assert problem.line == 7
    assert "`bombus cluster run " in problem.message and "`bombus generate " in problem.message


UNMANAGED = "  endpoints: [{name: %s, managed: false}]\n  link:"


@pytest.mark.parametrize("name", ["echo", "others"])
def test_an_unmanaged_channel_must_not_wait_for_the_network(tmp_path: Path, name: str) -> None:
    """The answers of the application wait for grants, which wait after its requests."""
    file = edited(tmp_path, ("  link:", UNMANAGED % name))
    (problem,) = problems(file)
    assert problem.startswith(
        "10: possible deadlock: the channel to echo is unmanaged, and what arrives may wait until "
        "board_1/bridge.cluster_send can send (board_1/bridge.cluster_receive -> board_1/echo, "
        "board_1/echo -> board_1/bridge.cluster_send)"
    )
    assert problem.endswith("remove `managed: false`")
    (warning,) = check(file, allow_deadlock=True).problems
    assert warning.message.startswith("possible deadlock: the channel to echo is unmanaged")


def test_an_unmanaged_channel_that_leaves_by_the_mac_is_accepted(tmp_path: Path) -> None:
    """Also with another channel to its board, whose messages leave in the same way."""
    icmp = "kind: icmp_echo, board: 1,"
    for edits in ([], [("kind: icmp_echo,", icmp)]):
        file = edited(tmp_path, ("  link:", UNMANAGED % "udp_tx"), *edits)
        assert not check(file).problems


def test_an_unmanaged_channel_waits_for_others_of_its_board(tmp_path: Path) -> None:
    """What `eth_tx` takes may have to be returned to the tile that resolves addresses, on another
    board, so what is for udp_tx waits for the network too.
    """
    file = edited(
        tmp_path, ("  link:", UNMANAGED % "udp_tx"), ("kind: arp,", "kind: arp, board: 1,")
    )
    found = [each for each in problems(file) if each.startswith("10: ")]
    assert len(found) == 1 and "board_0/eth_tx.eth_tx -> board_0/bridge.cluster_send)" in found[0]


def test_identical_boards_share_a_design(tmp_path: Path) -> None:
    file = edited(
        tmp_path,
        ("boards: 2", "boards: 5"),
        ("board: 1}", "replicas: 3, dispatch: flow_hash, board: [1, 2, 3]}"),
    )
    cluster = split(file)
    assert len(cluster.channels) == 2
    assert [files.design_name(each) for each in files.different(cluster.boards)] == [
        "board_0",
        "board_1_to_3",
        "board_4",
    ]
    to_boards = cluster.boards[0].data["tiles"][-1]["layers"][1]["cluster_send"]
    assert to_boards["destinations"] == 0x030201
    assert to_boards["num_destinations"] == 3 and to_boards["by_flow"]
    back = cluster.boards[0].data["tiles"][-1]["layers"][2]["cluster_receive"]
    assert back["num_sources"] == 3
    described = json.loads(generate_cluster(file, tmp_path / "out").read_text())
    assert len({board["design"] for board in described["boards"]}) < 5
    assert [link["a"][0] for link in described["links"]] == [0, 1, 2, 3]


def test_written_files_are_ordinary_designs(tmp_path: Path) -> None:
    described = json.loads(generate_cluster(EXAMPLE, tmp_path).read_text())
    for board in described["boards"]:
        result = CliRunner().invoke(app, ["check", str(tmp_path / board["design"])])
        assert result.exit_code == 0, result.output
    registers = [
        (each["register"], each.get("index"), each["value"])
        for each in described["boards"][1]["registers"]
    ]
    assert registers == [
        ("board", None, 1),
        ("route", 0, 0),
        ("route", 1, 1),
        ("route", 2, 0),
        ("route", 3, 1),
    ]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(UserError, match=f"cannot write {tmp_path / 'out'}"):
        generate_cluster(EXAMPLE, tmp_path / "out")


def test_commands_take_the_file(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["check", str(EXAMPLE)])
    assert "11 tiles with 17 layers on 2 boards with 1 link, 2 channels" in result.output.replace(
        "\n", " "
    )
    picture = tmp_path / "cluster.svg"
    result = CliRunner().invoke(app, ["show", str(EXAMPLE), "-o", str(picture)])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "cluster_board_0.svg").exists()


def test_the_application_on_the_last_of_twenty_boards(tmp_path: Path) -> None:
    """The boards in between only pass packets on, and share a design."""
    file = edited(
        tmp_path, ("boards: 2", "boards: 20"), ("bar", "torus"), ("board: 1}", "board: 19}")
    )
    described = json.loads(generate_cluster(file, tmp_path / "out").read_text())
    assert sorted({board["design"] for board in described["boards"]}) == [
        "board_0.yaml",
        "board_19.yaml",
        "board_1_to_18.yaml",
    ]
    numbers = [board["registers"][0]["value"] for board in described["boards"]]
    assert numbers == list(range(20))

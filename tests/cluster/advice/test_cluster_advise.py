# SPDX-License-Identifier: Apache-2.0
"""`bombus cluster advise` and `bombus cluster routes`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bombus.base.errors import DesignError, UserError
from bombus.cli import app
from bombus.cluster import advise, law
from bombus.cluster.check import check
from bombus.cluster.model import Timing
from tests import ROOT

DESIGN = ROOT / "docs" / "examples" / "cluster" / "udp_echo.yaml"

TRAFFIC = """\
name: test
topology: {kind: bar, boards: 4}
link: {check: false}
buffer_kib: 64
traffic:
  - {channel: data, sources: [3], targets: [0], gbps: 17, message_bytes: 256}
  - {channel: command, sources: [0], targets: all, gbps: 0.01, message_bytes: 16}
"""


def written(folder: Path, *changes: tuple[str, str]) -> Path:
    text = TRAFFIC
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = folder / "traffic.yaml"
    file.write_text(text)
    return file


def test_advice_reaches_what_it_says(tmp_path: Path) -> None:
    file = written(tmp_path)
    data, command = found = advise.advise(file)
    assert (data.channel, data.limit) == ("data", "")
    assert data.expected_gbps == pytest.approx(17)
    assert data.endpoint.words == 16
    assert command.endpoint.slots(4) <= 12
    assert sum(each.buffer_bytes for each in found) <= 64 * 1024
    simulated = advise.simulate(file, found, 40_000)
    assert simulated["data"] == pytest.approx(17, rel=0.03)


@pytest.mark.parametrize(("width", "size"), [(64, 1), (128, 250), (512, 16), (512, 4096)])
def test_a_design_file_takes_what_is_proposed(tmp_path: Path, width: int, size: int) -> None:
    """Room for the least packet too, which is longer than a short message."""
    changes = (
        ("check: false", f"check: false, width: {width}"),
        ("channel: data", "channel: echo"),
        ("channel: command", "channel: others"),
        ("message_bytes: 256", f"message_bytes: {size}"),
    )
    found = advise.advise(written(tmp_path, *changes))
    text = advise.block(found).replace("\n", "\n  ")
    design = tmp_path / "cluster.yaml"
    given = DESIGN.read_text().replace("width: 64", f"width: {width}")
    design.write_text(given.replace("  link:", f"  {text}\n  link:"))
    proposed = [(each.max_words, each.endpoint) for each in found]
    cluster = check(design).cluster
    for place, (words, kind) in enumerate(proposed):
        entry = cluster.config.endpoints[place]
        assert entry.words == words >= kind.words
        assert (entry.buffer_size, entry.flow_stride) == (kind.buffer_size, kind.flow_stride)
        assert (entry.flow_offset, entry.init_budget) == (kind.flow_offset, kind.init_budget)
        slots = kind.slots(4)
        assert found[place].buffer_bytes == slots * 8 * words


def test_a_proposal_has_no_more_packets_than_an_endpoint(tmp_path: Path) -> None:
    """From 127 boards in a row."""
    file = tmp_path / "traffic.yaml"
    file.write_text(
        "name: test\ntopology: {kind: bar, boards: 128}\nbuffer_kib: 4096\ntraffic:\n"
        "  - {channel: data, sources: all, targets: [0], gbps: 0.1, message_bytes: 16}\n"
    )
    (data,) = advise.advise(file)
    assert data.endpoint.buffer_size == 4096
    assert data.endpoint.flow_offset + data.endpoint.flow_stride <= 4096


CHECKED = ("check: false", "check: true")
SHORT = ("message_bytes: 256", "message_bytes: 64")
THREE = ("sources: [3], targets: [0], gbps: 17", "sources: [1, 2, 3], targets: [0], gbps: 17")


@pytest.mark.parametrize(
    ("kib", "change"), [(4, CHECKED), (8, CHECKED), (64, CHECKED), (4, SHORT), (8, THREE)]
)
def test_the_simulation_reaches_what_is_promised(
    tmp_path: Path, kib: int, change: tuple[str, str]
) -> None:
    """In a small buffer and a large one, for one sender and several, with a check and without."""
    file = written(tmp_path, ("buffer_kib: 64", f"buffer_kib: {kib}"), change)
    found = advise.advise(file)
    data = found[0]
    assert kib > 4 or data.limit == "buffer"
    assert sum(each.buffer_bytes for each in found) <= kib * 1024
    simulated = advise.simulate(file, found, 40_000)
    assert simulated["data"] == pytest.approx(data.expected_gbps, rel=0.03)


def test_a_buffer_that_several_senders_share_is_named(tmp_path: Path) -> None:
    file = written(tmp_path, ("buffer_kib: 64", "buffer_kib: 4"), THREE)
    data = advise.advise(file)[0]
    assert data.limit == advise.SHARED
    assert data.expected_gbps < 0.7 * data.links_gbps


def test_links_limit(tmp_path: Path) -> None:
    file = written(tmp_path, ("sources: [3]", "sources: [1, 2, 3]"))
    data = advise.advise(file)[0]
    assert data.offered_gbps == pytest.approx(51)
    assert data.links_gbps == pytest.approx(20 * law.line(data.endpoint.words, Timing(check=False)))
    assert data.limit == "link board_1.0 -> board_0.0"


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("sources: [3]", "sources: [4]", 6, "there is no board 4; boards are 0 to 3"),
        ("sources: [3], targets: [0]", "sources: [0], targets: [0]", 6, "only source"),
        ("kind: bar, boards: 4", "kind: full_mesh, boards: 9", 2, "at most 4"),
        ("kind: bar, boards: 4", "kind: bar", 2, "`kind` needs `boards`"),
        ("gbps: 17", "gbps: -1", 6, "gbps"),
        ("buffer_kib: 64", "buffer_kib: 0.5", None, "`buffer_kib` 0.5 is too small: 2 endpoints"),
        ("buffer_kib: 64", "bufer_kib: 64", 4, "bufer_kib"),
        ("gbps: 17", "gbps: 17, rate: 1", 6, "rate"),
        ("sources: [3]", "sources: [3, 3]", 6, "twice"),
    ],
)
def test_bad_descriptions(
    tmp_path: Path, old: str, new: str, line: int | None, message: str
) -> None:
    with pytest.raises(DesignError) as error:
        advise.advise(written(tmp_path, (old, new)))
    assert any(p.line == line and message in p.message for p in error.value.problems), error.value


def test_topology_file_of_a_description(tmp_path: Path) -> None:
    (tmp_path / "links.txt").write_text("0.0 - 1.0\n1.0 - 2.0\n")
    file = written(tmp_path, ("kind: bar, boards: 4", "file: links.txt"))
    with pytest.raises(DesignError, match=r"links\.txt:2: port 1\.0 is used twice"):
        advise.advise(file)


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["cluster", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_advise_command(tmp_path: Path) -> None:
    file = written(tmp_path)
    rows = json.loads(run("advise", file, "--json", "-", "--simulate", 4000))["endpoints"]
    assert [row["channel"] for row in rows] == ["data", "command"]
    assert rows[0]["simulated_gbps"] > 10
    text = run("advise", file)
    assert "FlowStride" in text
    assert advise.block(advise.advise(file)) in text


def test_routes_command(tmp_path: Path) -> None:
    made = json.loads(run("routes", "ring", "--boards", 5, "--classes", 2, "--json", "-"))
    assert len(made["tables"]) == 5
    changed = json.loads(run("routes", "torus", "--boards", 9, "--dead", "4.1", "--json", "-"))
    assert changed["moved"]
    file = tmp_path / "tables.json"
    file.write_text(json.dumps(made))
    assert "Free of deadlock" in run("routes", "ring", "--boards", 5, "--tables", file)
    # All the same way round
    for board in range(5):
        for target in range(5):
            way = 0 if board == 0 else 1
            made["tables"][board][0][target] = 2 if board == target else way
    file.write_text(json.dumps(made))
    for arguments, message in [
        (["--tables", file], "possible deadlock"),
        (["--dead", "9"], "should be a board, 0 to 4"),
        (["--dead", "1.3"], "there is no link at this port"),
        (["--columns", 2], "no option 'columns'"),
    ]:
        with pytest.raises(UserError, match=message):
            run("routes", "ring", "--boards", 5, *arguments)

# SPDX-License-Identifier: Apache-2.0
"""`bombus cluster run`, and a cluster with a network interface at one of its boards."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bombus.base.errors import UserError
from bombus.cli import app
from bombus.cluster.live_run import exchange_frames
from bombus.cluster.run import run
from bombus.cluster.simulation import Cluster
from tests.cluster.simulation.ring import ring

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("beat_board")]


@pytest.fixture
def described(tmp_path: Path) -> Path:
    """A cluster.json of four boards."""
    given = ring(4, chords=False)
    file = tmp_path / "cluster.json"
    values: dict[str, Any] = asdict(given)
    for board in values["boards"]:
        board["design"] = str(board["design"])
    file.write_text(json.dumps(values))
    return file


def test_the_command_writes_a_report(described: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    command = ["cluster", "run", str(described), "--ranks", "2", "--cycles", "3000"]
    command += ["--kill", "1-2@500:700", "--report", str(report)]
    done = CliRunner().invoke(app, [*command, "--pcap-out", str(tmp_path / "captures")])
    assert done.exit_code == 0, done.output
    assert "4 boards in 2 ranks: 3000 cycles" in done.output
    found = json.loads(report.read_text())
    assert [board["board"] for board in found["boards"]] == [0, 1, 2, 3]
    assert found["boards"][2]["counters"]["node"]["from_link1"] > 0
    lost = [link["from_a"]["lost"] + link["from_b"]["lost"] for link in found["links"]]
    assert lost[1] > 0
    assert lost[0] == lost[2] == lost[3] == 0
    assert len([*(tmp_path / "captures").iterdir()]) == 4


def test_counters_of_all_boards_are_printed(described: Path) -> None:
    command = ["cluster", "run", str(described), "--cycles", "2000"]
    plain = CliRunner().invoke(app, command)
    assert "Counters" not in plain.output
    done = CliRunner().invoke(app, [*command, "--counters"], env={"COLUMNS": "120"})
    for board in range(4):
        assert re.search(rf"board_{board} +│ node +│ from_link1 +│ +[1-9]", done.output)


def test_reports_differ_in_nothing_but_ranks_and_time(described: Path) -> None:
    reports = [run(described, ranks=ranks, cycles=2000, bit_errors=1e-3) for ranks in (1, 4)]
    for report in reports:
        del report["ranks"], report["seconds"]
    assert reports[0] == reports[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kill": ["1-2"]}, "--kill 1-2: should be A-B@FROM"),
        ({"kill": ["1-2@9:5"]}, "ends before it begins"),
        ({"kill": ["0-2@1"]}, "no link between boards 0 and 2"),
        ({"kill": ["0-1@5"], "reroute": True}, "board board_0 has no route table"),
        ({"control": Path("/nowhere/run.sock")}, "there is no folder /nowhere"),
        ({"web": True, "web_address": "nowhere"}, "should be ADDRESS:PORT"),
        ({"cycles": -1}, "--cycles -1"),
        ({"ranks": 9}, "9 ranks for 4 boards"),
        ({"bit_errors": 2.0}, "bit_errors"),
        ({"rate": 0.0}, "rate is above 0"),
        ({"pcap_in": Path("/nowhere.pcap")}, "/nowhere.pcap"),
        ({"board": 7, "pcap_in": Path("x.pcap")}, "there is no board 7; boards: 0, 1, 2, 3"),
        ({"report": Path("/dev/full")}, "cannot write /dev/full: No space left"),
    ],
)
def test_what_cannot_be(described: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        run(described, **{"cycles": 10, **options})


def test_a_network_interface_at_a_board() -> None:
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    here.settimeout(20)
    stop: list[int] = []
    answers = []

    def talk() -> None:
        try:
            for length in (60, 20, 300):
                here.send(bytes(range(length % 256)))
                answers.append(here.recv(2000))
        finally:
            stop.append(15)

    with here, there, Cluster(ring(4, pace=0), ranks=2) as cluster:
        thread = threading.Thread(target=talk)
        thread.start()
        exchange_frames(cluster, 0, there.fileno(), stop=stop)
        thread.join()
    assert answers == [bytes(range(60)), bytes(range(20)) + bytes(40), bytes(range(44)) + bytes(16)]


def test_an_idle_cluster_does_not_run_ahead_of_real_time() -> None:
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with here, there, Cluster(ring(2, pace=0, chords=False), ranks=1) as cluster:
        started, first = time.monotonic(), cluster.cycle
        exchange_frames(cluster, 0, there.fileno(), stop=[], cycles=200_000)
        virtual = (cluster.cycle - first) / cluster.clock_hz
        assert virtual <= time.monotonic() - started + 0.001

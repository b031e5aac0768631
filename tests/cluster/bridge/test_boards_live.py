# SPDX-License-Identifier: Apache-2.0
"""A running cluster from outside: its control socket, the command for counters, the live page."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner

from bombus.applications.control import cluster_live
from bombus.applications.control.web.child import url
from bombus.base.errors import UserError
from bombus.cli import app
from bombus.cluster import Cluster
from bombus.cluster.live_calls import CALLS
from bombus.live.control import Control, request
from bombus.protocols.frames import Host, Station, udp_frame
from tests.cluster.bar import bar_of
from tests.support.chromium import open_page

pytestmark = pytest.mark.slow

BOOT = 2_000  # cycles until the links are trained
PEER = Station.of("02:00:00:00:00:01", "10.77.0.9")


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three boards, as in test_boards, after some datagrams to the last one."""
    with Cluster(bar_of(3, tmp_path_factory.mktemp("bar")), assertions=True) as cluster:
        cluster.run(BOOT)
        host = Host.from_manifest(cluster[0].manifest)
        for number in range(5):
            cluster[0].send(udp_frame(PEER, host, bytes(100 + number)))
        cluster.run(20_000)
        yield cluster
        cluster.check()


@contextmanager
def served(cluster: Cluster, serve: Callable[[Cluster], None]) -> Iterator[None]:
    """Runs the cluster in a thread, as `bombus cluster run` does."""
    ended = threading.Event()
    serve(cluster)

    def run() -> None:
        while not ended.is_set():
            cluster.run(300)
            serve(cluster)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def test_the_command_prints_links_and_counters(boards: Cluster, tmp_path: Path) -> None:
    path = tmp_path / "run.sock"
    with Control(path, CALLS) as control, served(boards, control):
        everything = CliRunner().invoke(app, ["cluster", "counters", str(path)])
        one = CliRunner().invoke(
            app, ["cluster", "counters", str(path), "--board", "2", "--json", "-"]
        )
        with pytest.raises(UserError, match="there is no board 7; boards: 0, 1, 2"):
            request(path, "sample", [[7]])
        with pytest.raises(UserError, match="not a request"):
            request(path, "sample", [3])
        with pytest.raises(UserError, match="there is no link 9"):
            request(path, "set_link", [9, False])
        with pytest.raises(UserError, match="whether it is up"):
            request(path, "set_link", [0, "no"])
        overview = request(path, "overview")
    assert everything.exit_code == 0, everything.output
    assert "0.0 to 1.0" in everything.output
    assert "board_2" in everything.output
    found = json.loads(one.stdout)
    assert [board["board"] for board in found["boards"]] == [2]
    assert found["boards"][0]["counters"]["echo"]["noc_in_messages"] == 5
    assert [link["up"] for link in found["links"]] == [True, True]
    there = found["links"][1]["from_a"]
    assert there["packets"] >= 5
    assert there["beats"] > there["packets"]
    assert (there["crc_errors"], there["bit_error_rate"]) == (0, 0)
    assert "echo" in overview["boards"][2]["tiles"]
    assert [link["is_clear"] for link in overview["links"]] == [True, True]


def test_the_page_shows_boards_links_and_counters(boards: Cluster, tmp_path: Path) -> None:
    pytest.importorskip("nicegui")
    path = tmp_path / "run.sock"
    with Control(path, CALLS) as control, cluster_live.page(CALLS, "127.0.0.1:0") as page:

        def serve(cluster: Cluster) -> None:
            control(cluster)
            page(cluster)

        with served(boards, serve), urlopen(url(page._listener), timeout=60) as first:
            assert "reading the counters of 3 boards" in first.read().decode()
        with (
            served(boards, serve),
            open_page(url(page._listener), tmp_path / "browser") as browser,
        ):
            browser.wait("document.querySelectorAll('.cluster [data-board]').length == 3")
            browser.wait("document.body.innerText.includes('board_1.1 to board_2.0')")
            click = "new MouseEvent('click', {bubbles: true})"
            browser.run(f"document.querySelector('[data-board=\"2\"]').dispatchEvent({click})")
            row = "document.body.innerText.match(/echo\\s+noc_in_messages\\s+([\\d,]+)/)"
            assert browser.wait(f"{row} && {row}[1]") == "5"
            down = "document.querySelector('.cluster [data-link=\"1\"]').classList.contains('down')"
            assert browser.run(down) is False
            request(path, "set_link", [1, False])
            browser.wait(down)
            request(path, "set_link", [1, True])
            browser.wait(f"!{down}")
            browser.screenshot(tmp_path / "page.png")
            assert all(
                each.startswith(("data:", "about:", url(page._listener), "ws"))
                for each in browser.requested
            )

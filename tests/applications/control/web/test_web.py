# SPDX-License-Identifier: Apache-2.0
"""The live page: in headless Chromium beside a simulation, and its parts."""

from __future__ import annotations

import re
import socket
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from bombus.applications.control.controller import Controller
from bombus.applications.control.web import editing
from bombus.applications.control.web.child import Page, listener_at
from bombus.applications.control.web.loads import determined, fitted, route
from bombus.applications.logs.entries import PacketEntry, Stamp
from bombus.applications.logs.latency import certain
from bombus.base.errors import UserError
from bombus.protocols.frames import Host, udp_frame
from bombus.registers.access import RegisterError
from bombus.registers.model import Field
from bombus.simulator.simulation import Simulation
from tests.applications.control.test_control_client import Memory
from tests.applications.control.test_ctl import table_manifest
from tests.support.bench import PEER
from tests.support.chromium import open_page
from tests.support.helpers import DESIGNS


def test_loads_follow_from_sums_where_the_graph_has_no_cycle() -> None:
    edges = [("a", "b"), ("a", "c"), ("d", "c")]
    found = fitted(edges, {"a": 30, "d": 5}, {"b": 10, "c": 25})
    assert found == pytest.approx({("a", "b"): 10, ("a", "c"): 20, ("d", "c"): 5})
    assert determined(edges) == set(edges)


def test_loads_are_estimated_in_a_cycle() -> None:
    edges = [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("b", "e")]
    found = fitted(edges, {"a": 10, "b": 30}, {"c": 12, "d": 8, "e": 20})
    assert sum(found.values()) == pytest.approx(40)
    assert determined(edges) == {("b", "e")}


def test_routes_lead_first_along_x() -> None:
    assert route((0, 0), (1, 1)) == [((0, 0), (1, 0)), ((1, 0), (1, 1))]


@pytest.mark.parametrize("text", ["256", "-1", "x", "", "1.2.3.4"])
def test_values_out_of_range_are_refused(text: str) -> None:
    field = Field("ttl", 0, 8, is_readable=True, is_writable=True)
    with pytest.raises(RegisterError):
        editing.parsed(field, text)


def test_addresses_are_values() -> None:
    field = Field("ip", 0, 32, is_readable=True, is_writable=True)
    assert editing.parsed(field, "10.0.0.1") == 0x0A000001
    assert editing.shown(field, 0x0A000001) == "10.0.0.1"


@pytest.mark.parametrize("text", ["80", "name:80", "127.0.0.1:70000"])
def test_bad_addresses_are_refused(text: str) -> None:
    with pytest.raises(UserError, match="ADDRESS:PORT"):
        listener_at(text, "--web-address")


def test_rows_of_a_table() -> None:
    memory = Memory()
    controller = Controller(memory, manifest=table_manifest())
    (place,) = editing.of_tile(controller.manifest, "gate")
    assert editing.insert(controller, place, None, {"network": "10.0.0.1"}) == 0
    assert editing.insert(controller, place, 2, {"network": "0x5"}) == 2
    assert editing.insert(controller, place, None, {}) == 1
    values = [memory.words.get(place.at(entry), 0) for entry in place.entries]
    assert values == [0x0A000001, 0, 5, 0]
    editing.delete(controller, place, 0)
    assert not memory.words[place.at(0)] and not memory.words[place.at(0) + 4]
    with pytest.raises(RegisterError):
        editing.insert(controller, place, None, {"network": "10.0.0"})
    assert editing.insert(controller, place, None, {}) == 0  # the place that is free again


OWN = Host(PEER.mac, PEER.ip, bytes(4))


def entry(cycle: int, payload: bytes, *, is_answer: bool, port: int = 7) -> PacketEntry:
    """A datagram of an echo in a packet log."""
    ends = (port, 5000) if is_answer else (5000, port)
    frame = udp_frame(PEER, OWN, payload, port=ends[1], source_port=ends[0])
    return PacketEntry(Stamp(cycle, 0), len(frame), frame[:64], None, 0, 0, 0, 0, 0, 0)


def test_only_pairs_that_are_certain_are_measured() -> None:
    """Parts of two logs: a request may be missing, and a payload may come twice."""
    sent = [(5, b"b"), (8, b"twice"), (9, b"twice"), (11, b"c")]
    came = [(6, b"a"), (25, b"b"), (30, b"twice"), (31, b"twice"), (40, b"c"), (41, b"d")]
    requests = [entry(cycle, payload, is_answer=False) for cycle, payload in sent]
    answers = [entry(cycle, payload, is_answer=True) for cycle, payload in came]
    assert [each.cycles for each in certain(requests, answers)] == [20, 29]
    assert certain(requests, [entry(4, b"b", is_answer=True)]) == []  # before its request


def _status(url: str, **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


BUTTON = "[...document.querySelectorAll('button')].find(e => e.innerText.includes('%s'))"
SELECT = "document.querySelector('[data-tile=udp_rx]')"


@pytest.mark.slow
def test_page(tmp_path: Path, capfd: Any) -> None:
    """Tiles and counters that grow; a change without key is refused, with the key it is made; only
    local files; the process ends with the run.
    """
    with Simulation(DESIGNS / "udp_echo.yaml", assertions=True) as simulation:
        host = Host.from_manifest(simulation.manifest)
        page = Page("127.0.0.1:0")
        with page:
            page(simulation)
            found = re.search(r"page: (\S+)\s+key for changes: (\w+)", capfd.readouterr().err)
            assert found is not None
            url, key = found.groups()
            process = page._process
            assert process is not None

            stop = threading.Event()

            def run() -> None:
                while not stop.is_set():
                    simulation.send(udp_frame(PEER, host, b"x" * 400))
                    simulation.advance(3000)
                    simulation.receive_all()
                    page(simulation)
                    time.sleep(0.02)

            runner = threading.Thread(target=run)
            runner.start()
            try:
                with open_page(url, tmp_path) as browser:
                    text = "document.body.innerText"
                    browser.wait(f"{text}.includes('simulated')")
                    names = browser.run(
                        "[...document.querySelectorAll('[data-tile]')].map(e => e.dataset.tile)"
                    )
                    assert names == [tile["name"] for tile in simulation.manifest["tiles"]]
                    click = "new MouseEvent('click', {bubbles: true})"
                    browser.run(f"{SELECT}.dispatchEvent({click})")
                    row = "document.body.innerText.match(/noc_in_messages\\s+([\\d,]+)/)"
                    first = browser.wait(f"{row} && {row}[1]")
                    browser.wait(f"{row}[1] != '{first}'")
                    assert _status(url) == 200
                    assert _status(url, Host="example.org") == 403
                    assert _status(url, Origin="http://example.org") == 403
                    assert all(
                        each.startswith((url, "data:", "about:", url.replace("http", "ws")))
                        for each in browser.requested
                    )
                    browser.run(
                        "[...document.querySelectorAll('[role=tab]')]"
                        ".find(e => e.innerText == 'Registers').click()"
                    )
                    edit = "document.querySelector('[aria-label^=edit]')"
                    browser.wait(f"{edit} != null")
                    browser.run(f"{edit}.click()")
                    browser.wait(f"{text}.includes('Changes need the key')")
                    assert not browser.run("!!document.querySelector('.q-dialog')")
                    browser.run("document.querySelector('input[type=password]').focus()")
                    browser.type(key)
                    time.sleep(0.7)
                    browser.run(BUTTON % "unlock" + ".click()")
                    browser.wait(f"!{text}.includes('Changes need the key, at')")
                    browser.run(BUTTON % "design" + ".click()")
                    browser.wait("/02:[0-9a-f:]{14}|10\\.77\\./.test(document.body.innerText)")
                    browser.run(f"{edit}.click()")
                    browser.wait(f"!!{BUTTON % 'write'}")
                    browser.run(BUTTON % "write" + ".click()")
                    browser.wait(f"{text}.includes('was written')")
            finally:
                stop.set()
                runner.join()
            port = int(url.rsplit(":", 1)[1].strip("/"))
        assert process.poll() is not None
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) != 0

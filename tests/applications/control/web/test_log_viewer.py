# SPDX-License-Identifier: Apache-2.0
"""The logs of a design on the live page, read from a socket that answers as a log."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bombus.applications.control.controller import Controller
from bombus.applications.control.description import Description, describe
from bombus.applications.control.web.log_viewer import LogViewer
from bombus.applications.control.web.source import Source
from bombus.applications.logs.messages import (
    LogError,
    Status,
    header_bytes,
    pack,
    request,
    struct_bits,
    unpack,
)
from tests import ROOT
from tests.support.chromium import open_page

DESIGN = ROOT / "docs" / "examples" / "logs" / "drop_logs.yaml"
PORT, ENTRY_BITS = 9121, 740  # of the log of tile receive
REASON = "udp_rx.bad_checksum"
LOG = "receive.drop_log"


class Stack:
    """What the page needs of a controller: nothing happens but in the logs."""

    def __init__(self) -> None:
        found = describe(DESIGN)
        self.manifest = found.manifest
        self.description = found
        address = SimpleNamespace(address=int(IPv4Address("127.0.0.1")))
        self.registers = SimpleNamespace(host=[SimpleNamespace(ip=address)])

    def counters(self) -> dict[str, dict[str, int]]:
        return {tile["name"]: dict.fromkeys(tile["counters"], 0) for tile in self.manifest["tiles"]}

    def access(self, items: Sequence[Any]) -> list[int]:
        return [0] * len(items)


@pytest.fixture
def source() -> Source:
    return Source(cast("Controller", Stack()))


@pytest.fixture
def log(source: Source) -> Iterator[None]:
    """A log with two drops of a datagram, of which one is not known."""
    tiles = source.manifest["tiles"]
    counters = next(tile["counters"] for tile in tiles if tile["name"] == "receive")
    drop = {"stamp.cycle": 1234, "stamp.time_us": 5, "counter": counters.index(f"drop.{REASON}")}
    meta = {"meta.ip": 0x0A4D0001, "meta.l4.ip_rx.protocol": 17, "length": 9}
    known = pack("drop_entry_t", {**drop, **meta, "known": 1, "is_packet": 1})
    datagram = bytes([0x9C, 0x40, 0, 7, 0, 9, 0, 1, 0x61])
    known |= int.from_bytes(datagram, "little") << struct_bits("drop_entry_t")
    size = -(-ENTRY_BITS // 8)
    entries = [known.to_bytes(size, "little"), pack("drop_entry_t", drop).to_bytes(size, "little")]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind(("127.0.0.1", PORT))
        own.settimeout(0.1)
        stop = threading.Event()

        def run() -> None:
            while not stop.is_set():
                try:
                    data, peer = own.recvfrom(2000)
                except TimeoutError:
                    continue
                asked = unpack("request_t", int.from_bytes(data[:16], "little"))
                exists = asked["index"] < len(entries)
                fields = {
                    **{name: asked[name] for name in ("number", "index")},
                    "status": Status.OK if exists else Status.NOT_WRITTEN,
                    "next": len(entries),
                    "entry_bits": ENTRY_BITS,
                }
                head = pack("answer_t", fields) | int.from_bytes(request(0, 0)[:3], "little")
                body = entries[asked["index"]] if exists else b""
                own.sendto(head.to_bytes(header_bytes(), "little") + body, peer)

        thread = threading.Thread(target=run)
        thread.start()
        yield
        stop.set()
        thread.join()


@pytest.mark.usefixtures("log")
def test_entries_of_a_log(source: Source) -> None:
    viewer = LogViewer(source)
    assert [place.name for place in viewer.places] == [
        *(LOG, "tcp.drop_log", "transmit.drop_log", "icmp.drop_log"),
    ]
    found = viewer.read(LOG)
    assert found.caption == f"{LOG} (UDP port {PORT}): entries: 2"
    known, unknown = (dict(zip(found.columns, row, strict=True)) for row in found.rows)
    assert known["dropped"] == unknown["dropped"] == f"receive: {REASON}"
    assert (known["cycle"], known["bytes"]) == ("1234", "9")
    assert known["packet"] == "10.77.0.1:40000 > 127.0.0.1:7 UDP"
    assert unknown["packet"] == unknown["first bytes"] == ""


def test_a_log_that_does_not_answer(source: Source) -> None:
    with pytest.raises(LogError, match=f"no log answers at 127.0.0.1:{PORT}"):
        LogViewer(source).read(LOG)


def test_without_the_design_file(source: Source) -> None:
    stack = cast("Stack", source.controller)
    stack.description = Description(stack.manifest)
    assert not LogViewer(source).places


# Argument: the design. The page of registers in memory; prints its URL.
SERVE = """
import sys
import bombus
from bombus.applications.control.web.child import listener_at, url
from bombus.applications.control.web.server import serve
from bombus.applications.control.web.source import Source
from tests.applications.control.test_control_client import Memory
controller = bombus.Controller(Memory(), manifest=sys.argv[1])
controller.registers.host[0].ip.address = 0x7F000001
with listener_at("127.0.0.1:0", "--listen") as listener:
    print(url(listener), flush=True)
    serve(Source(controller), "0" * 32, listener)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("log")
def test_the_log_viewer_in_a_browser(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", SERVE, str(DESIGN)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            with open_page(server.stdout.readline().strip(), tmp_path) as browser:
                text = "document.body.innerText"
                found = "[...document.querySelectorAll('%s')].find(e => e.innerText == '%s')"
                tab, button = found % ("[role=tab]", "Logs"), found % ("button", "read")
                browser.wait(f"{tab} != null")
                browser.run(f"{tab}.click()")
                browser.wait(f"{text}.includes('press read')")
                browser.run(f"{button}.click()")
                browser.wait(f"{text}.includes('{LOG} (UDP port {PORT}): entries: 2')")
                browser.wait(f"{text}.includes('10.77.0.1:40000 > 127.0.0.1:7 UDP')")
                assert browser.run(f"{text}.match(/receive: {REASON}/g).length") == 2
                browser.screenshot(tmp_path / "logs.png")
        finally:
            server.kill()

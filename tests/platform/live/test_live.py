# SPDX-License-Identifier: Apache-2.0
"""A design on a network interface, in a network namespace, on the loopback design."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bombus.live.interface import Interface, InterfaceError
from bombus.live.netns import Namespace
from bombus.simulator.build import Library
from tests.support.live import new_namespace

pytestmark = pytest.mark.slow

RUN = """
import json, sys
from pathlib import Path
from bombus.base.errors import UserError
from bombus.simulator.build import Library
from bombus.live.run import run
options = json.loads(sys.argv[2])
for name in options.keys() & {"pcap_in", "pcap_out", "trace"}:
    options[name] = Path(options[name])
try:
    run(Library(Path(sys.argv[1])), **options, report=Path(sys.argv[3]))
except UserError as error:
    sys.exit(str(error))
"""

# Sends frames on an interface and receives the replies; prints the number of identical ones.
ECHO = """
import socket, sys
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88B5))
link.settimeout(2)
link.bind((sys.argv[1], 0x88B5))
same = 0
for number in range(int(sys.argv[2])):
    frame = bytes(12) + b"\\x88\\xb5" + number.to_bytes(4, "big") * (1 + number % 300)
    link.send(frame)
    while True:
        answer, sender = link.recvfrom(65535)
        if sender[2] != socket.PACKET_OUTGOING:
            break
    same += answer == frame.ljust(60, b"\\0")
print(same)
"""


@pytest.fixture
def namespace() -> Any:
    with new_namespace() as made:
        yield made


@pytest.mark.parametrize("veth", [False, True])
def test_frames_cross_the_interface(
    namespace: Namespace, loopback: Library, tmp_path: Path, veth: bool
) -> None:
    report = tmp_path / "report.json"
    options = json.dumps({"veth": veth, "interval": 0.2, "address": "10.9.8.7/24"})
    runner = namespace.popen([sys.executable, "-c", RUN, loopback.path, options, report])
    namespace.wait_for_interface("bombus0", runner)
    assert namespace.python(ECHO, "bombus0", "500").strip() == "500"
    assert "10.9.8.7" in namespace.run(["ip", "addr"], capture_output=True, text=True).stdout
    assert namespace.stop(runner) == 0
    totals = json.loads(report.read_text())
    assert totals["counters"]["loop"]["frames_in"] >= 500
    assert totals["ports"][0]["rx_frames"] == totals["ports"][0]["tx_frames"] >= 500
    assert not any(totals["errors"].values())
    links = namespace.run(["ip", "-brief", "link"], capture_output=True, text=True).stdout
    assert links.split()[0] == "lo"
    assert "bombus" not in links


def test_second_port_has_an_interface_of_its_own(
    namespace: Namespace, loopback: Library, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    runner = namespace.popen([sys.executable, "-c", RUN, loopback.path, "{}", report])
    namespace.wait_for_interface("bombus0", runner)
    assert namespace.python(ECHO, "bombus1", "50").strip() == "50"
    assert namespace.stop(runner) == 0
    assert json.loads(report.read_text())["ports"][1]["rx_frames"] >= 50


def test_an_idle_design_sleeps(namespace: Namespace, loopback: Library, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    options = json.dumps({"duration": 1.0, "interval": 10})
    namespace.run([sys.executable, "-c", RUN, loopback.path, options, report])
    assert json.loads(report.read_text())["cycles"] < 20_000


def test_nothing_stays_when_the_namespace_ends(loopback: Library, tmp_path: Path) -> None:
    with new_namespace() as namespace:
        runner = namespace.popen(
            [sys.executable, "-c", RUN, loopback.path, "{}", tmp_path / "report.json"]
        )
        namespace.wait_for_interface("bombus0", runner)
        holder = Path(f"/proc/{namespace._holder.pid}")
        assert holder.exists()
    assert runner.poll() == 0
    assert not holder.exists()


def test_names_that_no_interface_can_have() -> None:
    for name in ("", "a" * 16, "é" * 8, "a/b", "a b", "a%d", "a:0", ".", "..", "a\n"):
        with pytest.raises(InterfaceError, match="name"):
            Interface(name)

# SPDX-License-Identifier: Apache-2.0
"""Two MAC ports with Linux on both sides, and one stack for both or one each."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bombus.live.netns import Namespace
from tests.protocols.stack.two_ports import BOTH
from tests.support.live import COMMAND_SECONDS, two_sides

pytestmark = pytest.mark.slow

# Datagrams of many lengths to the echo of a port. Arguments: address, count.
ECHO = """
import os, socket, sys
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(20)
client.connect((sys.argv[1], 7))
for n in range(int(sys.argv[2])):
    message = os.urandom(1 + 13 * n)
    client.send(message)
    assert client.recv(65535) == message, n
print(n + 1)
"""

# Datagrams to the relay. Arguments: address, count.
FLOOD = """
import socket, sys, time
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for n in range(int(sys.argv[2])):
    client.sendto(bytes(1200), (sys.argv[1], 9000))
    time.sleep(0.01)
"""


@BOTH
def test_linux_on_both_sides(design: Path, tmp_path: Path) -> None:
    """Each side has a network of its own; one link goes down under traffic and comes up again."""
    with two_sides(design, tmp_path) as (left, right):

        def echo(namespace: Namespace, address: str, count: int) -> None:
            text = namespace.python(ECHO, address, str(count), timeout=COMMAND_SECONDS)
            assert text.strip() == str(count)

        echo(left, "10.77.0.2", 30)
        echo(right, "10.78.0.2", 30)
        flood = left.popen([sys.executable, "-c", FLOOD, "10.77.0.2", "200"])
        right.run(["ip", "link", "set", "right0", "down"])
        echo(left, "10.77.0.2", 60)
        assert flood.wait(COMMAND_SECONDS) == 0
        echo(left, "10.77.0.2", 60)
        right.run(["ip", "link", "set", "right0", "up"])
        echo(right, "10.78.0.2", 30)
        echo(left, "10.77.0.2", 30)
    totals = json.loads((tmp_path / "report.json").read_text())
    drops = {name: n for values in totals["counters"].values() for name, n in values.items() if n}
    assert drops["drop.mac_tx.full"] > 0
    assert totals["ports"][0]["tx_frames"] >= 180
    assert totals["ports"][1]["tx_frames"] >= 60

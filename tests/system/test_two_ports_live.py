# SPDX-License-Identifier: Apache-2.0
"""Two MAC ports with Linux on both sides, and one stack for both or one each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.live import COMMAND_SECONDS, RUN
from two_ports import BOTH

from bombus.live.netns import Namespace, NamespaceError
from bombus.simulator.build import build

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
    if not Path("/dev/net/tun").exists() and os.geteuid() != 0:
        pytest.skip("there is neither /dev/net/tun nor root for a veth pair")
    build(design, assertions=True)
    report = tmp_path / "report.json"
    try:
        left, right = Namespace(), Namespace()
    except NamespaceError as error:
        pytest.skip(str(error))
    with left, right:
        paths = [f"/proc/{namespace._holder.pid}/ns/net" for namespace in (left, right)]
        options = {"netns": paths, "tap": ["left0", "right0"], "assertions": True}
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        runner = left.popen(
            [sys.executable, "-c", RUN, str(design), json.dumps(options), str(report)],
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        for namespace, name in ((left, "left0"), (right, "right0")):
            namespace.wait_for_interface(name, runner)

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
        assert left.stop(runner) == 0
    totals = json.loads(report.read_text())
    assert not any(totals["errors"].values())
    drops = {name: n for values in totals["counters"].values() for name, n in values.items() if n}
    assert drops["drop.mac_tx.full"] > 0
    assert totals["ports"][0]["tx_frames"] >= 180
    assert totals["ports"][1]["tx_frames"] >= 60

# SPDX-License-Identifier: Apache-2.0
"""Linux programs talk to board 0 through a network interface; the application is on the last board.

`bombus cluster run --tap`, in a network namespace of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bombus.cluster import Cluster
from tests.cluster.bar import bar_of
from tests.support.live import new_namespace

pytestmark = pytest.mark.slow

ADDRESS = "10.77.0.2"
# Sends datagrams of many lengths, five at once; prints how many came back unchanged.
ECHO = """
import socket, sys
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.settimeout(60)
link.connect((sys.argv[1], 7))
lengths = [1, 18, 64, 300, 1472] * int(sys.argv[2])
same = 0
for first in range(0, len(lengths), 5):
    sent = [bytes([first + n]) * length for n, length in enumerate(lengths[first : first + 5])]
    for each in sent:
        link.send(each)
    same += [link.recv(2000) for _ in sent] == sent
print(5 * same)
"""


@pytest.mark.parametrize(
    ("boards", "ranks"), [(3, 2), pytest.param(20, 1, marks=pytest.mark.sweep)]
)
def test_linux_reaches_the_last_board(tmp_path: Path, boards: int, ranks: int) -> None:
    if not Path("/dev/net/tun").exists() and os.geteuid() != 0:
        pytest.skip("there is neither /dev/net/tun nor root for a veth pair")
    if shutil.which("ping") is None:
        pytest.skip("the program ping is missing")
    design = bar_of(boards, tmp_path)
    report = tmp_path / "report.json"
    with new_namespace() as namespace:
        # Built here, since it takes long. What waits for the links has left when they are trained.
        with Cluster(design, assertions=boards == 3) as built:
            built.run(4000)
        command = [sys.executable, "-m", "bombus.cli", "cluster", "run", str(design)]
        command += ["--tap", "cluster0", "--ranks", str(ranks), "--report", str(report)]
        command += ["--assertions"] * (boards == 3)  # as other tests build them
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        runner = namespace.popen(command, env=environment, stdout=subprocess.DEVNULL)
        namespace.wait_for_interface("cluster0", runner)
        ping = namespace.run(
            ["ping", "-c", "3", "-i", "0.2", "-W", "30", ADDRESS], capture_output=True, text=True
        )
        assert "3 packets transmitted, 3 received, 0% packet loss" in ping.stdout
        assert namespace.python(ECHO, ADDRESS, "4", timeout=240).strip() == "20"
        assert namespace.stop(runner) == 0
    found = {board["board"]: board for board in json.loads(report.read_text())["boards"]}
    assert found[0]["counters"]["icmp"]["noc_in_messages"] == 3
    assert found[boards - 1]["counters"]["echo"]["noc_in_messages"] == 20
    assert found[0]["mac_ports"][0]["rx_frames"] >= 24

# SPDX-License-Identifier: Apache-2.0
"""`bombus ctl` on a live run: over its network and over its control socket."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bombus.simulator.build import build
from tests import ROOT
from tests.support.live import new_namespace

DESIGN = ROOT / "docs" / "examples" / "control" / "managed.yaml"
KEY = bytes(range(16)).hex()


@pytest.mark.slow
def test_a_live_run_is_managed(tmp_path: Path) -> None:
    if not Path("/dev/net/tun").exists() and os.geteuid() != 0:
        pytest.skip("there is neither /dev/net/tun nor root for a veth pair")
    build(DESIGN, assertions=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200"}
    environment |= {"BOMBUS_KEY": KEY, "BOMBUS_DESIGN": str(DESIGN)}
    bombus = [sys.executable, "-m", "bombus.cli"]
    path = tmp_path / "socket"
    with new_namespace() as namespace:
        command = [*bombus, "run", str(DESIGN), "--assertions", "--control", str(path)]
        runner = namespace.popen(command, env=environment, stdout=subprocess.DEVNULL)
        namespace.wait_for_interface("bombus0", runner)

        def ctl(address: str, *arguments: str, key: str = KEY) -> tuple[int, str]:
            result = namespace.run(
                [*bombus, "ctl", "--timeout", "2", address, *arguments],
                env={**environment, "BOMBUS_KEY": key},
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
            return result.returncode, result.stdout + result.stderr

        network, socket = "udp://10.77.0.2:9", f"unix:{path}"
        code, text = ctl(network, "counters", "--json")
        assert code == 0 and json.loads(text)["eth_rx"]["mac_in_frames"] > 0, text
        code, text = ctl(socket, "counters", "--json")
        assert code == 0 and json.loads(text)["control"]["event.controller.applied"] > 0, text
        assert ctl(network, "set", "host[0].gateway", "10.77.0.77")[0] == 0
        code, text = ctl(socket, "get", "host[0].gateway.address")
        assert (code, text) == (0, "host[0].gateway.address = 10.77.0.77 (0x0a4d004d)\n")
        code, text = ctl(network, "next-hop", "udp_tx", "0", "echo")
        assert code == 1 and "possible deadlock" in text, text
        # What is written over the network is known to the analysis over the socket.
        assert ctl(network, "next-hop", "--force", "echo", "0", "eth_tx")[0] == 0
        assert ctl(network, "next-hop", "echo", "0", "udp_tx") == (
            0,
            "echo.udp_tx: udp_tx (by the design file) -> udp_tx\n",
        )
        code, text = ctl(network, "get", "host[0].ip", key="ff" * 16)
        assert code == 1 and "wrong key" in text, text
        assert namespace.stop(runner) == 0

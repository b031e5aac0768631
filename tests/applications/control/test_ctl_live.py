# SPDX-License-Identifier: Apache-2.0
"""`bombus ctl` on a live run: over its network and over its control socket."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bombus.simulator.build import build
from tests import DESIGNS
from tests.support.live import new_namespace

DESIGN = DESIGNS / "control.yaml"
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
        assert code == 0 and json.loads(text)["receive"]["mac_in_frames"] > 0, text
        code, text = ctl(socket, "counters", "--json")
        assert code == 0 and json.loads(text)["control"]["event.controller.applied"] > 0, text
        assert ctl(network, "set", "host[0].gateway", "10.77.0.77")[0] == 0
        code, text = ctl(socket, "get", "host[0].gateway.address")
        assert (code, text) == (0, "host[0].gateway.address = 10.77.0.77 (0x0a4d004d)\n")
        code, text = ctl(network, "next-hop", "transmit", "arp", "echo")
        assert code == 1 and "possible deadlock" in text, text
        # What is written over the network is known to the analysis over the socket.
        assert ctl(network, "next-hop", "--force", "echo", "0", "icmp")[0] == 0
        assert ctl(network, "next-hop", "echo", "0", "transmit") == (
            0,
            "echo.udp_tx: transmit (by the design file) -> transmit\n",
        )
        code, text = ctl(network, "get", "host[0].ip", key="ff" * 16)
        assert code == 1 and "wrong key" in text, text
        assert namespace.stop(runner) == 0


# Arguments: URL and Host header. Prints the status and the length of the page.
FETCH = """
import sys, urllib.error, urllib.request
asked = urllib.request.Request(sys.argv[1], headers={"Host": sys.argv[2]} if sys.argv[2] else {})
try:
    with urllib.request.urlopen(asked, timeout=30) as answer:
        print(answer.status, b"<html" in answer.read())
except urllib.error.HTTPError as error:
    print(error.code)
"""


def _page(process: subprocess.Popen[Any], output: Path) -> tuple[str, str]:
    """The URL and the key that a process prints."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if found := re.search(r"page: (\S+)\s+key for changes: (.+)", output.read_text()):
            return found[1], found[2].strip()
        time.sleep(0.1)
    raise AssertionError(output.read_text())


@pytest.mark.slow
def test_pages_from_the_command_line(tmp_path: Path) -> None:
    """`bombus run --web`, and `bombus ctl web` by both addresses: each serves its page at the
    loopback interface, refuses that of another host, and ends when it is told to.
    """
    if not Path("/dev/net/tun").exists() and os.geteuid() != 0:
        pytest.skip("there is neither /dev/net/tun nor root for a veth pair")
    build(DESIGN, assertions=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200"}
    environment |= {"BOMBUS_KEY": KEY, "BOMBUS_DESIGN": str(DESIGN), "PYTHONUNBUFFERED": "1"}
    bombus = [sys.executable, "-m", "bombus.cli"]
    path = tmp_path / "socket"
    at = "127.0.0.1:0"
    run = [*bombus, "run", str(DESIGN), "--assertions", "--control", str(path)]
    with new_namespace() as namespace:
        namespace.run(["ip", "link", "set", "lo", "up"], check=True)

        def start(command: list[str], name: str) -> tuple[subprocess.Popen[Any], str, str]:
            with (tmp_path / name).open("w") as output:
                process = namespace.popen(
                    command, env=environment, stdout=output, stderr=subprocess.STDOUT
                )
            return process, *_page(process, tmp_path / name)

        def fetch(url: str, host: str = "") -> str:
            return namespace.python(FETCH, url, host, timeout=60).strip()

        runner, url, key = start([*run, "--web", "--web-address", at], "run")
        pages = [(url, "run")]
        assert re.match(r"[0-9a-f]{32}\b", key)
        namespace.wait_for_interface("bombus0", runner)
        served = []
        for address in ("udp://10.77.0.2:9", f"unix:{path}"):
            command = [*bombus, "ctl", "--timeout", "2", address, "web", "--listen", at]
            process, url, key = start(command, f"page{len(served)}")
            assert key.startswith("that of the design")
            served.append(process)
            pages.append((url, address))
        for url, name in pages:
            assert fetch(url) == "200 True", name
            assert fetch(url, "example.org") == "403", name
        for process in served:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 0
        assert namespace.stop(runner) == 0
        for url, _ in pages:
            with pytest.raises(subprocess.CalledProcessError):
                fetch(url)

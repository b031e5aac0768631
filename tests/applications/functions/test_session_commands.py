# SPDX-License-Identifier: Apache-2.0
"""`bombus ctl session` on a live run, whose peer is a program with Linux's TCP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bombus.simulator.build import build
from tests import ROOT
from tests.support.live import INTERFACE, new_namespace

DESIGN = ROOT / "docs" / "examples" / "functions" / "tcp_echo_handover.yaml"
CARRIER = ("--interface", INTERFACE, "--carrier", "10.77.0.250")
# Prints its port, then the echo of each line that it reads.
PEER = """
import socket, sys
with socket.create_connection(("10.77.0.2", 7), timeout=60) as connection:
    print(connection.getsockname()[1], flush=True)
    for line in sys.stdin:
        connection.sendall(line.encode())
        print(connection.makefile().readline(), end="", flush=True)
"""


@pytest.mark.slow
@pytest.mark.sweep
def test_a_connection_leaves_a_stack_and_returns(tmp_path: Path) -> None:
    """By a file, while its peer does not notice. The peer's bytes meanwhile arrive later."""
    if not Path("/dev/net/tun").exists() and os.geteuid() != 0:
        pytest.skip("there is neither /dev/net/tun nor root for a veth pair")
    build(DESIGN)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200"}
    environment["BOMBUS_KEY"] = "0x0f0e0d0c0b0a09080706050403020100"
    environment["BOMBUS_DESIGN"] = str(DESIGN)
    bombus = [sys.executable, "-m", "bombus.cli"]
    file = tmp_path / "session.json"
    with new_namespace() as namespace:

        def session(*arguments: str) -> tuple[int, str]:
            result = namespace.run(
                [*bombus, "ctl", "--timeout", "5", "udp://10.77.0.2:9", "session", *arguments],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=240,
            )
            return result.returncode, result.stdout + result.stderr

        runner = namespace.popen(
            [*bombus, "run", str(DESIGN)], env=environment, stdout=subprocess.DEVNULL
        )
        namespace.wait_for_interface(INTERFACE, runner)
        peer = namespace.popen(
            [sys.executable, "-c", PEER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert peer.stdin and peer.stdout
        number = peer.stdout.readline().strip()

        def write(line: str) -> None:
            assert peer.stdin
            peer.stdin.write(line)
            peer.stdin.flush()

        write("before\n")
        assert peer.stdout.readline() == "before\n"
        end = f"10.77.0.1:{number}"
        export = ("export", *CARRIER, "--port", "7", "--to", str(file), "--peer")
        code, text = session(*export, "10.77.0.1:1")
        assert code == 1 and not file.exists(), text
        code, text = session(*export, end)
        assert code == 0 and "bytes are not acknowledged" in text, text
        assert json.loads(file.read_text())["peer"] == ["10.77.0.1", int(number)]
        assert session(*export, end)[0] == 1  # the file exists
        write("after\n")
        code, text = session("import", *CARRIER, "--from", str(file), "--replay")
        assert code == 0 and f"port 7: connected with {end}" in text, text
        code, text = session("release")
        assert code == 0, text
        assert peer.stdout.readline() == "after\n"
        peer.stdin.close()
        assert peer.wait(timeout=60) == 0
        assert namespace.stop(runner) == 0

# SPDX-License-Identifier: Apache-2.0
"""What pages tell to type that runs programs of Linux: `bombus demo`, and a live run without root.

Both with the design of the worked example, whose simulator other tests build too.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bombus.simulator.build import build
from tests.platform.docs.documents import DOCS, UDP_UPPER
from tests.support.live import new_namespace

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def built() -> None:
    if not Path("/dev/net/tun").exists() and os.geteuid() != 0:
        pytest.skip("there is neither /dev/net/tun nor root for a veth pair")
    with new_namespace():
        build(UDP_UPPER)


def test_demo() -> None:
    command = [sys.executable, "-m", "bombus.cli", "demo", str(UDP_UPPER)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert "200 datagrams of 1 to 1472 bytes came back unchanged" in result.stdout
    if shutil.which("ping"):
        assert "5 packets transmitted, 5 received, 0% packet loss" in result.stdout
    # A frame of 60 bytes is one beat: one cycle a packet.
    assert re.search(r"^ *│? *60 .* 1\.00 .* 250\.0 M .* 100\.0", result.stdout, re.M)


def test_live_run_without_root() -> None:
    page = (DOCS / "simulator.md").read_text()
    shown = re.search(r"^unshare -rn sh -c '.*?'$", page, re.M | re.S)
    assert shown is not None
    text = shown[0].replace("designs/udp_echo.yaml --duration 20", f"{UDP_UPPER} --duration 6")
    assert str(UDP_UPPER) in text
    if shutil.which("ping") is None:
        pytest.skip("the program ping is missing")
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": programs}
    command = ["sh", "-c", text]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert result.returncode == 0, result.stderr
    assert "3 packets transmitted, 3 received, 0% packet loss" in result.stdout
    assert "udp_upper at 10.77.0.2 on bombus0" in result.stdout

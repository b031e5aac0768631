# SPDX-License-Identifier: Apache-2.0
"""The live page from the command line: `bombus run --web`, and `bombus ctl web` of the same run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bombus.simulator.build import build
from tests import ROOT
from tests.support.live import ADDRESS, new_namespace

DESIGN = ROOT / "docs" / "examples" / "logs" / "logs.yaml"
SECONDS = 30.0
PAGE = re.compile(r"page: (\S+)\s+key for changes: (\w+)")


def page_of(output: Path, runner: subprocess.Popen[bytes]) -> tuple[str, str]:
    """URL and key that a program prints."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and runner.poll() is None:
        if found := PAGE.search(output.read_text()):
            return found[1], found[2]
        time.sleep(0.05)
    raise AssertionError(output.read_text())


@pytest.mark.slow
def test_pages_of_a_live_run(tmp_path: Path) -> None:
    """Of the run: latencies from its logs. Of `ctl`: rows of a table, and the analysis of them."""
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed")
    if not Path("/dev/net/tun").exists() and os.geteuid() != 0:
        pytest.skip("there is neither /dev/net/tun nor root for a veth pair")
    build(DESIGN, assertions=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    bombus = [sys.executable, "-m", "bombus.cli"]
    socket, outputs = tmp_path / "socket", [tmp_path / "run", tmp_path / "ctl"]
    with new_namespace() as namespace:

        def start(output: Path, *arguments: str) -> subprocess.Popen[bytes]:
            with output.open("wb") as file:
                options = {"env": environment, "stdout": file, "stderr": file}
                return namespace.popen([*bombus, *arguments], **options)

        namespace.run(["ip", "link", "set", "lo", "up"])
        control = ["--assertions", "--control", str(socket)]
        runner = start(outputs[0], "run", str(DESIGN), "--web", *control)
        namespace.wait_for_interface("bombus0", runner)
        url, key = page_of(outputs[0], runner)
        pings = namespace.popen(["ping", "-i", "0.3", ADDRESS], stdout=subprocess.DEVNULL)

        def visit(step: str, url: str, key: str) -> None:
            command = [sys.executable, "-m", "tests.applications.control.web.visit"]
            namespace.run(
                [*command, step, url, key], env=environment, check=True, timeout=4 * SECONDS
            )

        for tile in ("receive", "transmit"):  # logs that overwrite their oldest entries
            ring = [
                "ctl",
                f"unix:{socket}",
                "set",
                f"{tile}.log_store.control",
                "ring=1",
                "clear=0",
            ]
            namespace.run([*bombus, *ring], env=environment, check=True)
        visit("latency", url, key)
        at = ["--listen", "127.0.0.1:8081"]
        page = start(outputs[1], "ctl", "--design", str(DESIGN), f"unix:{socket}", "web", *at)
        visit("rows", *page_of(outputs[1], page))
        for process in (pings, page, runner):
            namespace.stop(process)

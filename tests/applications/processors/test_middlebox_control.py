# SPDX-License-Identifier: Apache-2.0
"""`bombus run` with lists, rules and a control socket, between two namespaces of Linux, and
`bombus processor` beside it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bombus.applications.processors.build import build as build_firmware
from bombus.base.paths import EXAMPLES
from bombus.live.netns import Namespace
from bombus.simulator.build import build
from tests.support.live import COMMAND_SECONDS, new_namespace

pytestmark = pytest.mark.slow

FOLDER = EXAMPLES / "middlebox"
BOMBUS = [sys.executable, "-m", "bombus.cli"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200"}
LEFT, BLOCKED, RIGHT = "10.9.0.1", "10.9.0.66", "10.9.0.2"
ATTACK = f"""
import socket
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for text in (b"HI goldfish", b"HI swordfish"):
    sender.sendto(text, ("{RIGHT}", 5000))
"""


class Run:
    """A middlebox that the command line runs."""

    def __init__(self, left: Namespace, runner: subprocess.Popen[Any], socket: Path) -> None:
        self.left, self.runner, self.socket = left, runner, socket

    def processor(self, *arguments: object) -> tuple[int, str]:
        """Exit code and output of `bombus processor`."""
        command = [*BOMBUS, "processor", *map(str, arguments), "--control", str(self.socket)]
        result = subprocess.run(
            command, env=ENVIRONMENT, capture_output=True, text=True, timeout=COMMAND_SECONDS
        )
        return result.returncode, result.stdout + result.stderr

    def reaches(self, source: str, seconds: int) -> bool:
        """Whether a ping from an address passes."""
        command = ["ping", "-c", "1", "-W", str(seconds), "-I", source, RIGHT]
        return self.left.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0


@contextmanager
def running(name: str, folder: Path, options: Sequence[object]) -> Iterator[Run]:
    """A middlebox of docs/examples with the program of its name, between two namespaces."""
    if not Path("/dev/net/tun").exists() and os.geteuid() != 0:
        pytest.skip("there is neither /dev/net/tun nor root for a veth pair")
    design, socket = FOLDER / f"{name}.yaml", folder / "control.sock"
    build_firmware([FOLDER / f"{name}.c"], folder / "program.elf")
    build(design, assertions=True)
    left, right = new_namespace(), new_namespace()
    with left, right:
        command = [*BOMBUS, "run", str(design), "--assertions", "--control", str(socket)]
        for space, interface, address in ((left, "left0", LEFT), (right, "right0", RIGHT)):
            command += ["--netns", str(space.path), "--tap", interface]
            command += ["--address", f"{address}/24"]
        command += ["--firmware", str(folder / "program.elf"), *map(str, options)]
        runner = left.popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        for space, interface in ((left, "left0"), (right, "right0")):
            space.wait_for_interface(interface, runner)
        left.run(["ip", "address", "add", f"{BLOCKED}/24", "dev", "left0"])
        yield Run(left, runner, socket)
        assert left.stop(runner) == 0
    assert not socket.exists()


def test_firewall(tmp_path: Path) -> None:
    """A listed address is blocked, others are not; the processor obeys the command line."""
    (tmp_path / "blacklist.txt").write_text("10.9.0.64/26\n")
    options = ("--blacklist", tmp_path / "blacklist.txt")
    with running("firewall", tmp_path, options) as run:
        assert run.reaches(LEFT, 60) and not run.reaches(BLOCKED, 2)
        code, text = run.processor("status")
        assert code == 0 and "rpu" in text and "runs" in text
        assert run.processor("stop", 0)[0] == 0
        assert not run.reaches(LEFT, 2)
        code, text = run.processor("read", 0, "0x10000000", 8)
        assert code == 0 and len(bytes.fromhex(text)) == 8
        assert run.processor("load", 0, tmp_path / "program.elf")[0] == 0
        assert "stopped" in run.processor("status")[1]
        assert run.processor("boot", 0) == (0, "")
        assert run.reaches(LEFT, 60)
        for arguments, reason in (
            (("boot", 7), "there is no packet processor 7; the design has 1"),
            (("load", 0, tmp_path / "none.elf"), "none.elf"),
            (("evict", 0), "has no replicas"),
            (("policy", "fair"), "no replicas of packet processors"),
            (("read", 0, "0x10000000"), "stop it to reach its memory"),
        ):
            code, text = run.processor(*arguments)
            assert code == 1 and reason in text, text
        assert run.reaches(LEFT, 60)


def test_intrusion_detection(tmp_path: Path) -> None:
    """The command line compiles rules, loads them and prints hits."""
    command = ["rules", "compile", str(FOLDER / "my.rules"), "-o", str(tmp_path / "tables")]
    subprocess.run([*BOMBUS, *command, "--rows", "1024"], env=ENVIRONMENT, check=True)
    with running("ids", tmp_path, ("--rules", tmp_path / "tables")) as run:
        assert run.reaches(LEFT, 60)
        run.left.python(ATTACK, timeout=COMMAND_SECONDS)
        assert run.runner.stdout is not None
        lines = run.runner.stdout
        assert lines.readline().startswith("ids on left0 (")
        assert lines.readline() == "hit: sid 1000002, exact\n"

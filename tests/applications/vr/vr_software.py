# SPDX-License-Identifier: Apache-2.0
"""The program of clients/vr, and a group of its processes in a network namespace."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import pytest

from bombus.live.netns import Namespace
from tests import ROOT

SOURCES = ROOT / "clients" / "vr"
FIRST_PORT = 7000
WAIT_SECONDS = 30


def go() -> str:
    """The Go tool; without it, the test is skipped."""
    found = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if found is None:
        pytest.skip("there is no Go (package golang-go)")
    downloaded = subprocess.run(
        [found, "mod", "download"], cwd=SOURCES, capture_output=True, text=True
    )
    if downloaded.returncode != 0:
        pytest.skip(f"porcupine cannot be downloaded: {downloaded.stderr.strip()}")
    return found


def run_go(*arguments: str) -> str:
    """Output of a Go command in the module; it must succeed."""
    result = subprocess.run(
        [go(), *arguments], cwd=SOURCES, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


class Group:
    """Replicas (even numbers) and witnesses (odd numbers) as processes, and clients.

    Each process has the members of all shards with its number.

    `witness`: a program that is used in place of the software witness; its argument is its address.
    It is set up like a hardware witness.
    """

    def __init__(
        self,
        namespace: Namespace,
        folder: Path,
        members: int,
        witness: Sequence[str] = (),
        shards: int = 1,
    ) -> None:
        self._witness = witness
        self.program = folder / "vr"
        self.config = folder / "group.json"
        self._namespace = namespace
        self._folder = folder
        self._members: dict[int, subprocess.Popen[Any]] = {}
        run_go("build", "-o", str(self.program), ".")
        groups = [
            [f"127.0.0.1:{FIRST_PORT + 10 * shard + i}" for i in range(members)]
            for shard in range(shards)
        ]
        self.config.write_text(json.dumps({"shards": groups}))
        for i in range(0, members, 2):
            subprocess.run(self._command(["init", "-data", str(self._data(i))]), check=True)
        for i in range(members):
            self.start(i)

    def _data(self, index: int) -> Path:
        return self._folder / f"replica_{index}"

    def start(self, index: int) -> None:
        if self._witness and index % 2:
            command = [*self._witness, f"127.0.0.1:{FIRST_PORT + index}"]
            self._members[index] = self._namespace.popen(command)
            self._namespace.popen(self._command(["setup", "-index", str(index)]))
            return
        role = ["witness"] if index % 2 else ["replica", "-data", str(self._data(index))]
        command = [str(self.program), *role, "-config", str(self.config), "-index", str(index)]
        with (self._folder / f"log_{index}").open("a") as log:
            self._members[index] = self._namespace.popen(command, stderr=log)

    def kill(self, index: int) -> None:
        """Ends a member by SIGKILL, at whatever it does."""
        self._members[index].kill()
        self._members[index].wait()

    def _command(self, arguments: Sequence[str]) -> list[str]:
        return [str(self.program), arguments[0], "-config", str(self.config), *arguments[1:]]

    def client(self, *arguments: str) -> str:
        """Output of a client command; it must succeed."""
        result = self._namespace.run(
            self._command(arguments), check=False, capture_output=True, text=True
        )
        assert result.returncode == 0, f"{result.stderr}\n{self.logs()}"
        return str(result.stdout).strip()

    def check(self, history: Path) -> str:
        """The judgement of a history, which must be linearizable."""
        command = [str(self.program), "check", str(history)]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        assert result.returncode == 0, f"{result.stderr}\n{self.logs()}"
        return result.stdout

    def load(self, *arguments: str) -> subprocess.Popen[Any]:
        """Starts a load generator."""
        return self._namespace.popen(
            self._command(["load", *arguments]),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def logs(self) -> str:
        """What all members have reported."""
        return "".join(file.read_text() for file in sorted(self._folder.glob("log_*")))

    def wait_for(self, text: str) -> None:
        """Waits until a member has reported this."""
        end = time.monotonic() + WAIT_SECONDS
        while text not in self.logs():
            assert time.monotonic() < end, self.logs()
            time.sleep(0.02)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for member in self._members.values():
            self._namespace.stop(member)

# SPDX-License-Identifier: Apache-2.0
"""The program of clients/vr, and stores of its processes in a network namespace."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
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
WAIT_SECONDS = 60


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


class Store:
    """The program, built in `folder`, and its clients; members write `log_*` there."""

    def __init__(self, namespace: Namespace, folder: Path, config: Path) -> None:
        self.namespace = namespace
        self.folder = folder
        self.program = folder / "vr"
        self.config = config
        run_go("build", "-o", str(self.program), ".")

    def command(self, *arguments: str) -> list[str]:
        return [str(self.program), arguments[0], "-config", str(self.config), *arguments[1:]]

    def popen(self, log: str, *arguments: str) -> subprocess.Popen[Any]:
        """Starts a member."""
        with (self.folder / f"log_{log}").open("a") as file:
            return self.namespace.popen(self.command(*arguments), stderr=file)

    def client(self, *arguments: str) -> str:
        """Output of a client command; it must succeed."""
        result = self.namespace.run(
            self.command(*arguments), check=False, capture_output=True, text=True
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
        return self.namespace.popen(
            self.command("load", *arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def finish(self, load: subprocess.Popen[Any]) -> str:
        """Output of a load generator, which must succeed."""
        shown = load.communicate()[0]
        assert load.returncode == 0, f"{shown}\n{self.logs()}"
        return str(shown)

    def logs(self) -> str:
        """What all members have reported."""
        return "".join(file.read_text() for file in sorted(self.folder.glob("log_*")))

    def wait_for(self, pattern: str, times: int = 1) -> str:
        """Waits until members have reported this so many times; returns the last match."""
        end = time.monotonic() + WAIT_SECONDS
        while len(found := re.findall(pattern, self.logs())) < times:
            assert time.monotonic() < end, f"{pattern}\n{self.logs()}"
            time.sleep(0.02)
        return str(found[-1])


class LocalStore(Store):
    """A store by `vr local`: the members with addresses of the namespace run as processes."""

    def __init__(self, namespace: Namespace, folder: Path, config: Path) -> None:
        super().__init__(namespace, folder, config)
        self._members = self.popen("local", "local", "-data", str(folder / "data"))

    def kill(self, index: int) -> None:
        """Ends a replica of all shards by SIGKILL."""
        process = self.wait_for(rf"member {index}: replica, process (\d+)")
        os.kill(int(process), signal.SIGKILL)
        self.wait_for(rf"member {index}: ended")

    def stop(self) -> None:
        self._members.send_signal(signal.SIGINT)
        self._members.wait(10)


class Group(Store):
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
        super().__init__(namespace, folder, folder / "group.json")
        self._witness = witness
        self._members: dict[int, subprocess.Popen[Any]] = {}
        groups = [
            [f"127.0.0.1:{FIRST_PORT + 10 * shard + i}" for i in range(members)]
            for shard in range(shards)
        ]
        self.config.write_text(json.dumps({"shards": groups}))
        for i in range(0, members, 2):
            subprocess.run(self.command("init", "-data", self._data(i)), check=True)
        for i in range(members):
            self.start(i)

    def _data(self, index: int) -> str:
        return str(self.folder / f"replica_{index}")

    def start(self, index: int) -> None:
        if self._witness and index % 2:
            command = [*self._witness, f"127.0.0.1:{FIRST_PORT + index}"]
            self._members[index] = self.namespace.popen(command)
            self.namespace.popen(self.command("setup", "-index", str(index)))
            return
        role = ["witness"] if index % 2 else ["replica", "-data", self._data(index)]
        self._members[index] = self.popen(str(index), *role, "-index", str(index))

    def kill(self, index: int) -> None:
        """Ends a member by SIGKILL, at whatever it does."""
        self._members[index].kill()
        self._members[index].wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for member in self._members.values():
            self.namespace.stop(member)

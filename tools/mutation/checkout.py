# SPDX-License-Identifier: Apache-2.0
"""A copy of the repository's files, to make mistakes in, and tests run in it."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Verdict = Literal["passed", "failed", "timeout", "broken"]
_NO_TESTS = (2, 4, 5)  # exit codes of pytest: interrupted, wrong usage, nothing to run


class BadTestsError(Exception):
    """The tests themselves cannot be run."""


@dataclass(frozen=True)
class Run:
    """`broken`: the mutated code could not be built."""

    verdict: Verdict
    seconds: float
    test: str  # the first one that failed
    output: str


@dataclass(frozen=True)
class Checkout:
    """A copy in its own folder, with its own cache."""

    folder: Path
    cache: Path

    @classmethod
    def of(cls, repository: Path, folder: Path, cache: Path) -> Checkout:
        """Copies the tracked files of a repository in their current state."""
        shutil.rmtree(folder, ignore_errors=True)
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=repository, stdout=subprocess.PIPE, check=True
        )
        for name in listed.stdout.decode().split("\0"):
            if name and (repository / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(repository / name, folder / name)
        cache.mkdir(parents=True, exist_ok=True)
        return cls(folder, cache)

    @contextmanager
    def changed(self, texts: Mapping[str, str]) -> Iterator[None]:
        """With other texts in some files."""
        before = {
            name: (self.folder / name).read_text() if (self.folder / name).exists() else None
            for name in texts
        }
        try:
            for name, text in texts.items():
                (self.folder / name).write_text(text)
            yield
        finally:
            for name, old in before.items():
                if old is None:
                    (self.folder / name).unlink()
                else:
                    (self.folder / name).write_text(old)

    def test(self, arguments: str, timeout: float, **environment: str) -> Run:
        """Runs pytest up to the first failure."""
        pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        start = time.monotonic()
        process = subprocess.Popen(
            [*pytest, *shlex.split(arguments)],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env={
                **os.environ,
                **environment,
                "PYTHONPATH": str(self.folder / "src"),
                "BOMBUS_CACHE": str(self.cache),
            },
        )
        verdict: Verdict
        try:
            output = process.communicate(timeout=timeout)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output = process.communicate()[0]
            return Run("timeout", time.monotonic() - start, "", output)
        if process.returncode == 0:
            verdict = "passed"
        elif process.returncode in _NO_TESTS and "while loading conftest" not in output:
            raise BadTestsError(f"pytest {arguments}\n{output}")
        else:
            verdict = "broken" if "%Error" in output else "failed"
        failed = next((line for line in output.splitlines() if line.startswith("FAILED")), "")
        test = failed.removeprefix("FAILED ").split(" - ")[0]
        return Run(verdict, time.monotonic() - start, test, output)

# SPDX-License-Identifier: Apache-2.0
"""Erasure code libraries for storage, for comparison.

`benchmarks/reed_solomon` has a small program for each: ISA-L in C, and
klauspost/reedsolomon in Go. They are compiled at first use. Commands of both:

- `encode`: blocks (data shards one after another) in, their parity shards out
- `recover`: stripes (data and parity shards) in; of each, every set of as many
  shards as there are parity shards is lost and made anew
- `bench`: encodes over and over, on one core
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bombus.applications.reed_solomon.model import Code
from bombus.base.cache import cached_directory, content_key
from bombus.base.errors import UserError
from bombus.base.paths import BENCHMARKS

SOURCES = BENCHMARKS / "reed_solomon"
_GO_FILES = ("go.mod", "go.sum", "main.go")
_PROGRAM = "reed_solomon"


class MissingLibraryError(UserError):
    """A library, or the compiler for its program, is missing on this machine."""


def _compile(command: list[str], folder: Path, what: str) -> None:
    result = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if result.returncode != 0:
        said = result.stdout.strip().splitlines()
        raise MissingLibraryError(f"{what}: {said[0] if said else 'it does not compile'}")


def _build_isal(folder: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise MissingLibraryError("ISA-L: there is no C compiler (package gcc)")
    source = str(SOURCES / "isal.c")
    command = [compiler, "-std=gnu11", "-O2", "-o", _PROGRAM, source, "-lisal"]
    _compile(command, folder, "ISA-L (package libisal-dev)")


def _build_go(folder: Path) -> None:
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        raise MissingLibraryError("klauspost/reedsolomon: there is no Go (package golang-go)")
    for name in _GO_FILES:
        shutil.copy(SOURCES / "go" / name, folder)
    _compile([go, "build", "-o", _PROGRAM, "."], folder, "klauspost/reedsolomon")


_BUILDERS: Mapping[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {
    "isal": (_build_isal, ("isal.c",)),
    "go": (_build_go, tuple(f"go/{name}" for name in _GO_FILES)),
}
NAMES = tuple(_BUILDERS)


@dataclass(frozen=True)
class Recovered:
    """Number of losses that were recovered, and that were not."""

    recovered: int
    wrong: int


@dataclass(frozen=True)
class ErasureLibrary:
    """A library, by the program that drives it."""

    name: str
    program: Path

    def _run(self, command: str, code: Code, shard_bytes: int, data: bytes, *more: str) -> bytes:
        arguments = [str(code.data_shards), str(code.parity_shards), str(shard_bytes), code.matrix]
        result = subprocess.run(
            [self.program, command, *arguments, *more], input=data, capture_output=True
        )
        if result.returncode != 0:
            raise UserError(f"{self.name}: {result.stderr.decode(errors='replace').strip()}")
        return result.stdout

    def encode(self, code: Code, shard_bytes: int, blocks: bytes) -> bytes:
        """Parity of blocks, both one after another."""
        return self._run("encode", code, shard_bytes, blocks)

    def recover(self, code: Code, shard_bytes: int, stripes: bytes) -> Recovered:
        """Loses every set of shards that a code should tolerate, and recovers them."""
        return Recovered(**json.loads(self._run("recover", code, shard_bytes, stripes)))

    def bench(self, code: Code, shard_bytes: int, seconds: float) -> float:
        """Input rate of one core, in Gbit/s of CPU time: the best of several runs."""
        # The last core, since system tasks tend to run on the first.
        core = max(os.sched_getaffinity(0))
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {core})  # which the program inherits
        try:
            shown = self._run("bench", code, shard_bytes, b"", str(seconds))
        finally:
            os.sched_setaffinity(0, before)
        return float(json.loads(shown)["gbps"])


def open_library(name: str) -> ErasureLibrary:
    """Opens a library of `NAMES`; MissingLibraryError says what is missing."""
    build, sources = _BUILDERS[name]
    key = content_key([name], [(source, SOURCES / source) for source in sources])
    return ErasureLibrary(name, cached_directory(f"erasure/{name}-{key}", build) / _PROGRAM)

# SPDX-License-Identifier: Apache-2.0
"""Plays traces to a checker: a test writes what the streams do in every cycle, and the messages
of the checker come back."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from bombus.base import paths
from bombus.base.cache import cached_directory, content_key
from bombus.simulator import verilator
from tests.support.bench_library import COMPILE, include_flags, run, verilated_objects
from tests.support.rtl_files import sources

BENCHES = Path(__file__).parent / "checkers"
HEADERS = sorted(paths.RTL.rglob("*.svh"))
_MESSAGE = re.compile(r"Error: .*?Assertion failed in (.*)")

Play = Callable[[Iterable[int]], list[str]]


_TIMING = "verilated_timing"
_COMPILE = (*COMPILE, "-std=c++20", "-fcoroutines")  # the bench makes its own clock


def _timing() -> str:
    """Verilator's code for delays, compiled."""

    def make(folder: Path) -> None:
        source = verilator.root() / "include" / f"{_TIMING}.cpp"
        run([*_COMPILE, *include_flags(), "-c", str(source)], folder)

    key = content_key([verilator.version(), *_COMPILE], [])
    return str(cached_directory(f"benches/timing-{key}", make) / f"{_TIMING}.o")


def build(name: str, **parameters: int) -> Path:
    """The program that plays a trace to a checker."""
    files = sources(BENCHES / f"{name}.sv", paths.RTL, [BENCHES / "trace_player.sv"])
    options = [
        *("--cc", "--main", "--timing", "--assert", "-Wno-fatal", "--top-module", "bench"),
        *(f"-G{key}={value}" for key, value in parameters.items()),
    ]
    key = content_key(
        [verilator.version(), *options, *_COMPILE],
        [(file.name, file) for file in (*files, *HEADERS)],
    )

    def make(folder: Path) -> None:
        program = str(verilator.root() / "bin" / "verilator")
        includes = sorted({f"-I{file.parent}" for file in HEADERS})
        run([program, *options, *includes, "--Mdir", ".", *map(str, files)], folder)
        units = sorted(file.name for file in folder.glob("*.cpp"))
        (folder / "all.cc").write_text("".join(f'#include "{unit}"\n' for unit in units))
        flags = [*include_flags(), "-I.", "-o", "bench"]
        run([*_COMPILE, *flags, "all.cc", *verilated_objects(), _timing()], folder)

    return cached_directory(f"benches/{name}_checker-{key}", make) / "bench"


def player(program: Path, folder: Path) -> Play:
    def play(trace: Iterable[int]) -> list[str]:
        """The checker's messages about a trace, one per line."""
        file = folder / "trace"
        file.write_text("".join(f"{line:x}\n" for line in trace))
        result = subprocess.run(
            [str(program), f"+trace={file}", "+verilator+error+limit+1000000"],
            check=True,
            capture_output=True,
            text=True,
        )
        found = _MESSAGE.findall(result.stdout)
        assert len(found) == result.stdout.count("Error"), result.stdout
        return found

    return play

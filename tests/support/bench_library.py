# SPDX-License-Identifier: Apache-2.0
"""Makes a library of a bench, with Verilator and the harness, and loads it.

A library is found again in the cache by the content of the files it needs.
"""

from __future__ import annotations

import ctypes
import re
import shlex
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from bombus.base import paths
from bombus.base.cache import cached_directory, content_key
from bombus.base.macros import CHECKS
from bombus.simulator import verilator
from bombus.simulator.compiling import QUICK_OPTIMISATION
from tests import ROOT
from tests.support.rtl_files import sources

HERE = Path(__file__).parent
BENCHES = HERE / "benches"  # what all benches share
MODELS = paths.MODELS  # of modules next to a design
EXAMPLES = ROOT / "docs" / "examples" / "rpu"  # accelerators

_HEADERS = "headers.h"
_INCLUDED = ("verilated.h",)
_HARNESS = (HERE / "harness.cpp", HERE / "harness_top.h")
_HARNESS_TOP = HERE / "harness_top.cpp"
_RUNTIME_SOURCES = ("verilated.cpp", "verilated_threads.cpp")
_DEFAULT = re.compile(r"^ *parameter [^=]*\b(\w+) = (?:\d+'[bd])?(\d+)(?=,|\n|  //)", re.MULTILINE)
# Tests run for milliseconds, so compile time dominates.
COMPILE = (
    "g++",
    "-std=c++17",
    *QUICK_OPTIMISATION,
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-gnu-unique",
    "-pthread",
)
_VERILATE = (
    *("--cc", "--prefix", "Vbench", "--top-module", "bench", "--Mdir", ".", "-O3"),
    # Registers without reset start with random values, so that a missing reset shows.
    *("--x-initial", "unique", "--x-assign", "unique", "--no-assert"),
    "-Wno-fatal",  # lint checks warnings
)


def run(command: Iterable[str], folder: Path) -> None:
    result = subprocess.run(
        list(command),
        cwd=folder,
        env=verilator.verilator_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode != 0:
        raise RuntimeError(f"{shlex.join(command)}\n{result.stdout}")


def include_flags() -> list[str]:
    include = verilator.root() / "include"
    return [f"-I{include}", f"-I{include / 'vltstd'}"]


def _runtime() -> Path:
    """Verilator's own code and headers and the harness, compiled once for all benches."""

    def make(folder: Path) -> None:
        (folder / _HEADERS).write_text("".join(f"#include <{name}>\n" for name in _INCLUDED))
        run([*COMPILE, *include_flags(), "-x", "c++-header", _HEADERS], folder)
        sources = [verilator.root() / "include" / source for source in _RUNTIME_SOURCES]
        for file in (*sources, _HARNESS[0]):
            run([*COMPILE, *include_flags(), "-c", str(file)], folder)

    harness = [(file.name, file) for file in _HARNESS]
    key = content_key([verilator.version(), *COMPILE, *_INCLUDED], harness)
    return cached_directory(f"benches/runtime-{key}", make)


def _defaults(top: Path) -> dict[str, int]:
    """Parameters of a bench that are numbers: a test that states one gets the same library."""
    return {name: int(value) for name, value in _DEFAULT.findall(top.read_text(encoding="utf-8"))}


def verilated_objects() -> list[str]:
    """Verilator's own code, compiled."""
    return [str(_runtime() / Path(source).with_suffix(".o").name) for source in _RUNTIME_SOURCES]


def build(
    name: str,
    rtl: Path,
    parameters: Mapping[str, int],
    macros: Mapping[str, str | int],
    generated: Path | None = None,
) -> Path:
    """The library of a bench, with the RTL of folder `rtl` and further modules in `generated`."""
    (top,) = (ROOT / "tests").rglob(f"benches/{name}.sv")
    shared = [BENCHES / f"{each}.sv" for each in ("bench_pkg", "erratic_memory")]
    extra = [*shared, *MODELS.glob("*.sv"), *EXAMPLES.glob("*.sv")]
    extra += sorted(generated.glob("*.sv")) if generated else []
    files = sources(top, rtl, extra, " ".join(map(str, macros.values())))
    include_dirs = sorted({file.parent for file in rtl.rglob("*.svh")} | {BENCHES})
    verilate = [*_VERILATE]
    if CHECKS in macros:
        verilate[verilate.index("--no-assert")] = "--assert"
    defaults = _defaults(top)
    values = [
        f"-G{key}={value}"
        for key, value in sorted(parameters.items())
        if value != defaults.get(key)
    ]
    values += [f"-D{key}={value}" for key, value in sorted(macros.items())]
    headers = [file for folder in include_dirs for file in folder.glob("*.svh")]
    key = content_key(
        [verilator.version(), *verilate, *COMPILE, *values],
        [(file.name, file) for file in (*files, *headers, *_HARNESS, _HARNESS_TOP)],
    )

    def make(folder: Path) -> None:
        includes = [f"-I{include}" for include in include_dirs]
        program = str(verilator.root() / "bin" / "verilator")
        run([program, *verilate, *values, *includes, *map(str, files)], folder)
        # One unit is quicker to compile than many small ones.
        units = [*sorted(file.name for file in folder.glob("*.cpp")), str(_HARNESS_TOP)]
        (folder / "all.cc").write_text("".join(f'#include "{unit}"\n' for unit in units))
        objects = [*verilated_objects(), str(_runtime() / _HARNESS[0].with_suffix(".o").name)]
        flags = [*include_flags(), "-I.", "-include", str(_runtime() / _HEADERS)]
        flags += ["-shared", "-o", "bench.so"]
        run([*COMPILE, *flags, "all.cc", *objects], folder)
        for file in folder.iterdir():
            if file.name != "bench.so":
                file.unlink()

    return cached_directory(f"benches/{name}-{key}", make) / "bench.so"


_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "bench_open": (ctypes.c_void_p, ctypes.c_uint64),
    "bench_close": (None, ctypes.c_void_p),
    "bench_shape": (None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint64)),
    "bench_reset": (None, ctypes.c_void_p, ctypes.c_uint64),
    "bench_set_reset": (None, ctypes.c_void_p, ctypes.c_uint64),
    "bench_flush": (None, ctypes.c_void_p, ctypes.c_uint64),
    "bench_set_period": (
        None,
        *(ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64),
    ),
    "bench_push": (None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_uint64),
    "bench_set_gap": (None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_double),
    "bench_set_stall": (None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_double),
    "bench_set_control": (None, ctypes.c_void_p, ctypes.c_char_p),
    "bench_status": (None, ctypes.c_void_p, ctypes.c_char_p),
    "bench_run": (None, ctypes.c_void_p, ctypes.c_uint64),
    "bench_drain": (ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64),
    "bench_cycle": (ctypes.c_uint64, ctypes.c_void_p),
    "bench_combinational": (ctypes.c_uint64, ctypes.c_void_p),
    "bench_waiting": (ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64),
    "bench_taken": (
        ctypes.c_uint64,
        *(ctypes.c_void_p, ctypes.c_uint64),
        ctypes.POINTER(ctypes.POINTER(ctypes.c_uint64)),
    ),
    "bench_received": (
        ctypes.c_uint64,
        *(ctypes.c_void_p, ctypes.c_uint64, ctypes.POINTER(ctypes.c_void_p)),
        ctypes.POINTER(ctypes.POINTER(ctypes.c_uint64)),
    ),
    "bench_forget": (None, ctypes.c_void_p),
    "bench_events": (None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint64)),
    "bench_error": (ctypes.c_char_p, ctypes.c_void_p),
}


@cache
def load(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    for name, (result, *arguments) in _ARGUMENTS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library

# SPDX-License-Identifier: Apache-2.0
"""Verilating a generated design: the options, and the call."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from bombus.base.macros import CHECKS
from bombus.base.paths import SIM
from bombus.simulator.compiling import run_logged
from bombus.simulator.verilator import verilator_environment, version

MODEL = "Vtop"
VERILATOR_FLAGS = (
    *("--cc", "--prefix", MODEL, "-O3", "-Wall"),
    # Unused signals and outputs, and file names, are checked by lint, not in a build.
    *("-Wno-UNUSED", "-Wno-PINCONNECTEMPTY", "-Wno-DECLFILENAME"),
    "-Wno-USERWARN",  # a layer's $warning, which `bombus check` has reported
    # Registers without reset start with random values, so that a missing reset shows.
    *("--x-initial", "unique", "--x-assign", "unique"),
    *("--timescale-override", "1ps/1ps"),
)
# Modules stay functions of their own, once for all instances of a shape: less C++ to compile.
QUICK_FLAGS = ("--inline-mult", "1")
MODEL_CFLAGS = (
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-gnu-unique",
    "-DVL_USER_STOP",
    "-DVL_USER_FATAL",
)
# The program that loads the library must be built the same way. Our classes have hidden type
# information, which the vptr check cannot compare.
SANITIZERS = (
    "-fsanitize=address,undefined",
    "-fno-sanitize=vptr",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-g",
)


def tool() -> str:
    """The version of Verilator, for keys of the cache."""
    return version()


@lru_cache(maxsize=1)
def wave_format() -> str:
    """FST if its compression libraries are available, otherwise VCD."""
    result = subprocess.run(
        ["g++", "-E", "-x", "c++", "-"],
        input="#include <zlib.h>\n#include <lz4.h>\n",
        text=True,
        capture_output=True,
        check=False,
    )
    return "fst" if result.returncode == 0 else "vcd"


def model_options(trace: bool, assertions: bool, *, quick: bool) -> list[str]:
    checks = ["--assert", f"+define+{CHECKS}"] if assertions else ["--no-assert"]
    options = [*VERILATOR_FLAGS, *checks]
    if quick:
        options += QUICK_FLAGS
    if trace:
        options += ["--trace-fst" if wave_format() == "fst" else "--trace-vcd", "--trace-structs"]
    return options


def _watched_signals(manifest: dict[str, Any]) -> str:
    """Tells Verilator to keep the signals that the runtime observes."""
    kept = dict.fromkeys(
        (point["module"], point[signal])
        for point in manifest.get("watch", ())
        for signal in ("valid", "moves")
    )
    if manifest.get("hop_tables"):  # between the register hub and its targets: table_writes.h
        names = (f"target_{signal}" for signal in ("valid", "write", "addr", "wdata"))
        kept |= dict.fromkeys((manifest["top"], name) for name in names)
    lines = [f'public_flat_rd -module "{module}" -var "{name}"' for module, name in kept]
    return "\n".join(["`verilator_config", *lines, ""])


def build_environment() -> dict[str, str]:
    return {**verilator_environment(), "CXXFLAGS": ""}


def cflags(sanitizers: Sequence[str]) -> list[str]:
    return [word for flag in (*MODEL_CFLAGS, *sanitizers) for word in ("-CFLAGS", flag)]


def verilate(
    work: Path, manifest: dict[str, Any], file_list: Path, options: Sequence[str], log: Any
) -> None:
    environment = build_environment()
    watched = work / "watched.vlt"
    watched.write_text(_watched_signals(manifest))
    run_logged(
        [
            str(Path(environment["VERILATOR_ROOT"]) / "bin" / "verilator"),
            *(*options, "--top-module", manifest["simulation"]["top"], "--Mdir", str(work)),
            *(str(SIM / "platform" / "model.vlt"), str(watched), "-F", str(file_list)),
        ],
        log=log,
        cwd=file_list.parent,
        environment=environment,
        what=f"Verilator rejects {manifest['name']}",
    )

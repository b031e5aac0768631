# SPDX-License-Identifier: Apache-2.0
"""From a verilated model to a library or a program (`sim/platform/model.mk`).

Most of what a small design takes to build is not its own: Verilator's objects and the driver's part
that does not know the model are made once and kept in the cache, and the rest is compiled in few
units, since each reads the same headers again.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bombus.base.cache import cache_directory, cached_directory, content_key
from bombus.base.errors import UserError
from bombus.base.paths import SIM

JOBS = 2
# -O2 takes twice as long to compile, and 13 times with a function of thousands of lines.
# -march=native and --threads make simulators slower.
OPTIMISATION = ("-O1",)
# Takes 0.6 times as long to compile what runs each cycle as -O1 and simulates 6% slower: for models
# that serve tests, which are slowed down by assertions or waveforms anyway.
QUICK_OPTIMISATION = (
    "-Og",
    *("-finline-functions-called-once", "-fmove-loop-invariants", "-fif-conversion"),
    *("-fif-conversion2", "-ftree-bit-ccp", "-ftree-dse", "-fssa-phiopt", "-ftree-sra"),
    "-ftree-pta",
)
_SLOW_OPTIMISATION = ("-O0",)  # for code that runs once
# The compiler collects no garbage below this, in KiB: a tenth of its time for a unit.
_NO_COLLECTION = ("--param", "ggc-min-heapsize=2000000")


class BuildError(UserError):
    """Verilator or the compiler failed; the log says why."""


# Bytes of C++ per unit: each reads all headers again, which takes a second, and needs 80 times this
# in memory.
_UNIT_BYTES = 9_000_000


@dataclass(frozen=True)
class Driver:
    """The driver of a model, and how both are linked."""

    sources: Sequence[Path]
    flags: Sequence[str]
    link_flags: Sequence[str] = ()
    libraries: Sequence[str] = ()
    shared: Sequence[Path] = ()
    """Further sources, which are the same for all models."""
    shared_key: str = ""
    """Of these and all that they include."""


def is_quick(*, is_slow: bool) -> bool:
    """Whether a model is compiled quickly instead of simulated fast: one that is slow anyway, and
    all with `BOMBUS_QUICK_BUILDS=1` in the environment, as in tests.
    """
    return is_slow or os.environ.get("BOMBUS_QUICK_BUILDS") == "1"


def optimisation(*, quick: bool) -> tuple[str, ...]:
    """Flags for code that runs each cycle."""
    return QUICK_OPTIMISATION if quick else OPTIMISATION


def _write_units(work: Path, name: str, files: Sequence[Path]) -> str:
    """C++ files that include those written by Verilator, in a few units of similar size."""
    sizes = [file.stat().st_size for file in files]
    count = max(1, -(-sum(sizes) // _UNIT_BYTES))
    units: list[list[str]] = [[] for _ in range(count)]
    before = 0
    for file, size in zip(files, sizes, strict=True):
        units[min(count - 1, before * count // sum(sizes))].append(f'#include "{file.name}"\n')
        before += size
    names = [f"{name}_{number}" for number in range(count)]
    for unit, lines in zip(names, units, strict=True):
        (work / f"{unit}.cc").write_text("".join(lines))
    return " ".join(names)


def compile_model(
    work: Path,
    target: Path,
    driver: Driver,
    *,
    fast: Sequence[str],
    log: Any,
    environment: dict[str, str],
    what: str,
    precompiles: bool = False,
) -> None:
    """Builds `target` from the model that Verilator has written to `work`.

    `fast`: optimisation of the code that runs each cycle. `precompiles`: keeps precompiled headers
    in the cache, 70 MB for each optimisation, which save more than half a second for each unit.
    """
    written = sorted(work.glob("*.cpp"))
    once = [file for file in written if file.stem.endswith("__Slow")]
    each_cycle = [file for file in written if file not in once]
    variables = {
        "FAST_UNITS": _write_units(work, "fast", each_cycle),
        "SLOW_UNITS": _write_units(work, "slow", once),
        "TARGET": str(target),
        "SOURCES": " ".join(map(str, driver.sources)),
        "SHARED": " ".join(map(str, driver.shared)),
        "SOURCE_FLAGS": " ".join(driver.flags),
        "LINK_FLAGS": " ".join(driver.link_flags),
        "LIBRARIES": " ".join(driver.libraries),
        "OPT_FAST": " ".join((*fast, *_NO_COLLECTION)),
        "OPT_SLOW": " ".join((*_SLOW_OPTIMISATION, *_NO_COLLECTION)),
        "OPT_GLOBAL": " ".join(OPTIMISATION),
        "PRECOMPILES": "1" if precompiles else "",
    }

    def make(*goals: str) -> list[str]:
        values = (f"{name}={value}" for name, value in variables.items())
        return ["make", "-f", str(SIM / "platform" / "model.mk"), f"-j{JOBS}", *values, *goals]

    key = subprocess.run(
        make("-s", "runtime-key"), cwd=work, env=environment, text=True, stdout=subprocess.PIPE
    ).stdout

    def make_runtime(folder: Path) -> None:
        run_logged(make("runtime"), log=log, cwd=work, environment=environment, what=what)
        for name in (word for word in key.split() if word.endswith((".o", ".gch"))):
            shutil.move(work / name, folder / name)

    # Checkouts and installations with the same files share it.
    texts = [key.replace(str(SIM), ""), driver.shared_key]
    runtime = cached_directory(f"runtime/{content_key(texts, [])}", make_runtime)
    variables["RUNTIME"] = str(runtime)
    run_logged(make(str(target)), log=log, cwd=work, environment=environment, what=what)


# Runs a command in a group of processes that ends when standard input is closed: even if Bombus is
# killed, no compiler is left.
_WATCHED = ("sh", "-c", 'exec 3<&0 </dev/null; { read -r _ <&3; kill -9 -$$; } & exec "$@" 3<&-')


def run_logged(
    command: Sequence[str],
    *,
    log: Any,
    cwd: Path,
    environment: dict[str, str],
    what: str,
) -> None:
    """Runs a step of a build, its output to the log; BuildError with the first errors.

    An exception, such as Ctrl-C, ends the step and all programs that it started; so does the end of
    this process, even by SIGKILL.
    """
    print(f"$ cd {cwd}; {' '.join(command)}", file=log, flush=True)
    streams = {"stdin": subprocess.PIPE, "stdout": log, "stderr": subprocess.STDOUT}
    with subprocess.Popen(
        [*_WATCHED, "sh", *command], cwd=cwd, env=environment, start_new_session=True, **streams
    ) as process:
        try:
            status = process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    log.flush()
    if status == 0:
        return
    # The directory is removed, so the log is kept next to the finished simulators.
    kept = cache_directory() / "failed-build.log"
    shutil.copyfile(log.name, kept)
    raise BuildError(f"{what}:\n{_first_errors(Path(log.name))}\nfull output: {kept}")


def _first_errors(log: Path, limit: int = 12) -> str:
    lines = log.read_text(errors="replace").splitlines()
    errors = [line for line in lines if re.search(r"^%(Error|Warning)|\berror\b", line)]
    return "\n".join((errors or lines)[:limit])

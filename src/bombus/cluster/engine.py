# SPDX-License-Identifier: Apache-2.0
"""The native part of a simulation of many boards (`sim/cluster`), compiled when first used."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from bombus.base.cache import cached_directory, content_key
from bombus.base.paths import SIM
from bombus.simulator.compiling import run_logged
from bombus.simulator.native import declared

_HEADERS = [SIM / "platform" / "bombus_sim.h", SIM / "cluster" / "bombus_cluster.h"]
FFI, _ = declared(_HEADERS)


@cache
def library() -> Any:
    """The functions of `bombus_cluster.h`."""
    sources = sorted((SIM / "cluster").glob("*.cpp"))
    headers = {*_HEADERS, *(SIM / "cluster").glob("*.h"), SIM / "platform" / "random.h"}
    files = [(file.name, file) for file in (*sorted(headers), *sources)]

    def make(folder: Path) -> None:
        command = ["g++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC"]
        command += ["-fvisibility=hidden", f"-I{SIM / 'platform'}", "-o", "libcluster.so"]
        with (folder / "build.log").open("w") as log:
            run_logged(
                [*command, *map(str, sources)],
                log=log,
                cwd=folder,
                environment=_environment(),
                what="compiling the simulation of many boards failed",
            )

    folder = cached_directory(f"cluster/{content_key(['1'], files)}", make)
    return FFI.dlopen(str(folder / "libcluster.so"))


def _environment() -> dict[str, str]:
    from bombus.simulator.verilating import build_environment

    return build_environment()

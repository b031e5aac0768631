# SPDX-License-Identifier: Apache-2.0
"""Proof, by Yosys, that a mutation changes nothing."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

_PROGRAM = """
import sys
from pyosys import libyosys as yosys
design = yosys.Design()
for command in sys.argv[1:]:
    yosys.run_pass(command, design)
"""
_SECONDS = 120
_BENCHES = "tests/support/benches"  # what all benches share


def _sources(folder: Path, bench: Path) -> list[Path]:
    sys.path[:0] = [str(folder)]
    try:
        from tests.support.rtl_files import sources

        return sources(bench, folder / "rtl", (folder / _BENCHES).glob("*_pkg.sv"))
    finally:
        sys.path.pop(0)


def _smallest_bench(folder: Path, file: str) -> list[Path]:
    """The files of the bench that uses a file and the fewest others; none without such a bench."""
    benches = (folder / "tests").rglob("benches/*.sv")
    using = []
    for bench in sorted(benches):
        if bench.stem.endswith("_pkg"):
            continue
        files = _sources(folder, bench)
        if folder / file in files:
            using.append(files)
    return min(using, key=len, default=[])


def is_equivalent(folder: Path, file: str, text: str) -> bool:
    """Whether a bench with the file (`rtl/...`) as it stands in a checkout and with another text
    in it do the same for ever, with the bench's own parameters. False also if it takes too long."""
    files = _smallest_bench(folder, file)
    if not files:
        return False
    with tempfile.TemporaryDirectory() as temporary:
        changed = Path(temporary) / Path(file).name
        changed.write_text(text)
        commands = []
        for name, replaced in (("gold", folder / file), ("gate", changed)):
            used = " ".join(str(replaced if f == folder / file else f) for f in files)
            headers = {each.parent for each in (folder / "rtl").rglob("*.svh")}
            includes = " ".join(f"-I {each}" for each in (folder / _BENCHES, *sorted(headers)))
            commands += [
                f"read_slang -DSYNTHESIS --top bench {includes} {used}",
                "prep -top bench -flatten",
                "async2sync",
                "memory_map",
                "opt_clean -purge",
                f"rename bench {name}",
                f"write_rtlil {temporary}/{name}.il",
                "design -reset",
            ]
        commands += [
            f"read_rtlil {temporary}/gold.il",
            f"read_rtlil {temporary}/gate.il",
            "equiv_make gold gate equiv",
            "prep -top equiv -flatten",
            "equiv_simple -undef",
            "equiv_induct -undef",
            "equiv_status -assert",
        ]
        try:
            result = subprocess.run(
                [sys.executable, "-c", _PROGRAM, *commands],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return False
        return result.returncode == 0

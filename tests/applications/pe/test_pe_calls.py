# SPDX-License-Identifier: Apache-2.0
"""The C interface of processing elements, and the example in C."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bombus.generation.generate import generate
from bombus.simulator.build import build
from tests import ROOT

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "docs" / "examples" / "pe"
DESIGN = EXAMPLES / "memory.yaml"
FILES = ROOT / "src" / "bombus" / "applications" / "pe" / "files"
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror")


def run(program: Path, folder: Path) -> str:
    """What a C program prints with the simulator of the design."""
    library = build(DESIGN, assertions=True).path
    generated = generate(DESIGN, folder / "generated").folder
    includes = [f"-I{each}" for each in (FILES, ROOT / "sim" / "platform", generated)]
    target = folder / "program"
    subprocess.run(["gcc", *WARNINGS, *includes, program, library, "-o", target], check=True)
    return subprocess.run([target], check=True, capture_output=True, text=True).stdout


def test_calls(tmp_path: Path) -> None:
    run(Path(__file__).with_name("pe_calls.c"), tmp_path)


def test_example(tmp_path: Path) -> None:
    wanted = [sum(n + k for k in range(32)) for n in range(2)]
    assert run(EXAMPLES / "sums.c", tmp_path) == "".join(f"{each}\n" for each in wanted)

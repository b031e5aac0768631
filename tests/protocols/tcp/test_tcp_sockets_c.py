# SPDX-License-Identifier: Apache-2.0
"""TCP sockets in C: programs with two simulated stacks, the runtime under sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bombus.base.paths import INCLUDES
from bombus.generation.generate import generate
from bombus.simulator.build import build, build_library
from bombus.simulator.verilating import SANITIZERS
from tests import ROOT

HERE = Path(__file__).parent
EXAMPLE = ROOT / "docs" / "examples" / "tcp_host"
pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("source", "output"),
    [(HERE / "tcp_sockets.c", ""), (EXAMPLE / "request.c", "hello, world\n")],
    ids=["every_call", "example"],
)
@pytest.mark.parametrize(
    "sanitize",
    [pytest.param(False, id="plain"), pytest.param(True, id="sanitized", marks=pytest.mark.sweep)],
)
def test_a_program_in_c(source: Path, output: str, sanitize: bool, tmp_path: Path) -> None:
    """No call returns anything but what the header says. `sanitize`: and nothing leaks."""
    design, generated = EXAMPLE / "tcp_host.yaml", tmp_path / "generated"
    generate(design, generated)
    if sanitize:
        library = build_library(generated, assertions=True, sanitize=True, sanitize_model=False)
    else:
        library = build(design, assertions=True)  # as other tests build it
    program = tmp_path / "program"
    warnings = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"]
    includes = [f"-I{folder}" for folder in (*INCLUDES, generated)]
    subprocess.run(
        [
            *("gcc", *warnings, *(SANITIZERS if sanitize else ()), *includes),
            *(source, library.path, "-o", program),
        ],
        check=True,
    )
    result = subprocess.run([program], capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr[-4000:]
    assert result.stdout == output

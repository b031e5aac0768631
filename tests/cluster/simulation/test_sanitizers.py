# SPDX-License-Identifier: Apache-2.0
"""The simulation of many boards under AddressSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bombus.base.paths import SIM
from bombus.simulator.build import build_library
from bombus.simulator.verilating import SANITIZERS
from tests import BEAT_BOARD

pytestmark = [pytest.mark.slow, pytest.mark.sweep]

HERE = Path(__file__).parent
INCLUDES = [f"-I{SIM / folder}" for folder in ("platform", "cluster")]


def test_ranks_as_threads(tmp_path: Path) -> None:
    """The same beats from one rank and from two; a wait ends when the ranks are cancelled."""
    library = build_library(BEAT_BOARD, sanitize=True).path
    program = tmp_path / "two_ranks"
    objects = []
    for source in sorted((SIM / "cluster").glob("*.cpp")):
        objects.append(tmp_path / f"{source.stem}.o")
        command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", *SANITIZERS, *INCLUDES]
        subprocess.run([*command, "-c", source, "-o", objects[-1]], check=True)
    compiled = tmp_path / "two_ranks.o"
    command = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", *SANITIZERS]
    subprocess.run([*command, *INCLUDES, "-c", HERE / "two_ranks.c", "-o", compiled], check=True)
    subprocess.run(
        ["g++", *SANITIZERS, compiled, *objects, library, "-pthread", "-o", program], check=True
    )
    result = subprocess.run([program], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr[-4000:]

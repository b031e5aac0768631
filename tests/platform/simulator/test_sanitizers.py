# SPDX-License-Identifier: Apache-2.0
"""The runtime and a model under AddressSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from bombus.base.paths import INCLUDES, SIM
from bombus.simulator.build import build_library
from bombus.simulator.verilating import SANITIZERS
from tests import LOOPBACK, ROOT

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    "sanitize",
    [pytest.param(False, id="plain"), pytest.param(True, id="sanitized", marks=pytest.mark.sweep)],
)
def test_a_hostile_program(sanitize: bool, tmp_path: Path) -> None:
    """No call returns anything but what the header says. `sanitize`: and none goes astray."""
    library = build_library(LOOPBACK, sanitize=sanitize).path
    program = tmp_path / "hostile"
    warnings = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"]
    includes = [f"-I{folder}" for folder in INCLUDES]
    command = ["gcc", *warnings, *includes, HERE / "hostile.c", library]
    command += SANITIZERS if sanitize else ()
    subprocess.run([*command, "-o", program], check=True)
    result = subprocess.run([program, tmp_path], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr[-4000:]


def test_the_programs_call_every_function() -> None:
    """Also those of features, by programs in their folders."""
    headers = SIM.rglob("bombus_*.h")
    declared = set(re.findall(r"BOMBUS_API [^;(]*?(bombus_\w+)\(", text(*headers)))
    called = set(re.findall(r"\bbombus_\w+", text(*(ROOT / "tests").rglob("*.c"))))
    assert len(declared) > 50
    assert declared <= called


def text(*files: Path) -> str:
    return "".join(file.read_text() for file in files)

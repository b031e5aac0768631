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


def test_a_hostile_program(tmp_path: Path) -> None:
    library = build_library(LOOPBACK, sanitize=True).path
    program = tmp_path / "hostile"
    warnings = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"]
    includes = [f"-I{folder}" for folder in INCLUDES]
    command = ["gcc", *warnings, *SANITIZERS, *includes, HERE / "hostile.c", library]
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

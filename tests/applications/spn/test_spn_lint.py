# SPDX-License-Identifier: Apache-2.0
"""Designs around a compiled layer pass lint: on each transport, for a line of 10 Gbit/s."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bombus.applications import spn
from bombus.applications.spn.systemverilog import TRANSPORTS
from bombus.base.paths import EXAMPLES
from bombus.generation.generate import generate
from tests import ROOT

sys.path.append(str(ROOT / "tools"))

import lint

pytestmark = [pytest.mark.slow, pytest.mark.sweep]

MODEL = EXAMPLES / "spn" / "machine.spn"


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_lint(transport: str, tmp_path: Path) -> None:
    found = spn.compile(
        spn.read(MODEL), tmp_path, transport=transport, line_rate_gbps=10, clock_mhz=156.25
    )
    design = spn.write_design(found, tmp_path, data_width=64, line_rate_gbps=10, clock_mhz=156.25)
    generated = generate(design, tmp_path / "out")
    assert lint.lint_verilator(generated)
    assert lint.lint_slang(generated, tiles=True)

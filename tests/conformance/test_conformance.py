# SPDX-License-Identifier: Apache-2.0
"""Every conformance script passes, except those that are known to fail.

`make test` runs half of them, `make conformance` and `make test-all` run them all.
"""

from __future__ import annotations

import pytest
from conformance.report import DESIGN, scripts
from conformance.runner import run_scripts

from bombus.simulator.build import build

PARTS = 8


@pytest.mark.parametrize(
    "part",
    [pytest.param(part, marks=pytest.mark.sweep if part % 2 else ()) for part in range(PARTS)],
)
def test_scripts(part: int) -> None:
    library = build(DESIGN, assertions=True)
    wrong = []
    for result in run_scripts(library, scripts()[part::PARTS]):
        if result.problem and not result.script.fails:
            wrong.append(result.problem)
        if result.script.fails and not result.problem:
            wrong.append(f"{result.script.name} passes: it no longer fails")
    assert not wrong, "\n\n".join(wrong[:5])

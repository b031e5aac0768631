# SPDX-License-Identifier: Apache-2.0
"""Every conformance script passes, except those that are known to fail.

`make test` runs the short scripts and a part of the generated ones at one width, `make conformance`
and `make test-all` run them all.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.protocols.tcp.conformance import matrix
from tests.protocols.tcp.conformance.report import CONFIGURATIONS, Configuration, written
from tests.protocols.tcp.conformance.runner import run_scripts
from tests.protocols.tcp.conformance.script import Script

pytestmark = pytest.mark.slow

LONG_MS = 1_000
PARTS = 16


ALL_CONFIGURATIONS = pytest.mark.parametrize(
    "configuration",
    [
        pytest.param(each, marks=pytest.mark.sweep if each.data_width == 512 else (), id=str(each))
        for each in CONFIGURATIONS
    ],
)


def passes(configuration: Configuration, chosen: list[Script]) -> None:
    wrong = []
    for result in run_scripts(configuration.library(), chosen):
        if result.problem and not result.script.fails:
            wrong.append(result.problem)
        if result.script.fails and not result.problem:
            wrong.append(f"{result.script.name} passes: it no longer fails")
    assert chosen and not wrong, "\n\n".join(wrong[:5])


@ALL_CONFIGURATIONS
@pytest.mark.parametrize("is_long", [False, pytest.param(True, marks=pytest.mark.sweep)])
def test_scripts(configuration: Configuration, is_long: bool) -> None:
    chosen = [script for script in written() if (script.duration_ms >= LONG_MS) == is_long]
    passes(configuration, chosen)


@ALL_CONFIGURATIONS
@pytest.mark.parametrize(
    "part",
    [pytest.param(part, marks=pytest.mark.sweep if part else ()) for part in range(PARTS)],
)
def test_every_state(configuration: Configuration, part: int) -> None:
    """A part of the generated scripts, at random, so that each part has all states and kinds."""
    generated = matrix.scripts()
    Random(1).shuffle(generated)
    passes(configuration, generated[part::PARTS])

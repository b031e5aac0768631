# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of benchmarks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bombus.base.output import STDOUT
from bombus.measure import bench
from bombus.simulator.simulation import Simulation

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Benchmarks use the simulators of the other tests, which have assertions."""
    monkeypatch.setitem(Simulation.__init__.__kwdefaults__, "assertions", True)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a benchmark like the command does; returns its JSON output."""

    def run_benchmark(name: str, design: Path | None = None, **options: Any) -> Any:
        capsys.readouterr()
        bench.run(name, design, STDOUT, **options)
        return json.loads(capsys.readouterr().out)

    return run_benchmark

# SPDX-License-Identifier: Apache-2.0
"""The loop of a live run, with a simulation that records what is called."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import pytest
from rich.console import Console

from bombus.live import run


def turns(monkeypatch: pytest.MonkeyPatch, kinds: list[str]) -> list[str]:
    """The calls of two turns, in a design with layers of these kinds."""
    monkeypatch.setattr(run, "Totals", MagicMock())
    monkeypatch.setattr(run, "print_table", MagicMock())
    monkeypatch.setattr(run, "table", MagicMock())
    simulation, stop, calls = MagicMock(), [], []
    simulation.manifest = {"tiles": [{"name": "a", "layers": [{"kind": kind} for kind in kinds]}]}
    simulation.rpus, simulation.stalls.return_value = [], []
    simulation.host.poll.side_effect = lambda: calls.append("host")

    def passes(seconds: float) -> None:
        del seconds
        calls.append("time")
        if calls.count("time") == 2:
            stop.append(1)

    simulation.run_live.side_effect = passes
    software: Any = lambda _: calls.append("software")  # noqa: E731
    run._loop(simulation, [], stop, None, 1.0, None, software, Console(quiet=True))
    return calls


def test_host_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    assert turns(monkeypatch, ["rpu", "rpu_host"]) == 2 * ["host", "software", "time"]


def test_design_without_host(monkeypatch: pytest.MonkeyPatch) -> None:
    assert turns(monkeypatch, ["rpu"]) == 2 * ["software", "time"]

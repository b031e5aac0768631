# SPDX-License-Identifier: Apache-2.0
"""The loop of a live run, with a simulation that records what is called."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock, PropertyMock

import pytest
from rich.console import Console

from bombus.applications.processors import host
from bombus.live import run


def turns(monkeypatch: pytest.MonkeyPatch, kinds: list[str], tiles: int = 1) -> list[str]:
    """The calls of two turns, in a design with layers of these kinds in every tile."""
    monkeypatch.setattr(run, "Totals", MagicMock())
    monkeypatch.setattr(run, "print_table", MagicMock())
    monkeypatch.setattr(run, "table", MagicMock())
    simulation, stop, calls = MagicMock(), [], []
    tile = {"layers": [{"kind": kind} for kind in kinds]}
    simulation.manifest = {"tiles": [{"name": str(number), **tile} for number in range(tiles)]}
    simulation.stalls.return_value = []
    processors = simulation.extension.return_value
    processors.__len__.return_value = 0
    # Serves the host, if a live run has used it.
    has_host = PropertyMock(return_value=MagicMock())
    type(processors).host = has_host
    simulation.serve.side_effect = lambda: calls.extend(["host"] if has_host.called else [])

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


def test_design_with_several_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them can be served, as `Processors.host` is for one; the run goes on without."""
    assert turns(monkeypatch, ["rpu_host"], tiles=2) == 2 * ["software", "time"]


def test_frames_that_nobody_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long run does not keep all that processors send to their host."""
    monkeypatch.setattr(host, "_streams", MagicMock(return_value=(MagicMock(), MagicMock())))
    simulation = MagicMock()
    tile = {"name": "a", "index": 5, "layers": [{"kind": "rpu_host"}]}
    simulation.manifest = {"tiles": [tile]}
    served = host.Host(simulation, [host.Position("a", "rpu", None, MagicMock())], list)
    message = MagicMock(fields={"ip": 0, "csum": 5 << 3}, data=b"frame")
    served._out.receive.side_effect = [*5 * [message], None]  # type: ignore[attr-defined]
    served.most_frames = 3
    served.poll()
    assert (served.counts["frames"], served.counts["lost"], len(served._frames)) == (5, 2, 3)

# SPDX-License-Identifier: Apache-2.0
"""The benchmark of engines: its rows are there, nothing is lost, and it notices what is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bombus.applications.engines.client import Card
from bombus.applications.engines.model import Engines
from bombus.base.errors import UserError
from bombus.base.output import STDOUT
from bombus.design import resolve
from bombus.measure import bench
from tests import ROOT
from tests.support.helpers import Benchmark

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_assertions")]


DESIGN = ROOT / "designs" / "engines.yaml"
SMALL: dict[str, Any] = {"frames": 200, "chains": "1,5", "sizes": "64,512,0"}


def test_engines(benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch) -> None:
    module = bench.load("engines")
    monkeypatch.setattr(module, "estimated_mhz", lambda design: 125.0)
    monkeypatch.setattr(bench, "load", lambda name: module)
    result = benchmark("engines", **SMALL, estimate=True)
    assert result["errors"] == 0
    rows = result["rows"]
    shapes = [(row["engines"], row["frame_bytes"]) for row in rows]
    assert shapes[:2] + shapes[3:5] == [(n, size) for n in (1, 5) for size in (64, 512)]
    for row in rows:
        assert row["lost"] == 0 and row["checked"] >= 2 * 200
        assert row["flits_per_cycle"] <= 1.001
        # Sequences take turns, but not perfectly evenly at every moment.
        assert row["wire_gbps"] <= 1.1 * row["bound_gbps"]
        assert row["wire_gbps"] >= 0.7 * row["bound_gbps"]
        assert row["latency_mean"] <= row["latency_max"]
        assert row["mpps_estimated"] == pytest.approx(125 / row["cycles_per_packet"], rel=1e-2)
        assert row["latency_ns_estimated"] == pytest.approx(row["latency_mean"] * 8)
    one, five = (next(row for row in rows if row["engines"] == n) for n in (1, 5))
    assert one["line_lost"] == 0
    assert one["latency_mean"] < five["latency_mean"]


def test_offered_loads(benchmark: Benchmark) -> None:
    """What is offered comes out while the mesh carries it; then packets wait."""
    result = benchmark("engines", frames=200, chains="5", sizes="512", loads="20,100")
    assert result["errors"] == 0
    low, full = result["loads"]
    assert low["offered_flits_per_cycle"] == pytest.approx(0.2, rel=0.01)
    assert low["flits_per_cycle"] == pytest.approx(0.2, rel=0.02)
    assert full["offered_flits_per_cycle"] == pytest.approx(1, rel=0.01)
    assert result["rows"][0]["flits_per_cycle"] <= full["flits_per_cycle"] < 1
    for row in (low, full):
        assert row["checked"] == 200 and row["lost"] == 0
        assert row["latency_mean"] <= row["latency_p99"]
    assert result["rows"][0]["latency_mean"] <= low["latency_mean"] < full["latency_mean"]


def test_busiest_link() -> None:
    """For a path there and back, and for one that crosses a link twice."""
    module: Any = bench.load("engines")
    design, _ = resolve.load(DESIGN)
    assert module.busiest(design, [(1,)]) == 1
    # To (3, 0), back to (1, 0), to (2, 0): the link from (1, 0) to (2, 0) twice.
    assert module.busiest(design, [(5, 1, 3)]) == 2
    assert module.busiest(design, [(5, 1, 3), (5, 1, 3), (1,), (1,), (5, 1, 3)]) == 1.2


def test_wrong_frame_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module: Any = bench.load("engines")
    set_key = Card.set_key

    def another(self: Card, key: bytes, salt: bytes) -> None:
        set_key(self, key, salt)
        self.model.key = bytes(32)

    monkeypatch.setattr(Card, "set_key", another)
    with pytest.raises(UserError, match="wrong frames or errors"):
        module.main(DESIGN, STDOUT, frames=40, chains="5", sizes="128")
    assert json.loads(capsys.readouterr().out)["errors"] > 0


def test_options_are_checked() -> None:
    module: Any = bench.load("engines")
    for options in (
        {"frames": 1},
        {"sizes": "10"},
        {"chains": "one"},
        {"loads": "0"},
        {"loads": "101"},
    ):
        with pytest.raises(UserError):
            module.main(DESIGN, None, **options)


def test_model_knows_the_engines_of_a_design() -> None:
    manifest = {
        "tiles": [
            {"layers": [{"kind": "engine_exit", "params": {"engine": 16}}]},
            {"layers": [{"kind": "engine_encrypt", "params": {"engine": 2, "rounds": 8}}]},
        ],
        "mac_ports": [{"mac": "02:00:00:00:00:01"}],
    }
    model = Engines.of(manifest)
    assert model.kinds == {2: "engine_encrypt"} and model.rounds == 8


def test_frames_under_way() -> None:
    """As many as never fill the buffer, wherever the long ones are."""
    module: Any = bench.load("engines")
    assert module.frames_under_way([1] * 50, 100) == 50
    assert module.frames_under_way([1] * 50, 20) == 20
    beats = [1, 1, 24, 24, 24, 1, 1, 1]
    assert module.frames_under_way(beats, 48) == 2
    assert module.frames_under_way(beats, 74) == 5
    assert module.frames_under_way([24], 10) == 1

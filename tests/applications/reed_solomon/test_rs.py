# SPDX-License-Identifier: Apache-2.0
"""The benchmark of Reed-Solomon: full rate, all parity compared, and it notices what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bombus.analysis import check
from bombus.applications.reed_solomon.erasure_libraries import MissingLibraryError
from bombus.base.errors import UserError
from bombus.base.output import STDOUT
from bombus.measure import bench
from tests import DESIGNS as TEST_DESIGNS
from tests.support.helpers import Benchmark

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_assertions")]


NARROW = TEST_DESIGNS / "rs_64.yaml"
FRAME_BEATS = -(-(8 * 128 + 42) // 8)
OPTIONS = {"instances": 1, "blocks": 50, "cpu_seconds": 0.1}
RATES = ("cpu_isal_gbps", "cpu_go_gbps")


def test_full_rate(benchmark: Benchmark) -> None:
    result = benchmark("rs", NARROW, **OPTIONS)
    assert result["errors"] == 0
    (row,) = result["rows"]
    assert row["instances"] == 1
    assert row["cycles_per_block"] == pytest.approx(FRAME_BEATS, rel=1e-3)
    assert row["gbps_port"] == pytest.approx(8192 * 0.25 / FRAME_BEATS, rel=1e-3)
    assert row["gbps_in"] == pytest.approx(10 * 1024 / (1024 + 42 + 24), rel=1e-2)
    assert row["checked"] == sum(row["blocks"]) == 2 * 50 + 8
    assert set(result["simulated_time"] + result["cpu_time"]) <= set(row)
    # Missing figures are reported, never omitted silently.
    assert len(result["missing"]) == [row[rate] for rate in RATES].count(None)
    assert all(row[rate] is None or row[rate] > 0 for rate in RATES)


def test_the_clock_of_the_estimate(benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch) -> None:
    """At half the design's clock the port has half the rate; the line is even slower."""
    module = bench.load("rs")
    monkeypatch.setattr(module, "estimated_mhz", lambda design: 125.0)
    monkeypatch.setattr(bench, "load", lambda name: module)
    result = benchmark("rs", NARROW, **OPTIONS, estimate=True)
    (row,) = result["rows"]
    assert set(result["estimated_time"]) == {key for key in row if key.endswith("_estimated")}
    assert row["mhz_estimated"] == 125
    assert row["gbps_port_estimated"] == pytest.approx(row["gbps_port"] / 2, rel=1e-3)
    assert row["gbps_in_estimated"] == pytest.approx(
        min(row["gbps_in"], row["gbps_port_estimated"]), rel=1e-2
    )
    assert row["latency_ns_estimated"] == row["latency_cycles"] * 8


@pytest.mark.parametrize("instances", [1, 2, 4])
def test_designs_of_several_instances_are_sound(tmp_path: Path, instances: int) -> None:
    benchmark: Any = bench.load("rs")
    facts, problems = check.check(benchmark.with_instances(NARROW, instances, tmp_path))
    assert not problems
    assert sum(layer.kind.name == "rs_encode" for layer in facts.design.layers()) == instances


def test_missing_library_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    benchmark: Any = bench.load("rs")

    def nothing(name: str) -> None:
        raise MissingLibraryError(f"{name} is not here")

    monkeypatch.setattr(benchmark, "open_library", nothing)
    benchmark.main(NARROW, STDOUT, **OPTIONS)
    shown = capsys.readouterr()
    result = json.loads(shown.out)
    assert [result["rows"][0][rate] for rate in RATES] == [None, None]
    assert result["missing"] == ["isal is not here", "go is not here"]
    assert "go is not here" in shown.err
    benchmark.main(NARROW, None, **OPTIONS)
    shown = capsys.readouterr()
    assert "missing" in shown.out and "isal is not here" in shown.out


def test_wrong_parity_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    benchmark: Any = bench.load("rs")
    right = benchmark.Checker.parity

    def one_wrong(self: Any, service: Any, blocks: list[bytes]) -> list[bytes]:
        parity: list[bytes] = right(self, service, blocks)
        return [*parity[:-1], parity[-1][:-1] + bytes([parity[-1][-1] ^ 1])]

    monkeypatch.setattr(benchmark.Checker, "parity", one_wrong)
    with pytest.raises(UserError, match="3 wrong"):
        benchmark.main(NARROW, STDOUT, **OPTIONS)
    assert json.loads(capsys.readouterr().out)["errors"] == 3

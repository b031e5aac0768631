# SPDX-License-Identifier: Apache-2.0
"""The benchmark of replicas: its rows are there, checked, and show what replicas are for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bombus.measure import bench

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_assertions")]

NS = ("latency_p50_ns_estimated", "latency_p99_ns_estimated")


@pytest.mark.sweep
def test_scale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "scale.json"
    module = bench.load("scale")
    monkeypatch.setattr(module, "estimated_mhz", lambda design: 125.0)
    monkeypatch.setattr(bench, "load", lambda name: module)
    bench.run("scale", None, out, packets=120, estimate=True)
    found = json.loads(out.read_text())
    assert found["errors"] == 0
    even = [row for row in found["rows"] if row["work"] == "even"]
    uneven = {row["policy"]: row for row in found["rows"] if row["work"] == "uneven"}
    assert [row["replicas"] for row in even] == list(range(1, 9))
    assert set(uneven) == {"flow_hash", "round_robin", "dst_port", "least_loaded"}
    for row in found["rows"]:
        assert row["checked"] == 120 * (2 if row["work"] == "uneven" else 1)
        assert row["mpps_estimated"] == pytest.approx(125 / row["cycles_per_packet"], abs=1e-3)
        for ns, cycles in zip(NS, ("latency_p50", "latency_p99"), strict=True):
            assert row[ns] == (row[cycles] and row[cycles] * 8)
        # The work for the first reply is not in the measured time, so slightly less is possible.
        assert row["cycles_per_packet"] >= 0.9 * row["bound_cycles"]
    # One replica has no choice; more of them are faster.
    assert even[0]["cycles_per_packet"] < 1.02 * even[0]["bound_cycles"]
    assert even[7]["mpps"] > 3 * even[0]["mpps"]
    by_turns = uneven["round_robin"]
    assert by_turns["largest_share"] == 1
    # Long work in one replica does not stop the others.
    least = uneven["least_loaded"]
    assert least["cycles_per_packet"] / least["bound_cycles"] < (
        by_turns["cycles_per_packet"] / by_turns["bound_cycles"]
    )

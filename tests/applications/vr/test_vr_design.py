# SPDX-License-Identifier: Apache-2.0
"""The witnesses of the example designs, at the MAC port."""

from __future__ import annotations

import pytest

from bombus.base.paths import EXAMPLES
from tests.support.helpers import Benchmark


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize(("design", "latency"), [("witness", 45), ("witness_memory", 102)])
def test_benchmark(benchmark: Benchmark, design: str, latency: int) -> None:
    """Latency and rate; every reply is compared with the model."""
    result = benchmark("vr", EXAMPLES / "vr" / f"{design}.yaml", messages=400)
    assert result["errors"] == 0
    limits = {"Prepare": (latency, 5.66), "ValidateRead": (40, 2.06)}
    for row in result["rows"]:
        latency, cycles = limits[row["message"]]
        assert row["latency_cycles"] <= latency
        assert row["cycles_per_message"] <= cycles
        assert row["checked"] > 0
    sums = {row["operation"]: row["ns"] for row in result["operations"] if row["part"] == "sum"}
    for operation, total in sums.items():
        parts = [row["ns"] for row in result["operations"] if row["operation"] == operation]
        assert sum(parts) == pytest.approx(2 * total, abs=0.2)

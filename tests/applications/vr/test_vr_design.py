# SPDX-License-Identifier: Apache-2.0
"""The witnesses of the example design, at the MAC port."""

from __future__ import annotations

import pytest

from tests.support.helpers import Benchmark


@pytest.mark.slow
@pytest.mark.sweep
def test_benchmark(benchmark: Benchmark) -> None:
    """Latency and rate; every reply is compared with the model."""
    result = benchmark("vr", messages=400)
    assert result["errors"] == 0
    limits = {"Prepare": (45, 5.66), "ValidateRead": (40, 2.06)}
    for row in result["rows"]:
        latency, cycles = limits[row["message"]]
        assert row["latency_cycles"] <= latency
        assert row["cycles_per_message"] <= cycles
        assert row["checked"] > 0
    sums = {row["operation"]: row["ns"] for row in result["operations"] if row["part"] == "sum"}
    for operation, total in sums.items():
        parts = [row["ns"] for row in result["operations"] if row["operation"] == operation]
        assert sum(parts) == pytest.approx(2 * total, abs=0.2)

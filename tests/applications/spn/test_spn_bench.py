# SPDX-License-Identifier: Apache-2.0
"""`bombus bench spn`: the rate of the line, all replies right, the error within its bound."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.base.paths import EXAMPLES
from tests.support.helpers import Benchmark

MODEL = EXAMPLES / "spn" / "machine.spn"
pytestmark = [pytest.mark.slow, pytest.mark.sweep, pytest.mark.usefixtures("with_assertions")]


def test_full_rate(benchmark: Benchmark, tmp_path: Path) -> None:
    text = (EXAMPLES / "spn" / "readings.yaml").read_text()
    for old, new in {
        "data_width: 512": "data_width: 64",
        "clock_mhz: 250": "clock_mhz: 156.25",
        "line_rate_gbps: 100": "line_rate_gbps: 10",
    }.items():
        assert old in text
        text = text.replace(old, new)
    design = tmp_path / "narrow.yaml"
    design.write_text(text)
    result = benchmark("spn", design, batches=20, models=str(MODEL))
    assert result["errors"] == 0
    assert [row["transport"] for row in result["rows"]] == ["udp", "tcp", "ethernet"]
    for row in result["rows"]:
        assert row["copies"] == 1
        # Replies over TCP share segments, so their times are not even.
        assert 0.99 * row["bound"] <= row["samples_per_second"] <= 1.01 * row["bound"]
        assert 0 < row["max_error_nats"] <= row["bound_nats"]
    assert result["rows"][-1]["latency_cycles"] <= result["rows"][-1]["depth"] + 30

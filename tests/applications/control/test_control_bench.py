# SPDX-License-Identifier: Apache-2.0
"""`bombus bench control`: the figures that the control plane promises."""

from __future__ import annotations

from typing import Any

import pytest

from bombus.base.errors import UserError
from bombus.measure import bench
from tests import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_assertions")]


@pytest.mark.sweep
@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_figures(benchmark: Any, transport: str) -> None:
    found = benchmark("control", None, transport=transport, no_area=None)
    assert found["wrong"] == 0
    for sealed in (True, False):
        rows = {row["case"]: row for row in found["rows"] if row["sealed"] == sealed}
        assert all(row["transport"] == transport for row in rows.values())
        assert rows["read"]["latency_cycles"] <= 400
        assert rows["1024 writes"]["per_second"] >= 10_000_000
        if transport == "udp":
            assert rows["echo, 1 M requests/s"]["latency_cycles"] == rows["echo"]["latency_cycles"]
            assert rows["echoes that are later"]["latency_cycles"] <= 3
            assert rows["the same, MAC port free"]["per_second"] == 0


def test_options() -> None:
    with pytest.raises(UserError, match="--transport icmp: should be udp, tcp or both"):
        bench.run("control", None, None, transport="icmp")
    with pytest.raises(UserError, match="control has designs of its own"):
        bench.run("control", ROOT / "designs" / "udp_echo.yaml", None)

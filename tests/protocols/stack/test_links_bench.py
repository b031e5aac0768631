# SPDX-License-Identifier: Apache-2.0
"""`bombus bench links`: two designs on a link reach the bound of their protocol."""

from __future__ import annotations

import pytest

from tests.support.helpers import Benchmark

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_assertions")]
BOUNDS = {"tcp": 98.131, "udp": 98.414, "ethernet": 99.081, "link": 99.84}


@pytest.mark.parametrize(
    "protocol",
    ["link", *(pytest.param(name, marks=pytest.mark.sweep) for name in list(BOUNDS)[:3])],
)
def test_bound(benchmark: Benchmark, protocol: str) -> None:
    result = benchmark("links", protocols=protocol, messages=200)
    assert result["errors"] == 0
    row = result["rows"][-1]
    assert row["protocol"] == protocol
    assert row["bound_gbps"] == BOUNDS[protocol]
    assert row["goodput_gbps"] == pytest.approx(row["bound_gbps"], abs=0.01)
    # Over TCP, acknowledgements without payload take their part of the line
    assert row["duplex_gbps"] >= row["bound_gbps"] - (4 if protocol == "tcp" else 0.01)
    assert row["checked"] == 4 * 200 * 4096
    if protocol == "tcp":
        assert result["rows"][0]["round_trip_cycles"] > row["round_trip_cycles"]

# SPDX-License-Identifier: Apache-2.0
"""`bombus bench links`: two designs on a link reach the bound of their protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bombus.measure import bench
from tests.support.helpers import Benchmark

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_assertions")]
BOUNDS = {"tcp": 98.131, "udp": 98.414, "ethernet": 99.081, "link": 99.84}


@pytest.mark.parametrize(
    "protocol",
    ["link", *(pytest.param(name, marks=pytest.mark.sweep) for name in list(BOUNDS)[:3])],
)
def test_bound(benchmark: Benchmark, protocol: str) -> None:
    result = benchmark("links", protocols=protocol, messages=400)
    assert result["errors"] == 0
    row = result["rows"][-1]
    assert row["protocol"] == protocol
    assert row["bound_gbps"] == BOUNDS[protocol]
    assert row["goodput_gbps"] == pytest.approx(row["bound_gbps"], abs=0.01)
    # Over TCP, acknowledgements without payload take their part of the line
    assert row["duplex_gbps"] >= row["bound_gbps"] - (1 if protocol == "tcp" else 0.01)
    assert row["checked"] == 4 * 400 * 4096
    if protocol == "tcp":
        assert result["rows"][0]["round_trip_cycles"] > row["round_trip_cycles"]


def test_picture(tmp_path: Path) -> None:
    """Of figures that were not measured."""
    benchmark: Any = bench.load("links")
    rates = {"goodput_gbps": 97.125, "duplex_gbps": 96.25, "bound_gbps": 98.5}
    rows = [
        {"protocol": name, "payload_bytes": 4096, "round_trip_cycles": 5, "round_trip_ns": 20.5}
        | (dict.fromkeys(rates) if name == "tcp_handshake" else rates)
        for name in ("link", "tcp_handshake", "tcp")
    ]
    file = tmp_path / "links.svg"
    benchmark.draw(rows, file)
    drawn = file.read_text()
    for text in ("TCP", "link", "bound of the link", "97.125", "96.25", "98.5", "20.5", "5 cycles"):
        assert f">{text}<" in drawn
    assert ">TU Darmstadt, published<" in drawn
    assert ">98.131<" in drawn and ">99.837<" in drawn
    assert "UDP" not in drawn and "98.414" not in drawn  # not measured
    assert drawn.count(">98.5<") == 2  # the handshake has a round trip only
    assert drawn.count(">20.5<") == 3
    benchmark.draw([row | {"payload_bytes": 64} for row in rows], file)
    assert "published" not in file.read_text()
    assert "messages of 64 bytes" in file.read_text()

# SPDX-License-Identifier: Apache-2.0
"""`bombus bench service` of TCP: figures, connections, and what it says without a service."""

from __future__ import annotations

from typing import Any

import pytest

from bombus.base.errors import UserError
from bombus.measure import bench
from tests import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_assertions")]

DESIGN = ROOT / "designs" / "tcp_echo.yaml"


def test_echo(benchmark: Any) -> None:
    options = {"protocol": "tcp", "checker": "echo", "singles": "20"}
    found = benchmark("service", DESIGN, size="1,64,1460,5000", count="400", **options)
    assert (found["protocol"], found["port"], found["errors"]) == ("tcp", 7, 0)
    for row, size in zip(found["rows"], (1, 64, 1460, 5000), strict=True):
        assert row["request_bytes"] == row["reply_bytes"] == size
        assert row["checked"] == 420 and row["lost"] == row["wrong"] == 0
        assert row["gbps"] <= row["bound_gbps"] * 1.01
        assert row["latency"]["min"] <= row["latency"]["p99"] <= row["latency"]["max"]
    assert found["rows"][2]["gbps"] > 0.9 * found["rows"][2]["bound_gbps"]

    (row,) = benchmark("service", DESIGN, count="100", connections="5", **options)["rows"]
    assert row["checked"] == 120
    (alone,) = benchmark("service", DESIGN, count="30", outstanding="1", **options)["rows"]
    assert alone["cycles_per_message"] > alone["latency"]["min"] > row["cycles_per_message"]


def test_replies_that_are_wrong_or_too_short() -> None:
    options = {"protocol": "tcp", "size": "10", "count": "4", "singles": "2"}
    # Requests of 10 bytes are cut into replies of 5: there are too many bytes.
    with pytest.raises(UserError, match="more bytes than replies have"):
        bench.run("service", DESIGN, None, reply_size="5", **options)
    with pytest.raises(UserError, match=r"port 7: .* single requests? got no whole reply"):
        bench.run("service", DESIGN, None, reply_size="11", **options)


def test_no_service() -> None:
    with pytest.raises(UserError, match="tcp_echo refuses connections to TCP port 9"):
        bench.run("service", DESIGN, None, port="9", protocol="tcp")

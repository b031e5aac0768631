# SPDX-License-Identifier: Apache-2.0
"""Rates, round trips and handshakes of TCP at the MAC ports, and designs of other widths: the
peers of `bombus bench tcp` compare every byte.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.support.helpers import Benchmark

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_assertions")]


TILE = ROOT / "benchmarks" / "tcp.yaml"
BYPASS = ROOT / "benchmarks" / "tcp_bypass.yaml"
NARROW = ROOT / "benchmarks" / "tcp_10g.yaml"

ONE_CYCLES, MANY_CYCLES = 9, 4  # per segment of 64 bytes, with one connection and with several
# Cycles of a request of 64 bytes; a handshake takes no longer.
LATENCY = {TILE: 120, BYPASS: 80}
LINE_RATE_BYTES = 512  # segments from here on take line rate
SHORTFALL = {1460: 0.005, 4096: 0.001}  # of goodput against the bound
OTHERS = 0.02  # shortfall of other sizes: acknowledgements are counted in steps


def check_compared(row: dict[str, Any]) -> None:
    """What the design sends is compared by the peers; tcp_load compares what it receives."""
    assert row["direction"] == "rx" or row["checked"] > 0


def check(rows: list[dict[str, Any]], design: Path) -> None:
    for row in rows:
        payload = row["payload_bytes"]
        if row["mode"] != "stream":
            assert row["latency_cycles"] <= LATENCY[design]
            continue
        check_compared(row)
        if payload == 64:
            most = ONE_CYCLES if row["connections"] == 1 else MANY_CYCLES
            assert row["cycles_per_segment"] <= most
        if payload >= LINE_RATE_BYTES:
            least = 1 - SHORTFALL.get(payload, OTHERS)
            assert row["goodput_gbps"] >= least * row["bound_gbps"]


def test_rates(benchmark: Benchmark) -> None:
    one = benchmark("tcp", TILE, payloads="64,512", connections="1", segments=1500)["rows"]
    many = benchmark("tcp", TILE, payloads="64", connections="8", segments=800)["rows"]
    assert (len(one), len(many)) == (2 + 3 * 2, 2 + 3)
    check(one + many, TILE)


@pytest.mark.sweep
@pytest.mark.parametrize("design", [TILE, BYPASS], ids=lambda path: path.stem)
def test_rates_of_all_sizes(design: Path, benchmark: Benchmark) -> None:
    rows = benchmark("tcp", design)["rows"]
    assert {row["payload_bytes"] for row in rows} >= set(SHORTFALL)
    check(rows, design)


@pytest.mark.sweep
def test_narrow(benchmark: Benchmark) -> None:
    """The engine and its buffers at 64 bits, with segments that fill their beats and do not."""
    rows = benchmark("tcp", NARROW, payloads="93,1460", connections="3", segments=100)["rows"]
    assert {row["data_bits"] for row in rows} == {64}
    for row in rows:
        if row["mode"] == "stream":
            check_compared(row)
            if row["payload_bytes"] == 1460:
                assert row["goodput_gbps"] >= 0.97 * row["bound_gbps"]

# SPDX-License-Identifier: Apache-2.0
"""The benchmark `cluster` on RTL: rates of the law, round trips, and no loss with bit errors."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median

import pytest

from bombus.base import paths
from bombus.cluster import advise, law, topology
from bombus.cluster.model import Endpoint, Timing

sys.path.append(str(paths.BENCHMARKS))
from _cluster_boards import Flow, Loads, describe, start
from _cluster_cases import half
from _cluster_report import draw, table
from cluster import CLOCK_MHZ, Row, rows_of_all

pytestmark = pytest.mark.slow

TIMING = Timing()
UNMANAGED = Endpoint(managed=False, buffer_size=16, words=8)
ENDPOINTS = [half(16), UNMANAGED]


@pytest.fixture(scope="module")
def loads(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loads]:
    folder: Path = tmp_path_factory.mktemp("load")
    described = describe(topology.build("bar", 3), ENDPOINTS, folder, TIMING)
    with start(described) as cluster:
        yield Loads(cluster, ENDPOINTS)
        cluster.check()


@pytest.mark.parametrize("hops", [1, 2])
def test_rate_of_one_sender(loads: Loads, hops: int) -> None:
    (result,), lost = loads.rate([Flow(hops, 0, 0)], 32, 32 + 10 * 16 + 1)
    assert (result.wrong, lost) == (0, 0)
    found = result.rate(32) * 4
    assert found == pytest.approx(law.share(ENDPOINTS[0], hops, TIMING), rel=0.03)


def test_both_directions_of_a_link_reach_the_full_rate(loads: Loads) -> None:
    results, lost = loads.rate([Flow(1, 0, 1), Flow(0, 1, 1)], 100, 600)
    assert lost == 0
    for result in results:
        assert result.wrong == 0
        bound = law.line(8, TIMING, both=True)
        assert result.rate(100) * 4 == pytest.approx(bound, rel=0.03)


def test_round_trips_are_linear_in_hops(loads: Loads) -> None:
    one, two = (median(loads.echo(hops, 0, 0, 5)) for hops in (1, 2))
    expected = TIMING.crossing(8) + TIMING.crossing(2)
    assert two - one == pytest.approx(expected, abs=4)
    assert (two - one) / CLOCK_MHZ < 2 * 0.6  # of the paper: 0.5 us without a check of packets


def test_sessions_of_a_busy_sender_stay_open(loads: Loads) -> None:
    """It sends 32 packets between two scans, a multiple of what its counts are modulo."""

    def returned() -> int:
        counts = loads.cluster[1].counters()["bridge"]
        return counts["event.cluster_load.return"]

    scan = 3 * 256  # cycles: three boards
    before = returned()
    received = loads.send(Flow(1, 0, 0), 20 * 32, period=scan // 32)
    assert received == 20 * 32
    assert returned() <= before + 1


def test_bit_errors_lose_nothing(loads: Loads) -> None:
    for link in range(2):
        loads.cluster.impair(link, bit_errors=1e-4)
    try:
        senders = [Flow(2, 0, 0), Flow(1, 0, 1), Flow(0, 1, 1)]
        results, lost = loads.rate(senders, 10, 300)
    finally:
        for link in range(2):
            loads.cluster.impair(link)
    assert [result.wrong for result in results] == [0, 0, 0]
    assert lost == 0
    assert sum(sum(board.values()) for board in _crc_errors(loads)) > 10


def _crc_errors(loads: Loads) -> Iterator[dict[str, int]]:
    for counters in loads.cluster.counters().values():
        for tile in counters.values():
            yield {name: count for name, count in tile.items() if "crc_error" in name}


@pytest.mark.sweep
def test_whole_benchmark() -> None:
    """Rates within 3% of the law, the order of figure 10, and what the documentation says."""
    rows = rows_of_all(TIMING)
    assert sum(row.lost for row in rows) == 0
    for row in rows:
        if row.bound_gbps and row.figure.split()[0] in ("8", "9", "window", "link"):
            assert row.bandwidth_gbps == pytest.approx(row.bound_gbps, rel=0.03), row
    rates = {row.figure: row.bandwidth_gbps or 0 for row in rows}  # of links: the larger buffer
    ordered = sorted(rows_named(rates, "10"), key=lambda name: -rates[name])
    assert ordered == ["10 8x1+72", "10 32x2+16", "10 64x1+16", "10 64x1+8", "10 32x1+16"]
    assert rates["window"] > 0.97 * 20 * law.line(8, TIMING)
    assert rates["link 256 B, errors 1e-06"] > 0.97 * rates["link 256 B, one way"]
    (reduced,) = (rates[name] for name in rows_named(rates, "all-reduce") if "248" in name)
    assert reduced >= 0.8 * 20
    trips = [row.round_trip_us or 0 for row in rows if row.figure == "11"]
    assert trips[2] - trips[1] == pytest.approx(trips[1] - trips[0], rel=0.02)


def rows_named(rates: dict[str, float], figure: str) -> list[str]:
    return [name for name in rates if name.split()[0] == figure]


@pytest.mark.sweep
@pytest.mark.parametrize("kib", [3, 6])
def test_advice_holds_on_the_rtl(tmp_path: Path, kib: int) -> None:
    """What `bombus cluster advise` promises for one sender over three hops."""
    file = tmp_path / "traffic.yaml"
    file.write_text(
        f"name: test\ntopology: {{kind: bar, boards: 4}}\nbuffer_kib: {kib}\ntraffic:\n"
        "  - {channel: data, sources: [3], targets: [0], gbps: 20, message_bytes: 256}\n"
    )
    (advice,) = advise.advise(file)
    assert advice.limit == "buffer"
    kind = advice.endpoint
    with start(describe(topology.build("bar", 4), [kind], tmp_path, TIMING)) as cluster:
        (result,), lost = Loads(cluster, [kind]).rate([Flow(3, 0)], 40, 440)
        cluster.check()
    assert (result.wrong, lost) == (0, 0)
    found = result.rate(40) * kind.words * 64 * CLOCK_MHZ / 1000
    assert found == pytest.approx(advice.expected_gbps, rel=0.03)


def test_law_counts_errors() -> None:
    assert law.goodput(32, 0, TIMING) == 1
    assert 0.97 < law.goodput(32, 1e-6, TIMING) < 1
    assert law.goodput(32, 1e-6, replace(TIMING, latency=750)) < law.goodput(32, 1e-6, TIMING)


def test_pictures_of_the_figures(tmp_path: Path) -> None:
    def row(figure: str, number: int) -> dict[str, object]:
        given = Row(figure, "bar", number, number, 8 * number, 4, 12, 3.0, 3.1, 1.2 * number, 0)
        return asdict(given)

    figures = ("8", "9", "10 64x1+16", "11", "link 64 B, one way")
    rows = [row(figure, number) for figure in figures for number in (1, 2)]
    draw(rows, tmp_path)
    found = {file.name for file in tmp_path.iterdir()}
    assert found == {f"cluster_{figure}.svg" for figure in (8, 9, 10, 11)}
    assert table(rows).row_count == len(rows)

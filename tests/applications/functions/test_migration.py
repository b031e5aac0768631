# SPDX-License-Identifier: Apache-2.0
"""`bombus bench migration`: a connection to the stack moves between Linux hosts and stays open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bombus.base.errors import UserError
from bombus.measure import bench
from tests.support.helpers import Benchmark
from tests.support.live import new_namespace


@pytest.fixture
def needs_hosts() -> None:
    if not Path("/dev/net/tun").exists():
        pytest.skip("there is no /dev/net/tun")
    new_namespace().close()


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.usefixtures("needs_hosts")
@pytest.mark.parametrize(
    ("impair", "migrations"), [("", 10), ("loss=1%,reorder=2%", 25), ("jitter_us=50", 10)]
)
def test_migrations(benchmark: Benchmark, tmp_path: Path, impair: str, migrations: int) -> None:
    """The benchmark compares all bytes. Real time is part of the gaps, so they have no bound."""
    result = benchmark(
        "migration",
        migrations=migrations,
        runs="hosts",
        impair=impair,
        seed=migrations,
        pictures=str(tmp_path),
    )
    (row,) = result["rows"]
    assert result["errors"] == row["resets"] == row["bytes_lost"] == 0
    assert row["migrations"] == migrations and row["direction"] == "linux_to_linux"
    assert row["requests"] > 4 * migrations
    assert row["linux_us"] < row["gap_us_stack"] <= row["gap_us_stack_longest"]
    assert "</svg>" in (tmp_path / "migration.svg").read_text()


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.usefixtures("needs_hosts")
@pytest.mark.parametrize("impair", ["", "loss=1%,reorder=2%"])
def test_moves_of_the_stack(benchmark: Benchmark, impair: str) -> None:
    """Between engines, in the time that is allowed; to Linux, whose real time counts, and back."""
    rows = benchmark("migration", runs="engines,linux", migrations=8, impair=impair)["rows"]
    directions = ["engine_to_engine", "engine_to_linux", "linux_to_engine"]
    assert [row["direction"] for row in rows] == directions
    for row in rows:
        assert row["resets"] == row["bytes_lost"] == 0 and row["migrations"] == 8
        assert row["bytes_moved"] > 0
    if not impair:
        assert rows[0]["gap_us_stack"] <= rows[0]["gap_us_bound"]
        assert rows[0]["linux_us"] == 0 < rows[1]["linux_us"] < rows[1]["gap_us_stack"]


def test_figures_of_segments() -> None:
    bench.load("migration")
    report: Any = bench.load("_migration-report")
    places = ((0, 0, 64), (100, 0, 64), (150, 1, 0), (320, 1, 64), (420, 1, 64), (900, 0, 64))
    found = [report.Segment(1000 * us, host, True, 0x18, size) for us, host, size in places]
    assert report.gaps_us(found) == [220.0, 480.0]
    answers = [report.Segment(0, 0, way, flags, 0) for way in (False, True) for flags in (4, 16)]
    assert report.resets(answers) == 1  # those that hosts send reach no connection


def test_options_are_checked() -> None:
    with pytest.raises(UserError, match="--impair"):
        bench.run("migration", None, None, impair="loss=2")
    with pytest.raises(UserError, match="--runs engine: expected some of hosts"):
        bench.run("migration", None, None, runs="engine")
    with pytest.raises(UserError, match="--migrations"):
        bench.run("migration", None, None, migrations="0")

# SPDX-License-Identifier: Apache-2.0
"""What the crosspoint fabric carries, and a benchmark that tells all that its page promises."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bombus.base.errors import UserError
from bombus.design.window import safe_window
from bombus.fabric.config import Fabric
from bombus.measure import bench
from bombus.measure.mesh import Mesh, Traffic, build
from tests.support.helpers import Benchmark

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_assertions")]


KEYS = {
    "fabric",
    "algorithm",
    "pattern",
    "traffic",
    "lossless",
    "offered",
    "accepted",
    "latency_mean",
    "latency_p99",
    "latency_max",
    "loss",
    "window",
    "messages",
    "errors",
}
PACKET = 24


def crosspoint(**options: Any) -> Mesh:
    return build(Fabric(kind="crosspoint", **options), 4, 4, assertions=True)


@pytest.fixture(scope="module")
def lossless() -> Mesh:
    return crosspoint()


@pytest.mark.sweep
@pytest.mark.parametrize(("pattern", "least"), [("uniform", 0.90), ("bit_complement", 0.495)])
def test_saturation(lossless: Mesh, pattern: str, least: float) -> None:
    at_bound, full = lossless.run(
        Traffic(pattern=pattern, offered=offered, packet=PACKET, warmup=60_000, measure=60_000)
        for offered in (least + 0.03, 1.0)
    )
    assert at_bound.is_sound and full.is_sound
    assert full.lost == full.reordered == 0
    assert full.accepted >= least
    assert full.accepted >= at_bound.accepted - 0.01, "falls past saturation"


@pytest.mark.sweep
def test_chains_in_any_order_without_loss(lossless: Mesh) -> None:
    window = safe_window(lossless.fabric, 4, 4, PACKET)
    (result,) = lossless.run(
        [Traffic(traffic="chain", offered=1.0, window=window, warmup=1000, measure=15_000)]
    )
    assert result.is_sound
    assert result.lost == 0
    assert result.accepted >= 0.86
    assert result.max_flight <= window


@pytest.mark.sweep  # test_crosspoint_mesh has it for a smaller mesh
def test_chains_block_without_a_window(lossless: Mesh) -> None:
    (result,) = lossless.run([Traffic(traffic="chain", offered=1.0, warmup=1000, measure=15_000)])
    assert result.stalled


@pytest.mark.sweep
@pytest.mark.parametrize("cycles", [10_000, 50_000])
def test_dropping_form_loses_no_more_than_the_paper_and_counts_it(cycles: int) -> None:
    mesh = crosspoint(lossless=False)
    at_90, at_100 = mesh.run(
        Traffic(traffic="chain", offered=offered, warmup=1000, measure=cycles)
        for offered in (0.9, 1.0)
    )
    for result, most in ((at_90, 0.006), (at_100, 0.059)):
        assert result.is_sound
        assert 0 < result.lost / (result.lost + result.received) <= most


@pytest.mark.sweep
def test_benchmark_tells_what_its_page_promises(benchmark: Benchmark, tmp_path: Path) -> None:
    result = benchmark(
        "noc",
        fabrics="crosspoint_xy,crosspoint_xy_dropping",
        loads="0.1,1.0",
        scale=0.02,
        pictures=str(tmp_path),
    )
    assert result["errors"] == 0
    assert all(set(row) == KEYS for row in result["rows"])
    assert {row["traffic"] for row in result["rows"]} == {"independent", "chain"}
    assert {(row["lossless"], row["offered"]) for row in result["rows"]} == {
        (lossless, load) for lossless in (True, False) for load in (0.1, 1.0)
    }
    assert all(row["loss"] == 0 for row in result["rows"] if row["lossless"])
    assert all(row["cycles_per_hop"] <= 3 for row in result["zero_load"])
    assert {file.name for file in tmp_path.iterdir()} == {"noc_independent.svg", "noc_chain.svg"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fabrics": "crosspoint"}, "there is no fabric 'crosspoint'"),
        ({"loads": "0.1,2"}, "--loads 0.1,2"),
        ({"scale": 0}, "--scale 0"),
        ({"columns": 100}, "a mesh of 100 x 4"),
    ],
)
def test_bad_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        bench.run("noc", None, None, **options)

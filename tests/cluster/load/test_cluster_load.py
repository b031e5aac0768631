# SPDX-License-Identifier: Apache-2.0
"""The traffic generator at the endpoints of four boards: rates of the law, round trips, no loss."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bombus.base import paths
from bombus.cluster import law, topology
from bombus.cluster.model import Endpoint, Timing
from bombus.cluster.simulation import Cluster

sys.path.append(str(paths.BENCHMARKS))
from _cluster_boards import Loads, describe

pytestmark = [pytest.mark.slow, pytest.mark.sweep]

TIMING = Timing(hop=15)  # cluster_link adds 14 cycles, cluster_router 1
ENDPOINTS = [
    Endpoint(buffer_size=24, flow_offset=8, flow_stride=16, init_budget=1),
    Endpoint(buffer_size=96, flow_offset=32, flow_stride=64, init_budget=1),
]


@pytest.fixture(scope="module")
def loads(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loads]:
    folder: Path = tmp_path_factory.mktemp("load")
    described = describe(topology.build("bar", 4), ENDPOINTS, folder, width=128, latency=75)
    with Cluster(described) as cluster:
        cluster.run(6000)
        yield Loads(cluster, ENDPOINTS)
        cluster.check()


@pytest.mark.parametrize("channel", [0, 1])
@pytest.mark.parametrize("hops", [1, 3])
def test_rate_of_one_sender(loads: Loads, hops: int, channel: int) -> None:
    results, lost = loads.rate([(hops, channel)], 0, 100, 600)
    assert lost == 0
    (result,) = results
    assert result.wrong == 0
    found = (result.received - 101) / result.cycles
    assert found == pytest.approx(law.share(ENDPOINTS[channel], hops, TIMING), rel=0.15)


def test_senders_share_an_endpoint_without_loss(loads: Loads) -> None:
    results, lost = loads.rate([(1, 1), (2, 1), (3, 1)], 0, 100, 900)
    assert (results[0].wrong, lost) == (0, 0)


def test_round_trips_are_linear_in_hops(loads: Loads) -> None:
    trips = []
    for hops in (1, 2, 3):
        result = loads.echo(hops, 0, 1, 10)
        assert result.answers == 10
        trips.append(result.round_trips / 10)
    first, second = trips[1] - trips[0], trips[2] - trips[1]
    assert first == pytest.approx(second, abs=4)
    assert first > 2 * 75

# SPDX-License-Identifier: Apache-2.0
"""Route tables that are rewritten around dead links while packets are on their way."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from bombus.base import paths
from bombus.base.errors import UserError
from bombus.cluster import routing, topology
from bombus.cluster.description import Description
from bombus.cluster.model import Endpoint, Timing
from bombus.cluster.rerouting import Routes
from bombus.cluster.run import run
from bombus.cluster.simulation import Cluster

sys.path.append(str(paths.BENCHMARKS))
from _cluster_boards import Loads, describe

pytestmark = pytest.mark.slow

BOARDS, CHANNELS = 9, 1
ENDPOINTS = [Endpoint(buffer_size=24, flow_offset=8, flow_stride=16, init_budget=1)] * CHANNELS
TRAINING = 6000  # cycles
Flow = tuple[int, int, int]  # channel, source, target


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Description:
    """A 3x3 torus of boards that send packets to one other and count those out of order."""
    shape = topology.build("torus", BOARDS)
    return describe(
        shape, ENDPOINTS, tmp_path_factory.mktemp("torus"), Timing(width=64, buffer_beats=400)
    )


@pytest.fixture(scope="module")
def torus(described: Description) -> Iterator[Loads]:
    with Cluster(described, ranks=2) as cluster:
        cluster.run(TRAINING)
        yield Loads(cluster, ENDPOINTS)
        cluster.check()


def one_way(routes: Routes, flow: Flow) -> set[int]:
    """The links that packets of a flow take."""
    found = {*(routing.path(routes.topology, routes.tables, *flow) or ())}
    return {number for number, link in enumerate(routes.topology.links) if set(link.ends) & found}


def links_of(routes: Routes, flow: Flow) -> set[int]:
    """The links that packets of a flow take, and its grants, which take the way back."""
    channel, source, target = flow
    return one_way(routes, flow) | one_way(routes, (channel, target, source))


def prepare(loads: Loads, flows: list[Flow]) -> None:
    """Sets the counts of all boards to zero, and what flows send."""
    for channel in range(CHANNELS):
        for board in range(BOARDS):
            loads.registers(board, channel).control.write(run=0, clear=1, echo=0, stall=0)
            loads.registers(board, channel).control.write(run=0, clear=0, echo=0, stall=0)
    for channel, source, target in flows:
        at = loads.registers(source, channel)
        at.packet.write(target=target, words=2, period=40)
        at.packets.write(count=0xFFFF_FFFF)


def start(loads: Loads, flows: list[Flow]) -> None:
    for channel, source, _ in flows:
        loads.registers(source, channel).control.write(run=1, clear=0, echo=0, stall=0)


def stop(loads: Loads, flows: list[Flow]) -> None:
    """Ends flows; checks that each packet has arrived once and in order."""
    for channel, source, _ in flows:
        control = loads.registers(source, channel).control
        control.write(run=0, clear=0, echo=0, stall=0)
    loads.cluster.run(8000)
    for channel in range(CHANNELS):
        sent, received = [0] * BOARDS, [0] * BOARDS
        for number, source, target in flows:
            if number == channel:
                sent[target] += loads.registers(source, channel).sent.count
                assert loads.registers(source, channel).sent.count > 100
        for board in range(BOARDS):
            at = loads.registers(board, channel)
            received[board] = at.received.count
            assert at.wrong.count == 0
        assert received == sent


def test_traffic_goes_on_around_a_dead_link(torus: Loads) -> None:
    cluster = torus.cluster
    routes = cluster.routes
    flows = [(0, n, (n + 4) % BOARDS) for n in range(BOARDS)]
    dead = 3
    over = [flow for flow in flows if dead in links_of(routes, flow)]
    others = [flow for flow in flows if flow not in over]
    assert over
    assert others
    prepare(torus, flows)
    start(torus, others)
    cluster.run(2000)
    cluster.set_link(dead, up=False)
    cluster.run(500)
    done = cluster.reroute([dead])
    assert done.written > 0
    assert done.waiting == 0
    assert not done.unreachable
    assert not any(dead in links_of(routes, flow) for flow in flows)
    start(torus, over)
    cluster.run(5000)
    before = cluster.link_statistics()[dead]
    cluster.run(1000)
    assert [end.received for end in cluster.link_statistics()[dead]] == [
        end.received for end in before
    ]
    # Back to the first tables, with packets of all flows on their way.
    cluster.set_link(dead, up=True)
    cluster.run(TRAINING)
    back = cluster.reroute()
    assert back.written == done.written
    assert back.waiting == 0
    assert all(dead in links_of(routes, flow) for flow in over)
    cluster.run(5000)
    stop(torus, flows)
    assert sum(end.received for end in cluster.link_statistics()[dead]) > 100


def test_packets_inside_of_a_link_that_dies_for_ever_arrive(torus: Loads) -> None:
    """Under traffic with errors: packets that wait for the link and those inside of it take the new
    way, once each. Other flows see nothing of it.
    """
    cluster = torus.cluster
    routes = cluster.routes
    flows = [(0, n, (n + 4) % BOARDS) for n in range(BOARDS)]
    dead = 3
    over = [flow for flow in flows if dead in links_of(routes, flow)]
    prepare(torus, flows)
    start(torus, flows)
    cluster.run(3000)
    cluster.impair(dead, bit_errors=1e-4)
    cluster.run(500)
    cluster.set_link(dead, up=False)
    cluster.run(1500)
    done = cluster.reroute([dead])
    assert done.waiting == 0
    assert done.inside > 0
    cluster.run(5000)
    for channel, source, _ in flows:
        control = torus.registers(source, channel).control
        control.write(run=0, clear=0, echo=0, stall=0)
    cluster.run(12_000)
    for channel, source, target in flows:
        at = torus.registers(target, channel)
        assert at.received.count == torus.registers(source, channel).sent.count > 100
        if (channel, source, target) not in over:
            assert at.wrong.count == 0
    # The link works as before when it is back.
    cluster.impair(dead)
    cluster.set_link(dead, up=True)
    cluster.run(TRAINING)
    cluster.reroute()
    prepare(torus, flows)
    start(torus, flows)
    cluster.run(6000)
    stop(torus, flows)
    assert sum(end.received for end in cluster.link_statistics()[dead]) > 100


def test_packets_to_a_dead_link_do_not_stop_others_for_ever(torus: Loads) -> None:
    """After `hold` they are dropped and counted; flows over other links have their rate."""
    cluster = torus.cluster
    flows = [(0, n, (n + 4) % BOARDS) for n in range(BOARDS)]
    over = [flow for flow in flows if 3 in links_of(cluster.routes, flow)]
    prepare(torus, flows)
    nodes = [cluster[n].registers.tiles["bridge"].cluster_node for n in range(BOARDS)]
    for node in nodes:
        assert node.hold.cycles == 256
        node.hold.cycles = 2
    start(torus, flows)
    cluster.run(3000)
    cluster.set_link(3, up=False)
    cluster.run(8000)
    before = [torus.registers(n, 0).received.count for n in range(BOARDS)]
    cluster.run(8000)
    for channel, source, target in flows:
        grown = torus.registers(target, channel).received.count - before[target]
        if (channel, source, target) not in over:
            assert grown >= 8000 // 40 - 2  # one packet in 40 cycles
    names = {"drop.cluster_node.closed_local", "drop.cluster_node.closed_link0"}
    assert sum(sum(cluster[n].tile_counters("bridge", names).values()) for n in range(BOARDS))
    for channel, source, _ in flows:
        torus.registers(source, channel).control.write(run=0, clear=0, echo=0, stall=0)
    cluster.set_link(3, up=True)
    for node in nodes:
        node.hold.cycles = 256
    cluster.run(TRAINING + 12_000)  # sessions are opened again
    prepare(torus, flows)
    start(torus, flows)
    cluster.run(8000)
    stop(torus, flows)


def test_a_reset_keeps_the_new_tables(torus: Loads) -> None:
    cluster = torus.cluster
    routes = cluster.routes
    cluster.reroute([0])
    cluster[0].call("reset")
    cluster.run(TRAINING)
    flow = (0, 0, 1)
    assert 0 not in links_of(routes, flow)
    prepare(torus, [flow])
    start(torus, [flow])
    cluster.run(6000)
    cluster.reroute()
    stop(torus, [flow])


def test_a_dead_board_is_unreachable_and_others_are_not(torus: Loads) -> None:
    cluster = torus.cluster
    ends = [n for n, link in enumerate(cluster.links) if 4 in (link.a[0], link.b[0])]
    for link in ends:
        cluster.set_link(link, up=False)
    cluster.run(500)
    done = cluster.reroute(boards=[4])
    assert not done.unreachable
    assert done.waiting is None
    tables = cluster.routes.tables
    assert all(tables[board][0][4] == routing.NONE for board in range(BOARDS) if board != 4)
    flows = [(0, 3, 5), (0, 1, 7)]
    prepare(torus, flows)
    start(torus, flows)
    cluster.run(6000)
    stop(torus, flows)
    for link in ends:
        cluster.set_link(link, up=True)
    cluster.run(TRAINING)
    assert cluster.reroute().written == done.written


def test_nothing_is_dead(torus: Loads) -> None:
    done = torus.cluster.reroute()
    assert (done.written, done.cycles, done.waiting) == (0, 0, 0)


def test_what_cannot_be(torus: Loads) -> None:
    with pytest.raises(UserError, match="there is no link 99; links: 18"):
        torus.cluster.reroute([99])
    with pytest.raises(UserError, match="there is no board 9; boards: 9"):
        torus.cluster.reroute(boards=[9])


def test_a_run_rewrites_tables_when_a_link_dies_and_comes_back(
    described: Description, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(described, kill=["0-1@8000:30000"], reroute=True, cycles=60_000)
    lines = [line for line in capsys.readouterr().out.splitlines() if "rewritten" in line]
    assert len(lines) == 2
    written = [line.partition(": ")[2].split()[0] for line in lines]
    assert written[0] == written[1] != "0"
    assert found["links"][0]["from_a"]["went_down"] == 1
    assert found["cycles"] >= 60_000

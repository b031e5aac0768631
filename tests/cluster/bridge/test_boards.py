# SPDX-License-Identifier: Apache-2.0
"""UDP echo with its protocols on one board and the application on another, with one between."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from bombus.cluster import Cluster
from bombus.cluster.report import links
from bombus.protocols.frames import Host, Station, arp_request, ping_frame, udp_frame
from bombus.protocols.stack import Stack
from tests import ROOT
from tests.cluster.bar import bar_of

pytestmark = pytest.mark.slow

PEER = Station.of("02:00:00:00:00:01", "10.77.0.9")
BOOT = 2_000  # cycles until the links are trained
TWO_BOARDS = ROOT / "docs" / "examples" / "cluster" / "udp_echo.yaml"
BURST = 1_500  # datagrams: more than all buffers hold


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(bar_of(3, tmp_path_factory.mktemp("bar")), assertions=True) as cluster:
        cluster.run(BOOT)
        yield cluster


def exchange(cluster: Cluster, frames: list[bytes], timeout_cycles: int = 50_000) -> list[bytes]:
    """The replies to frames, in their order, until none comes any more."""
    for frame in frames:
        cluster[0].send(frame)
    found = []
    while (frame := cluster[0].receive(timeout_cycles=timeout_cycles)) is not None:
        found.append(frame.data)
    return found


def test_the_application_on_another_board_answers_as_on_this_one(boards: Cluster) -> None:
    """Replies are those of the reference model, which knows no boards."""
    host = Host.from_manifest(boards[0].manifest)
    stack = Stack(host)
    exchange(boards, [])  # the announcement
    before = boards.counters()
    random = Random(1)
    sizes = [0, 1, 18, 100, 1472, 1900, 4000, 8900, *(random.randrange(2000) for _ in range(30))]
    frames = [arp_request(PEER, host), ping_frame(PEER, host, b"ping")]
    frames += [
        udp_frame(PEER, host, random.randbytes(size), source_port=40_000 + n)
        for n, size in enumerate(sizes)
    ]
    expected = [reply for frame in frames for reply in stack.process(frame).replies]
    got = exchange(boards, frames)
    # Pings and datagrams take different ways.
    assert sorted(got) == sorted(expected)
    datagrams = [reply for reply in got if reply in expected[2:]]
    assert datagrams == expected[2:]
    boards.check()
    counters = boards.counters()
    assert counters[2]["echo"]["noc_in_messages"] == len(sizes)
    assert counters[0]["bridge"]["noc_out_messages"] == len(sizes)
    drops = {
        name: count - before[number]["bridge"][name]  # before the tables were written
        for number, board in counters.items()
        for name, count in board["bridge"].items()
        if name.startswith("drop.")
    }
    assert not any(drops.values())


def test_bit_errors_on_the_link_lose_nothing(boards: Cluster) -> None:
    host = Host.from_manifest(boards[0].manifest)
    random = Random(2)
    exchange(boards, [arp_request(PEER, host)])
    before = links(boards, boards.counters())[0]
    boards.impair(0, bit_errors=1e-5)
    payloads = [random.randbytes(random.randrange(2500)) for _ in range(60)]
    got: list[bytes] = []
    for first in range(0, len(payloads), 10):  # the link is slower than the MAC port now
        some = payloads[first : first + 10]
        got += exchange(boards, [udp_frame(PEER, host, each) for each in some])
    boards.impair(0, bit_errors=0)
    echoed = [reply[42 : 42 + len(each)] for reply, each in zip(got, payloads, strict=True)]
    assert echoed == payloads
    after = links(boards, boards.counters())[0]
    for direction in ("from_a", "from_b"):
        beats, errors = (
            after[direction][name] - before[direction][name] for name in ("beats", "crc_errors")
        )
        # Packets with an error count once, whatever else is wrong in them, and what follows them
        # is not read.
        assert 3e-6 < errors / (64 * beats) < 2e-5
    nodes = [board["bridge"] for board in boards.counters().values()]
    assert sum(node["event.cluster_node.link0_crc_error"] for node in nodes)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Two boards; every other grant to `echo` is of one packet, the channel back is unmanaged."""
    endpoints = """\
  endpoints:
  - {name: echo, flow_stride: 4, init_budget: 1, grant_period: 2}
  - {name: udp_tx, managed: false, buffer_size: 1}
  link:"""
    file = tmp_path_factory.mktemp("two") / "cluster.yaml"
    file.write_text(TWO_BOARDS.read_text().replace("  link:", endpoints))
    with Cluster(file, assertions=True) as cluster:
        cluster.run(BOOT)
        host = Host.from_manifest(cluster[0].manifest)
        exchange(cluster, [arp_request(PEER, host)], 3_000)
        yield cluster


@pytest.mark.sweep
def test_a_burst_ends_where_the_check_accepts_an_unmanaged_channel(two: Cluster) -> None:
    """More datagrams at once than there is room for: all are echoed, or counted where the MAC drops
    them. With an unmanaged channel to `echo`, which the check refuses, they would stop for ever.
    """
    host = Host.from_manifest(two[0].manifest)
    burst = [udp_frame(PEER, host, b"burst", source_port=40_000 + n) for n in range(BURST)]
    echoed = len(exchange(two, burst, 20_000))
    dropped = two.counters()[0]["eth_rx"]["drop.mac_rx.overflow"]
    assert echoed + dropped == BURST
    assert echoed > BURST // 4
    assert len(exchange(two, [ping_frame(PEER, host, b"later"), burst[0]], 20_000)) == 2
    two.check()


@pytest.mark.sweep
def test_periodic_grants_are_small(two: Cluster) -> None:
    """Of two grants, one is of `flow_stride` packets and one of `init_budget`."""

    def counts() -> tuple[int, int]:
        board = two.counters()[1]
        return (
            board["echo"]["noc_in_messages"],
            board["bridge"]["event.cluster_receive.grant"],
        )

    host = Host.from_manifest(two[0].manifest)
    before = counts()
    exchange(two, [udp_frame(PEER, host, bytes([n])) for n in range(100)], 5_000)
    messages, grants = (now - then for now, then in zip(counts(), before, strict=True))
    assert messages == 100
    assert grants == pytest.approx(2 * messages / (4 + 1), abs=2)

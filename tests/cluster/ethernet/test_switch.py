# SPDX-License-Identifier: Apache-2.0
"""Boards at an Ethernet switch that loses, corrupts, repeats and reorders frames, simulated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bombus.base.errors import UserError
from bombus.cluster import Cluster
from bombus.cluster.rank import library_of, write_registers
from bombus.cluster.run import run
from bombus.protocols.frames import Host, Station, arp_request, udp_frame
from bombus.protocols.stack import Stack
from bombus.simulator.beat_links import Beat
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.cluster.ethernet.test_ethernet import header
from tests.support import message_sums

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "docs" / "examples" / "cluster" / "udp_echo_ethernet.yaml"
PEER = Station.of("02:00:00:00:00:01", "10.77.0.9")
BOOT = 6_000  # cycles until the links are trained
TROUBLE = {"loss": 0.01, "corrupt": 0.01, "repeat": 0.02, "reorder": 0.05}


@pytest.fixture(scope="module")
def boards() -> Iterator[Cluster]:
    with Cluster(EXAMPLE, seed=3) as cluster:
        cluster.run(BOOT)
        yield cluster


def exchange(cluster: Cluster, frames: list[bytes], timeout_cycles: int = 20_000) -> list[bytes]:
    """The replies to frames until none comes any more."""
    for frame in frames:
        cluster[0].send(frame)
    found = []
    while (frame := cluster[0].receive(timeout_cycles=timeout_cycles)) is not None:
        found.append(frame.data)
    return found


def datagrams(host: Host, random: Random, count: int) -> list[bytes]:
    return [
        udp_frame(PEER, host, random.randbytes(random.randrange(1400)), source_port=40_000 + n)
        for n in range(count)
    ]


def test_nothing_is_lost_or_doubled(boards: Cluster) -> None:
    """Replies are those of the reference model, which knows no boards."""
    host = Host.from_manifest(boards[0].manifest)
    stack = Stack(host)
    random = Random(1)
    stack.process(arp_request(PEER, host))
    exchange(boards, [arp_request(PEER, host)])
    for shares in ({}, TROUBLE):
        for link in (0, 1):
            boards.impair_switch(link, **shares)  # type: ignore[arg-type]
        expected, got = [], []
        for _ in range(6):
            frames = datagrams(host, random, 12)
            expected += [reply for frame in frames for reply in stack.process(frame).replies]
            got += exchange(boards, frames)
        assert sorted(got) == sorted(expected)
    boards.check()
    counters = boards.counters()
    assert counters[1]["echo"]["noc_in_messages"] > 20
    assert counters[2]["echo"]["noc_in_messages"] > 20
    bridge = counters[0]["bridge"]
    assert bridge["drop.cluster_ethernet.late"] and bridge["event.cluster_ethernet.gap"]
    statistics = boards.switch_statistics()
    assert len(statistics) == 4
    assert all(each.lost and each.repeated and each.corrupted for each in statistics.values())
    wrong = bridge["drop.cluster_ethernet.foreign"] + bridge["drop.cluster_ethernet.malformed"]
    assert wrong <= 2 * sum(each.corrupted for each in statistics.values())


def test_the_switch_goes_down_and_comes_back(boards: Cluster) -> None:
    host = Host.from_manifest(boards[0].manifest)
    stack = Stack(host)
    random = Random(2)
    for link in (0, 1):
        boards.impair_switch(link)
    stack.process(arp_request(PEER, host))
    exchange(boards, [arp_request(PEER, host)])
    for number, outage in enumerate((500, 30_000)):
        frames = datagrams(host, random, 12)
        expected = [reply for frame in frames for reply in stack.process(frame).replies]
        now = boards.cycle
        for link in (0, 1):
            boards.set_link(link, up=False, cycle=now + 1500)
            boards.set_link(link, up=True, cycle=now + 1500 + outage)
        boards.set_port(number, up=False, cycle=now + 3000 + outage)
        boards.set_port(number, up=True, cycle=now + 3400 + outage)
        assert sorted(exchange(boards, frames, 60_000)) == sorted(expected)
    boards.check()


def traced(ranks: int, seed: int = 1) -> list[Any]:
    with Cluster(EXAMPLE, ranks=ranks, seed=seed) as cluster:
        host = Host.from_manifest(cluster[0].manifest)
        for link in (0, 1):
            cluster.impair_switch(link, **TROUBLE)  # type: ignore[arg-type]
        cluster.run(BOOT)
        got = exchange(cluster, [arp_request(PEER, host), *datagrams(host, Random(1), 8)])
        return [got, cluster.cycle, cluster.counters(), cluster.switch_statistics()]


def test_results_do_not_depend_on_ranks(boards: Cluster) -> None:
    alone = traced(1)
    assert traced(3) == alone
    assert traced(1, seed=2) != alone


def test_the_command(boards: Cluster, tmp_path: Path) -> None:
    found = run(EXAMPLE, ranks=2, cycles=10_000, switch=["loss=0.05", "reorder=0.1"])
    link = found["links"][0]["from_a"]
    assert 0 < link["lost"] < link["sent"] / 4
    assert abs(link["sent"] - link["received"] - link["lost"]) <= 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"switch": ["loss"]}, "--switch loss: should be loss, corrupt"),
        ({"switch": ["delay=0.1"]}, "--switch delay=0.1: should be"),
        ({"switch": ["loss=1.5"]}, r"loss 1.5: should be from 0 to 1"),
        ({"bit_errors": 1e-5}, "passes a switch: corrupt its frames instead"),
    ],
)
def test_what_cannot_be(boards: Cluster, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        run(EXAMPLE, cycles=10, **options)


def test_hostile_frames_at_a_board(boards: Cluster) -> None:
    """Each frame that no neighbour has sent has a reason in the counters."""
    described = boards.description.board(1)
    body = bytes(40)
    good = header(100, 5, source=0, destination=1)
    cases: dict[str, list[bytes]] = {
        "drop.cluster_ethernet.foreign": [
            good[:12] + b"\x08\x00" + good[14:] + body,
            good[:15] + b"\1" + good[16:] + body,
            header(100, 5, source=2, destination=1) + body,
            header(100, 5, source=0, destination=2) + body,
            b"\xff" * 64,
        ],
        "drop.cluster_ethernet.malformed": [
            good[:23] + bytes([good[23] ^ 1]) + body,
            header(100, 0, source=0, destination=1) + body,
            good[:16],
            bytes(8),
        ],
        "event.cluster_ethernet.frame_in": [good + body],
        "drop.cluster_ethernet.late": [
            good + body,
            header(99, 5, source=0, destination=1) + body,
            header(101 + (1 << 19), 5, source=0, destination=1) + body,
        ],
        "event.cluster_ethernet.gap": [header(102, 5, source=0, destination=1) + body],
        "drop.cluster_ethernet.cut": [header(103, 9, source=0, destination=1) + body],
    }
    with Simulation(library_of(described)) as simulation:
        message_sums.leave_out(simulation)  # what waits for a neighbour waits for ever
        write_registers(simulation, described.registers)
        simulation.beat_links["ethernet"].set_up(True)
        simulation.advance(10)
        before = simulation.counters()["bridge"]
        for frames in cases.values():
            beats = []
            cycle = simulation.cycle + 5
            for frame in frames:
                for at in range(0, len(frame), 8):
                    flags = (at + 8 >= len(frame)) << 8 | 0xFF
                    data = int.from_bytes(frame[at : at + 8], "little")
                    beats.append(Beat(cycle, flags << 64 | data))
                    cycle += 1
            simulation.run_beats(cycle + 50 - simulation.cycle, {"ethernet": beats})
        after = simulation.counters()["bridge"]
        simulation.check()
    expected = {name: len(frames) for name, frames in cases.items()}
    expected["event.cluster_ethernet.frame_in"] = 3
    assert {name: after[name] - before[name] for name in cases} == expected

# SPDX-License-Identifier: Apache-2.0
"""A protocol outside rtl/ with a next hop and a kind of message of its own, and packets of which
the sender gives local address and TTL (docs/own-protocol.md)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, ethernet, ip_frame, ipv4, padded
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.support.live import ADDRESS, starter

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "docs" / "examples" / "hops"
DESIGN = EXAMPLE / "hop_count.yaml"
PROTOCOL = 253
SOURCE = bytes((10, 77, 0, 99))  # the design file's


@pytest.fixture(scope="module")
def simulation() -> Iterator[Simulation]:
    with Simulation(DESIGN, assertions=True) as opened:
        introduce(opened, neighbour(opened.manifest))
        yield opened
        opened.check()


def request(simulation: Simulation, token: bytes, ttl: int) -> bytes:
    host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
    return ip_frame(station, host, PROTOCOL, token, ttl=ttl)


def answer(simulation: Simulation, body: bytes) -> bytes:
    host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
    packet = ipv4(SOURCE, station.ip, PROTOCOL, body, ttl=255)
    return padded(ethernet(station.mac, host.mac, 0x0800, packet))


def test_answers_tell_the_ttl_and_come_from_another_address(simulation: Simulation) -> None:
    random = Random(1)
    tokens = [random.randbytes(8) for _ in range(100)]
    ttls = [random.randrange(1, 256) for _ in tokens]
    frames = [request(simulation, *each) for each in zip(tokens, ttls, strict=True)]
    came = [frame.data for frame in simulation.exchange(frames).received]
    assert came == [
        answer(simulation, token[:7] + bytes((ttl,)))
        for token, ttl in zip(tokens, ttls, strict=True)
    ]


def test_requests_of_another_size_are_dropped(simulation: Simulation) -> None:
    name = "drop.hops_rx.wrong_size"
    before = simulation.tile_counters("hops_rx")[name]
    frames = [request(simulation, bytes(size), 64) for size in (0, 7, 9, 16, 600)]
    good = request(simulation, b"still me", 64)
    came = [frame.data for frame in simulation.exchange([*frames, good]).received]
    assert came == [answer(simulation, b"still m\x40")]
    assert simulation.tile_counters("hops_rx")[name] == before + len(frames)


def test_kind_that_its_target_does_not_take_is_dropped_and_counted(simulation: Simulation) -> None:
    """By a next hop that was rewritten at run time; `bombus check` knows only those before."""
    tile = "arp"
    before = simulation.tile_counters(tile)["drop.unknown_kind"]
    simulation.set_next_hop("hops_rx", "hops_tx", tile)
    frames = [request(simulation, bytes(8), ttl) for ttl in range(1, 21)]
    assert simulation.exchange(frames).received == []
    counters = simulation.tile_counters(tile)
    assert counters["drop.unknown_kind"] == before + len(frames)
    assert counters["drop.arp.malformed"] == 0
    simulation.set_next_hop("hops_rx", "hops_tx", "hops_tx")
    came = simulation.exchange(frames).received
    assert len(came) == len(frames)


def test_linux_asks(tmp_path: Path) -> None:
    with starter(tmp_path) as start:
        running = start(DESIGN, assertions=True)
        client = [sys.executable, str(EXAMPLE / "ask_hops.py"), ADDRESS]
        for ttl in ("64", "3"):
            text = running.run([*client, ttl])
            assert text == "10.77.0.99: 0 hops there, 0 hops back\n"
        totals = running.stop()
    assert totals["counters"]["hops_tx"]["noc_out_messages"] == 2

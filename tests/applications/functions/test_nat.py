# SPDX-License-Identifier: Apache-2.0
"""UDP echo behind nat: a peer sees what it would see without it, whatever its virtual address."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address
from random import Random
from typing import Any

import pytest

from bombus.base import paths
from bombus.measure.exchanges import introduce
from bombus.protocols.frames import Host, Station, arp_request, padded, ping_frame, udp_frame
from bombus.protocols.stack import Stack
from bombus.simulator.build import Library, build
from bombus.simulator.simulation import Simulation
from tests import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.sweep]

DESIGN = paths.EXAMPLES / "functions" / "udp_echo_nat.yaml"
BASE = ROOT / "designs" / "udp_echo_10g.yaml"
FIRST = Station.of("02:00:00:00:00:99", "10.77.0.9")
SECOND = Station.of("02:00:00:00:00:98", "10.77.0.8")
VIRTUAL = int(IPv4Address("10.99.0.9"))
LENGTHS = (*range(140), 1471, 1472)


@pytest.fixture(scope="module")
def library() -> Library:
    return build(DESIGN, assertions=True)


@pytest.fixture
def simulation(library: Library) -> Iterator[Simulation]:
    with Simulation(library, seed=2) as simulation:
        for station in (FIRST, SECOND):
            introduce(simulation, station)
        yield simulation
        simulation.check()


def number(station: Station) -> int:
    return int.from_bytes(station.ip)


def table(simulation: Simulation, tile: str) -> Any:
    return simulation.tile(tile).registers.nat.mapping


def bind(simulation: Simulation, entry: int, station: Station, virtual: int = VIRTUAL) -> None:
    received, sent = table(simulation, "nat_rx"), table(simulation, "nat_tx")
    received[entry].write(from_ip=number(station), to_ip=virtual, valid=1)
    sent[entry].write(from_ip=virtual, to_ip=number(station), valid=1)


def events(simulation: Simulation, tile: str) -> dict[str, int]:
    simulation.advance_until_idle()
    return {name: n for name, n in simulation.tile_counters(tile).items() if ".nat." in name}


def test_two_lines_are_added() -> None:
    before, after = BASE.read_text().splitlines(), DESIGN.read_text().splitlines()
    added = [line for line in after if line not in before and not line.startswith(("#", "name"))]
    assert len(added) == 2


@pytest.mark.parametrize("pace", [0.0, 0.5])
def test_answers_are_those_of_a_stack_without_it(library: Library, pace: float) -> None:
    content = Random(1).randbytes(max(LENGTHS))
    with Simulation(library, seed=2, rx_bubble=pace, tx_stall=pace) as simulation:
        host = Host.from_manifest(simulation.manifest)
        model = Stack(host)
        for station in (FIRST, SECOND):
            introduce(simulation, station)
            model.process(padded(arp_request(station, host)))
        bind(simulation, 1023, FIRST)
        frames = [
            udp_frame(station, host, content[:length], port=port, source_port=40000 + length)
            for length in LENGTHS
            for station, port in ((FIRST, 7), (SECOND, 7))
        ]
        # Errors, which quote the packet of the peer; pings, which nothing translates on receive.
        frames += [udp_frame(FIRST, host, content[:length], port=9) for length in range(6)]
        frames += [ping_frame(station, host, content[:99]) for station in (FIRST, SECOND)]
        found = [each.data for each in simulation.exchange(frames).received]
        expected = [reply for frame in frames for reply in model.process(frame).replies]
        assert sorted(found) == sorted(expected)
        assert events(simulation, "nat_rx")["event.nat.translated"] == len(LENGTHS) + 6
        assert events(simulation, "nat_tx")["event.nat.translated"] == len(LENGTHS) + 6
        simulation.check()


def test_a_thousand_peers(simulation: Simulation) -> None:
    """1,024 entries of random addresses: all are stored, found and removed."""
    random = Random(5)
    received = table(simulation, "nat_rx")
    assert len(received) == 1024
    virtual = random.sample(range(1, 1 << 32), 1024)
    peers = random.sample(range(1 << 24), 1023)
    real = [number(FIRST), *((11 << 24) + each for each in peers)]
    for entry, (before, after) in enumerate(zip(real, virtual, strict=True)):
        received[entry].write(from_ip=before, to_ip=after, valid=1)
    stored = [each.read() for each in received]
    assert stored == [
        {"from_ip": before, "to_ip": after, "valid": 1}
        for before, after in zip(real, virtual, strict=True)
    ]
    assert events(simulation, "nat_rx")["event.nat.refused"] == 0
    received[7].write(from_ip=real[8], to_ip=1, valid=1)  # it is in entry 8
    assert received[7].read() == stored[7]
    assert events(simulation, "nat_rx")["event.nat.refused"] == 1
    for entry in received:
        entry.write(from_ip=0, to_ip=0, valid=0)
    host = Host.from_manifest(simulation.manifest)
    simulation.send(udp_frame(FIRST, host, b"bee", port=7))
    simulation.advance_until_idle()
    assert len(simulation.receive_all()) == 1
    assert events(simulation, "nat_rx")["event.nat.translated"] == 0


def test_a_peer_moves_under_traffic(simulation: Simulation) -> None:
    """Each answer is whole and goes to the old or the new host; none is lost."""
    host = Host.from_manifest(simulation.manifest)
    model = Stack(host)
    for station in (FIRST, SECOND):
        model.process(padded(arp_request(station, host)))
    bind(simulation, 0, FIRST)
    sent = table(simulation, "nat_tx")[0]
    frame = udp_frame(FIRST, host, bytes(60), port=7)
    (answer,) = model.process(frame).replies
    # The same datagram from the new host differs in addresses only.
    (moved,) = model.process(udp_frame(SECOND, host, bytes(60), port=7)).replies
    found: list[bytes] = []
    for turn in range(50):
        for _ in range(8):
            simulation.send(frame)
        simulation.advance(20 + 3 * turn)
        station = SECOND if turn % 2 == 0 else FIRST
        sent.write(from_ip=VIRTUAL, to_ip=number(station), valid=1)
        simulation.advance_until_idle()
        found += [each.data for each in simulation.receive_all()]
    assert len(found) == 400
    assert set(found) == {answer, moved}
    assert 50 < found.count(moved) < 350

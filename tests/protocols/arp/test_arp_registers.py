# SPDX-License-Identifier: Apache-2.0
"""The ARP cache as software reads it, by name, while it is used and rewritten."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, Station, arp_reply, arp_request, padded, udp_frame
from bombus.registers.access import RegisterError
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.support import message_sums

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "docs" / "examples" / "lookup" / "lookup.yaml"


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    with Simulation(EXAMPLE, assertions=True) as simulation:
        introduce(simulation, neighbour(simulation.manifest))
        yield simulation
        assert message_sums.check(simulation) == 0
        simulation.check()


def test_bindings_by_name(simulation: Simulation) -> None:
    cache = simulation.tile("arp").registers.cache
    peer = neighbour(simulation.manifest)
    entries = [entry.read() for entry in cache]
    assert len(entries) == 2048
    (index,) = (n for n, entry in enumerate(entries) if entry["valid"])
    ip = int.from_bytes(peer.ip)
    bound = {"mac": int.from_bytes(peer.mac), "vid": 0, "mac_port": 0, "valid": 1, "ip": ip}
    bound |= {"permanent": 0, "used": entries[index]["used"], "stalled": 0}
    assert entries[index] == bound
    assert (cache[index].mac, cache[index].ip, cache[index].valid) == (bound["mac"], ip, 1)
    # The layer that has it is in another tile.
    own = simulation.tile("transmit").registers.eth_tx.cache[index]
    assert own.where() == cache[index].where()
    assert own.read() == bound
    for wrong in (2048, -1):
        with pytest.raises(RegisterError, match="entries 0 to 2047"):
            cache[wrong]
    with pytest.raises(RegisterError, match="read only"):
        cache[3].mac = 1


def test_probes_are_answered_and_not_remembered(simulation: Simulation) -> None:
    host, peer = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
    before = [entry.read() for entry in simulation.tile("arp").registers.cache]
    simulation.send(padded(arp_request(Station(peer.mac, bytes(4)), host)))
    simulation.advance_until_idle()
    assert len(simulation.receive_all()) == 1
    assert [entry.read() for entry in simulation.tile("arp").registers.cache] == before


def test_entries_are_whole_while_they_are_rewritten(simulation: Simulation) -> None:
    """Neighbours change their MAC addresses, which repeat a number.

    At the same time datagrams go through the look-up, none of which is lost.
    """
    random = Random(1)
    host, peer = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
    ips = [ip.to_bytes(4) for ip in range(0x0A4D0064, 0x0A4D006A)]

    def station(ip: bytes, n: int) -> Station:
        return Station(bytes([2, ip[3]]) + n.to_bytes(2) * 2, ip)

    for ip in ips:
        simulation.send(padded(arp_request(station(ip, 0), host)))
    simulation.advance_until_idle()
    simulation.receive_all()
    cache = simulation.tile("arp").registers.cache
    wanted = {int.from_bytes(ip) for ip in ips}
    places = [entry for entry in cache if entry.read()["ip"] in wanted]
    assert len(places) == len(ips)
    for n in range(400):
        for arp, ip in zip((arp_reply, arp_request), random.sample(ips, 2), strict=True):
            simulation.send(padded(arp(station(ip, n), host)))
        simulation.send(udp_frame(peer, host, n.to_bytes(8, "little"), port=2000))
    seen = set()
    while simulation.in_flight:
        entry = random.choice(places).read()
        mac, ip = entry["mac"].to_bytes(6), entry["ip"].to_bytes(4)
        assert mac[:2] == bytes([2, ip[3]]) and mac[2:4] == mac[4:], "parts of two bindings"
        seen.add((mac, ip))
        simulation.advance(random.randrange(20))
    assert len(seen) > 100
    assert len({ip for _, ip in seen}) == 6
    assert len(simulation.receive_all()) == 800, "datagrams and answers"

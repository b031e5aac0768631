# SPDX-License-Identifier: Apache-2.0
"""The port that a message takes which starts in a design with two of them: subnets, gateways, the
routing table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network
from itertools import pairwise

import pytest

from bombus.protocols.frames import (
    Host,
    Station,
    announcement,
    arp_reply,
    arp_request,
    ip_bytes,
    udp_frame,
)
from bombus.protocols.routes import Route
from bombus.simulator.native import SimulationError
from tests.protocols.stack.two_ports import (
    PORTS,
    RELAY_PORT,
    RELAY_TO,
    SHARED,
    STATIONS,
    Bench,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def bench() -> Iterator[Bench]:
    with Bench(SHARED) as bench:
        yield bench


def widen(bench: Bench, *ports: int) -> None:
    """Gives ports a subnet that has the networks of both; their neighbours stay known."""
    for port in ports:
        bench.simulation.set_host(port, netmask="255.0.0.0")
        old = bench.hosts[port]
        bench.hosts[port] = Host(old.mac, old.ip, bytes([255, 0, 0, 0]), old.gateway)
    bench.forget()
    for port in PORTS:
        bench.model.stacks[port].bindings[(None, STATIONS[port].ip)] = STATIONS[port].mac


def test_of_two_subnets_the_smaller_has_it(bench: Bench) -> None:
    """Both ports have the network that is relayed to."""
    widen(bench, 0)
    number, outcome = bench.model.send(RELAY_PORT, RELAY_TO.ip, RELAY_PORT, b"near")
    assert number == 1
    frame = udp_frame(STATIONS[0], bench.hosts[0], b"near", port=RELAY_PORT)
    bench.compare([(0, frame)], [[], list(outcome.replies)], Counter(outcome.drops))
    bench.run([(1, arp_reply(RELAY_TO, bench.hosts[1]))])


def test_of_two_equal_subnets_the_first_has_it(bench: Bench) -> None:
    widen(bench, *PORTS)
    number, outcome = bench.model.send(RELAY_PORT, RELAY_TO.ip, RELAY_PORT, b"near")
    assert number == 0
    frame = udp_frame(STATIONS[1], bench.hosts[1], b"near", port=RELAY_PORT)
    bench.compare([(1, frame)], [list(outcome.replies), []], Counter(outcome.drops))
    bench.run([(0, arp_reply(RELAY_TO, bench.hosts[0]))])


def test_without_a_subnet_the_gateway_has_it(bench: Bench) -> None:
    """Port 1 no longer has the network that is relayed to; port 0 has a gateway."""
    bench.simulation.set_host(1, netmask="255.255.255.255")
    hosts = [bench.hosts[0], Host(bench.hosts[1].mac, bench.hosts[1].ip, bytes([255] * 4))]
    bench.hosts = hosts
    bench.forget()
    bench.model.stacks[0].bindings[(None, STATIONS[0].ip)] = STATIONS[0].mac
    number, outcome = bench.model.send(RELAY_PORT, RELAY_TO.ip, RELAY_PORT, b"away")
    assert number == 0
    frame = udp_frame(STATIONS[0], hosts[0], b"away", port=RELAY_PORT)
    bench.compare([(0, frame)], [list(outcome.replies), []], Counter(outcome.drops))
    gateway = Station(STATIONS[0].mac, hosts[0].gateway)
    bench.run([(0, arp_reply(gateway, hosts[0]))])


def relay(bench: Bench, port: int, payload: bytes, leaves_by: int) -> None:
    """Packets that arrive on one port are relayed by another, to the next hop given by the
    model.
    """
    number, outcome = bench.model.send(RELAY_PORT, RELAY_TO.ip, RELAY_PORT, payload)
    assert number == leaves_by
    replies: list[list[bytes]] = [[] for _ in PORTS]
    replies[number] += outcome.replies
    frame = udp_frame(STATIONS[port], bench.hosts[port], payload, port=RELAY_PORT)
    bench.compare([(port, frame)], replies, Counter(outcome.drops))


def write_routes(bench: Bench, *routes: Route) -> None:
    """The first entries of the table, on both sides."""
    bench.model.set_routes(routes)
    for n, route in enumerate(routes):
        via = str(IPv4Address(route.gateway)) if any(route.gateway) else None
        bench.simulation.set_route(n, str(route.network), via=via, port=route.port)


def test_the_table_has_the_routes_of_the_design_file(bench: Bench) -> None:
    entries = [route.entry.read() for route in bench.simulation.registers.route]
    assert len(entries) == 8
    (first, *others) = entries
    assert first == {
        "network": int(IPv4Address("10.80.0.0")),
        "gateway": int(IPv4Address("10.78.0.1")),
        "length": 16,
        "mac_port": 1,
        "valid": 1,
    }
    assert all(set(other.values()) == {0} for other in others)


def test_a_route_leads_to_a_gateway_of_its_port(bench: Bench) -> None:
    """Of new messages; answers keep the port, and take its routes."""
    bench.simulation.set_host(1, ip="10.79.0.2")  # the destination is no longer a neighbour
    bench.simulation.elapse(us=3000)
    bench.hosts[1] = Host(bench.hosts[1].mac, ip_bytes("10.79.0.2"), bench.hosts[1].netmask)
    (frame,) = bench.simulation.receive_all(1)
    assert frame.data == announcement(bench.hosts[1])
    bench.forget()
    bench.model.stacks[0].bindings[(None, STATIONS[0].ip)] = STATIONS[0].mac
    near = Station(RELAY_TO.mac, ip_bytes("10.79.0.7"))
    far = Station(STATIONS[0].mac, bench.hosts[0].gateway)
    bench.run([(0, arp_request(far, bench.hosts[0])), (1, arp_request(near, bench.hosts[1]))])
    relay(bench, 0, b"default", 0)
    wide = Route(IPv4Network("10.78.0.0/16"), near.ip, 1)
    write_routes(bench, wide)
    relay(bench, 0, b"by the table", 1)
    # An answer to the same address, by the port that the question came by.
    stranger = Station(far.mac, RELAY_TO.ip)
    bench.run([(0, udp_frame(stranger, bench.hosts[0], b"by the gateway of port 0"))])
    stranger = Station(near.mac, RELAY_TO.ip)
    bench.run([(1, udp_frame(stranger, bench.hosts[1], b"by the table"))])
    # The longer prefix, wherever it is; the first of equal ones.
    longer = Route(IPv4Network("10.78.0.0/24"), far.ip, 0)
    write_routes(bench, wide, longer)
    relay(bench, 0, b"longer", 0)
    write_routes(bench, wide, wide, Route(wide.network, far.ip, 0))
    relay(bench, 0, b"the first", 1)
    bench.simulation.set_route(0, None)
    bench.simulation.set_route(1, None)
    bench.model.set_routes([Route(wide.network, far.ip, 0)])
    relay(bench, 0, b"the last", 0)


def test_a_route_is_rewritten_under_traffic(bench: Bench) -> None:
    """Every datagram takes the old way or the new one, right in every byte."""
    simulation = bench.simulation
    far = Station(STATIONS[0].mac, bench.hosts[0].gateway)
    bench.run([(0, arp_request(far, bench.hosts[0])), (1, arp_request(RELAY_TO, bench.hosts[1]))])
    away = Route(IPv4Network("10.78.0.1/32"), far.ip, 0)
    allowed: list[dict[int, bytes]] = []
    for n in range(300):
        port, payload = n % 2, n.to_bytes(2) * (1 + n % 90)
        frame = udp_frame(STATIONS[port], bench.hosts[port], payload, port=RELAY_PORT)
        simulation.send(frame, port)
        ways: dict[int, bytes] = {}
        for routes in ((), (away,)):
            bench.model.set_routes(routes)
            number, outcome = bench.model.send(RELAY_PORT, RELAY_TO.ip, RELAY_PORT, payload)
            (ways[number],) = outcome.replies
        assert len(ways) == len(PORTS)
        allowed.append(ways)
        if n % 3 == 0:
            simulation.set_route(5, str(away.network) if n % 2 else None, via="10.77.0.1", port=0)
        simulation.advance(n % 50)
    came = [[frame.data for frame in simulation.receive_all(port)] for port in PORTS]
    assert sum(map(len, came)) == len(allowed)
    for ways in allowed:
        assert sum(frames.count(ways[port]) for port, frames in enumerate(came)) == 1
    assert all(len(frames) > 30 for frames in came)
    assert not bench.drops()


def test_the_table_is_replaced_under_traffic(bench: Bench) -> None:
    """Every datagram takes the route of one of two tables, although none of the entries alone has
    it, and no datagram takes that of the subnet, which it would without a table.
    """
    simulation = bench.simulation
    far = Station(STATIONS[0].mac, bench.hosts[0].gateway)
    other = Station.of("02:00:00:00:00:66", "10.77.0.66")
    bench.run([(0, arp_request(each, bench.hosts[0])) for each in (far, other)])
    # The same route first and last; the other table's entry has a longer prefix and another
    # gateway, or is empty.
    tables: list[list[tuple[str, str | None, int]]] = [
        [("10.78.0.0/31", "10.77.0.1", 0), *[("10.99.0.0/16", None, 1)] * 7],
        [*[("10.98.0.0/16", "10.77.0.1", 0)] * 7, ("10.78.0.1/32", "10.77.0.66", 0)],
    ]
    simulation.set_routes(tables[0])
    expected: list[set[bytes]] = []
    for n in range(600):
        payload = n.to_bytes(2) * (1 + n % 5)
        simulation.send(udp_frame(STATIONS[0], bench.hosts[0], payload, port=RELAY_PORT))
        ways = set()
        for station in (far, other):
            bench.model.set_routes([Route(IPv4Network("10.78.0.1/32"), station.ip, 0)])
            number, outcome = bench.model.send(RELAY_PORT, RELAY_TO.ip, RELAY_PORT, payload)
            assert number == 0
            ways |= set(outcome.replies)
        expected.append(ways)
    for n in range(1, 9):
        simulation.advance(60)
        simulation.set_routes(tables[n % 2])
    came = [frame.data for frame in simulation.receive_all(0)]
    assert not simulation.receive_all(1)
    assert len(came) == len(expected)
    assert all(frame in ways for frame, ways in zip(came, expected, strict=True))
    gateways = [frame[:6] for frame in came]
    changes = sum(a != b for a, b in pairwise(gateways))
    assert 4 <= changes <= 8
    assert not bench.drops()
    entries = [entry.entry.read() for entry in simulation.registers.route]
    assert [entry["valid"] for entry in entries] == [1, *[1] * 7]
    simulation.set_routes([])
    assert all(not entry.entry.valid for entry in simulation.registers.route)
    with pytest.raises(SimulationError, match="9 routes: the routing table has 8 entries"):
        simulation.set_routes([("10.80.0.0/16", None, 0)] * 9)


def test_a_route_that_cannot_be(bench: Bench) -> None:
    for arguments, complaint in (
        ((8, "10.80.0.0/16"), "entry 8: the routing table has 8 entries"),
        ((0, "10.80.0.1/16"), "has host bits set; such as 10.80.0.0/16"),
        ((0, "ten"), "to 'ten'"),
    ):
        with pytest.raises(SimulationError, match=complaint):
            bench.simulation.set_route(*arguments)
    with pytest.raises(SimulationError, match="MAC port 2: ports are from 0 to 1"):
        bench.simulation.set_route(0, "10.80.0.0/16", port=2)
    with pytest.raises(SimulationError, match="via 'x'"):
        bench.simulation.set_route(0, "10.80.0.0/16", via="x")

# SPDX-License-Identifier: Apache-2.0
"""One TCP engine behind two MAC ports, whose peers have the same address and the same port."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import ExitStack
from random import Random

import pytest

import bombus
from bombus import Simulation
from bombus.protocols.frames import (
    PORT_UNREACHABLE,
    PROTOCOL_ICMP,
    PROTOCOL_TCP,
    UNREACHABLE,
    Host,
    Station,
    arp_request,
    icmp,
    ip_bytes,
    ip_frame,
    ipv4,
    padded,
)
from bombus.protocols.tcp.sockets import Connection
from tests import DESIGNS as TEST_DESIGNS
from tests.protocols.tcp.tcp_link import Link
from tests.protocols.tcp.tcp_pair import COARSE_US, HOST
from tests.protocols.tcp.tcp_states import session_state
from tests.protocols.tcp.tcp_wire import Wire, decode

pytestmark = pytest.mark.slow

HUB = TEST_DESIGNS / "tcp_two_ports.yaml"
HUB_IP, PEER_IP = "10.77.0.3", "10.77.0.2"
PEERS = (0, 1)  # by MAC port of the hub
MACS = ("02:b0:0b:05:00:10", "02:b0:0b:05:00:11")
PORT = 80
STATIONS = [Station.of(mac, PEER_IP) for mac in MACS]


class Wires:
    """The peers differ by MAC address alone, so that both choose the same ports and sequence
    numbers at the same time."""

    def __init__(self, stack: ExitStack) -> None:
        self.hub, *self.peers = (
            stack.enter_context(Simulation(design, assertions=True, timer_step_us=COARSE_US))
            for design in (HUB, *(HOST for _ in PEERS))
        )
        self.hosts = [Host.from_manifest(self.hub.manifest, port) for port in PEERS]
        for peer, mac in zip(self.peers, MACS, strict=True):
            peer.set_host(mac=mac)
        first, *further = self.peers
        self.link = Link(self.hub, first, COARSE_US, further=further)
        self.link.run(50)
        # Segments from the hub, by its MAC port
        self.sent: list[list[Wire]] = [[] for _ in PEERS]
        self.link.carry = self._carry

    def _carry(self, source: Simulation, target: Simulation, frame: bytes) -> None:
        if source is self.hub and (segment := decode(frame)):
            self.sent[self.peers.index(target)].append(segment)
        self.link.deliver(source, target, frame)

    @property
    def ends(self) -> tuple[Simulation, ...]:
        return (self.hub, *self.peers)

    def accepted(self) -> list[tuple[Connection, Connection]]:
        """Both ends of a connection from each peer to the hub, opened at the same time."""
        listener = bombus.sockets(self.hub).listeners.get(PORT) or bombus.sockets(self.hub).listen(
            PORT
        )
        openings = [bombus.sockets(peer).open(HUB_IP, PORT) for peer in self.peers]
        self.link.wait(
            lambda: all(each.connection is not None for each in openings), 1, "not connected"
        )
        theirs = [each.connection for each in openings if each.connection is not None]
        found = [listener.accept(timeout=1) for _ in PEERS]
        # Which is whose? Each peer says it.
        for number, connection in enumerate(theirs):
            connection.send(bytes([number]))
        ours = {each.receive_exactly(1)[0]: each for each in found}
        return [(ours[number], connection) for number, connection in enumerate(theirs)]

    def connected(self) -> list[tuple[Connection, Connection]]:
        """Both ends of a connection from the hub to each peer."""
        pairs = []
        for number, peer in enumerate(self.peers):
            listener = bombus.sockets(peer).listeners.get(PORT) or bombus.sockets(peer).listen(PORT)
            ours = bombus.sockets(self.hub).connect(PEER_IP, PORT, timeout=1, mac_port=number)
            pairs.append((ours, listener.accept(timeout=1)))
        return pairs


@pytest.fixture
def wires() -> Iterator[Wires]:
    with ExitStack() as stack:
        found = Wires(stack)
        yield found
        for end in found.ends:
            end.check()


def exchange(pairs: list[tuple[Connection, Connection]], seed: int) -> None:
    """Different bytes on all connections, both ways, at the same time."""
    random = Random(seed)
    ways = [way for pair in pairs for way in (pair, pair[::-1])]
    for size in (1, 1460, 20_000):
        data = [random.randbytes(size) for _ in ways]
        for (one, _), sent in zip(ways, data, strict=True):
            one.send(sent)
        for (_, other), sent in zip(ways, data, strict=True):
            assert other.receive_exactly(size) == sent


def test_the_same_addresses_and_ports_on_both(wires: Wires) -> None:
    """Twice: sessions are also freed under the right port."""
    for seed in range(2):
        pairs = wires.accepted()
        states = [session_state(wires.hub, ours.session) for ours, _ in pairs]
        assert len({(each["peer_port"], each["rcv_nxt"]) for each in states}) == 1
        assert len({ours.session for ours, _ in pairs}) == len(PEERS)
        exchange(pairs, seed)
        for number, (ours, theirs) in enumerate(pairs):
            assert (ours.mac_port, theirs.mac_port) == (number, 0)
            # The other connection stays open when the first one ends.
            ours.close()
            theirs.close()
            wires.link.run(2000)
            exchange(pairs[number + 1 :], seed)
        wires.link.settle()


def test_connections_leave_by_the_port_that_is_asked_for(wires: Wires) -> None:
    for seed in range(2):
        pairs = wires.connected()
        exchange(pairs, seed)
        assert [ours.mac_port for ours, _ in pairs] == list(PEERS)
        for ours, theirs in pairs[::-1]:
            ours.close()
            theirs.close()
        wires.link.settle()


def test_nobody_listens_on_the_other_port(wires: Wires) -> None:
    listener = bombus.sockets(wires.peers[1]).listen(PORT)
    refused = f"{PEER_IP} port {PORT}, through MAC port 0: Connection refused: the peer"
    with pytest.raises(ConnectionRefusedError, match=refused):
        bombus.sockets(wires.hub).connect(PEER_IP, PORT, timeout=1)
    ours = bombus.sockets(wires.hub).connect(PEER_IP, PORT, timeout=1, mac_port=1)
    exchange([(ours, theirs := listener.accept(timeout=1))], 1)
    ours.abort()
    theirs.close()
    wires.link.settle()


@pytest.mark.parametrize("port", PEERS)
def test_a_reset_without_a_session_leaves_by_the_port_of_the_segment(
    wires: Wires, port: int
) -> None:
    with pytest.raises(ConnectionRefusedError, match="refused"):
        bombus.sockets(wires.peers[port]).connect(HUB_IP, PORT, timeout=0.5)
    assert [len(sent) for sent in wires.sent] == [port == 0, port == 1]
    wires.link.settle()


def test_segments_of_one_port_do_not_reach_the_connections_of_the_other(wires: Wires) -> None:
    """Segments with the right numbers arrive on port 0 for a connection on port 1: nobody has it
    there."""
    listener = bombus.sockets(wires.hub).listen(PORT)
    opening = bombus.sockets(wires.peers[1]).open(HUB_IP, PORT)
    wires.link.wait(lambda: opening.connection is not None, 1, "not connected")
    theirs, ours = opening.connection, listener.accept(timeout=1)
    assert theirs is not None
    exchange([(ours, theirs)], 1)
    wires.link.run(300_000)
    state = session_state(wires.hub, ours.session)
    right = Wire(ours.peer[1], PORT, state["rcv_nxt"], state["nxt"])
    for flags, payload in (({"ACK"}, b"false"), ({"RST"}, b""), ({"RST", "ACK"}, b"")):
        segment = right.but(flags=frozenset(flags), payload=payload)
        wires.hub.send(segment.frame(STATIONS[0], wires.hosts[0]))
    wires.link.run(5000)
    refused = (frozenset({"RST"}), right.ack)
    assert [(each.flags, each.seq) for each in wires.sent[0]] == [refused]
    exchange([(ours, theirs)], 2)
    ours.close()
    theirs.close()
    wires.link.settle()


def test_errors_of_the_path_count_on_the_port_of_the_connection(wires: Wires) -> None:
    """A requested connection ends at once if its port is unreachable (RFC 1122, 4.2.3.9), by an
    error that arrives where its SYN has left."""
    silent = "10.77.0.9"  # knows ARP alone
    for port, mac in enumerate(MACS):
        wires.hub.send(padded(arp_request(Station.of(mac, silent), wires.hosts[port])), port)
    wires.link.run(50)
    opening = bombus.sockets(wires.hub).open(silent, PORT, mac_port=1)
    wires.link.run(50)
    assert [len(sent) for sent in wires.sent] == [0, 1]
    (syn,) = wires.sent[1]
    head = struct.pack("!HHI", syn.source, syn.destination, syn.seq)
    quoted = ipv4(ip_bytes(HUB_IP), ip_bytes(silent), PROTOCOL_TCP, head, total_length=60)
    error = icmp(UNREACHABLE, PORT_UNREACHABLE, 0, quoted)
    for port in PEERS:
        assert opening.error == ""
        wires.hub.send(ip_frame(STATIONS[port], wires.hosts[port], PROTOCOL_ICMP, error), port)
        wires.link.run(1000)
    assert "refused" in opening.error
    wires.link.settle()


def test_a_shut_window_is_probed_on_the_port_of_the_connection(wires: Wires) -> None:
    pairs = wires.accepted()
    size = 100_000  # more than the peer's buffer
    ours, theirs = pairs[1]
    ours.write(bytes(size))
    wires.link.run(300_000)
    for sent in wires.sent:
        sent.clear()
    wires.link.run(3_000_000)
    assert not wires.sent[0]
    assert len(wires.sent[1]) >= 2
    assert not any(theirs.receive_exactly(size))
    exchange(pairs, 1)
    for each in (*pairs[0], *pairs[1]):
        each.close()
    wires.link.settle()


def test_a_dead_link_stops_only_its_connections(wires: Wires) -> None:
    (ours, theirs), (other, far) = wires.accepted()
    wires.hub.link(0, up=False)
    ours.send(bytes(30_000))
    exchange([(other, far)], 1)
    assert theirs.available == 0
    wires.hub.link(0, up=True)
    wires.link.run(2_000_000)
    assert theirs.receive_exactly(30_000) == bytes(30_000)
    for each in (ours, theirs, other, far):
        each.close()
    wires.link.settle()

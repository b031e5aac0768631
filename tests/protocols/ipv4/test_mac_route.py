# SPDX-License-Identifier: Apache-2.0
"""Routes of packets, against `ipaddress`: longest prefix, ports, gateways."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from random import Random
from typing import NamedTuple

import pytest

from bombus.design.rtl import constant
from tests.support.harness import Beats, Bench, Benches, Layout, Message, pack_meta

pytestmark = pytest.mark.slow

ROUTED = constant("bombus_pkg::RoutedPort")
SHAPES = [(1, 0), (1, 4), (2, 0), (2, 8), (3, 16)]  # MAC ports, entries


class Port(NamedTuple):
    ip: int
    length: int
    gateway: int

    @property
    def network(self) -> IPv4Network:
        return IPv4Network((self.ip, self.length), strict=False)


class Entry(NamedTuple):
    network: IPv4Network
    gateway: int
    port: int
    valid: bool = True


class Choice(NamedTuple):
    port: int
    on_link: bool
    gateway: int  # of the table; 0: not by one


class Router:
    """Drives the bench and gives the expected results."""

    def __init__(self, benches: Benches, num_ports: int, num_routes: int) -> None:
        self.num_ports, self.num_routes = num_ports, num_routes
        self.bench: Bench = benches("mac_route", NumMacPorts=num_ports, NumRoutes=num_routes)
        entries = max(1, num_routes)
        self.beats = Beats(64, ("on_link", 1), ("via_table", 1), ("gateway", 32))
        self.control = Layout(
            *(
                (f"{name}{n}", bits)
                for n in range(num_ports)
                for name, bits in (("ip", 32), ("length", 6), ("gateway", 32))
            ),
            *(
                (f"{name}_{n}", bits)
                for n in range(entries)
                for name, bits in (
                    *(("gateway", 32), ("network", 32), ("length", 6)),
                    *(("port", 2), ("valid", 1)),
                )
            ),
        )

    def configure(self, ports: list[Port], entries: list[Entry]) -> None:
        """From the next packet on."""
        self.write(ports, entries)
        self.bench.run(3)

    def write(self, ports: list[Port], entries: list[Entry]) -> None:
        self.ports, self.entries = ports, entries
        values: dict[str, int] = {}
        for n, port in enumerate(ports):
            values |= {f"{name}{n}": value for name, value in port._asdict().items()}
        for n, entry in enumerate(entries):
            values[f"gateway_{n}"] = entry.gateway
            values[f"network_{n}"] = int(entry.network.network_address)
            values[f"length_{n}"] = entry.network.prefixlen
            values[f"port_{n}"] = entry.port
            values[f"valid_{n}"] = int(entry.valid)
        self.bench.control(self.control.pack(**values))

    def choice(self, item: int) -> Choice:
        """Signals alongside the first beat of a message."""
        got = self.beats.layout.unpack(item)
        assert bool(got["via_table"]) == bool(got["gateway"])
        return Choice(got["meta"] >> self.port_shift(), bool(got["on_link"]), got["gateway"])

    def right(self, ip: int, asked: int) -> Choice:
        address = IPv4Address(ip)
        # Length, and what is taken first among equally long ones, lowest.
        found: list[tuple[int, int, Choice]] = []
        for n, entry in enumerate(self.entries):
            if entry.valid and address in entry.network and asked in (ROUTED, entry.port):
                choice = Choice(entry.port, entry.gateway == 0, entry.gateway)
                found.append((-entry.network.prefixlen, n, choice))
        for n, port in enumerate(self.ports):
            if address in port.network and (asked in (ROUTED, n) or self.is_plain):
                found.append((-port.length, 100 + n, Choice(n, True, 0)))
        if found:
            choice = min(found)[2]
            return choice._replace(port=asked) if self.is_plain else choice
        if asked != ROUTED or self.is_plain:
            return Choice(asked, False, 0)
        return Choice(next((n for n, p in enumerate(self.ports) if p.gateway), 0), False, 0)

    @property
    def is_plain(self) -> bool:
        """One port and no table: the port is ignored."""
        return self.num_ports == 1 and not self.num_routes

    def push(self, random: Random, asked: list[tuple[int, int]]) -> None:
        """Messages of one to three beats to these destinations, with the port they name."""
        for ip, port in asked:
            data = random.randbytes(random.randrange(25))
            meta = pack_meta(ip=ip, mac_port=port, length=len(data), tos=random.getrandbits(8))
            self.sent.append((Message(data, meta), self.right(ip, port)))
            self.bench.push(self.beats.beats(self.sent[-1][0], random))

    sent: list[tuple[Message, Choice]]

    def check(self) -> None:
        items = self.bench.items()
        assert len(items) == sum(self.beats.count(len(m.payload)) for m, _ in self.sent)
        rest = iter(items)
        for message, choice in self.sent:
            beats = self.beats.beats(message)
            first, *others = (next(rest) for _ in beats)
            got = self.beats.layout.unpack(first)
            sent = self.beats.layout.unpack(beats[0])
            port_at = self.port_shift()
            assert self.choice(first) == choice, (message["ip"], message["mac_port"])
            low = (1 << port_at) - 1
            assert got["meta"] & low == sent["meta"] & low
            assert (got["data"], got["length"]) == (sent["data"], sent["length"])
            for item, beat in zip(others, beats[1:], strict=True):
                got, sent = self.beats.layout.unpack(item), self.beats.layout.unpack(beat)
                assert (got["data"], got["last"]) == (sent["data"], sent["last"])

    @staticmethod
    def port_shift() -> int:
        return (pack_meta(mac_port=1)).bit_length() - 1


def _network(random: Random) -> IPv4Network:
    """Close to others, so that many contain each other."""
    length = random.choice((0, 1, 7, 8, 9, 15, 16, 17, 23, 24, 25, 30, 31, 32))
    address = (
        random.choice((0x0A, 0x0A, 0x8A)) << 24
        | random.choice((0, 1, 2)) << 16
        | random.getrandbits(4) << random.choice((0, 8, 12))
    )
    return IPv4Network((address, length), strict=False)


def _asked(random: Random, router: Router) -> tuple[int, int]:
    networks = [port.network for port in router.ports] + [e.network for e in router.entries]
    network = random.choice(networks)
    ip = int(network.network_address) | random.getrandbits(32) & int(network.hostmask)
    if random.random() < 0.3:  # just outside
        ip ^= 1 << random.randrange(32)
    return ip, random.choice((ROUTED, ROUTED, *range(router.num_ports)))


@pytest.mark.parametrize(("num_ports", "num_routes"), SHAPES)
def test_the_longest_prefix_wins(benches: Benches, num_ports: int, num_routes: int) -> None:
    router = Router(benches, num_ports, num_routes)
    random = Random(num_ports * 100 + num_routes)
    router.sent = []
    for round_ in range(60):
        ports = []
        for _ in range(num_ports):
            network = _network(random)
            gateway = random.choice((0, random.getrandbits(32) or 1))
            ports.append(Port(int(network.network_address), max(1, network.prefixlen), gateway))
        entries = [
            Entry(
                _network(random),
                random.choice((0, random.getrandbits(32) or 1)),
                random.randrange(num_ports),
                random.random() < 0.8,
            )
            for _ in range(num_routes)
        ]
        router.configure(ports, entries)
        router.bench.pace(gap=0.0 if round_ % 2 else 0.3, stall=0.0 if round_ % 3 else 0.4)
        router.push(random, [_asked(random, router) for _ in range(50)])
        router.bench.drain(quiet=5)
    router.check()
    assert router.bench.status == 0  # not busy


@pytest.mark.parametrize(("num_ports", "num_routes"), SHAPES)
def test_one_look_up_a_cycle(benches: Benches, num_ports: int, num_routes: int) -> None:
    router = Router(benches, num_ports, num_routes)
    router.configure([Port(0x0A000001 + (n << 8), 24, 0) for n in range(num_ports)], [])
    message = Message(b"", pack_meta(ip=0x0A000002, mac_port=ROUTED))
    router.bench.push(router.beats.beats(message) * 100)
    router.bench.drain(quiet=5)
    taken = router.bench.taken()
    came = [received.cycle for received in router.bench.received()]
    assert came[-1] - came[0] == taken[-1] - taken[0] == 99
    assert came[0] - taken[0] == (0 if router.is_plain else 1)


def test_a_packet_takes_a_route_as_a_whole(benches: Benches) -> None:
    """While it waits behind the look-up, its entry is rewritten."""
    router = Router(benches, 2, 8)
    ports = [Port(0x0A000001, 24, 0), Port(0x0A000101, 24, 0)]
    old = Entry(IPv4Network("10.9.0.0/16"), 0x0A000007, 0)
    new = Entry(IPv4Network("10.8.0.0/16"), 0x0A000109, 1)
    random = Random(3)
    for before, after in ((old, new), (new, old), (old, old._replace(gateway=0))):
        router.sent = []
        router.bench.forget()
        router.configure(ports, [before])
        router.bench.pace(stall=1.0)
        router.push(random, [(int(before.network.network_address) + 5, ROUTED)])
        router.bench.run(8)
        router.configure(ports, [after])
        router.bench.pace()
        router.bench.drain(quiet=5)
        router.check()


@pytest.mark.parametrize("seed", [1, 2])
def test_routes_change_under_traffic(benches: Benches, seed: int) -> None:
    """Every packet takes the old routes or the new ones, never a mixture."""
    router = Router(benches, 3, 16)
    random = Random(seed)
    for _ in range(20):
        tables = []
        for _ in range(2):
            ports = [
                Port(int(network.network_address), max(1, network.prefixlen), n)
                for n, network in enumerate(_network(random) for _ in range(3))
            ]
            entries = [
                Entry(_network(random), random.getrandbits(32) or 1, random.randrange(3))
                for _ in range(16)
            ]
            tables.append((ports, entries))
        router.configure(*tables[0])
        asked = [(_asked(random, router)[0], ROUTED) for _ in range(200)]
        router.bench.forget()
        router.bench.push(
            [item for ip, port in asked for item in router.beats.beats(_question(ip, port))]
        )
        allowed = [{router.right(*each)} for each in asked]
        for n in range(150):
            router.write(*tables[n % 2])
            router.bench.run(random.randrange(1, 4))
        router.configure(*tables[1])
        router.bench.drain(quiet=5)
        for each, choices in zip(asked, allowed, strict=True):
            choices.add(router.right(*each))
        items = router.bench.items()
        assert len(items) == len(asked)
        for item, choices in zip(items, allowed, strict=True):
            assert router.choice(item) in choices


def _question(ip: int, port: int) -> Message:
    return Message(b"", pack_meta(ip=ip, mac_port=port))


def test_a_reset_forgets_what_is_on_its_way(benches: Benches) -> None:
    router = Router(benches, 2, 8)
    random = Random(5)
    router.configure([Port(0x0A000001, 24, 0), Port(0x0A000101, 24, 0)], [])
    for _ in range(20):
        router.sent = []
        router.bench.pace(stall=0.5)
        router.push(random, [_asked(random, router) for _ in range(5)])
        router.bench.run(random.randrange(1, 6))
        router.bench.reset()
        router.sent = []
        router.push(random, [_asked(random, router) for _ in range(5)])
        router.bench.drain(quiet=5)
        router.check()

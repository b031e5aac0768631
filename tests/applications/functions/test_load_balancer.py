# SPDX-License-Identifier: Apache-2.0
"""The load balancer before a stack: which backend gets which packet, unchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bombus.applications.functions.balancer import Backend, LoadBalancer, Service
from bombus.base.errors import UserError
from bombus.measure.exchanges import introduce
from bombus.protocols.frames import (
    PROTOCOL_TCP,
    PROTOCOL_UDP,
    Host,
    Station,
    ethernet,
    ip_bytes,
    ip_frame,
    ipv4,
    padded,
    ping_frame,
    udp_frame,
)
from bombus.simulator.simulation import Simulation
from tests.support.bench import TIMER_STEP_US

pytestmark = pytest.mark.slow

DESIGN = Path(__file__).with_name("balanced.yaml")
VIP = "10.77.0.2"  # the host's own address
OTHER = "10.77.9.9"  # of services only
WEB, DNS, FAR = Service(VIP, 80), Service(VIP, 53, "udp"), Service(OTHER, 80)
HUNDRED = [f"10.77.0.{n}" for n in range(11, 111)]
BACKENDS = HUNDRED[:9]
CLIENT = Station.of("02:00:00:00:00:99", "10.77.0.1")
MACS = {address: f"02:00:00:00:01:{n:02x}" for n, address in enumerate(HUNDRED)}
BY_MAC = {Station.of(mac, address).mac: address for address, mac in MACS.items()}
SECRET = 0x456789ABCDEF
UNIT_S = 2**24 / 1e6


def group(*addresses: str) -> list[Backend]:
    return [Backend(address) for address in addresses]


class Bench:
    """A design whose backends are known by ARP."""

    def __init__(
        self, simulation: Simulation, secret: int = SECRET, backends: Sequence[str] = BACKENDS
    ) -> None:
        self.simulation, self.backends = simulation, backends
        self.host = Host.from_manifest(simulation.manifest)
        simulation.reset_core()
        (self.layer,) = (
            layer
            for tile in simulation.manifest["tiles"]
            for layer in tile["layers"]
            if layer["kind"] == "load_balancer"
        )
        registers = simulation.tile("receive").registers
        self.balancer = LoadBalancer(registers, self.layer["params"], secret=secret)
        self.introduce()

    def introduce(self) -> None:
        introduce(self.simulation, CLIENT)
        for address in self.backends:
            introduce(self.simulation, Station.of(MACS[address], address))

    def elapse(self, seconds: float) -> None:
        self.simulation.elapse(seconds=seconds)
        self.introduce()

    def counter(self, name: str) -> int:
        values = self.simulation.tile_counters("receive")
        return values[f"{name.partition('.')[0]}.load_balancer.{name.partition('.')[2]}"]

    def send(self, *frames: bytes) -> list[bytes]:
        done = self.simulation.exchange([padded(each) for each in frames])
        assert not done.timed_out
        self.simulation.check()
        arp = (0x0806).to_bytes(2)  # bindings that are not confirmed
        return [each.data for each in done.received if each.data[12:14] != arp]

    def to(self, service: Service, client: int, **options: Any) -> bytes:
        """The first packet of the connection of a client: its number is its port."""
        number = PROTOCOL_TCP if service.protocol == "tcp" else PROTOCOL_UDP
        source, destination = ip_bytes("192.0.2.1"), ip_bytes(service.address)
        ports = (1024 + client).to_bytes(2) + service.port.to_bytes(2)
        packet = ipv4(source, destination, number, ports + bytes(range(26)), **options)
        return ethernet(self.host.mac, CLIENT.mac, 0x0800, packet)

    def backends_of(self, *frames: bytes) -> list[str | None]:
        """The backend that gets each frame, with the packet unchanged; None: none of them."""
        answers = self.send(*frames)
        found: list[str | None] = []
        for frame in frames:
            if answers and answers[0][14:] == padded(frame)[14:] and answers[0][:6] in BY_MAC:
                assert answers[0][6:12] == self.host.mac
                found.append(BY_MAC[answers.pop(0)[:6]])
            else:
                found.append(None)
        assert not answers
        return found


@pytest.fixture(params=[64, pytest.param(128, marks=pytest.mark.sweep), 512], ids="{} bits".format)
def bench(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bench]:
    file = tmp_path_factory.mktemp("balanced") / "balanced.yaml"
    file.write_text(DESIGN.read_text().replace("data_width: 64", f"data_width: {request.param}"))
    with Simulation(file, assertions=True, timer_step_us=TIMER_STEP_US) as simulation:
        yield Bench(simulation)


def test_services_and_everything_else(bench: Bench) -> None:
    bench.balancer.set({WEB: group(BACKENDS[0]), DNS: group(BACKENDS[1]), FAR: group(BACKENDS[2])})
    assert bench.backends_of(*(bench.to(service, 1) for service in (WEB, DNS, FAR))) == BACKENDS[:3]
    host, random = bench.host, Random(1)
    # The stack answers what is of no service: another port, another protocol, options, ping.
    assert len(bench.send(udp_frame(CLIENT, host, b"bee"))) == 1
    assert len(bench.send(ping_frame(CLIENT, host, bytes(40)))) == 1
    assert len(bench.send(udp_frame(CLIENT, host, b"bee", options=bytes((1,)) * 8))) == 1
    (unreachable,) = bench.send(udp_frame(CLIENT, host, b"bee", port=80))
    assert unreachable[23] == 1
    # Short packets, and bytes without meaning.
    for length in range(40):
        short = ipv4(CLIENT.ip, host.ip, PROTOCOL_TCP, random.randbytes(length))[: 14 + length]
        bench.send(ethernet(host.mac, CLIENT.mac, 0x0800, short))
    bench.send(
        *(ip_frame(CLIENT, host, random.randrange(256), random.randbytes(99)) for _ in range(50))
    )
    assert bench.counter("event.balanced") == 3


def test_frames_while_the_table_is_cleared(bench: Bench) -> None:
    """After a reset they wait, or are counted if they do not fit: each has one cause."""
    frame = udp_frame(CLIENT, bench.host, bytes(18), header_checksum=1)
    bench.simulation.reset_core()
    assert bench.send(*[frame] * 300) == []
    drops = Counter[str]()
    for tile in bench.simulation.manifest["tiles"]:
        for name, count in bench.simulation.tile_counters(tile["name"]).items():
            if name.startswith("drop."):
                drops[name] += count
    assert drops.total() == 300 and drops["drop.ipv4_rx.bad_checksum"] > 200, +drops


def test_every_length_back_to_back(bench: Bench) -> None:
    bench.balancer.set({DNS: group(*BACKENDS[:3])})
    host, random = bench.host, Random(2)
    source = Station.of("02:00:00:00:00:99", "192.0.2.7")
    for stall in (0.0, 0.5):
        bench.simulation.pace(0, tx_stall=stall, rx_bubble=stall)
        frames = []
        for length in range(300):
            frames.append(udp_frame(source, host, random.randbytes(length), port=53))
            if random.random() < 0.3:
                frames.append(udp_frame(CLIENT, host, random.randbytes(length)))
        answers = bench.send(*frames)
        balanced = [each[14:] for each in answers if each[:6] in BY_MAC]
        assert balanced == [padded(each)[14:] for each in frames if each[36:38] == b"\0\x35"]
        assert len({each[:6] for each in answers if each[:6] in BY_MAC}) == 1
        assert len(answers) == len(frames)


def test_connections_keep_their_backends(bench: Bench) -> None:
    bench.balancer.set({WEB: group(*BACKENDS[:3])})
    frames = [bench.to(WEB, client) for client in range(24)]
    first = bench.backends_of(*frames)
    assert set(first) == set(BACKENDS[:3])
    assert bench.counter("event.connected") == 24
    # A backend comes, another one drains.
    bench.balancer.set({WEB: [Backend(BACKENDS[0], 0), *group(*BACKENDS[1:4])]})
    assert bench.backends_of(*frames) == first
    assert bench.counter("event.connected") == 24
    new = bench.backends_of(*(bench.to(WEB, client) for client in range(100, 120)))
    assert set(new) == set(BACKENDS[1:4])
    # One is removed: its connections move, for good, and the others stay.
    bench.balancer.set({WEB: [Backend(BACKENDS[0], 0), *group(*BACKENDS[2:4])]})
    second = bench.backends_of(*frames)
    for before, after in zip(first, second, strict=True):
        assert after == before or (before == BACKENDS[1] and after in BACKENDS[2:4])
    assert bench.counter("event.moved") == first.count(BACKENDS[1])
    bench.balancer.set({WEB: [Backend(BACKENDS[0], 0), *group(*BACKENDS[1:4])]})
    assert bench.backends_of(*frames) == second
    assert bench.counter("event.evicted") == 0


def test_connections_end_after_silence(bench: Bench) -> None:
    bench.balancer.set({WEB: group(*BACKENDS[:2])})
    frames = [bench.to(WEB, client) for client in range(16)]
    first = bench.backends_of(*frames)
    bench.balancer.set({WEB: group(*BACKENDS[2:4]) + [Backend(each, 0) for each in BACKENDS[:2]]})
    idle = int(bench.layer["params"]["idle_units"])
    bench.elapse(seconds=(idle - 2) * UNIT_S)
    assert bench.backends_of(*frames) == first
    bench.elapse(seconds=(idle + 1) * UNIT_S)
    assert set(bench.backends_of(*frames)) == set(BACKENDS[2:4])


def test_a_full_table_gives_up_the_oldest(bench: Bench) -> None:
    bench.balancer.set({WEB: group(*BACKENDS)})
    kept = [bench.to(WEB, client) for client in range(8)]
    first = bench.backends_of(*kept)
    for start in range(0, 2000, 40):
        bench.backends_of(*(bench.to(WEB, 100 + start + n) for n in range(40)))
        bench.elapse(seconds=UNIT_S)
        assert bench.backends_of(*kept) == first  # used in every unit
    assert bench.counter("event.evicted") > 1000
    assert bench.counter("event.connected") == 2008


def test_no_backend_and_fragments(bench: Bench) -> None:
    bench.balancer.set({WEB: group(BACKENDS[0]), DNS: []})
    assert bench.backends_of(bench.to(DNS, 1)) == [None]
    assert bench.counter("drop.no_backend") == 1
    bench.balancer.set({WEB: [Backend(BACKENDS[0], is_up=False)]})
    assert bench.backends_of(bench.to(WEB, 1)) == [None]
    assert bench.counter("drop.no_backend") == 2
    bench.balancer.set({WEB: group(BACKENDS[0])})
    fragments = [bench.to(WEB, 1, fragment=fragment) for fragment in (0x2000, 1, 0x1FFF)]
    assert bench.backends_of(*fragments) == [None] * 3
    assert bench.counter("drop.fragment") == 3
    assert bench.backends_of(bench.to(WEB, 1)) == BACKENDS[:1]


def test_health(bench: Bench) -> None:
    bench.balancer.set({WEB: group(*BACKENDS[:3])})
    frames = [bench.to(WEB, client) for client in range(20)]
    first = bench.backends_of(*frames)
    sick = BACKENDS[1]
    changed = bench.balancer.check_health(lambda _, backend: backend.address != sick)
    assert [each.address for each in changed] == [sick]
    second = bench.backends_of(*frames)
    assert [b for a, b in zip(first, second, strict=True) if a != sick] == [
        a for a in first if a != sick
    ]
    assert sick not in second
    assert bench.balancer.check_health(lambda *_: True)
    assert bench.backends_of(*frames) == second
    assert not bench.balancer.check_health(lambda *_: True)


def test_slots_share_new_connections(bench: Bench) -> None:
    bench.balancer.set({WEB: [Backend(BACKENDS[0], 2), Backend(BACKENDS[1]), Backend(BACKENDS[2])]})
    frames = [bench.to(WEB, client) for client in range(1600)]
    found = bench.backends_of(*frames)
    counts = Counter(found)
    assert abs(counts[BACKENDS[0]] - 800) < 100
    assert abs(counts[BACKENDS[1]] - 400) < 80
    # The same seed gives the same choice after a reset; another seed does not.
    services = bench.balancer.services
    again = Bench(bench.simulation)
    again.balancer.set(services)
    assert again.backends_of(*frames[:100]) == found[:100]
    other = Bench(bench.simulation, secret=SECRET + (1 << 40))
    other.balancer.set(services)
    assert other.backends_of(*frames[:100]) != found[:100]


@pytest.mark.sweep
def test_one_of_a_hundred_backends_goes(tmp_path: Path) -> None:
    """None of the other backends' connections in the table moves, and of those that are not in it
    at most 2%.
    """
    file = tmp_path / "balanced.yaml"
    of_design = "num_backends: 9, num_slots: 251, num_connections: 256"
    text = DESIGN.read_text()
    assert of_design in text
    file.write_text(text.replace(of_design, "num_backends: 100, num_connections: 16384"))
    gone, left = HUNDRED[37], [each for each in HUNDRED if each != HUNDRED[37]]
    with Simulation(file, assertions=True, timer_step_us=TIMER_STEP_US) as simulation:
        bench = Bench(simulation, backends=HUNDRED)
        frames = [bench.to(WEB, client) for client in range(6000)]
        bench.balancer.set({WEB: group(*HUNDRED)})
        kept = frames[:1000]
        first = bench.backends_of(*kept)
        assert set(first) == set(HUNDRED) and bench.counter("event.evicted") == 0
        bench.balancer.set({WEB: group(*left)})
        second = bench.backends_of(*kept)
        moved = [a for a, b in zip(first, second, strict=True) if a != b]
        assert moved == [gone] * first.count(gone) and gone not in second
        assert bench.counter("event.moved") == len(moved) > 0
        of_all = []
        for services in (HUNDRED, left):
            bench = Bench(simulation, backends=HUNDRED)  # after a reset: the table is empty
            bench.balancer.set({WEB: group(*services)})
            of_all.append(bench.backends_of(*frames))
        changed = sum(a not in (b, gone) for a, b in zip(*of_all, strict=True))
        assert 0 < changed <= 0.02 * len(frames)


def test_slots_change_under_traffic(bench: Bench) -> None:
    """Each packet goes to a backend of the old state or of the new one; none is lost."""
    simulation = bench.simulation
    bench.balancer.set({WEB: group(*BACKENDS[:2])})
    for turn in range(6):
        old, new = BACKENDS[:2], BACKENDS[2:4]
        if turn % 2:
            old, new = new, old
        frames = [padded(bench.to(WEB, 200 * turn + client)) for client in range(200)]
        for frame in frames:
            simulation.send(frame)
        services = {WEB: group(*new) + [Backend(address, 0) for address in old]}
        bench.balancer.set(services)
        simulation.advance_until_idle()
        received = [BY_MAC[each.data[:6]] for each in simulation.receive_all()]
        assert len(received) == 200
        assert set(received) <= {*old, *new}
        changes = [a in old and b in new for a, b in pairwise(received)]
        assert sum(changes) <= 1


def test_bad_services(bench: Bench) -> None:
    balancer = bench.balancer
    balancer.set({WEB: group(BACKENDS[0])})
    many = {Service(VIP, port): group(BACKENDS[0]) for port in range(1, 5)}
    for services, message in (
        (many, "has 3 services, not 4"),
        ({WEB: group(*(f"10.1.0.{n}" for n in range(10)))}, "has 9 backends, not 10"),
        ({WEB: group(BACKENDS[0], BACKENDS[0])}, "named twice"),
        ({WEB: group(VIP)}, "has its own address"),
        ({WEB: [Backend("10.77.0.300")]}, "not an IPv4 address"),
        ({WEB: [Backend(BACKENDS[0], -1)]}, "below 0"),
        ({WEB: [Backend(BACKENDS[0], 300)]}, "too few"),
    ):
        with pytest.raises(UserError, match=message):
            balancer.set(services)
        assert bench.backends_of(bench.to(WEB, 1)) == BACKENDS[:1]
    for arguments, message in (
        ((VIP, 80, "icmp"), "tcp or udp"),
        ((VIP, 0), "1 to 65535"),
        (("bee", 80), "not an IPv4 address"),
    ):
        with pytest.raises(UserError, match=message):
            Service(*arguments)

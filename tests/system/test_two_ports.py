# SPDX-License-Identifier: Apache-2.0
"""Two MAC ports with addresses and clocks of their own, and one stack for both or one each."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest
from fuzz.frame_mutation import Mutator
from fuzz.test_fuzz import Batches
from support import message_sums
from support.bench import LIMIT_CYCLES, ROOT, TIMER_STEP_US, difference

from bombus.golden.frames import (
    Host,
    Station,
    announcement,
    arp_reply,
    arp_request,
    ip_bytes,
    ping_frame,
    udp_frame,
)
from bombus.golden.stack import Outcome, Ports, Route, Stack
from bombus.simulator.counters import DROP
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

SHARED = ROOT / "designs" / "two_ports.yaml"
EACH = ROOT / "tests" / "system" / "designs" / "two_stacks.yaml"
BOTH = pytest.mark.parametrize("design", [SHARED, EACH], ids=["shared stack", "stack each"])
PORTS = (0, 1)
STATIONS = (
    Station.of("02:00:00:00:00:63", "10.77.0.99"),
    Station.of("02:00:00:00:00:64", "10.78.0.99"),
)
# Where the design relays to, and the ports of that.
RELAY_TO = Station.of("02:00:00:00:00:65", "10.78.0.1")
RELAY_PORT = 9000
LINE_GBPS = 10
GAP_CYCLES = 60  # enough for all but a packet with options

Frames = Sequence[tuple[int, bytes]]  # MAC port, frame


class Bench:
    """The design beside its model; both stations have introduced themselves."""

    def __init__(self, design: Path, seed: int = 1) -> None:
        self.simulation = Simulation(
            design, seed=seed, assertions=True, timer_step_us=TIMER_STEP_US
        )
        self.is_shared = design == SHARED
        self.hosts = [Host.from_manifest(self.simulation.manifest, port) for port in PORTS]
        self.start()

    def start(self) -> None:
        """After a reset: each port announces itself, and all is forgotten."""
        self.forget()
        for port, host in enumerate(self.hosts):
            frames = [frame.data for frame in self.simulation.receive_all(port)]
            assert frames == [announcement(host)]
        self.introduce()

    def forget(self) -> None:
        """A fresh model."""
        self.model = Ports(self.hosts, share_errors=self.is_shared)

    def introduce(self) -> None:
        self.counted = self.counts()
        self.run([(port, arp_request(STATIONS[port], self.hosts[port])) for port in PORTS])

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            waiting = message_sums.check(self.simulation)
            questions = [stack.questions for stack in self.model.stacks]
            assert waiting == sum(len(queue) for asked in questions for queue in asked.values())
            self.simulation.check()
        self.simulation.close()

    def counts(self) -> Counter[str]:
        total: Counter[str] = Counter()
        for values in self.simulation.counters().values():
            total.update(values)
        return total

    def drops(self) -> Counter[str]:
        """By `layer.reason`, since the last call."""
        now = self.counts()
        change, self.counted = now - self.counted, now
        return Counter({k.removeprefix(DROP): n for k, n in change.items() if k.startswith(DROP)})

    def predict(self, frames: Frames) -> tuple[list[list[bytes]], Counter[str]]:
        replies: list[list[bytes]] = [[] for _ in PORTS]
        drops: Counter[str] = Counter()
        for port, frame in frames:
            self.add(replies, drops, port, self.model.process(frame, port))
        return replies, drops

    @staticmethod
    def add(replies: list[list[bytes]], drops: Counter[str], port: int, outcome: Outcome) -> None:
        replies[port] += outcome.replies
        drops.update(outcome.drops)

    def run(self, frames: Frames, gap_cycles: int = 0) -> None:
        self.compare(frames, *self.predict(frames), gap_cycles=gap_cycles)

    def compare(
        self, frames: Frames, replies: list[list[bytes]], drops: Counter[str], gap_cycles: int = 0
    ) -> None:
        """Exactly these replies come, each by its port, and these drops are counted."""
        exchange = self.simulation.exchange(
            [frame for _, frame in frames],
            ports=[port for port, _ in frames],
            gap_cycles=gap_cycles,
            limit_cycles=LIMIT_CYCLES,
        )
        assert not exchange.timed_out
        for port in PORTS:
            came = [frame.data for frame in exchange.received if frame.port == port]
            assert not (problem := difference(replies[port], came)), f"port {port}: {problem}"
        found = self.drops()
        assert found == drops, (found, drops)

    def probes(self, mark: bytes = b"probe") -> list[tuple[int, bytes]]:
        return [
            (port, make(STATIONS[port], self.hosts[port], mark * (port + 1)))
            for port in PORTS
            for make in (ping_frame, udp_frame)
        ]


@pytest.fixture
def design() -> Path:
    """Of tests for which it is the same who has a stack; the others say `BOTH`."""
    return SHARED


@pytest.fixture
def bench(design: Path) -> Iterator[Bench]:
    with Bench(design) as bench:
        yield bench


@BOTH
def test_each_port_answers_for_itself(bench: Bench) -> None:
    choice = random.Random(1)
    frames = []
    for n in range(60):
        port = choice.choice(PORTS)
        make = choice.choice((udp_frame, ping_frame))
        frames.append((port, make(STATIONS[port], bench.hosts[port], choice.randbytes(2 * n))))
        # The other port's address is not this one's, whoever asks (RFC 1122, 3.3.4.2).
        mixed = Host(bench.hosts[port].mac, bench.hosts[1 - port].ip, bench.hosts[port].netmask)
        frames.append((port, udp_frame(STATIONS[port], mixed, b"wrong address")))
        frames.append((port, udp_frame(STATIONS[port], bench.hosts[1 - port], b"wrong port")))
        frames.append((port, arp_request(STATIONS[port], bench.hosts[1 - port])))
    bench.run(frames)


@BOTH
def test_bindings_belong_to_a_port(bench: Bench) -> None:
    """The same neighbour's address on both links, with another MAC address on each."""
    simulation = bench.simulation
    simulation.set_host(1, ip="10.77.0.3")
    bench.hosts[1] = Host(bench.hosts[1].mac, ip_bytes("10.77.0.3"), bench.hosts[1].netmask)
    simulation.elapse(us=3000)
    assert [frame.data for frame in simulation.receive_all(1)] == [announcement(bench.hosts[1])]
    bench.forget()
    same = [Station(station.mac, STATIONS[0].ip) for station in STATIONS]
    bench.run([(port, arp_request(same[port], bench.hosts[port])) for port in PORTS])
    bench.run([(port, udp_frame(same[port], bench.hosts[port], b"me")) for port in PORTS * 4])
    # Neither learns from the other port; each asks on its own link.
    silent = [Station(station.mac, ip_bytes("10.77.0.50")) for station in STATIONS]
    bench.run([(port, udp_frame(silent[port], bench.hosts[port], b"who")) for port in PORTS])
    bench.run([(1, arp_reply(silent[1], bench.hosts[1]))])
    bench.run([(0, arp_reply(silent[0], bench.hosts[0]))])
    tiles = [
        tile["name"]
        for tile in simulation.manifest["tiles"]
        if any(layer["kind"] == "eth_tx" for layer in tile["layers"])
    ]
    caches = [simulation.tile(name).registers.cache for name in tiles]
    entries = [entry.read() for cache in caches for entry in cache]
    found = {(each["mac_port"], each["ip"], each["mac"]) for each in entries if each["valid"]}
    for port in PORTS:
        for station in (same[port], silent[port]):
            assert (port, int.from_bytes(station.ip), int.from_bytes(station.mac)) in found


@BOTH
def test_a_new_message_takes_the_port_of_the_route(bench: Bench) -> None:
    """Whichever port asks for it; from that port's address, to a neighbour that is asked there."""
    replies: list[list[bytes]] = [[] for _ in PORTS]
    drops: Counter[str] = Counter()
    frames = []
    for port in PORTS:
        for n in range(3):
            payload = bytes([port, n]) * (20 + n)
            frames.append(
                (port, udp_frame(STATIONS[port], bench.hosts[port], payload, port=RELAY_PORT))
            )
            number, outcome = bench.model.send(RELAY_PORT, RELAY_TO.ip, RELAY_PORT, payload)
            assert number == 1
            bench.add(replies, drops, number, outcome)
    bench.compare(frames, replies, drops, gap_cycles=200)
    bench.run([(1, arp_reply(RELAY_TO, bench.hosts[1]))])


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
    """What comes in by a port is relayed by another one, to the next hop that the model says."""
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
    bench.simulation.set_host(1, ip="10.79.0.2")  # the destination is no neighbour any more
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
    # The longer prefix, wherever it stands; the first of equal ones.
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


@BOTH
def test_a_port_that_takes_nothing_stops_nobody_else(bench: Bench) -> None:
    simulation = bench.simulation
    count, size = 100, 1000
    alive = [udp_frame(STATIONS[0], bench.hosts[0], n.to_bytes(2) * 50) for n in range(count)]
    simulation.pace(1, tx_stall=1.0)  # as a MAC whose link is down
    dead = [
        udp_frame(STATIONS[1], bench.hosts[1], n.to_bytes(2) * (size // 2)) for n in range(count)
    ]
    gap_cycles = 200  # less than the core can take
    exchange = simulation.exchange(
        [frame for pair in zip(dead, alive, strict=True) for frame in pair],
        ports=[1, 0] * count,
        gap_cycles=gap_cycles,
        expected=count,
        limit_cycles=LIMIT_CYCLES,
    )
    replies, _ = bench.predict([(0, frame) for frame in alive])
    assert [(frame.port, frame.data) for frame in exchange.received] == [
        (0, reply) for reply in replies[0]
    ]
    # Nothing waits for the dead port.
    assert exchange.cycles < 2 * count * gap_cycles + 1000
    simulation.advance(10_000)
    lost = bench.drops()["mac_tx.full"]
    assert 0 < lost < count
    assert not simulation.stalls()

    simulation.pace(1)  # it is up again: what was kept comes, whole, and then all is well
    kept = [frame.data for frame in simulation.receive_all(1)]
    replies, _ = bench.predict([(1, frame) for frame in dead])
    assert kept == replies[1][: count - lost]
    bench.run(bench.probes())


def test_a_link_that_is_down_carries_nothing(bench: Bench) -> None:
    bench.simulation.link(1, up=False)
    bench.simulation.send(bench.probes()[-1][1], 1)
    assert bench.simulation.statistics(1)["link_lost"] == 1
    bench.simulation.link(1, up=True)
    assert not bench.simulation.receive_all(1)
    bench.run(bench.probes())


def test_clocks_run_at_their_true_ratio(bench: Bench) -> None:
    before = [bench.simulation.statistics(port)["cycles"] for port in PORTS]
    bench.simulation.advance(1_000_000)
    cycles = [bench.simulation.statistics(port)["cycles"] for port in PORTS]
    passed = [after - early for after, early in zip(cycles, before, strict=True)]
    assert passed == [pytest.approx(781_250, abs=2), pytest.approx(1_611_328, abs=2)]


@pytest.mark.parametrize("port", PORTS)
def test_a_port_alone_has_its_line_rate(bench: Bench, port: int) -> None:
    """The smallest frames, both ways, in the time that they take on the wire; none is lost."""
    count, size = 1000, 60
    bench.simulation.line_rate(LINE_GBPS, port)
    frame = udp_frame(STATIONS[port], bench.hosts[port], bytes(size - 42))
    assert len(frame) == size
    exchange = bench.simulation.exchange([frame] * count, ports=[port] * count)
    assert len(exchange.received) == count
    assert not bench.drops()
    span = exchange.received[-1].time_ns - exchange.received[0].time_ns
    assert span == pytest.approx((count - 1) * (size + 24) * 8 / LINE_GBPS, rel=0.002)


def test_more_than_the_core_takes_is_dropped_whole(bench: Bench) -> None:
    """Port 1 could carry 20 Gbit/s, the core 12.8: what is lost is counted."""
    count = 400
    frames = [
        (1, udp_frame(STATIONS[1], bench.hosts[1], n.to_bytes(2) * 700)) for n in range(count)
    ]
    replies, _ = bench.predict(frames)
    exchange = bench.simulation.exchange([frame for _, frame in frames], ports=[1] * count)
    came = [frame.data for frame in exchange.received]
    rest = iter(replies[1])
    assert all(frame in rest for frame in came), "not whole or not in order"
    drops = bench.drops()
    assert set(drops) <= {"clock_crossing.rx", "mac_rx.overflow"}
    assert drops["clock_crossing.rx"]
    assert len(came) + drops.total() == count


@BOTH
@pytest.mark.parametrize("side", ["both", "core", 0, 1])
def test_a_reset_under_traffic(bench: Bench, side: int | str) -> None:
    choice = random.Random(str(side))
    for _ in range(3):
        for port in PORTS:
            for _ in range(20):
                size = choice.randrange(20, 600)
                bench.simulation.send(
                    udp_frame(STATIONS[port], bench.hosts[port], bytes(size)), port
                )
        bench.simulation.advance(choice.randrange(50, 1500))
        if isinstance(side, int):
            bench.simulation.reset_port(side)
            for port in PORTS:
                bench.simulation.receive_all(port)
            bench.drops()
            bench.run(bench.probes())
        elif side == "core":
            bench.simulation.reset_core()
            core_has_forgotten(bench)
        else:
            bench.simulation.reset()
            bench.start()


def core_has_forgotten(bench: Bench) -> None:
    """The MACs have gone on: what they send is whole and right, and then all is well."""
    for port, host in enumerate(bench.hosts):
        known = STATIONS[port]
        # Frames that were on their way, the announcement, and questions for who is forgotten.
        came = [frame.data for frame in bench.simulation.receive_all(port)]
        stack = Stack(host)
        assert came.count(announcement(host)) == 1
        allowed = {announcement(host), stack.question(known.ip)}
        stack.bindings[(None, known.ip)] = known.mac
        for size in range(20, 600):
            allowed.update(stack.process(udp_frame(known, host, bytes(size))).replies)
        assert allowed.issuperset(came)
    bench.simulation.elapse(seconds=5)  # those questions are given up
    for port in PORTS:
        bench.simulation.receive_all(port)
    bench.forget()
    bench.introduce()
    bench.run(bench.probes())


@BOTH
def test_mutated_frames_on_both_ports(design: Path) -> None:
    with Bench(design, seed=5) as bench:
        batches = [
            Batches(Mutator(f"two-{port}", bench.hosts[port], [STATIONS[port]]), stack)
            for port, stack in enumerate(bench.model.stacks)
        ]
        replies: list[list[bytes]] = []
        drops: Counter[str] = Counter()
        frames = []
        for port in PORTS:
            batch = batches[port].next(250)
            frames += [(port, frame) for frame in batch.frames]
            replies.append(batch.replies)
            drops += batch.drops
            if bench.is_shared:  # ICMP errors are limited for both together
                bench.model.stacks[1].error_tokens = bench.model.stacks[0].error_tokens
        bench.compare(frames, replies, drops, gap_cycles=GAP_CYCLES)
        for stack in bench.model.stacks:
            stack.give_up()
        bench.simulation.elapse(seconds=5)
        bench.simulation.receive_all(0)
        bench.simulation.receive_all(1)
        bench.drops()
        bench.run([(port, arp_request(STATIONS[port], bench.hosts[port])) for port in PORTS])
        bench.run(bench.probes())

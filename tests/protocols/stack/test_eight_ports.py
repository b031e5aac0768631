# SPDX-License-Identifier: Apache-2.0
"""As many MAC ports as a design can have, with one stack for all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bombus.protocols.frames import (
    Host,
    Station,
    announcement,
    arp_reply,
    arp_request,
    ethernet,
    ip_frame,
    ipv4,
    padded,
    ping_frame,
    udp_frame,
)
from bombus.protocols.ports import Ports
from bombus.simulator.simulation import Simulation
from tests import DESIGNS as TEST_DESIGNS
from tests.support.bench import LIMIT_CYCLES

pytestmark = [pytest.mark.slow, pytest.mark.sweep]  # one MAC port and two are in many other tests

DESIGN = TEST_DESIGNS / "eight_ports.yaml"
PORTS = range(8)
RELAY_PORT = 9000
HOPS_PROTOCOL, HOPS_FROM = 253, bytes((10, 87, 0, 99))
RELAY_TO = Station.of("02:00:00:00:00:65", "10.87.0.1")


class Bench:
    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.hosts = [Host.from_manifest(simulation.manifest, port) for port in PORTS]
        self.model = Ports(self.hosts)
        self.stations = [
            Station.of(f"02:00:00:00:01:{port:02x}", f"10.{80 + port}.0.99") for port in PORTS
        ]

    def run(
        self, frames: list[tuple[int, bytes]], replies: list[list[bytes]] | None = None
    ) -> None:
        """The replies, from the model where not given, leave each by its port."""
        if replies is None:
            replies = [[] for _ in PORTS]
            for port, frame in frames:
                replies[port] += self.model.process(frame, port).replies
        exchange = self.simulation.exchange(
            [frame for _, frame in frames],
            ports=[port for port, _ in frames],
            gap_cycles=300,
            limit_cycles=LIMIT_CYCLES,
        )
        assert not exchange.timed_out
        for port in PORTS:
            assert [f.data for f in exchange.received if f.port == port] == replies[port], port


@pytest.fixture
def bench() -> Iterator[Bench]:
    with Simulation(DESIGN, assertions=True) as simulation:
        found = Bench(simulation)
        for port, host in enumerate(found.hosts):
            assert [f.data for f in simulation.receive_all(port)] == [announcement(host)]
        found.run([(port, arp_request(found.stations[port], found.hosts[port])) for port in PORTS])
        yield found
        simulation.check()


def test_every_port_answers_for_itself(bench: Bench) -> None:
    frames = [
        (port, make(bench.stations[port], bench.hosts[port], bytes([port, n]) * (n + 1)))
        for n in range(3)
        for port in PORTS
        for make in (udp_frame, ping_frame)
    ]
    bench.run(frames)
    # The address of another port is not this one's.
    bench.run(
        [(port, udp_frame(bench.stations[port], bench.hosts[port - 1], b"")) for port in PORTS]
    )


def test_a_new_message_leaves_by_the_last_port(bench: Bench) -> None:
    for port in PORTS:
        payload = bytes([port]) * 30
        frame = udp_frame(bench.stations[port], bench.hosts[port], payload, port=RELAY_PORT)
        number, outcome = bench.model.send(RELAY_PORT, RELAY_TO.ip, RELAY_PORT, payload)
        assert number == PORTS[-1]
        bench.run([(port, frame)], [[]] * number + [list(outcome.replies)])
    bench.run([(PORTS[-1], arp_reply(RELAY_TO, bench.hosts[-1]))])
    cache = bench.simulation.tile("transmit").registers.cache
    found = {(e["mac_port"], e["ip"]) for e in (entry.read() for entry in cache) if e["valid"]}
    known = {(port, int.from_bytes(bench.stations[port].ip)) for port in PORTS}
    assert found == known | {(PORTS[-1], int.from_bytes(RELAY_TO.ip))}


def test_messages_of_another_kind_keep_the_number_of_their_port(bench: Bench) -> None:
    """Wider than two bits: the answer leaves by the port that the request came in by."""
    frames, replies = [], []
    for port in PORTS:
        station, host, token = bench.stations[port], bench.hosts[port], bytes([port] * 7)
        frames.append((port, ip_frame(station, host, HOPS_PROTOCOL, token + b"?", ttl=64)))
        packet = ipv4(HOPS_FROM, station.ip, HOPS_PROTOCOL, token + b"@", ttl=255)
        replies.append([padded(ethernet(station.mac, host.mac, 0x0800, packet))])
    bench.run(frames, replies)

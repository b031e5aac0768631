# SPDX-License-Identifier: Apache-2.0
"""A load balancer whose backends are at the ends of IP-in-IP tunnels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from bombus.analysis import check
from bombus.applications.functions.balancer import Backend, LoadBalancer, Service
from bombus.base import paths
from bombus.measure.exchanges import introduce
from bombus.protocols.frames import (
    Host,
    Station,
    ethernet,
    ipv4,
    padded,
    ping_frame,
    udp,
    udp_frame,
)
from bombus.simulator.simulation import Simulation

DESIGN = paths.EXAMPLES / "functions" / "balanced_tunnels.yaml"
CLIENT = Station.of("02:00:00:00:00:99", "10.77.0.1")
SERVICE = Service("10.77.0.2", 53, "udp")
IP_IN_IP, UDP = 4, 17
# Next hops of tunnels, and the servers at their ends.
HOPS = [f"10.99.0.{n}" for n in range(11, 15)]
ENDS = [Station.of(f"02:00:00:00:01:{n:02x}", f"10.77.0.{n}") for n in range(31, 35)]


def test_lines_that_the_example_adds() -> None:
    base = (paths.DESIGNS / "udp_echo.yaml").read_text().splitlines()
    mine = DESIGN.read_text().splitlines()
    added = [line for line in mine if line not in base and not line.startswith(("#", "name:"))]
    assert len(added) == 12
    assert not check.check(DESIGN)[1]


@pytest.fixture(scope="module")
def simulation() -> Iterator[Simulation]:
    with Simulation(DESIGN, seed=5, assertions=True) as simulation:
        for station in (CLIENT, *ENDS):
            introduce(simulation, station)
        tunnel = simulation.tile("tunnel").registers.ip_in_ip_encapsulate.tunnel
        for n, (hop, end) in enumerate(zip(HOPS, ENDS, strict=True)):
            inner = int.from_bytes(Station.of("02:00:00:00:00:00", hop).ip)
            tunnel[n].write(inner_ip=inner, outer_ip=int.from_bytes(end.ip), valid=1)
        yield simulation
        simulation.check()


@pytest.mark.slow
@pytest.mark.sweep
def test_packets_go_to_the_ends_unchanged(simulation: Simulation) -> None:
    random = Random(1)
    host = Host.from_manifest(simulation.manifest)
    (layer,) = (
        layer
        for tile in simulation.manifest["tiles"]
        for layer in tile["layers"]
        if layer["kind"] == "load_balancer"
    )
    registers = simulation.tile("eth_rx").registers
    balancer = LoadBalancer(registers.load_balancer, layer["params"], secret=0x123456789ABC)
    balancer.set({SERVICE: [Backend(hop) for hop in HOPS]})

    def sent(length: int) -> list[bytes]:
        """Frames of this many bytes of payload, from a client for each."""
        frames = []
        for client in range(4):
            source = bytes((192, 0, 2, random.randrange(256)))
            data = udp(source, host.ip, 1024 + length, 53, random.randbytes(length))
            tos = random.choice([0, 0xB8, 1])
            packet = ipv4(source, host.ip, UDP, data, tos=tos, identification=client, ttl=9)
            frames.append(ethernet(host.mac, CLIENT.mac, 0x0800, packet))
        return frames

    frames = [frame for length in (*range(140), 1450, 1452) for frame in sent(length)]
    got = simulation.exchange([padded(frame) for frame in frames]).received
    assert len(got) == len(frames)
    ends = Counter[bytes]()
    for frame, answer in zip(frames, got, strict=True):
        (end,) = (each for each in ENDS if each.ip == answer.data[30:34])
        inner = frame[14:]
        outer = ipv4(host.ip, end.ip, IP_IN_IP, inner, tos=inner[1])
        assert answer.data == padded(ethernet(end.mac, host.mac, 0x0800, outer))
        ends[end.ip] += 1
    assert len(ends) == len(ENDS) and min(ends.values()) > len(frames) / 8
    # Connections stay at their ends while another backend goes.
    balancer.set({SERVICE: [Backend(hop, weight=int(n > 0)) for n, hop in enumerate(HOPS)]})
    again = simulation.exchange([padded(frame) for frame in frames]).received
    assert [each.data for each in again] == [each.data for each in got]
    # Longer than the tunnels carry; a backend without a tunnel; what is of no service.
    assert not simulation.exchange(sent(1453)).received
    balancer.set({SERVICE: [Backend("10.99.0.77")]})
    assert not simulation.exchange([padded(frame) for frame in sent(10)]).received
    counters = simulation.tile_counters("tunnel")
    assert counters["drop.ip_in_ip_encapsulate.too_long"] == 4
    assert counters["drop.ip_in_ip_encapsulate.no_tunnel"] == 4
    for frame in (udp_frame(CLIENT, host, b"bee"), ping_frame(CLIENT, host, b"bee")):
        assert len(simulation.exchange([frame]).received) == 1

# SPDX-License-Identifier: Apache-2.0
"""The examples with a load balancer at the line rate: the stack's frames and those of services."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from bombus.applications.functions.balancer import Backend, LoadBalancer, Service
from bombus.base import paths
from bombus.measure import bench
from bombus.measure.exchanges import beats_of, burst, cycles_per_packet, introduce, neighbour
from bombus.protocols.frames import Host, Station, padded, udp_frame
from bombus.simulator.frames import Frame
from bombus.simulator.simulation import Simulation
from tests.support.helpers import Benchmark

pytestmark = [pytest.mark.slow, pytest.mark.sweep]

EXAMPLES = ("balanced", "balanced_memory", "balanced_tunnels")
SERVICE = Service("10.77.0.2", 53, "udp")
ADDRESSES = [f"10.77.0.{n}" for n in range(31, 35)]  # of the backends, or of the tunnels' ends
ENDS = [Station.of(f"02:00:00:00:01:{n:02x}", each) for n, each in enumerate(ADDRESSES)]
HOPS = [f"10.99.0.{n}" for n in range(11, 15)]  # next hops of the tunnels to these
MTU = 1480  # of the tunnels
COUNT = 400  # frames of each size


@pytest.mark.parametrize("example", EXAMPLES)
def test_frames_of_the_stack(example: str, benchmark: Benchmark) -> None:
    """As without the load balancer, each size takes its beats, and none of the mix is lost at the
    line rate. At a beat per cycle few are: an ARP request waits for a packet before it.
    """
    design = paths.EXAMPLES / "functions" / f"{example}.yaml"
    result = benchmark("udp-echo", design, packets=COUNT)
    assert result["errors"] == 0 and len(result["rows"]) == 12
    for row in result["rows"]:
        assert row["cycles_per_packet"] == pytest.approx(row["beats"], rel=1e-2)
        assert row["wire_gbps"] == pytest.approx(row["bound_gbps"], rel=1e-2)
    wire, port = result["mix"]
    assert wire["lost"] == 0 and port["lost"] <= 0.002 * port["frames"]


# The memory of `balanced_memory` is raised; its own tests connect one.
@pytest.fixture(scope="module", params=["balanced", "balanced_tunnels"])
def balanced(request: pytest.FixtureRequest) -> Iterator[Simulation]:
    """A service with a backend at each of the ends."""
    design = paths.EXAMPLES / "functions" / f"{request.param}.yaml"
    with Simulation(design, seed=1, assertions=True) as simulation:
        manifest = simulation.manifest
        for station in (neighbour(manifest), *ENDS):
            introduce(simulation, station)
        (layer,) = (
            layer
            for tile in manifest["tiles"]
            for layer in tile["layers"]
            if layer["kind"] == "load_balancer"
        )
        addresses = ADDRESSES
        if len(manifest["mac_ports"]) > 1:
            addresses = HOPS
            (encapsulate,) = simulation.registers_of("ip_in_ip_encapsulate")
            for n, (hop, end) in enumerate(zip(HOPS, ENDS, strict=True)):
                inner = int.from_bytes(Station.of("02:00:00:00:00:00", hop).ip)
                encapsulate.tunnel[n].write(
                    inner_ip=inner, outer_ip=int.from_bytes(end.ip), valid=1
                )
        registers = simulation.tile("eth_rx").registers
        balancer = LoadBalancer(registers, layer["params"], secret=0x123456789ABC)
        balancer.set({SERVICE: [Backend(address) for address in addresses]})
        yield simulation
        simulation.check()


def sizes(simulation: Simulation) -> list[int]:
    """Bytes of payload, of the frames that its way to the backends carries."""
    module: Any = bench.load("udp-echo")
    most = MTU - 28 if len(simulation.manifest["mac_ports"]) > 1 else module.PAYLOADS[-1]
    return [size for size in module.PAYLOADS if size <= most]


def frames_of(simulation: Simulation, random: Random, size: int, clients: int) -> list[bytes]:
    """Datagrams to the service, each of one of so many clients."""
    host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
    payload = random.randbytes(size)
    return [
        padded(
            udp_frame(station, host, payload, port=53, source_port=1024 + random.randrange(clients))
        )
        for _ in range(COUNT)
    ]


def inner(frame: Frame) -> bytes:
    """The packet in the tunnel, or that of the frame."""
    packet = frame.data[14:]
    packet = packet[20:] if packet[9] == 4 else packet
    return packet[: int.from_bytes(packet[2:4])]


@pytest.mark.parametrize("clients", [1, 8, 60_000])
def test_packets_of_a_service(balanced: Simulation, clients: int) -> None:
    """Each size takes the beats of the frame that leaves, whether its connection is in the table or
    not, and none is lost.
    """
    random = Random(clients)
    for size in sizes(balanced):
        frames = frames_of(balanced, random, size, clients)
        received = burst(balanced, frames).received
        wanted = [each[14 : 14 + int.from_bytes(each[16:18])] for each in frames]
        assert [inner(each) for each in received] == wanted, size
        beats = beats_of(len(received[0].data), balanced.data_bytes)
        assert cycles_per_packet(received) == pytest.approx(beats, rel=1e-2), size


def test_a_mix_of_both(balanced: Simulation) -> None:
    """Datagrams to the service among those to the echo and pings, at the line rate."""
    if len(balanced.manifest["mac_ports"]) > 1:
        pytest.skip("in tunnels, they are longer than they have been on the line")
    random, module = Random(1), bench.load("udp-echo")
    station = neighbour(balanced.manifest)
    allowed = set(sizes(balanced))
    frames = module.mix(random, station, balanced.manifest, 10 * COUNT)
    mine = [
        frame
        for size in module.MIX_PAYLOADS
        if size in allowed
        for frame in frames_of(balanced, random, size, 60_000)
    ]
    frames += mine
    random.shuffle(frames)
    balanced.line_rate(float(balanced.manifest["line_rate_gbps"]) * 250 / module.MAC_MHZ[512])
    received = burst(balanced, frames).received
    balanced.line_rate(None)
    to_ends = [each for each in received if each.data[:6] in {end.mac for end in ENDS}]
    assert len(to_ends) == len(mine) and len(received) == len(frames)

# SPDX-License-Identifier: Apache-2.0
"""Latency and rate of the layers of VXLAN, for the row of `functions`.

The base is a design with the same two stacks and tiles, whose inner frames are the payload of an IP
packet without further headers.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median

from _function_rates import SEED, SINGLE, Rates

from bombus import Simulation
from bombus.applications.functions.tunnels import ETHERNET_BYTES, IPV4_BYTES, packet_of
from bombus.base.paths import BENCHMARKS
from bombus.measure.exchanges import burst, cycles_per_packet, idle_latencies, introduce, neighbour
from bombus.protocols.frames import (
    PROTOCOL_UDP,
    TYPE_IPV4,
    Host,
    Station,
    arp_request,
    ethernet,
    ipv4,
    padded,
    udp,
    udp_frame,
)
from bombus.protocols.stack import Stack
from bombus.simulator.frames import Frame

BASE = BENCHMARKS / "two_stacks_fused.yaml"
LAYERS = 2  # that a datagram and its answer pass
VNI, PORT = 42, 4789
PAYLOAD = bytes(6)  # a frame of two beats, with a datagram of one beat
TUNNEL_BYTES = 16  # UDP and VXLAN


def vxlan(design: Path, packets: int) -> Rates:
    """Latency added by each of the two layers."""
    base = _tunnelled(BASE, packets, is_vxlan=False)
    through = _tunnelled(design, packets, is_vxlan=True)
    added = (through.latency_cycles - base.latency_cycles) / LAYERS
    return Rates(added, through.cycles_per_packet, base.errors + through.errors)


def _tunnelled(design: Path, packets: int, *, is_vxlan: bool) -> Rates:
    """Datagrams to the UDP echo of the inner stack."""
    with Simulation(design, seed=SEED) as simulation:
        outer, inner = (Host.from_manifest(simulation.manifest, port) for port in (0, 1))
        remote = neighbour(simulation.manifest)
        introduce(simulation, remote)
        client = Station.of("02:00:00:00:0c:01", "10.99.0.1")
        if is_vxlan:
            table = simulation.tile("inner_tx").registers.vxlan_encapsulate.remote
            end = int.from_bytes(remote.ip)
            table[0].write(mac=int.from_bytes(client.mac), vni=VNI, ip=end, valid=1)
            table[0].read()  # the write waits until the table has been cleared after the reset

        def sent(frame: bytes) -> bytes:
            if is_vxlan:
                header = bytes((8, 0, 0, 0)) + VNI.to_bytes(3) + b"\0"
                frame = udp(remote.ip, outer.ip, 50_000, PORT, header + frame, udp_checksum=0)
            packet = ipv4(remote.ip, outer.ip, PROTOCOL_UDP, frame)
            return padded(ethernet(outer.mac, remote.mac, TYPE_IPV4, packet))

        model = Stack(inner)
        introduction = arp_request(client, inner)
        model.process(padded(introduction))
        simulation.exchange([sent(introduction)])
        frame = udp_frame(client, inner, PAYLOAD, port=7)
        request = frame[:ETHERNET_BYTES] + packet_of(frame)
        (answer,) = model.process(padded(request)).replies
        wanted = answer[:ETHERNET_BYTES] + packet_of(answer)
        cycles, answers = idle_latencies(simulation, [sent(request)] * SINGLE)
        received = burst(simulation, [sent(request)] * packets, packets).received
        simulation.check()
    start = ETHERNET_BYTES + IPV4_BYTES + (TUNNEL_BYTES if is_vxlan else 0)

    def is_good(found: Frame) -> bool:
        ends = found.data[:12] + found.data[26:34]
        return (
            ends == remote.mac + outer.mac + outer.ip + remote.ip and found.data[start:] == wanted
        )

    good = sum(is_good(each) for each in [*answers, *received])
    return Rates(median(cycles), cycles_per_packet(received), packets + SINGLE - good)

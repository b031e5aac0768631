# SPDX-License-Identifier: Apache-2.0
"""Datagrams in a tunnel, for the rows of `functions`."""

from __future__ import annotations

from pathlib import Path

from _function_rates import PAYLOAD, SEED

from bombus import Simulation
from bombus.applications.functions.tunnels import answers_in_ip_in_ip, into_ip_in_ip
from bombus.measure.exchanges import burst, cycles_per_packet, introduce, neighbour
from bombus.protocols.frames import Host, Station, arp_request, padded, udp_frame
from bombus.protocols.stack import Stack


def ip_in_ip(design: Path, packets: int) -> tuple[float, int]:
    """Cycles per datagram to the UDP echo in a tunnel from MAC port 1, and how many answers are
    missing or wrong.
    """
    with Simulation(design, seed=SEED) as simulation:
        outer, inner = (Host.from_manifest(simulation.manifest, port) for port in (0, 1))
        remote = neighbour(simulation.manifest)
        introduce(simulation, remote)
        client = Station(remote.mac, inner.ip[:3] + b"\x01")
        frame = udp_frame(client, inner, PAYLOAD, port=7)
        model = Stack(inner)
        model.process(padded(arp_request(client, inner)))
        (wanted,) = answers_in_ip_in_ip(model, frame, remote, outer)
        sent = into_ip_in_ip(frame, remote, outer)
        received = burst(simulation, [sent] * packets, packets).received
        simulation.check()
    return cycles_per_packet(received), packets - sum(each.data == wanted for each in received)

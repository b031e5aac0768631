# SPDX-License-Identifier: Apache-2.0
"""Latency and rate of datagrams in a design, for the rows of `functions`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bombus import Simulation
from bombus.measure.exchanges import burst, cycles_per_packet, idle_latencies, introduce, neighbour
from bombus.protocols.frames import Host, Station, arp_request, padded, sums_to_zero, udp_frame
from bombus.protocols.stack import Stack

SEED = 1
SINGLE = 20
PAYLOAD = bytes(18)  # of a frame of 60 bytes


@dataclass(frozen=True)
class Rates:
    """Of the UDP echo of a design."""

    latency_cycles: float
    cycles_per_packet: float
    errors: int  # replies that are wrong or missing


def expected_echo(manifest: Mapping[str, Any], station: Station, frame: bytes) -> bytes:
    """The answer of a stack to a datagram of a known station."""
    stack = Stack(Host.from_manifest(manifest))
    stack.process(padded(arp_request(station, stack.host)))
    (answer,) = stack.process(frame).replies
    return answer


def echoed(design: Path, packets: int) -> Rates:
    """Datagrams to the UDP echo, one at a time and then back to back."""
    with Simulation(design, seed=SEED) as simulation:
        host = Host.from_manifest(simulation.manifest)
        station = neighbour(simulation.manifest)
        introduce(simulation, station)
        frame = udp_frame(station, host, PAYLOAD, port=7)
        wanted = expected_echo(simulation.manifest, station, frame)
        cycles, answers = idle_latencies(simulation, [frame] * SINGLE)
        received = burst(simulation, [frame] * packets, packets).received
        simulation.check()
    good = sum(each.data == wanted for each in [*answers, *received])
    return Rates(median(cycles), cycles_per_packet(received), packets + SINGLE - good)


@contextmanager
def without(layer: str, example: Path) -> Iterator[Path]:
    """A copy of a design without the lines that name a layer."""
    lines = example.read_text(encoding="utf-8").splitlines(keepends=True)
    with TemporaryDirectory() as folder:
        copy = Path(folder) / example.name
        kept = (line for line in lines if not re.search(rf"\b{layer}\b", line))
        copy.write_text("".join(kept), encoding="utf-8")
        yield copy


def translated(design: Path, packets: int) -> tuple[float, int]:
    """Cycles per datagram from MAC port 0 to port 1, and how many are missing or wrong."""
    with Simulation(design, seed=SEED) as simulation:
        inside, outside = (Host.from_manifest(simulation.manifest, port) for port in (0, 1))
        client = neighbour(simulation.manifest)
        server = Station(client.mac, outside.ip[:3] + b"\x01")
        simulation.send(padded(arp_request(server, outside)), 1)
        simulation.advance_until_idle()
        while simulation.receive(1, timeout_cycles=0) is not None:
            pass
        frame = udp_frame(client, Host(inside.mac, server.ip, inside.netmask), PAYLOAD, port=7)
        done = simulation.exchange([frame] * packets, expected=packets)
        simulation.check()
    good = [each for each in done.received if _is_translated(each.data, frame, outside, server)]
    ports = {each.data[34:36] for each in done.received}
    return cycles_per_packet(done.received), packets - len(good) + len(ports) - 1


def _is_translated(data: bytes, frame: bytes, outside: Host, server: Station) -> bool:
    """Whether a datagram has left with the outside address and another port, else unchanged."""
    pseudo = data[26:34] + bytes((0, data[23])) + data[38:40]
    return (
        data[:12] == server.mac + outside.mac
        and data[22] == frame[22] - 1
        and data[26:34] == outside.ip + server.ip
        and data[36:40] + data[42:] == frame[36:40] + frame[42:]
        and sums_to_zero(data[14:34])
        and sums_to_zero(pseudo + data[34:])
    )

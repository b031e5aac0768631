# SPDX-License-Identifier: Apache-2.0
"""Throughput and latency in virtual time, as docs/benchmarks.md defines them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bombus.base.errors import UserError
from bombus.design.addresses import default_address, host_of
from bombus.protocols.frames import WIRE_EXTRA_BYTES, Host, Station, arp_request, padded
from bombus.protocols.stack import Stack
from bombus.simulator.frames import Exchange, Frame, latencies
from bombus.simulator.mac_ports import DEFAULT_TIMEOUT_CYCLES
from bombus.simulator.simulation import Simulation

# A design that takes this many times as long as the bus needs is stuck.
_PATIENCE = 50
_OWN_MAC = "02:00:00:00:00:99"


def echo_port(manifest: Mapping[str, Any]) -> int:
    """The UDP port of a design's echo."""
    for tile in manifest["tiles"]:
        for layer in tile["layers"]:
            if layer["kind"] == "udp_echo":
                return int(layer["params"]["udp_port"])
    raise UserError(f"{manifest['name']} has no layer of kind udp_echo")


def neighbour(manifest: Mapping[str, Any]) -> Station:
    """A station in the network of a design's host."""
    return Station.of(_OWN_MAC, default_address(host_of(manifest["mac_ports"][0])).split("/")[0])


def introduction(manifest: Mapping[str, Any], station: Station) -> tuple[bytes, bytes]:
    """The ARP request by which a station becomes known, and its answer."""
    host = Host.from_manifest(manifest)
    request = padded(arp_request(station, host))
    (answer,) = Stack(host).process(request).replies
    return request, answer


def introduce(simulation: Simulation, station: Station) -> None:
    """Introduces a station to the design by an ARP request, as any neighbour does."""
    request, answer = introduction(simulation.manifest, station)
    simulation.send(request)
    # After a reset, there is also an announcement.
    if answer not in (came.data for came in simulation.receive_all()):
        raise UserError(f"{simulation.manifest['name']} does not answer ARP")


def burst(simulation: Simulation, frames: Sequence[bytes], expected: int = 0) -> Exchange:
    """Sends frames back to back and collects the output.

    Ends after `expected` frames, or (0) when nothing is in flight.
    """
    beats = sum(beats_of(len(frame), simulation.data_bytes) for frame in frames)
    limit = DEFAULT_TIMEOUT_CYCLES + _PATIENCE * beats
    return simulation.exchange(frames, expected=expected, limit_cycles=limit)


def beats_of(frame_bytes: int, bus_bytes: int) -> int:
    """Cycles that a frame takes on a MAC port."""
    return -(-frame_bytes // bus_bytes)


def cycles_per_packet(received: Sequence[Frame]) -> float:
    """Cycles per frame, from the last beat of the first frame to the last beat of the last one."""
    span = received[-1].last_beat_cycle - received[0].last_beat_cycle
    return span / (len(received) - 1)


def idle_latencies(
    simulation: Simulation, frames: Iterable[bytes]
) -> tuple[list[int], list[Frame]]:
    """Cycles from first beat in to first beat out, and the answers.

    Each frame is sent alone, after nothing has been in flight for some time.
    """
    cycles: list[int] = []
    answers: list[Frame] = []
    for number, frame in enumerate(frames):
        simulation.advance_until_idle()
        # Not always in the same phase of an idle design's background activity.
        simulation.advance(number)
        single = burst(simulation, [frame])
        cycles += latencies(single)
        answers += single.received
    return cycles, answers


def wire_gbps(frame_bytes: int, packets_per_second: float) -> float:
    """Wire rate of a stream of frames."""
    return packets_per_second * (frame_bytes + WIRE_EXTRA_BYTES) * 8 / 1e9

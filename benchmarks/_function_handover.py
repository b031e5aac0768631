# SPDX-License-Identifier: Apache-2.0
"""Latency and rate of tcp_handover, for its row of `functions`.

The latency is that of the TCP echo, whose connection the layer leaves alone. The rate is that of
segments to a port without an application: the engine answers each by a reset, and the layer is on
the way of both.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median

from _function_rates import SEED, SINGLE, Rates, without

from bombus import Simulation
from bombus.applications.functions.sessions.wire import Packet, body_of, packet_of
from bombus.base.errors import UserError
from bombus.measure.exchanges import burst, cycles_per_packet, introduce, neighbour
from bombus.protocols.frames import PROTOCOL_TCP, Host, ip_frame, padded
from bombus.protocols.tcp.peer import ACK, PSH, Peers, pattern
from bombus.protocols.tcp.segment import Segment

LAYERS = 2  # that a segment and its answer pass
PORT, CLOSED_PORT, OWN_PORT = 7, 8, 40_000
FIRST = 1 << 20  # sequence number
PAYLOAD_BYTES = 6  # a frame of 60 bytes
PATIENCE_CYCLES = 20_000


def handover(design: Path, packets: int) -> Rates:
    """Latency added by each of the two layers."""
    with without("tcp_handover", design) as bare:
        before = median(_latencies(bare))
    added = (median(_latencies(design)) - before) / LAYERS
    rate, errors = _refused(design, packets)
    return Rates(added, rate, errors)


def _latencies(design: Path) -> list[int]:
    """Cycles from the first beat of a segment to that of its echo, one at a time; UserError if
    a byte is wrong or missing.
    """
    with Simulation(design, seed=SEED) as simulation:
        station, rate = neighbour(simulation.manifest), simulation.manifest["line_rate_gbps"]
        introduce(simulation, station)
        peers = Peers(simulation, station, float(rate))
        end = peers.open(OWN_PORT, PORT, 1460, FIRST, echoes=True)
        peers.connect([end])
        found = []
        for number in range(SINGLE):
            simulation.advance_until_idle()
            simulation.advance(number)
            peers.step()
            end.came.clear()
            peers.send(end, ACK | PSH, pattern(end.nxt, PAYLOAD_BYTES))
            sent = None
            limit = simulation.cycle + PATIENCE_CYCLES
            while not end.came and simulation.cycle < limit:
                peers.step()
                sent = sent or (peers.sent[0] if peers.sent else None)
            if not end.came or sent is None:
                raise UserError(f"{simulation.manifest['name']}: a segment without an echo")
            found.append(end.came[0][0] - sent.first_beat_cycle)
            peers.send(end)
        simulation.advance_until_idle()
        simulation.check()
    return found


def _refused(design: Path, packets: int) -> tuple[float, int]:
    """Cycles per segment to a port on which no application listens, and how many resets are
    missing or wrong.
    """
    with Simulation(design, seed=SEED) as simulation:
        host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
        introduce(simulation, station)
        own, there = (station.ip, OWN_PORT), (host.ip, CLOSED_PORT)
        segments = [Segment(FIRST, ack=FIRST + n, flags=frozenset({"ack"})) for n in range(packets)]
        frames = [
            padded(ip_frame(station, host, PROTOCOL_TCP, body_of(Packet(own, there, each))))
            for each in segments
        ]
        received = burst(simulation, frames, packets).received
        simulation.check()
    answers = [packet_of(each.data) for each in received]
    good = sum(
        found == Packet(there, own, Segment(sent.ack, flags=frozenset({"rst"})))
        for found, sent in zip(answers, segments, strict=False)
    )
    return cycles_per_packet(received), packets - good

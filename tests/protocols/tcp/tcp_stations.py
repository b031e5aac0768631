# SPDX-License-Identifier: Apache-2.0
"""Independent TCP endpoints (`bombus.protocols.tcp.model`) on the wire of a simulated design."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host
from bombus.protocols.tcp.model import Endpoint, State
from bombus.protocols.tcp.segment import Segment
from bombus.simulator.simulation import Simulation
from tests.protocols.tcp.tcp_wire import (
    MSS,
    NOP,
    SACK,
    SACK_PERMITTED,
    SCALE,
    TIMESTAMPS,
    Wire,
    decode,
    parse,
    resolution,
)

STEP_US = 2  # while something is in flight
LONG_STEP_US = 1000  # while all wait for timers


def to_wire(segment: Segment, port: int, to: int) -> Wire:
    """A segment of an endpoint in wire format, with options laid out as by Linux."""
    options = b""
    if segment.mss is not None:
        options += struct.pack("!BBH", MSS, 4, segment.mss)
    lead = bytes((SACK_PERMITTED, 2)) if segment.sack_permitted else bytes((NOP, NOP))
    if segment.timestamps:
        options += lead + struct.pack("!BBII", TIMESTAMPS, 10, *segment.timestamps)
    elif segment.sack_permitted:
        options += bytes((NOP, NOP)) + lead
    if segment.scale is not None:
        options += struct.pack("!BBBB", NOP, SCALE, 3, segment.scale)
    if segment.sacks:
        options += bytes((NOP, NOP, SACK, 2 + 8 * len(segment.sacks)))
        options += b"".join(struct.pack("!II", *edges) for edges in segment.sacks)
    return Wire(
        *(port, to, segment.seq, segment.ack),
        frozenset(flag.upper() for flag in segment.flags),
        segment.window,
        segment.payload,
        options,
    )


def from_wire(wire: Wire) -> Segment:
    options = parse(wire.options)
    return Segment(
        *(wire.seq, wire.ack, frozenset(flag.lower() for flag in wire.flags)),
        *(wire.window, wire.payload, options.mss, options.scale, options.sack_permitted),
        options.timestamps,
        tuple(options.sacks),
    )


class Stations:
    """Endpoints by port, all at the address of one neighbour, with port `to` of the design."""

    def __init__(self, simulation: Simulation, to: int = 7, *, tolerant: bool = False) -> None:
        self.simulation = simulation
        self.host = Host.from_manifest(simulation.manifest)
        self.station = neighbour(simulation.manifest)
        introduce(simulation, self.station)
        self.to = to
        self.endpoints: dict[int, Endpoint] = {}
        self.sent: list[Wire] = []  # in the last step
        self.misled: set[int] = set()  # ports whose endpoints may get false information
        self.refused: set[int] = set()  # ports without an endpoint that received a reset
        self._tolerant = tolerant  # frames with bit errors are possible

    def open(self, port: int, iss: int, **options: Any) -> Endpoint:
        """The SYN of a connection."""
        endpoint = Endpoint(iss, now=self.simulation.time_us, **options)
        self.endpoints[port] = endpoint
        endpoint.connect()
        self.flush()
        return endpoint

    def flush(self) -> None:
        """Sends everything that endpoints have to send."""
        for port, endpoint in self.endpoints.items():
            for segment in endpoint.take():
                wire = to_wire(segment, port, self.to)
                self.sent.append(wire)
                self.simulation.send(wire.frame(self.station, self.host))

    def _decode(self, data: bytes) -> Wire | None:
        if not self._tolerant:
            return decode(data)
        try:
            return decode(data)
        except (AssertionError, struct.error):
            return None  # a bit error

    def step(self) -> None:
        """Advances by a short step, or a longer one if nothing is in flight."""
        self.sent.clear()
        us = STEP_US if self.simulation.in_flight else self._pause()
        self.simulation.elapse(us=us)
        now = self.simulation.time_us
        while (frame := self.simulation.receive(timeout_cycles=0)) is not None:
            wire = self._decode(frame.data)
            if wire is None:
                if answer := resolution(frame.data, self.station, self.host):
                    self.simulation.send(answer)
                continue
            endpoint = self.endpoints.get(wire.destination)
            if endpoint is None:
                self._refuse(wire)
                continue
            endpoint.now = now
            try:
                endpoint.receive(from_wire(wire))
            except AssertionError:
                if wire.destination not in self.misled:
                    raise
                endpoint.abort()
        for endpoint in self.endpoints.values():
            endpoint.tick(now)
        self.flush()

    def _refuse(self, wire: Wire) -> None:
        """Answers a segment without an endpoint (RFC 9293, 3.10.7.1)."""
        if "RST" in wire.flags:
            self.refused.add(wire.destination)
            return
        reset = Wire(wire.destination, wire.source, wire.ack, flags=frozenset({"RST"}))
        self.simulation.send(reset.frame(self.station, self.host))

    def _pause(self) -> int:
        deadlines = [e.deadline for e in self.endpoints.values() if e.deadline is not None]
        left = min(deadlines, default=LONG_STEP_US) - self.simulation.time_us
        return max(STEP_US, min(left, LONG_STEP_US)) if deadlines else LONG_STEP_US

    def run(self, until: Callable[[], bool], limit_us: int = 60_000_000) -> None:
        """Steps until a condition holds."""
        end = self.simulation.time_us + limit_us
        while not until():
            assert self.simulation.time_us < end, f"not done after {limit_us} us"
            self.step()

    def connect(self, *ports: int, **options: Any) -> list[Endpoint]:
        """Opens connections."""
        opened = [self.open(port, 1_000_003 * port, **options) for port in ports]
        self.run(lambda: all(each.state is State.ESTABLISHED for each in opened))
        return opened

# SPDX-License-Identifier: Apache-2.0
"""Requests to a UDP service: each is one datagram, and so is its reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from _service_messages import Messages

from bombus import Simulation
from bombus.base.errors import UserError
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.answers import Packet
from bombus.protocols.frames import (
    ETHERNET_BYTES,
    IPV4_BYTES,
    MIN_FRAME_BYTES,
    PORT_UNREACHABLE,
    PROTOCOL_ICMP,
    PROTOCOL_UDP,
    TYPE_IPV4,
    UDP_BYTES,
    UNREACHABLE,
    WIRE_EXTRA_BYTES,
    Host,
    padded,
    pseudo_header,
    sums_to_zero,
    udp_frame,
)
from bombus.simulator.frames import Exchange, Frame

HEADER_BYTES = ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES
# Source port of request 0, the first that Linux gives clients; replies are found by this port.
FIRST_PORT = 32_768
MOST_REQUESTS = 32_000  # at a time
_PATIENCE_CYCLES = 1_000_000  # for a reply, from a design that is never idle


@dataclass
class Replies:
    """Replies of one exchange, in the order of their arrival."""

    latencies: list[int] = field(default_factory=list)  # cycles, first beat to first beat
    cycles: list[int] = field(default_factory=list)  # of their last beats
    sizes: list[int] = field(default_factory=list)  # bytes of payload


class UdpService:
    """A UDP service of a running design."""

    header_bytes = HEADER_BYTES

    def __init__(self, simulation: Simulation, port: int, messages: Messages) -> None:
        self.simulation = simulation
        self.port = port
        self.messages = messages
        self.host = Host.from_manifest(simulation.manifest)
        self.station = neighbour(simulation.manifest)
        introduce(simulation, self.station)

    def most_bytes(self) -> int:
        return int(self.simulation.manifest["max_frame_bytes"]) - self.header_bytes

    def wire_bytes(self, request: int, reply: int) -> tuple[int, int]:
        """Bytes on the line for a request and for a reply."""
        asked, answered = (
            max(MIN_FRAME_BYTES, self.header_bytes + size) + WIRE_EXTRA_BYTES
            for size in (request, reply)
        )
        return asked, answered

    def singles(self, requests: Sequence[bytes]) -> Replies:
        """Sends each request alone, when nothing is in flight."""
        found = Replies()
        for number, request in enumerate(requests):
            self.simulation.advance_until_idle()
            self.simulation.advance(number)  # not always at the same phase of background activity
            self._run([request], number, 1, found)
        return found

    def burst(self, requests: Sequence[bytes], outstanding: int) -> Replies:
        """Sends all; `outstanding`: at most so many without a reply (0: no limit)."""
        self.simulation.advance_until_idle()
        found = Replies()
        self._run(requests, 0, outstanding, found)
        return found

    def _run(self, requests: Sequence[bytes], first: int, outstanding: int, to: Replies) -> None:
        frames = [
            padded(self._frame(first + number, request)) for number, request in enumerate(requests)
        ]
        cycles = sum(map(len, frames)) // self.simulation.data_bytes
        limit = _PATIENCE_CYCLES + 100 * cycles
        exchange = self.simulation.exchange(frames, window=outstanding, limit_cycles=limit)
        answered: set[int] = set()
        for frame in exchange.received:
            number = self._number(frame.data) - first
            if not 0 <= number < len(requests):
                continue  # not a reply to one of these
            if number in answered:
                self.messages.count_wrong(first + number, "a second reply")
                continue
            answered.add(number)
            self._take(exchange, frame, number, first, requests[number], to)

    def _frame(self, number: int, request: bytes) -> bytes:
        source = FIRST_PORT + number
        return udp_frame(self.station, self.host, request, source_port=source, port=self.port)

    def _take(
        self,
        exchange: Exchange,
        frame: Frame,
        number: int,
        first: int,
        request: bytes,
        to: Replies,
    ) -> None:
        to.latencies.append(frame.first_beat_cycle - exchange.sent[number].first_beat_cycle)
        to.cycles.append(frame.last_beat_cycle)
        payload = self._payload(frame.data, first + number)
        if payload is not None:
            to.sizes.append(len(payload))
            self.messages.check(first + number, request, payload)

    def _payload(self, frame: bytes, number: int) -> bytes | None:
        """Of a reply; None, and a wrong reply is counted, if it is damaged."""
        packet = Packet.parse(frame[ETHERNET_BYTES:])
        if not self._is_sound(packet):
            self.messages.count_wrong(number, "a wrong length or checksum of UDP")
            return None
        return packet.payload[UDP_BYTES : int.from_bytes(packet.payload[4:6])]

    @staticmethod
    def _is_sound(packet: Packet) -> bool:
        datagram = packet.payload
        if int.from_bytes(datagram[4:6]) != len(datagram):
            return False
        if not any(datagram[6:8]):
            return True  # no checksum (RFC 768)
        pseudo = pseudo_header(packet.source, packet.destination, PROTOCOL_UDP, len(datagram))
        return sums_to_zero(pseudo + datagram)

    def _number(self, data: bytes) -> int:
        """The number of the request of a reply; -1 if it is none. UserError for ICMP errors."""
        if int.from_bytes(data[12:14]) != TYPE_IPV4 or data[0:6] != self.station.mac:
            return -1
        packet = Packet.parse(data[ETHERNET_BYTES:])
        if packet.protocol == PROTOCOL_ICMP and packet.payload[0] == UNREACHABLE:
            code = packet.payload[1]
            reason = "port" if code == PORT_UNREACHABLE else f"destination (code {code})"
            name = self.simulation.manifest["name"]
            raise UserError(f"{name} answers that UDP {reason} {self.port} is unreachable")
        ports = packet.payload[:4]
        if packet.protocol != PROTOCOL_UDP or int.from_bytes(ports[0:2]) != self.port:
            return -1
        return int.from_bytes(ports[2:4]) - FIRST_PORT

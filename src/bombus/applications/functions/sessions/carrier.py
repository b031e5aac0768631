# SPDX-License-Identifier: Apache-2.0
"""The carrier: a program in the place of the peer of a connection that moves."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address
from typing import Protocol

from bombus.applications.functions.packet_port import PacketPort
from bombus.applications.functions.sessions.wire import Packet, body_of, packet_of
from bombus.base.errors import UserError
from bombus.protocols.frames import (
    PROTOCOL_ICMP,
    PROTOCOL_TCP,
    TYPE_ARP,
    Host,
    Station,
    arp_reply,
    arp_request,
    checksum,
    ip_frame,
    ipv4,
)
from bombus.protocols.tcp.segment import WORD, Segment
from bombus.registers.access import BlockAccess


class Port(Protocol):
    """Frames to and from the network of the stack."""

    def send(self, frame: bytes) -> None: ...

    def frames(self) -> list[bytes]:
        """Those that have arrived."""

    def wait(self) -> None:
        """Lets a little time pass: some microseconds of the stack."""


class Carrier:
    """This program as a host of the network, under an address that no other host has."""

    def __init__(self, port: Port, station: Station, host: Host) -> None:
        self.station, self.host = station, host
        self._port = port

    def introduce(self) -> None:
        """The stack learns the carrier's MAC address. What has arrived before is discarded."""
        self._port.frames()
        self._port.send(arp_request(self.station, self.host))
        self._port.wait()

    def wait(self) -> None:
        self._port.wait()

    def send(self, source: int, destination: int, segment: Segment) -> None:
        """A segment from one port to another, of the stack."""
        ends = (self.station.ip, source), (self.host.ip, destination)
        body = body_of(Packet(*ends, segment))
        self._port.send(ip_frame(self.station, self.host, PROTOCOL_TCP, body))

    def report_mtu(self, own_port: int, peer: tuple[str, int], seq: int, mtu: int) -> None:
        """An ICMP error about the segment at `seq` of the stack to a peer: it was too big (RFC
        1191).
        """
        segment = struct.pack("!HHI", own_port, peer[1], seq % WORD)
        quoted = ipv4(self.host.ip, IPv4Address(peer[0]).packed, PROTOCOL_TCP, segment)
        header = struct.pack("!BBHHH", 3, 4, 0, 0, mtu)
        message = header[:2] + checksum(header + quoted).to_bytes(2) + header[4:] + quoted
        self._port.send(ip_frame(self.station, self.host, PROTOCOL_ICMP, message))

    def receive(self, source: int, destination: int) -> list[Segment]:
        """Segments from a port of the stack to one of the carrier; answers to ARP requests."""
        found = []
        for frame in self._port.frames():
            kind = int.from_bytes(frame[12:14])
            if kind == TYPE_ARP and frame[20:22] == b"\0\1" and frame[38:42] == self.station.ip:
                self._port.send(arp_reply(self.station, self.host))
            packet = packet_of(frame)
            if packet is None or packet.destination != (self.station.ip, destination):
                continue
            if packet.source[1] == source:
                found.append(packet.segment)
        return found


@contextmanager
def on_interface(registers: BlockAccess, interface: str, address: str) -> Iterator[Carrier]:
    """A carrier on a network interface of this machine, by an address that no host has."""
    own = registers.host[0]
    host = Host(
        own.mac.address.to_bytes(6), own.ip.address.to_bytes(4), own.netmask.mask.to_bytes(4)
    )
    try:
        ip = IPv4Address(address).packed
    except ValueError as error:
        raise UserError(f"the carrier's address: {error}") from None
    with PacketPort(interface) as port:
        yield Carrier(port, Station(port.mac, ip), host)

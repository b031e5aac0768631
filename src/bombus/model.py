"""What the stack should answer, in plain Python, written from the RFCs.

`Model` says for every frame, byte by byte, what must come out of a design with UDP
echo, ping and ARP, or which counter of dropped messages must move by one.
`echo_reply` is the same for a single good request, for measurements. The builders
(`udp_frame`, `ping_frame`, `arp_request`, ...) make the frames to send, good or
bad: every length and checksum can be given instead of computed.

Nothing here is taken from the hardware, so that one can be checked against the
other. Addresses are bytes, as on the wire. Frames carry no FCS.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface
from typing import Any

MIN_FRAME_BYTES = 60
MAX_FRAME_BYTES = 9600
BROADCAST_MAC = b"\xff" * 6
NO_MAC = bytes(6)
NO_IP = bytes(4)

TYPE_IPV4 = 0x0800
TYPE_ARP = 0x0806
TYPE_VLAN = 0x8100
PROTOCOL_ICMP = 1
PROTOCOL_TCP = 6
PROTOCOL_UDP = 17
ARP_REQUEST = 1
ARP_REPLY = 2
ECHO_REQUEST = 8
ECHO_REPLY = 0
UNREACHABLE = 3
PORT_UNREACHABLE = 3

DONT_FRAGMENT = 0x4000
TIME_TO_LIVE = 64  # RFC 1700
TOS_INTERNET_CONTROL = 0xC0  # of ICMP errors: RFC 1812, 4.3.2.5
ECHO_PORT = 7  # RFC 862

ETHERNET_BYTES = 14
TAG_BYTES = 4
IPV4_BYTES = 20
UDP_BYTES = 8
ICMP_BYTES = 8
ARP_BYTES = 28

# Limits of the hardware that can be seen from outside.
ERROR_BURST = 8  # ICMP errors at once
ERROR_REFILL_US = 1 << 14  # one more after so long
ARP_QUESTIONS = 4  # addresses asked for at a time


def mac_bytes(text: str) -> bytes:
    """The bytes of `02:00:00:00:00:01`."""
    return bytes.fromhex(text.replace(":", ""))


def ip_bytes(text: str) -> bytes:
    """The bytes of `10.0.0.1`."""
    return IPv4Address(text).packed


# ---- Checksums (RFC 1071) ----


def ones_sum(data: bytes | bytearray) -> int:
    """One's complement sum of 16-bit words; an odd byte counts as the high one.

    Words weigh 2^16 each, which is 1 modulo 65535: the sum is a remainder.
    """
    number = int.from_bytes(data) << 8 * (len(data) & 1)
    return number % 0xFFFF or (0xFFFF if number else 0)


def checksum(data: bytes | bytearray) -> int:
    """The Internet checksum of an IPv4 header."""
    return 0xFFFF - ones_sum(data)


def transport_checksum(data: bytes | bytearray) -> int:
    """The checksum of a transport header: never 0.

    UDP means "none" by 0 (RFC 768). For ICMP 0xFFFF says the same as 0, and is the only one
    of the two with which a message of nothing but zeros sums to all ones.
    """
    return checksum(data) or 0xFFFF


def sums_to_zero(data: bytes | bytearray) -> bool:
    """Whether data that holds its own checksum is undamaged."""
    return ones_sum(data) in (0, 0xFFFF)


def pseudo_header(source: bytes, destination: bytes, protocol: int, length: int) -> bytes:
    return source + destination + struct.pack("!HH", protocol, length)


# ---- Who is who ----


@dataclass(frozen=True)
class Station:
    """Somebody on the network that talks to the design."""

    mac: bytes
    ip: bytes
    tci: int | None = None  # VLAN tag of all its frames

    @classmethod
    def of(cls, mac: str, ip: str, tci: int | None = None) -> Station:
        return cls(mac_bytes(mac), ip_bytes(ip), tci)


@dataclass(frozen=True)
class Host:
    """The design's own addresses."""

    mac: bytes
    ip: bytes
    netmask: bytes
    gateway: bytes = NO_IP  # none

    @classmethod
    def from_manifest(cls, manifest: Mapping[str, Any]) -> Host:
        """The host of a design, as `Simulation.manifest` has it."""
        host = manifest["host"]
        return cls(
            mac_bytes(host["mac"]),
            ip_bytes(host["ip"]),
            IPv4Interface(f"0.0.0.0/{host['prefix']}").netmask.packed,
            ip_bytes(host["gateway"]) if host.get("gateway") else NO_IP,
        )

    def on_link(self, ip: bytes) -> bool:
        mask = int.from_bytes(self.netmask)
        return (int.from_bytes(ip) ^ int.from_bytes(self.ip)) & mask == 0

    @property
    def subnet_broadcast(self) -> bytes | None:
        """None where a subnet has none: RFC 3021."""
        mask = int.from_bytes(self.netmask)
        if mask >= 0xFFFFFFFE:
            return None
        return (int.from_bytes(self.ip) | ~mask & 0xFFFFFFFF).to_bytes(4)


# ---- Building frames, layer by layer ----


def ethernet(
    destination: bytes, source: bytes, ether_type: int, payload: bytes, tci: int | None = None
) -> bytes:
    """A frame, not padded."""
    tag = b"" if tci is None else struct.pack("!HH", TYPE_VLAN, tci)
    return destination + source + tag + ether_type.to_bytes(2) + payload


def padded(frame: bytes) -> bytes:
    return frame.ljust(MIN_FRAME_BYTES, b"\0")


def ipv4(
    source: bytes,
    destination: bytes,
    protocol: int,
    payload: bytes,
    *,
    tos: int = 0,
    identification: int = 0,
    fragment: int = DONT_FRAGMENT,
    ttl: int = TIME_TO_LIVE,
    options: bytes = b"",
    version: int = 4,
    ihl: int | None = None,
    total_length: int | None = None,
    header_checksum: int | None = None,
) -> bytes:
    if ihl is None:
        ihl = (IPV4_BYTES + len(options)) // 4
    if total_length is None:
        total_length = IPV4_BYTES + len(options) + len(payload)

    def header(value: int) -> bytes:
        fixed = struct.pack(
            "!BBHHHBBH4s4s",
            version << 4 | ihl,
            tos,
            total_length,
            identification,
            fragment,
            ttl,
            protocol,
            value,
            source,
            destination,
        )
        return fixed + options

    if header_checksum is None:
        # What the header's own length says is summed, be it right or wrong.
        header_checksum = checksum((header(0) + payload)[: 4 * ihl])
    return header(header_checksum) + payload


def udp(
    source: bytes,
    destination: bytes,
    source_port: int,
    destination_port: int,
    payload: bytes,
    *,
    length: int | None = None,
    udp_checksum: int | None = None,
) -> bytes:
    size = UDP_BYTES + len(payload)
    ports = struct.pack("!HH", source_port, destination_port)
    length_field = (size if length is None else length).to_bytes(2)
    if udp_checksum is None:
        # Whoever gives a wrong length gets a checksum that is right for the packet.
        pseudo = pseudo_header(source, destination, PROTOCOL_UDP, size)
        udp_checksum = transport_checksum(pseudo + ports + length_field + payload)
    return ports + length_field + udp_checksum.to_bytes(2) + payload


def icmp(
    icmp_type: int, code: int, rest: int, payload: bytes, *, icmp_checksum: int | None = None
) -> bytes:
    """`rest`: the second word of the header, identifier and sequence number of an echo."""
    if icmp_checksum is None:
        message = struct.pack("!BBHI", icmp_type, code, 0, rest) + payload
        icmp_checksum = transport_checksum(message)
    return struct.pack("!BBHI", icmp_type, code, icmp_checksum, rest) + payload


def arp(
    operation: int,
    sender_mac: bytes,
    sender_ip: bytes,
    target_mac: bytes,
    target_ip: bytes,
    *,
    mac_type: int = 1,
    ip_type: int = TYPE_IPV4,
    mac_length: int = 6,
    ip_length: int = 4,
) -> bytes:
    """An ARP body."""
    head = struct.pack("!HHBBH", mac_type, ip_type, mac_length, ip_length, operation)
    return head + sender_mac + sender_ip + target_mac + target_ip


def ip_frame(
    station: Station, host: Host, protocol: int, payload: bytes, **ip_options: Any
) -> bytes:
    """A frame with an IPv4 packet from a station to the design. Options as of `ipv4`."""
    packet = ipv4(station.ip, host.ip, protocol, payload, **ip_options)
    return ethernet(host.mac, station.mac, TYPE_IPV4, packet, station.tci)


def udp_frame(
    station: Station,
    host: Host,
    payload: bytes,
    *,
    source_port: int = 40000,
    port: int = ECHO_PORT,
    length: int | None = None,
    udp_checksum: int | None = None,
    **ip_options: Any,
) -> bytes:
    """A datagram from a station to the design. Options as of `udp` and `ipv4`."""
    datagram = udp(
        station.ip,
        host.ip,
        source_port,
        port,
        payload,
        length=length,
        udp_checksum=udp_checksum,
    )
    return ip_frame(station, host, PROTOCOL_UDP, datagram, **ip_options)


def ping_frame(
    station: Station,
    host: Host,
    payload: bytes,
    *,
    identifier: int = 1,
    sequence: int = 1,
    icmp_type: int = ECHO_REQUEST,
    code: int = 0,
    icmp_checksum: int | None = None,
    **ip_options: Any,
) -> bytes:
    """An echo request from a station to the design. Options as of `icmp` and `ipv4`."""
    rest = identifier << 16 | sequence
    message = icmp(icmp_type, code, rest, payload, icmp_checksum=icmp_checksum)
    return ip_frame(station, host, PROTOCOL_ICMP, message, **ip_options)


def arp_request(station: Station, host: Host, **fields: Any) -> bytes:
    """A station asks for the design. Options as of `arp`."""
    body = arp(ARP_REQUEST, station.mac, station.ip, NO_MAC, host.ip, **fields)
    return ethernet(BROADCAST_MAC, station.mac, TYPE_ARP, body, station.tci)


def arp_reply(station: Station, host: Host, **fields: Any) -> bytes:
    """A station answers the design. Options as of `arp`."""
    body = arp(ARP_REPLY, station.mac, station.ip, host.mac, host.ip, **fields)
    return ethernet(host.mac, station.mac, TYPE_ARP, body, station.tci)


def announcement(host: Host) -> bytes:
    """What a design sends after reset (RFC 5227, 3)."""
    body = arp(ARP_REQUEST, host.mac, host.ip, NO_MAC, host.ip)
    return padded(ethernet(BROADCAST_MAC, host.mac, TYPE_ARP, body))


# ---- Answers to good requests ----


@dataclass(frozen=True)
class _Packet:
    """A received IPv4 packet whose header is good."""

    tos: int
    identification: int
    dont_fragment: bool
    ttl: int
    protocol: int
    source: bytes
    destination: bytes
    payload: bytes

    @classmethod
    def parse(cls, packet: bytes) -> _Packet:
        first, tos, total, identification, fragment, ttl, protocol, _, source, destination = (
            struct.unpack_from("!BBHHHBBH4s4s", packet)
        )
        return cls(
            tos,
            identification,
            bool(fragment & DONT_FRAGMENT),
            ttl,
            protocol,
            source,
            destination,
            packet[4 * (first & 0xF) : total],
        )

    def answer(self, payload: bytes, tos: int | None = None) -> bytes:
        """The packet that takes `payload` back. Type of service as received, where not given."""
        return ipv4(
            self.destination,
            self.source,
            self.protocol,
            payload,
            tos=self.tos if tos is None else tos,
        )


def _ping_answer(packet: _Packet) -> bytes:
    rest = int.from_bytes(packet.payload[4:8])
    return packet.answer(icmp(ECHO_REPLY, 0, rest, packet.payload[ICMP_BYTES:]))


def _udp_echo_answer(packet: _Packet) -> bytes:
    source_port, port = struct.unpack_from("!HH", packet.payload)
    payload = packet.payload[UDP_BYTES:]
    return packet.answer(udp(packet.destination, packet.source, port, source_port, payload))


def _unreachable_answer(packet: _Packet) -> bytes:
    """Port unreachable: quotes the header, without its options, and 8 bytes (RFC 792)."""
    quoted = ipv4(
        packet.source,
        packet.destination,
        packet.protocol,
        packet.payload,
        tos=packet.tos,
        identification=packet.identification,
        fragment=DONT_FRAGMENT if packet.dont_fragment else 0,
        ttl=packet.ttl,
    )[: IPV4_BYTES + 8]
    message = icmp(UNREACHABLE, PORT_UNREACHABLE, 0, quoted)
    return ipv4(packet.destination, packet.source, PROTOCOL_ICMP, message, tos=TOS_INTERNET_CONTROL)


def echo_reply(frame: bytes) -> bytes:
    """The answer to a good ping or UDP echo request, sent back to where it came from."""
    tagged = frame[12:14] == b"\x81\x00"
    start = ETHERNET_BYTES + (TAG_BYTES if tagged else 0)
    packet = _Packet.parse(frame[start:])
    ping = packet.protocol == PROTOCOL_ICMP
    answer = _ping_answer(packet) if ping else _udp_echo_answer(packet)
    return padded(frame[6:12] + frame[0:6] + frame[12:start] + answer)


# ---- The whole stack ----


@dataclass(frozen=True)
class Outcome:
    """What a frame leads to. Nothing at all: it waits for an ARP answer, or told ARP something."""

    replies: Sequence[bytes] = ()
    drops: Sequence[str] = ()  # `layer.reason`: each such counter moves by one

    @property
    def nothing(self) -> bool:
        return not self.replies and not self.drops


def _reply(*frames: bytes) -> Outcome:
    return Outcome(replies=frames)


def _drop(reason: str) -> Outcome:
    return Outcome(drops=(reason,))


_Key = tuple[int | None, bytes]  # VLAN id (None: untagged), IPv4 address


def _key(tci: int | None, ip: bytes) -> _Key:
    # A tag with VLAN id 0 tells a priority only (IEEE 802.1Q, 9.6).
    return ((tci or 0) & 0xFFF or None, ip)


@dataclass
class Model:
    """The stack of a design with UDP echo, ping and ARP: state and behaviour.

    Where a frame is bad in several ways, the outer header counts, and in it the first check
    of the list in the code. Time is the caller's: `refill` when ICMP errors may flow again,
    `give_up` when questions have gone unanswered. The size of the ARP cache and of
    the queue of waiting packets are not modelled.
    """

    host: Host
    udp_ports: Collection[int] = (ECHO_PORT,)
    bindings: dict[_Key, bytes] = field(default_factory=dict)
    error_tokens: int = ERROR_BURST
    # Packets (with their tags) that wait, by what they wait for.
    questions: dict[_Key, list[tuple[int | None, bytes]]] = field(default_factory=dict)

    def process(self, frame: bytes, *, bad: bool = False) -> Outcome:
        """A frame comes in. `bad`: its FCS was wrong."""
        if bad:
            return _drop("mac_rx.bad_frame")
        if len(frame) > MAX_FRAME_BYTES:
            return _drop("mac_rx.too_long")
        return self._ethernet(frame)

    def refill(self, count: int = ERROR_BURST) -> None:
        """So many periods of ERROR_REFILL_US have passed."""
        self.error_tokens = min(ERROR_BURST, self.error_tokens + count)

    def give_up(self) -> Outcome:
        """Nobody has answered, for so long that all that waits is dropped."""
        count = sum(map(len, self.questions.values()))
        self.questions.clear()
        return Outcome(drops=("arp.unresolved",) * count)

    def knows(self, frame: bytes) -> bool:
        """Whether an answer to a frame, if there is one, can be sent at once."""
        tci, start = _tag_of(frame)
        return _key(tci, self._next_hop(frame[start + 12 : start + 16])) in self.bindings

    # ---- Receive ----

    def _ethernet(self, frame: bytes) -> Outcome:
        tci, start = _tag_of(frame)
        if len(frame) < start:
            return _drop("eth_rx.runt")
        destination = frame[:6]
        if frame[6] & 1:
            return _drop("eth_rx.bad_source")
        if destination not in (self.host.mac, BROADCAST_MAC):
            return _drop("eth_rx.not_for_us")
        ether_type = int.from_bytes(frame[start - 2 : start])
        if tci is not None and ether_type == TYPE_VLAN:
            return _drop("eth_rx.nested_tag")
        if ether_type == TYPE_ARP:
            return self._arp(frame[start:], tci)
        if ether_type != TYPE_IPV4:
            return _drop("eth_rx.unknown_type")
        if destination == BROADCAST_MAC:
            return _drop("eth_rx.broadcast")  # RFC 1122, 3.3.6
        return self._ipv4(frame[start:], tci)

    def _ipv4(self, data: bytes, tci: int | None) -> Outcome:
        if len(data) < IPV4_BYTES:
            return _drop("ipv4_rx.truncated")
        version, ihl = data[0] >> 4, data[0] & 0xF
        if version != 4:
            return _drop("ipv4_rx.bad_version")
        total, header_bytes = int.from_bytes(data[2:4]), 4 * ihl
        if ihl < 5 or total < header_bytes or total > len(data):
            return _drop("ipv4_rx.bad_length")
        if not sums_to_zero(data[:header_bytes]):
            return _drop("ipv4_rx.bad_checksum")
        packet = _Packet.parse(data)
        if packet.destination != self.host.ip:
            return _drop("ipv4_rx.not_for_us")
        if self._impossible_source(packet.source):
            return _drop("ipv4_rx.bad_source")
        if int.from_bytes(data[6:8]) & 0x3FFF:
            return _drop("ipv4_rx.fragment")
        if packet.protocol == PROTOCOL_ICMP:
            return self._icmp(packet, tci)
        if packet.protocol == PROTOCOL_UDP:
            return self._udp(packet, tci)
        if packet.protocol == PROTOCOL_TCP:
            return _drop("no_route")  # there is no TCP in the design
        return _drop("ipv4_rx.unknown_protocol")

    def _impossible_source(self, ip: bytes) -> bool:
        """RFC 1122, 3.2.1.3."""
        this_network, loopback, multicast_and_above = ip[0] == 0, ip[0] == 127, ip[0] >= 224
        ours = ip in (self.host.ip, self.host.subnet_broadcast)
        return this_network or loopback or multicast_and_above or ours

    def _icmp(self, packet: _Packet, tci: int | None) -> Outcome:
        message = packet.payload
        if len(message) < ICMP_BYTES:
            return _drop("icmp_echo.truncated")
        if not sums_to_zero(message):
            return _drop("icmp_echo.bad_checksum")
        if message[0] != ECHO_REQUEST or message[1] != 0:
            return _drop("icmp_echo.not_echo_request")
        return self._send(_ping_answer(packet), tci)

    def _udp(self, packet: _Packet, tci: int | None) -> Outcome:
        datagram = packet.payload
        if len(datagram) < UDP_BYTES:
            return _drop("udp_rx.truncated")
        source_port, port, length, given = struct.unpack_from("!HHHH", datagram)
        if length != len(datagram):
            return _drop("udp_rx.bad_length")
        pseudo = pseudo_header(packet.source, packet.destination, PROTOCOL_UDP, length)
        if given != 0 and not sums_to_zero(pseudo + datagram):
            return _drop("udp_rx.bad_checksum")
        if port == 0:
            return _drop("udp_rx.bad_port")
        if port not in self.udp_ports:
            if self.error_tokens == 0:
                return _drop("icmp_echo.rate_limited")
            self.error_tokens -= 1
            return self._send(_unreachable_answer(packet), tci)
        if source_port == 0:
            return _drop("udp_echo.no_reply_port")
        return self._send(_udp_echo_answer(packet), tci)

    # ---- ARP (RFC 826) ----

    def _arp(self, body: bytes, tci: int | None) -> Outcome:
        if len(body) < ARP_BYTES:
            return _drop("arp.malformed")
        mac_type, ip_type, mac_length, ip_length, operation, sender_mac, sender_ip, _, target_ip = (
            struct.unpack_from("!HHBBH6s4s6s4s", body)
        )
        kinds = (mac_type, ip_type, mac_length, ip_length)
        if (
            kinds != (1, TYPE_IPV4, 6, 4)
            or operation not in (ARP_REQUEST, ARP_REPLY)
            or sender_mac[0] & 1
        ):
            return _drop("arp.malformed")
        if sender_ip == self.host.ip:
            return _drop("arp.conflict")
        key = _key(tci, sender_ip)
        for_us = target_ip == self.host.ip
        # Strangers are not remembered, nor those that have no address yet (RFC 5227, 2.1.1).
        learn = (for_us or key in self.questions) and sender_ip != NO_IP
        if learn or key in self.bindings:
            self.bindings[key] = sender_mac
        replies = []
        if for_us and operation == ARP_REQUEST:
            answer = arp(ARP_REPLY, self.host.mac, self.host.ip, sender_mac, sender_ip)
            replies.append(self._framed(sender_mac, TYPE_ARP, answer, tci))
        for waiting_tci, packet in self.questions.pop(key, ()):
            replies.append(self._framed(sender_mac, TYPE_IPV4, packet, waiting_tci))
        return _reply(*replies)

    # ---- Transmit ----

    def _next_hop(self, destination: bytes) -> bytes:
        return destination if self.host.on_link(destination) else self.host.gateway

    def _send(self, packet: bytes, tci: int | None) -> Outcome:
        next_hop = self._next_hop(packet[16:20])
        if next_hop == NO_IP:
            return _drop("ipv4_tx.no_gateway")
        key = _key(tci, next_hop)
        if (mac := self.bindings.get(key)) is not None:
            return _reply(self._framed(mac, TYPE_IPV4, packet, tci))
        if (waiting := self.questions.get(key)) is not None:
            waiting.append((tci, packet))
            return Outcome()
        if len(self.questions) == ARP_QUESTIONS:
            return _drop("arp.table_full")
        self.questions[key] = [(tci, packet)]
        return _reply(self.question(next_hop, tci))

    def question(self, ip: bytes, tci: int | None = None) -> bytes:
        """The ARP request for an address."""
        body = arp(ARP_REQUEST, self.host.mac, self.host.ip, NO_MAC, ip)
        return self._framed(BROADCAST_MAC, TYPE_ARP, body, tci)

    def _framed(self, mac: bytes, ether_type: int, payload: bytes, tci: int | None) -> bytes:
        return padded(ethernet(mac, self.host.mac, ether_type, payload, tci))


def _tag_of(frame: bytes) -> tuple[int | None, int]:
    """The VLAN tag of a frame, and where its payload starts."""
    if frame[12:14] == b"\x81\x00":
        return int.from_bytes(frame[14:16]), ETHERNET_BYTES + TAG_BYTES
    return None, ETHERNET_BYTES

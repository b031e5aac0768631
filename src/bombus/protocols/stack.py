# SPDX-License-Identifier: Apache-2.0
"""Reference IP stack in plain Python, written from the RFCs.

`Stack` says for every frame, byte by byte, what must come out of a design with UDP echo, ping and
ARP, or which counter of dropped messages must move by one.

Nothing here is taken from the hardware, so that one can be checked against the other.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from bombus.protocols.answers import Packet, ping_answer, udp_echo_answer, unreachable_answer
from bombus.protocols.frames import (
    ARP_BYTES,
    ARP_REPLY,
    ARP_REQUEST,
    BROADCAST_MAC,
    ECHO_PORT,
    ECHO_REQUEST,
    ETHERNET_BYTES,
    ICMP_BYTES,
    IPV4_BYTES,
    MAX_FRAME_BYTES,
    NO_IP,
    NO_MAC,
    PORT_UNREACHABLE,
    PROTOCOL_ICMP,
    PROTOCOL_UDP,
    PROTOCOL_UNREACHABLE,
    TAG_BYTES,
    TYPE_ARP,
    TYPE_IPV4,
    TYPE_VLAN,
    UDP_BYTES,
    Host,
    arp,
    ethernet,
    padded,
    pseudo_header,
    sums_to_zero,
)
from bombus.protocols.routes import Route, longest

# Limits of the hardware that are visible from outside.
ERROR_BURST = 8  # ICMP errors at once to one peer
ERROR_REFILL_US = 1 << 14  # one more after this time
FIRST_CLIENT_PORT = 32768  # UDP echo answers none below, by default
ARP_PACKETS = 7  # packets that wait for one neighbour
# Blocks that they may fill, without the latest packet; the latest takes no more than this, or waits
# alone
ARP_BLOCKS = 32
ARP_BLOCK_BYTES = 64


@dataclass(frozen=True)
class Outcome:
    """The effects of a frame. None at all: it waits for an ARP answer, or informed ARP."""

    replies: Sequence[bytes] = ()
    drops: Sequence[str] = ()  # `layer.reason`: each such counter moves by one

    @property
    def nothing(self) -> bool:
        return not self.replies and not self.drops


def option_fault(options: bytes) -> str | None:
    """Why a packet with these IP options is dropped (RFC 1122, 3.2.1.8): name of the counter."""
    fault = None
    while options and options[0] != 0:  # end of the list
        if options[0] == 1:  # no operation
            options = options[1:]
            continue
        is_route = options[0] in (131, 137)
        if len(options) < 2 or options[1] < (3 if is_route else 2) or options[1] > len(options):
            return "bad_option"
        if is_route and options[2] <= options[1]:
            fault = "source_route"
        options = options[options[1] :]
    return fault


def _reply(*frames: bytes) -> Outcome:
    return Outcome(replies=frames)


def _drop(reason: str) -> Outcome:
    return Outcome(drops=(reason,))


_Key = tuple[int | None, bytes]  # VLAN id (None: untagged), IPv4 address


def _key(tci: int | None, ip: bytes) -> _Key:
    # A tag with VLAN ID 0 carries only a priority (IEEE 802.1Q, 9.6).
    return ((tci or 0) & 0xFFF or None, ip)


@dataclass
class Stack:
    """The stack of a design with UDP echo, ping and ARP: state and behaviour.

    If a frame has several faults, the outermost header counts, and within it the first check in the
    code. The caller keeps time: `refill` when ICMP errors may be sent again, `give_up` when
    questions have stayed unanswered. Not modelled are the limit of ICMP errors to all peers, their
    shared buckets, the size of the ARP cache, the number of open questions and the memory for
    waiting packets.
    """

    host: Host
    udp_ports: Collection[int] = (ECHO_PORT,)
    bindings: dict[_Key, bytes] = field(default_factory=dict)
    # ICMP errors that may be sent at once, by peer; a full burst if absent.
    error_tokens: dict[bytes, int] = field(default_factory=dict)
    routes: Sequence[Route] = ()  # of its port
    # Waiting packets (with their tags), by the neighbour they wait for.
    questions: dict[_Key, list[tuple[int | None, bytes]]] = field(default_factory=dict)

    def process(self, frame: bytes, *, bad: bool = False) -> Outcome:
        """A frame arrives. `bad`: its FCS was wrong."""
        if bad:
            return _drop("mac_rx.bad_frame")
        if len(frame) > MAX_FRAME_BYTES:
            return _drop("mac_rx.too_long")
        return self._ethernet(frame)

    def refill(self, count: int = ERROR_BURST) -> None:
        """This many periods of ERROR_REFILL_US have passed."""
        for peer, tokens in self.error_tokens.items():
            self.error_tokens[peer] = min(ERROR_BURST, tokens + count)

    def give_up(self) -> Outcome:
        """Nobody has answered for so long that all waiting packets are dropped."""
        count = sum(map(len, self.questions.values()))
        self.questions.clear()
        return Outcome(drops=("eth_tx.unresolved",) * count)

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
        packet = Packet.parse(data)
        if packet.destination != self.host.ip:
            return _drop("ipv4_rx.not_for_us")
        if self._impossible_source(packet.source):
            return _drop("ipv4_rx.bad_source")
        if int.from_bytes(data[6:8]) & 0x3FFF:
            return _drop("ipv4_rx.fragment")
        if fault := option_fault(data[IPV4_BYTES:header_bytes]):
            return _drop(f"ipv4_rx.{fault}")
        if packet.protocol == PROTOCOL_ICMP:
            return self._icmp(packet, tci)
        if packet.protocol == PROTOCOL_UDP:
            return self._udp(packet, tci)
        return self._unreachable(packet, PROTOCOL_UNREACHABLE, tci)

    def _impossible_source(self, ip: bytes) -> bool:
        """RFC 1122, 3.2.1.3."""
        this_network, loopback, multicast_and_above = ip[0] == 0, ip[0] == 127, ip[0] >= 224
        ours = ip in (self.host.ip, self.host.subnet, self.host.subnet_broadcast)
        return this_network or loopback or multicast_and_above or ours

    def _icmp(self, packet: Packet, tci: int | None) -> Outcome:
        message = packet.payload
        if len(message) < ICMP_BYTES:
            return _drop("icmp_echo.truncated")
        if not sums_to_zero(message):
            return _drop("icmp_echo.bad_checksum")
        if message[0] != ECHO_REQUEST:
            return _drop("icmp_echo.not_echo_request")
        return self.send(ping_answer(packet), tci)

    def _udp(self, packet: Packet, tci: int | None) -> Outcome:
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
            return self._unreachable(packet, PORT_UNREACHABLE, tci)
        if source_port < FIRST_CLIENT_PORT:
            return _drop("udp_echo.service_port")
        return self.send(udp_echo_answer(packet), tci)

    def _unreachable(self, packet: Packet, code: int, tci: int | None) -> Outcome:
        if (tokens := self.error_tokens.get(packet.source, ERROR_BURST)) == 0:
            return _drop("icmp_echo.rate_limited")
        self.error_tokens[packet.source] = tokens - 1
        return self.send(unreachable_answer(packet, code), tci)

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
            or sender_mac == NO_MAC
        ):
            return _drop("arp.malformed")
        if sender_ip == self.host.ip:
            return _drop("arp.conflict")
        key = _key(tci, sender_ip)
        for_us = target_ip == self.host.ip
        # Hosts not involved are not learned, nor those without an address yet (RFC 5227, 2.1.1),
        # nor those of other networks, nor by replies that answer no question.
        asks_us = for_us and operation == ARP_REQUEST and self.host.on_link(sender_ip)
        learn = (asks_us or key in self.questions) and sender_ip != NO_IP
        if learn or key in self.bindings:
            self.bindings[key] = sender_mac
        replies = []
        for waiting_tci, packet in self.questions.pop(key, ()):
            replies.append(self._framed(sender_mac, TYPE_IPV4, packet, waiting_tci))
        if for_us and operation == ARP_REQUEST:
            answer = arp(ARP_REPLY, self.host.mac, self.host.ip, sender_mac, sender_ip)
            replies.append(self._framed(sender_mac, TYPE_ARP, answer, tci))
        return _reply(*replies)

    # ---- Transmit ----

    def _next_hop(self, destination: bytes) -> bytes:
        if (found := longest(destination, [self.host], self.routes)) is None:
            return self.host.gateway
        return destination if found[1] in (None, NO_IP) else found[1]

    def send(self, packet: bytes, tci: int | None = None) -> Outcome:
        """Sends an IP packet, in the VLAN of a tag."""
        next_hop = self._next_hop(packet[16:20])
        if next_hop == NO_IP:
            return _drop("ipv4_tx.no_gateway")
        key = _key(tci, next_hop)
        if (mac := self.bindings.get(key)) is not None:
            return _reply(self._framed(mac, TYPE_IPV4, packet, tci))
        if (waiting := self.questions.get(key)) is not None:
            # The latest is kept (RFC 1122, 2.3.2.2).
            before = sum(_blocks(one) for _, one in waiting)
            many = before >= ARP_BLOCKS or _blocks(packet) > ARP_BLOCKS
            dropped = waiting[:] if len(waiting) == ARP_PACKETS or many else []
            del waiting[: len(dropped)]
            waiting.append((tci, packet))
            return Outcome(drops=("eth_tx.no_room",) * len(dropped))
        self.questions[key] = [(tci, packet)]
        return _reply(self.question(next_hop, tci))

    def question(self, ip: bytes, tci: int | None = None) -> bytes:
        """The ARP request for an address, in the VLAN of a tag; its priority is 0."""
        vid = (tci or 0) & 0xFFF or None
        body = arp(ARP_REQUEST, self.host.mac, self.host.ip, NO_MAC, ip)
        return self._framed(BROADCAST_MAC, TYPE_ARP, body, vid)

    def _framed(self, mac: bytes, ether_type: int, payload: bytes, tci: int | None) -> bytes:
        return padded(ethernet(mac, self.host.mac, ether_type, payload, tci))


def _blocks(packet: bytes) -> int:
    return -(-len(packet) // ARP_BLOCK_BYTES)


def _tag_of(frame: bytes) -> tuple[int | None, int]:
    """The VLAN tag of a frame, and where its payload starts."""
    if frame[12:14] == b"\x81\x00":
        return int.from_bytes(frame[14:16]), ETHERNET_BYTES + TAG_BYTES
    return None, ETHERNET_BYTES

# SPDX-License-Identifier: Apache-2.0
"""Model of a design of engines: what happens to a frame under the given rules and tables."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bombus.applications.engines import chacha
from bombus.protocols.frames import (
    ETHERNET_BYTES,
    IPV4_BYTES,
    PROTOCOL_TCP,
    PROTOCOL_UDP,
    TAG_BYTES,
    TYPE_IPV4,
    TYPE_VLAN,
    UDP_BYTES,
    padded,
    pseudo_header,
    transport_checksum,
)

MAX_STEPS = 15
MAX_ENGINE = 15  # exits have higher numbers
NUM_FLOWS = 64
IV_BYTES = 8
MIN_BYTES = ETHERNET_BYTES + 4
_PORTS = ETHERNET_BYTES + IPV4_BYTES  # first byte behind an IPv4 header
_UDP_CHECKSUM = _PORTS + 6
_TCP_CHECKSUM = _PORTS + 16
_PAYLOAD = _PORTS + UDP_BYTES


@dataclass(frozen=True)
class Rule:
    """A rule of the parser; fields that are None are not compared."""

    steps: tuple[int, ...] = ()
    flow: int = 0
    to_mac_port: int = 0
    ether_type: int | None = None
    protocol: int | None = None
    port: int | None = None
    mac_port: int | None = None

    def registers(self) -> dict[str, int]:
        """Register values for a rule of `engine_parser`."""
        compared = {name: getattr(self, name) for name in _COMPARED}
        return {
            **{name: value or 0 for name, value in compared.items()},
            **{f"any_{name}": int(value is None) for name, value in compared.items()},
            "steps": sum(step << 4 * n for n, step in enumerate(self.steps)),
            "flow": self.flow,
            "to_mac_port": self.to_mac_port,
            "valid": 1,
        }


_COMPARED = ("ether_type", "protocol", "port", "mac_port")


@dataclass(frozen=True)
class NextHop:
    """An entry of `engine_forward`."""

    destination: bytes
    mac_port: int = 0
    refuse: bool = False

    def registers(self) -> dict[str, int]:
        """Register values for a next hop."""
        return {
            "destination": int.from_bytes(self.destination),
            "mac_port": self.mac_port,
            "refuse": int(self.refuse),
            "valid": 1,
        }


@dataclass(frozen=True)
class Packet:
    """A frame without tag and padding, and its metadata."""

    frame: bytes
    mac_port: int
    flow: int = 0
    hash: int = 0
    refused: bool = False

    @property
    def is_ipv4(self) -> bool:
        """Whether it is IPv4 with a complete header."""
        return self.frame[12:14] == TYPE_IPV4.to_bytes(2) and len(self.frame) >= _PORTS

    @property
    def protocol(self) -> int | None:
        """UDP or TCP; None if it has no readable ports."""
        frame = self.frame
        if not self.is_ipv4 or frame[14] != 0x45:
            return None
        if int.from_bytes(frame[20:22]) & 0x3FFF:  # a fragment
            return None
        least = {PROTOCOL_UDP: _PAYLOAD, PROTOCOL_TCP: _PORTS + 20}.get(frame[23], len(frame) + 1)
        return frame[23] if len(frame) >= least else None

    def matches(self, rule: Rule) -> bool:
        found = {
            "ether_type": int.from_bytes(self.frame[12:14]),
            "protocol": self.frame[23] if self.is_ipv4 else None,
            "port": int.from_bytes(self.frame[36:38]) if self.protocol is not None else None,
            "mac_port": self.mac_port,
        }
        return all(getattr(rule, name) in (None, value) for name, value in found.items())


def put(data: bytes, position: int, part: bytes) -> bytes:
    """Data with a part replaced."""
    return data[:position] + part + data[position + len(part) :]


def with_checksum(packet: Packet) -> Packet:
    """The packet after engine_checksum."""
    protocol = packet.protocol
    if protocol is None:
        return packet
    position = _UDP_CHECKSUM if protocol == PROTOCOL_UDP else _TCP_CHECKSUM
    frame = put(packet.frame, position, bytes(2))
    segment = frame[_PORTS:]
    pseudo = pseudo_header(frame[26:30], frame[30:34], protocol, len(segment))
    value = transport_checksum(pseudo + segment)
    return replace(packet, frame=put(frame, position, value.to_bytes(2)))


def encrypted(packet: Packet, key: bytes, salt: bytes, rounds: int = 20) -> Packet:
    """The packet after engine_encrypt."""
    start = _PAYLOAD + IV_BYTES
    if packet.protocol != PROTOCOL_UDP or len(packet.frame) < start:
        return packet
    nonce = salt + packet.frame[_PAYLOAD:start]
    text = chacha.encrypt(key, nonce, packet.frame[start:], rounds=rounds)
    return replace(packet, frame=packet.frame[:start] + text)


def hashed(packet: Packet) -> Packet:
    """The packet after engine_hash."""
    return replace(packet, hash=zlib.crc32(packet.frame[ETHERNET_BYTES:]))


@dataclass
class Flow:
    """An entry of engine_count."""

    packets: int = 0
    bytes: int = 0
    hash: int = 0


@dataclass
class Engines:
    """A design of engines. `kinds`: those of its engines by number; `macs`: those of its MAC ports.
    Rules and tables can be changed like the registers.
    """

    kinds: Mapping[int, str]
    macs: Sequence[bytes]
    rounds: int = 20
    rules: dict[int, Rule] = field(default_factory=dict)
    next_hops: dict[tuple[int, int], NextHop] = field(default_factory=dict)  # by engine, entry
    spread: int = 0
    key: bytes = bytes(chacha.KEY_BYTES)
    salt: bytes = bytes(4)
    flows: dict[tuple[int, int], Flow] = field(default_factory=dict)  # by engine, flow
    drops: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> Engines:
        """The model of a generated design."""
        layers = [layer for tile in manifest["tiles"] for layer in tile["layers"]]
        found = [each for each in layers if 0 < each["params"].get("engine", 0) <= MAX_ENGINE]
        kinds = {layer["params"]["engine"]: layer["kind"] for layer in found}
        rounds = [layer["params"]["rounds"] for layer in found if "rounds" in layer["params"]]
        macs = [bytes.fromhex(port["mac"].replace(":", "")) for port in manifest["mac_ports"]]
        return cls(kinds, macs, *rounds[:1])

    def process(self, frame: bytes, mac_port: int = 0) -> tuple[int, bytes] | None:
        """The MAC port by which a frame leaves, and the frame as sent; None if it is dropped."""
        tag = b""
        if frame[12:14] == TYPE_VLAN.to_bytes(2):
            tag = frame[12 : 12 + TAG_BYTES]
            frame = frame[:12] + frame[12 + TAG_BYTES :]
        if frame[12:14] == TYPE_IPV4.to_bytes(2):
            frame = frame[: ETHERNET_BYTES + int.from_bytes(frame[16:18])]
        if len(frame) < MIN_BYTES:
            return self._dropped("too_short")
        packet = Packet(frame, mac_port)
        rule = next((r for _, r in sorted(self.rules.items()) if packet.matches(r)), None)
        if rule is None:
            return self._dropped("no_rule")
        packet = replace(packet, flow=rule.flow, mac_port=rule.to_mac_port)
        before = 0
        for step in rule.steps:
            if step == 0 or packet.refused:
                break
            if step not in self.kinds or step == before:
                return self._dropped("no_next")
            packet = self._visit(step, packet)
            before = step
        if packet.refused:
            return self._dropped("refused")
        if packet.mac_port >= len(self.macs):
            return self._dropped("no_next")
        return packet.mac_port, padded(packet.frame[:12] + tag + packet.frame[12:])

    def _dropped(self, reason: str) -> tuple[int, bytes] | None:
        self.drops[reason] += 1
        return None

    def _visit(self, number: int, packet: Packet) -> Packet:
        does: dict[str, Callable[[int, Packet], Packet]] = {
            "engine_checksum": lambda _, packet: with_checksum(packet),
            "engine_encrypt": lambda _, packet: encrypted(packet, self.key, self.salt, self.rounds),
            "engine_hash": lambda _, packet: hashed(packet),
            "engine_count": self._count,
            "engine_forward": self._forward,
        }
        return does[self.kinds[number]](number, packet)

    def _count(self, number: int, packet: Packet) -> Packet:
        flow = self.flows.setdefault((number, packet.flow), Flow())
        flow.packets += 1
        flow.bytes += len(packet.frame)
        flow.hash = packet.hash
        return packet

    def _forward(self, number: int, packet: Packet) -> Packet:
        entry = packet.flow ^ (packet.hash & self.spread)
        hop = self.next_hops.get((number, entry))
        if hop is None or hop.refuse:
            return replace(packet, refused=True)
        source = self.macs[hop.mac_port] if hop.mac_port < len(self.macs) else self.macs[0]
        frame = hop.destination + source + packet.frame[12:]
        return replace(packet, frame=frame, mac_port=hop.mac_port)

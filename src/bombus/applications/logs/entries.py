# SPDX-License-Identifier: Apache-2.0
"""Entries of the logs that Bombus has, decoded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bombus.applications.logs.messages import struct_bits, unpack

PACKET, BANDWIDTH, DROPS = "packet_log", "bandwidth_log", "drop_log"  # kinds of the layers
_RESUMES_NS = 2000  # a longer difference of both clocks is time that was skipped


@dataclass(frozen=True)
class Stamp:
    """When: clock cycles since the reset, and microseconds of the design's time."""

    cycle: int
    time_us: int


@dataclass(frozen=True)
class PacketEntry:
    """A packet: its length in bytes, its first bytes, and its VLAN tag (None: untagged).

    `ip`: address of the peer, `protocol` of IP: between ipv4_rx and ipv4_tx. `ttl`: of a received
    packet, before its transport layer.
    """

    stamp: Stamp
    length: int
    head: bytes
    vlan: int | None
    mac_port: int
    ip: int
    tos: int
    protocol: int
    ttl: int
    identification: int


@dataclass(frozen=True)
class BandwidthEntry:
    """An interval of `us` microseconds that ends at `stamp`."""

    stamp: Stamp
    us: int
    messages: int
    bytes: int

    @property
    def gbps(self) -> float:
        """Payload bits per nanosecond."""
        return self.bytes * 8 / (self.us * 1000)


@dataclass(frozen=True)
class DropEntry:
    """A drop. `counter`: its position among the counters of the tile. `packet`: the message as the
    layer has taken it, stamped with the drop; None: not known. `is_packet`: it has the metadata of
    a packet."""

    stamp: Stamp
    counter: int
    packet: PacketEntry | None
    is_packet: bool


def stamp_of(fields: dict[str, int], prefix: str = "stamp.") -> Stamp:
    return Stamp(fields[f"{prefix}cycle"], fields[f"{prefix}time_us"])


def _fields_and_head(data: bytes, struct: str) -> tuple[dict[str, int], bytes]:
    """The fields of an entry with a message's length, and the first bytes of the message."""
    bits = struct_bits(struct)
    value = int.from_bytes(data, "little")
    fields = unpack(struct, value & (1 << bits) - 1)
    size = (8 * len(data) - bits) // 8
    length = fields["length"]
    return fields, (value >> bits).to_bytes(size + 1, "little")[: min(size, length)]


def _packet(fields: dict[str, int], head: bytes) -> PacketEntry:
    tci = fields["meta.vlan.tci"] if fields["meta.vlan.valid"] else None
    return PacketEntry(
        stamp_of(fields),
        fields["length"],
        head,
        tci,
        mac_port=fields["meta.mac_port"],
        ip=fields["meta.ip"],
        tos=fields["meta.tos"],
        protocol=fields["meta.l4.ip_rx.protocol"],
        ttl=fields["meta.l4.ip_rx.ttl"],
        identification=fields["meta.l4.ip_rx.id"],
    )


def packet_entry(data: bytes) -> PacketEntry:
    return _packet(*_fields_and_head(data, "packet_entry_t"))


def drop_entry(data: bytes) -> DropEntry:
    fields, head = _fields_and_head(data, "drop_entry_t")
    packet = _packet(fields, head) if fields["known"] else None
    return DropEntry(stamp_of(fields), fields["counter"], packet, bool(fields["is_packet"]))


def bandwidth_entry(data: bytes) -> BandwidthEntry:
    fields = unpack("bandwidth_entry_t", int.from_bytes(data, "little"))
    return BandwidthEntry(stamp_of(fields), fields["us"], fields["messages"], fields["bytes"])


def times_ns(stamps: Iterable[Stamp], clock_mhz: float) -> Sequence[int]:
    """Nanoseconds since the reset, exact to the cycle.

    A simulator skips cycles in which nothing happens, so the cycles alone are not enough; where
    they and the microseconds differ, the microseconds are right.
    """
    found = []
    skipped = 0
    for stamp in stamps:
        cycles_ns = round(stamp.cycle * 1000 / clock_mhz)
        behind = stamp.time_us * 1000 - cycles_ns
        if abs(behind - skipped) > _RESUMES_NS:
            skipped = behind
        found.append(cycles_ns + skipped)
    return found

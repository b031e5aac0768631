# SPDX-License-Identifier: Apache-2.0
"""Logs as text and as captures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bombus.applications.logs.describing import described
from bombus.applications.logs.entries import (
    BANDWIDTH,
    DROPS,
    PACKET,
    DropEntry,
    PacketEntry,
    Stamp,
    bandwidth_entry,
    drop_entry,
    packet_entry,
    times_ns,
)
from bombus.applications.logs.latency import latencies, median
from bombus.applications.logs.pcapng import (
    LINK_ETHERNET,
    LINK_RAW,
    LINK_USER,
    Captured,
    Interface,
    write,
)
from bombus.applications.logs.places import LogPlace
from bombus.applications.logs.reading import Fetched
from bombus.base.tables import print_table
from bombus.base.text import counted
from bombus.protocols.frames import IPV4_BYTES, TAG_BYTES, TIME_TO_LIVE, ipv4

# What logs see, by the kind of the layer that takes the packet
_FRAMES, _IP_PACKETS = {"eth_rx", "mac_tx"}, {"ipv4_rx", "eth_tx"}
_RECEIVED, _TO_SEND = {"tcp", "udp_rx", "icmp_echo"}, {"ipv4_tx"}  # without IP header
_VLAN = b"\x81\x00"


def packets(place: LogPlace, fetched: Fetched) -> list[PacketEntry]:
    assert place.kind == PACKET
    return [packet_entry(entry) for entry in fetched.entries]


def reason(place: LogPlace, drop: DropEntry) -> str:
    """Layer and reason of a drop, `udp_rx.bad_checksum`, as in the name of its counter."""
    known = drop.counter < len(place.counters)
    return place.counters[drop.counter].removeprefix("drop.") if known else f"{drop.counter}?"


def layer_kind(place: LogPlace, drop: DropEntry) -> str:
    """Kind of the layer that has dropped a message; "" for other parts of the tile."""
    return place.layers.get(reason(place, drop).partition(".")[0], "")


@dataclass(frozen=True)
class Listing:
    """A log as text: a line about it, and a table of its entries."""

    caption: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]


def listing(place: LogPlace, fetched: Fetched, hosts: Sequence[bytes] = ()) -> Listing:
    """`hosts`: the design's IP address at each MAC port."""
    state = fetched.state
    missing = f"; {state.lost:,} more did not fit" * bool(state.lost)
    missing += f"; the first {state.first:,} are gone" * bool(state.first)
    caption = f"{place.name} (UDP port {place.port}): entries: {len(fetched.entries):,}{missing}"
    columns, row = _LAYOUTS.get(place.kind, _UNKNOWN)
    rows = [
        row(place, index, entry, hosts)
        for index, entry in enumerate(fetched.entries, fetched.first)
    ]
    return Listing(caption, columns, rows)


def _drop_row(place: LogPlace, _: int, data: bytes, hosts: Sequence[bytes]) -> tuple[str, ...]:
    drop = drop_entry(data)
    packet = drop.packet
    seen = _seen(layer_kind(place, drop), packet, hosts, is_packet=drop.is_packet)
    return (
        str(drop.stamp.cycle),
        str(drop.stamp.time_us),
        f"{place.tile}: {reason(place, drop)}",
        str(packet.length) if packet else "",
        described(seen.data, seen.link),
        packet.head.hex() if packet else "",
    )


def _packet_row(place: LogPlace, _: int, data: bytes, hosts: Sequence[bytes]) -> tuple[str, ...]:
    packet = packet_entry(data)
    seen = _seen(place.before, packet, hosts)
    return (
        str(packet.stamp.cycle),
        str(packet.stamp.time_us),
        str(packet.length),
        described(seen.data, seen.link),
        packet.head.hex(),
    )


def _bandwidth_row(_: LogPlace, __: int, data: bytes, ___: Sequence[bytes]) -> tuple[str, ...]:
    each = bandwidth_entry(data)
    numbers = (each.stamp.cycle, each.stamp.time_us, each.us, each.messages, each.bytes)
    return (*map(str, numbers), f"{each.gbps:.3f}")


def _raw_row(_: LogPlace, index: int, data: bytes, __: Sequence[bytes]) -> tuple[str, ...]:
    return str(index), data[::-1].hex()


_Row = Callable[[LogPlace, int, bytes, Sequence[bytes]], tuple[str, ...]]
_WHEN = ("cycle", "time us")
_PACKET_COLUMNS = ("bytes", "packet", "first bytes")
_UNKNOWN: tuple[tuple[str, ...], _Row] = (("entry", "bits, the first byte lowest"), _raw_row)
_LAYOUTS: dict[str, tuple[tuple[str, ...], _Row]] = {
    DROPS: ((*_WHEN, "dropped", *_PACKET_COLUMNS), _drop_row),
    PACKET: ((*_WHEN, *_PACKET_COLUMNS), _packet_row),
    BANDWIDTH: ((*_WHEN, "us", "messages", "bytes", "Gbit/s"), _bandwidth_row),
}


def print_log(
    console: Console, place: LogPlace, fetched: Fetched, hosts: Sequence[bytes] = ()
) -> None:
    """A line about the log, and a table of its entries. `hosts`: as of `listing`."""
    found = listing(place, fetched, hosts)
    console.print(found.caption, markup=False)
    if found.rows:
        table = Table(*found.columns)
        for row in found.rows:
            table.add_row(*row)
        print_table(console, table)


def print_latencies(console: Console, logs: Mapping[LogPlace, Fetched]) -> None:
    """The latency from the log after mac_rx to the one before mac_tx, if the design has both."""
    frames = {
        place.before: packets(place, log) for place, log in logs.items() if place.kind == PACKET
    }
    if not {"eth_rx", "mac_tx"} <= frames.keys():
        return
    cycles = [each.cycles for each in latencies(frames["eth_rx"], frames["mac_tx"])]
    if cycles:
        console.print(
            f"latency from mac_rx to mac_tx: {min(cycles)} to {max(cycles)} cycles, median "
            f"{median(cycles)}, of {counted(len(cycles), 'answer')}"
        )


@dataclass(frozen=True)
class _Seen:
    """A packet as captures show it: link type, first bytes, whole length."""

    link: int
    data: bytes
    length: int


def _seen(
    kind: str, packet: PacketEntry | None, hosts: Sequence[bytes], *, is_packet: bool = True
) -> _Seen:
    """A packet before a layer of this kind: with the VLAN tag, and with an IP header if it has
    none. Other messages stay as they are."""
    if packet is None:
        return _Seen(LINK_USER, b"", 0)
    data, length = packet.head, packet.length
    if kind in _FRAMES:
        if packet.vlan is None:
            return _Seen(LINK_ETHERNET, data, length)
        tagged = data[:12] + _VLAN + packet.vlan.to_bytes(2) + data[12:]
        return _Seen(LINK_ETHERNET, tagged, length + TAG_BYTES)
    if kind in _IP_PACKETS:
        return _Seen(LINK_RAW, data, length)
    if kind not in _RECEIVED | _TO_SEND or not is_packet:
        return _Seen(LINK_USER, data, length)
    received = kind in _RECEIVED
    peer = packet.ip.to_bytes(4)
    own = hosts[packet.mac_port % len(hosts)] if hosts else bytes(4)
    header = ipv4(
        peer if received else own,
        own if received else peer,
        packet.protocol,
        b"",
        total_length=IPV4_BYTES + length,
        identification=packet.identification if received else 0,
        ttl=packet.ttl if received else TIME_TO_LIVE,
        tos=packet.tos,
    )
    return _Seen(LINK_RAW, header + data, IPV4_BYTES + length)


def _logged(
    place: LogPlace, fetched: Fetched, hosts: Sequence[bytes]
) -> Iterator[tuple[Stamp, str, _Seen, str]]:
    """The packets of a log: stamp, name of the interface, packet, comment."""
    if place.kind == PACKET:
        for packet in packets(place, fetched):
            yield packet.stamp, place.name, _seen(place.before, packet, hosts), ""
    elif place.kind == DROPS:
        for drop in map(drop_entry, fetched.entries):
            kind = layer_kind(place, drop)
            seen = _seen(kind, drop.packet, hosts, is_packet=drop.is_packet)
            cause = reason(place, drop)
            yield drop.stamp, place.name, seen, f"dropped by {place.tile}: {cause}"


def write_capture(
    path: Path, logs: Mapping[LogPlace, Fetched], clock_mhz: float, hosts: Sequence[bytes]
) -> int:
    """Writes the packets of all packet logs and drop logs, in the order of their cycles; returns
    their number.

    A log has an interface for each link type. A drop whose message is not known is an empty packet.
    `hosts`: the design's IP address at each MAC port.
    """
    found = [each for place, log in logs.items() for each in _logged(place, log, hosts)]
    found.sort(key=lambda each: each[0].cycle)
    times = times_ns((stamp for stamp, *_ in found), clock_mhz)
    interfaces = list(dict.fromkeys(Interface(name, seen.link) for _, name, seen, _ in found))
    captured = [
        Captured(
            interfaces.index(Interface(name, seen.link)),
            time_ns,
            seen.data,
            seen.length,
            ", ".join(filter(None, (f"cycle {stamp.cycle}", comment))),
        )
        for (stamp, name, seen, comment), time_ns in zip(found, times, strict=True)
    ]
    write(path, interfaces, captured)
    return len(captured)

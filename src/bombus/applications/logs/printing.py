# SPDX-License-Identifier: Apache-2.0
"""Logs as text and as captures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bombus.applications.logs.entries import (
    BANDWIDTH,
    PACKET,
    PacketEntry,
    bandwidth_entry,
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

# What packet logs see, by the kind of the layer that follows
_FRAMES, _IP_PACKETS = {"eth_rx", "mac_tx"}, {"ipv4_rx", "eth_tx"}
_RECEIVED, _TO_SEND = {"tcp", "udp_rx", "icmp_echo"}, {"ipv4_tx"}  # without IP header
_VLAN = b"\x81\x00"


def packets(place: LogPlace, fetched: Fetched) -> list[PacketEntry]:
    assert place.kind == PACKET
    return [packet_entry(entry) for entry in fetched.entries]


def print_log(console: Console, place: LogPlace, fetched: Fetched) -> None:
    """A line about the log, and a table of its entries."""
    state = fetched.state
    missing = f"; {state.lost:,} more did not fit" * bool(state.lost)
    missing += f"; the first {state.first:,} are gone" * bool(state.first)
    console.print(
        f"{place.name} (UDP port {place.port}): entries: {len(fetched.entries):,}{missing}",
        markup=False,
    )
    if not fetched.entries:
        return
    if place.kind == PACKET:
        table = Table("cycle", "time us", "bytes", "first bytes")
        for packet in packets(place, fetched):
            table.add_row(
                str(packet.stamp.cycle),
                str(packet.stamp.time_us),
                str(packet.length),
                packet.head.hex(),
            )
    elif place.kind == BANDWIDTH:
        table = Table("cycle", "time us", "us", "messages", "bytes", "Gbit/s")
        for each in map(bandwidth_entry, fetched.entries):
            numbers = (each.stamp.cycle, each.stamp.time_us, each.us, each.messages, each.bytes)
            table.add_row(*map(str, numbers), f"{each.gbps:.3f}")
    else:
        table = Table("entry", "bits, the first byte lowest")
        for index, entry in enumerate(fetched.entries, fetched.first):
            table.add_row(str(index), entry[::-1].hex())
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


def _link(place: LogPlace) -> int:
    if place.before in _FRAMES:
        return LINK_ETHERNET
    has_header = place.before in _IP_PACKETS | _RECEIVED | _TO_SEND
    return LINK_RAW if has_header else LINK_USER


def _as_captured(place: LogPlace, packet: PacketEntry, hosts: Sequence[bytes]) -> tuple[bytes, int]:
    """First bytes and length: with the VLAN tag, and with an IP header if it has none."""
    data, length = packet.head, packet.length
    if packet.vlan is not None and place.before in _FRAMES:
        return data[:12] + _VLAN + packet.vlan.to_bytes(2) + data[12:], length + TAG_BYTES
    if place.before not in _RECEIVED | _TO_SEND:
        return data, length
    received = place.before in _RECEIVED
    peer, own = packet.ip.to_bytes(4), hosts[packet.mac_port % len(hosts)]
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
    return header + data, IPV4_BYTES + length


def write_capture(
    path: Path, logs: Mapping[LogPlace, Fetched], clock_mhz: float, hosts: Sequence[bytes]
) -> int:
    """Writes the packets of all packet logs, in the order of their cycles; returns their number.

    `hosts`: the design's IP address at each MAC port.
    """
    chosen = [place for place in logs if place.kind == PACKET]
    found = [
        (n, packet) for n, place in enumerate(chosen) for packet in packets(place, logs[place])
    ]
    found.sort(key=lambda each: each[1].stamp.cycle)
    times = times_ns((packet.stamp for _, packet in found), clock_mhz)
    captured = []
    for (number, packet), time_ns in zip(found, times, strict=True):
        data, length = _as_captured(chosen[number], packet, hosts)
        captured.append(Captured(number, time_ns, data, length, f"cycle {packet.stamp.cycle}"))
    write(path, [Interface(place.name, _link(place)) for place in chosen], captured)
    return len(captured)

# SPDX-License-Identifier: Apache-2.0
"""What passed the MAC port in a run of the migration benchmark, as figures and a picture."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bombus.protocols.frames import ETHERNET_BYTES, IPV4_BYTES, PROTOCOL_TCP, TYPE_IPV4

PCAP_HEADER_BYTES = 24
RECORD = struct.Struct("<IIII")  # seconds, nanoseconds, bytes, bytes on the wire
RST = 4
BIN_US = 200
SHOWN_US = 4000  # before and after
COLOURS = ("#0072B2", "#D55E00")


@dataclass(frozen=True)
class Segment:
    """A segment at the MAC port."""

    time_ns: int
    host: int  # its number
    is_received: bool  # by the stack
    flags: int
    payload_bytes: int


def segments(capture: Path, macs: Sequence[bytes]) -> list[Segment]:
    """TCP segments of hosts in a capture file (pcap) of the simulator."""
    data = capture.read_bytes()
    found, position = [], PCAP_HEADER_BYTES
    while position < len(data):
        seconds, nanoseconds, length, _ = RECORD.unpack_from(data, position)
        position += RECORD.size
        frame = data[position : position + length]
        position += length
        packet = frame[ETHERNET_BYTES:]
        if frame[12:14] != TYPE_IPV4.to_bytes(2) or packet[9] != PROTOCOL_TCP:
            continue
        is_received = frame[6:12] in macs
        host = macs.index(frame[6:12] if is_received else frame[:6])
        segment = packet[IPV4_BYTES : int.from_bytes(packet[2:4])]
        payload = len(segment) - 4 * (segment[12] >> 4)
        time_ns = 1_000_000_000 * seconds + nanoseconds
        found.append(Segment(time_ns, host, is_received, segment[13], payload))
    return found


def requests(found: Sequence[Segment]) -> list[Segment]:
    return [each for each in found if each.is_received and each.payload_bytes]


def gaps_us(found: Sequence[Segment]) -> list[float]:
    """From the last request of a host to the first one of the other, at the stack."""
    return [
        (b.time_ns - a.time_ns) / 1000 for a, b in pairwise(requests(found)) if a.host != b.host
    ]


def resets(found: Sequence[Segment]) -> int:
    """Of the stack: also its answers to a client whose connection it does not have any more."""
    return sum(bool(each.flags & RST) for each in found if not each.is_received)


def draw(found: Sequence[Segment], file: Path) -> None:
    """Requests over time around the migration with the median gap, as in figure 10 of the Beehive
    paper."""
    from matplotlib.figure import Figure

    from bombus.pictures.files import save

    moves = [(a, b) for a, b in pairwise(requests(found)) if a.host != b.host]
    moves.sort(key=lambda move: move[1].time_ns - move[0].time_ns)
    last, first = moves[len(moves) // 2]
    most = SHOWN_US // BIN_US
    edges = [BIN_US * n - BIN_US / 4 for n in range(-most, most + 1)]
    figure = Figure(figsize=(7, 2.6))
    axis = figure.subplots()
    for segment, colour, name in ((last, COLOURS[0], "old host"), (first, COLOURS[1], "new host")):
        times = [
            (each.time_ns - last.time_ns) / 1000
            for each in requests(found)
            if each.host == segment.host
        ]
        counts = [sum(a <= each < b for each in times) for a, b in pairwise(edges)]
        rates = [1000 * count / BIN_US for count in counts]
        axis.stairs(rates, [edge / 1000 for edge in edges], color=colour, fill=True, alpha=0.3)
        axis.stairs(rates, [edge / 1000 for edge in edges], color=colour, label=name)
    axis.set_xlabel("time of the stack since the last request of the old host, ms")
    axis.set_ylabel("requests per ms")
    axis.grid(alpha=0.3)
    above = (0.5, 1.0)
    axis.legend(loc="lower center", bbox_to_anchor=above, ncols=2, frameon=False, fontsize=8)
    figure.tight_layout()
    save(lambda: figure, file, salt=file.stem)

# SPDX-License-Identifier: Apache-2.0
"""Intrusion detection for `bombus bench rpu`: frames of flows, and the rules of the matchers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from rich.table import Table

from bombus.applications.intrusion_detection import compiling, load, lookup, sample
from bombus.applications.intrusion_detection.model import Packet
from bombus.applications.intrusion_detection.tables import MAX_ROWS, MIN_ROWS, Tables
from bombus.protocols import frames
from bombus.registers.access import BlockAccess

NUM_FLOWS = 512
# Segments that wait take slots: these designs have more of them, and shorter ones.
LONGEST = 2048
SLOTS = f"num_slots: 32, slot_bytes: {LONGEST}"
RULE = 'alert udp any any -> any any (content:"evil stuff"; flow:to_server; sid:9999999;)'
TRAFFIC_PAYLOADS, POOL = 500, 100
PADDING = b"."


@dataclass(frozen=True)
class Traffic:
    """Frames of flows: their protocol and the start of each payload. Segments come in order, or
    every pair swapped.
    """

    protocol: int
    start: bytes
    is_reordered: bool = False


TCP = Traffic(6, b"good")
REORDERED = Traffic(6, b"good", is_reordered=True)
UDP = Traffic(17, b"good")
ATTACK = Traffic(17, b"evil stuff")


@dataclass(frozen=True)
class Work:
    """What a byte of payload costs the matcher, of a sample of the frames' payloads."""

    frame_bytes: int
    rules: int
    rows: int
    bitmap_hits_per_byte: float
    fragments_per_byte: float
    rules_checked_per_byte: float


class Matching:
    """`rules`: generated ones, besides the one that attacks match; payloads are then in the shape
    of traffic, otherwise padding.
    """

    def __init__(self, rules: int = 0) -> None:
        self.rules = rules
        self.rows = MIN_ROWS
        while self.rows <= rules and self.rows < MAX_ROWS:
            self.rows *= 2

    @cached_property
    def tables(self) -> Tables:
        text = sample.text(Random(1), self.rules, exact=False)
        random = Random(2)
        traffic = b"".join(sample.payload(random, 1400) for _ in range(TRAFFIC_PAYLOADS))
        with TemporaryDirectory() as folder:
            file = Path(folder) / "bench.rules"
            file.write_text(f"{text}\n{RULE}\n", encoding="utf-8")
            rules = compiling.read([file], {})
            return compiling.compile_rules(rules, traffic if self.rules else b"", self.rows).tables

    def load(self, matchers: Iterable[BlockAccess]) -> None:
        for registers in matchers:
            load.write(registers, self.tables)

    def payloads(self, random: Random, size: int) -> list[bytes]:
        """To choose from, of `size` bytes; without generated rules, nothing to match."""
        if not self.rules:
            return [PADDING * size]
        return [sample.payload(random, size) for _ in range(POOL)]

    def work(self, frame_bytes: int) -> Work:
        """Of payloads of TCP frames."""
        found, count = lookup.Work(), 0
        for payload in self.payloads(Random(frame_bytes), frame_bytes - 54):
            lookup.hits(self.tables, Packet(1, 1000, 80, payload), found)
            count += len(payload)
        costs = (found.candidates, found.fragments, found.rules)
        each = (round(cost / count, 4) for cost in costs)
        return Work(frame_bytes, self.rules, self.rows, *each)


def table(works: Iterable[Work]) -> Table:
    names = [field.name for field in fields(Work)]
    found = Table(*names)
    for work in works:
        found.add_row(*(str(getattr(work, name)) for name in names))
    return found


def segment(traffic: Traffic, frame_bytes: int, flow: bytes, number: int, payload: bytes) -> bytes:
    """The n-th frame of a flow: its addresses and ports. `payload`: at least as long as that of
    the frame.
    """
    ip = (
        b"\x45\0" + (frame_bytes - 14).to_bytes(2) + bytes(5) + bytes([traffic.protocol]) + bytes(2)
    )
    if traffic.protocol == 6:
        sequence = number * (frame_bytes - 54)
        header = sequence.to_bytes(4) + bytes(4) + b"\x50\x10" + bytes(6)
    else:
        header = (frame_bytes - 34).to_bytes(2) + number.to_bytes(2)  # no checksum, but all differ
    ip += flow[:8]
    content = (flow[8:] + header + traffic.start + payload)[: frame_bytes - 34]
    if traffic.protocol == 6:
        sum_of = frames.pseudo_header(flow[:4], flow[4:8], 6, len(content)) + content
        content = content[:16] + frames.transport_checksum(sum_of).to_bytes(2) + content[18:]
    return bytes(12) + b"\x08\0" + ip[:10] + frames.checksum(ip).to_bytes(2) + ip[12:] + content


def segments(
    random: Random,
    traffic: Traffic,
    frame_bytes: int,
    least: int,
    num_ports: int,
    payloads: Sequence[bytes],
) -> list[bytes]:
    """At least `least` frames, for the ports in turn. Flows take turns, too; each has one port."""
    flows = [random.randbytes(12) for _ in range(NUM_FLOWS)]
    made: list[bytes] = []
    number = 0
    while len(made) < least or number < 5:
        # The segment that starts the flow is in order, and the pairs of a flow stay together.
        pair = [number + 1, number] if traffic.is_reordered and number else [number]
        for first in range(0, NUM_FLOWS, num_ports):
            for each in pair:
                turn = flows[first : first + num_ports]
                made += [
                    segment(traffic, frame_bytes, flow, each, random.choice(payloads))
                    for flow in turn
                ]
        number += len(pair)
    return made

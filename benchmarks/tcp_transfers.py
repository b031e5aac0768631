# SPDX-License-Identifier: Apache-2.0
"""TCP over a long link: round trips that a transfer takes between the engine, smoltcp and Linux.

A client connects, and bytes go one way. The link has a delay and no other limit. The engine and
smoltcp run in virtual time; Linux runs in real time, on a link so long that the time in which the
engine is simulated does not matter. Figures are round trips of the link, not cycles.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from ipaddress import IPv4Address
from itertools import count
from pathlib import Path
from typing import Annotated

from _tcp_ends import PATIENCE_SECONDS, End, Engine, Linux, Smoltcp, real_us
from _tcp_report import draw_transfers
from rich.table import Table

from bombus import Simulation
from bombus.base.errors import UserError
from bombus.base.paths import EXAMPLES
from bombus.base.text import listing
from bombus.measure.bench import report_replies
from bombus.measure.exchanges import neighbour
from bombus.protocols.frames import ETHERNET_BYTES, PROTOCOL_TCP, TYPE_IPV4, Host
from bombus.simulator.build import Library, build

DESIGN = EXAMPLES / "tcp_host" / "tcp_host.yaml"
SIZE = 262_144
ROUND_TRIP_MS = 500
PEERS = ("smoltcp", "linux")
SYN = 2
MARKS = (1, 65_536)  # bytes; and all of them
SLICE_US = 100  # frames that come so close together arrive at once


@dataclass(frozen=True)
class Transfer:
    """Bytes that had arrived after so many round trips, counted from the first SYN."""

    sender: str
    receiver: str
    clock: str  # virtual, real
    bytes: int
    complete: bool  # all bytes were right, and both ends have closed
    round_trips: list[float]  # when segments arrived
    arrived: list[int]  # bytes until then

    def after(self, mark: int) -> float | None:
        """Round trips until so many bytes had arrived."""
        points = zip(self.round_trips, self.arrived, strict=True)
        return next((at for at, size in points if size >= mark), None)


class Arrivals:
    """Counts the payload of segments in one direction, each byte once."""

    def __init__(self) -> None:
        self._first: int | None = None  # sequence number of the first byte
        self.points: list[tuple[int, int]] = []  # time, bytes until then

    def take(self, due: int, frame: bytes) -> None:
        segment = segment_of(frame)
        if segment is None:
            return
        seq = int.from_bytes(segment[4:8], "big")
        if segment[13] & SYN:
            self._first = (seq + 1) % (1 << 32)
        elif self._first is not None and (payload := len(segment) - (segment[12] >> 4 << 2)):
            end = (seq - self._first) % (1 << 32) + payload
            if not self.points or end > self.points[-1][1]:
                self.points.append((due, end))


def segment_of(frame: bytes) -> bytes | None:
    """The TCP segment in a frame; None if there is none."""
    if int.from_bytes(frame[12:14], "big") != TYPE_IPV4:
        return None
    packet = frame[ETHERNET_BYTES:]
    if packet[9] != PROTOCOL_TCP:
        return None
    return packet[(packet[0] & 15) << 2 : int.from_bytes(packet[2:4], "big")]


def transfer(ends: Sequence[End], sender: int, size: int, round_trip_us: int) -> Transfer:
    """Runs until all bytes have arrived and both ends have had the time to close.

    `sender`: 0 or 1. ARP is not delayed: addresses are known before the first SYN.
    """
    is_real = any(isinstance(end, Linux) for end in ends)
    started = real_us() if is_real else 0
    now, first_syn, over = started, None, None
    flying: list[tuple[int, int, int, bytes]] = []  # when, order, to which end, frame
    order = count()
    arrivals = Arrivals()
    wakes = [started, started]
    while over is None or now < over:
        here: tuple[list[bytes], list[bytes]] = [], []
        while flying and flying[0][0] <= now:
            _, _, to, frame = heapq.heappop(flying)
            here[to].append(frame)
        for number, end in enumerate(ends):
            if not here[number] and now < wakes[number]:
                continue
            for sent, frame in end.step(now, here[number]):
                segment = segment_of(frame)
                due = sent if segment is None else sent + round_trip_us // 2
                heapq.heappush(flying, (due, next(order), 1 - number, frame))
                if segment is not None and first_syn is None:
                    first_syn = sent
                if number == sender:
                    arrivals.take(due, frame)
            wakes[number] = end.wake(now)
        if arrivals.points and arrivals.points[-1][1] >= size and over is None:
            over = arrivals.points[-1][0] + 3 * round_trip_us
        if now - started > PATIENCE_SECONDS * 1e6:
            break
        following = min([*wakes, *(flight[0] + SLICE_US for flight in flying[:1])])
        if is_real:
            time.sleep(max(0, following - real_us()) / 1e6)
        now = max(now, following)
    names = [end.name for end in ends]
    complete = sum(end.close() for end in ends) == len(ends)  # closes both
    points = [((at - (first_syn or 0)) / round_trip_us, done) for at, done in arrivals.points]
    return Transfer(
        sender=names[sender],
        receiver=names[1 - sender],
        clock="real" if is_real else "virtual",
        bytes=size,
        complete=complete,
        round_trips=[round(at, 3) for at, _ in points],
        arrived=[done for _, done in points],
    )


def measure(
    library: Library, peers: Sequence[str], size: int, round_trip_us: int
) -> list[Transfer]:
    """The engine as sender and as receiver with each peer, and Linux with itself."""
    manifest = library.manifest
    host, peer = (
        str(IPv4Address(each.ip)) for each in (Host.from_manifest(manifest), neighbour(manifest))
    )
    clients: dict[str, Callable[..., End]] = {"smoltcp": Smoltcp, "linux": Linux}
    rows = []
    for name in peers:
        for sends in (True, False):
            with Simulation(library, seed=1, timer_step_us=Engine.SLICE_US) as simulation:
                ends = [
                    Engine(simulation, size, sends=sends),
                    clients[name](peer, host, size, sends=not sends),
                ]
                rows.append(transfer(ends, 0 if sends else 1, size, round_trip_us))
    if "linux" in peers:
        ends = [
            Linux(host, peer, size, sends=True, serves=True),
            Linux(peer, host, size, sends=False),
        ]
        rows.append(transfer(ends, 0, size, round_trip_us))
    return rows


def table(rows: Sequence[Transfer], size: int) -> Table:
    result = Table(title="Round trips from the SYN until bytes have arrived", title_justify="left")
    for heading in ("sender", "receiver", "clock"):
        result.add_column(heading)
    for mark in (*MARKS, size):
        result.add_column(f"{mark:,} bytes" if mark > 1 else "1 byte", justify="right")
    for row in rows:
        cells = [row.after(mark) for mark in (*MARKS, size)]
        shown = ["" if cell is None else f"{cell:.2f}" for cell in cells]
        result.add_row(row.sender, row.receiver, row.clock, *shown)
    return result


def main(
    design: Path | None,
    json: Path | None,
    *,
    peers: Annotated[str, "the engine's peers, separated by commas"] = ",".join(PEERS),
    size: Annotated[int, "bytes of a transfer"] = SIZE,
    round_trip_ms: Annotated[int, "delay of the link, both ways"] = ROUND_TRIP_MS,
    pictures: Annotated[str, "folder for the plot"] = "",
) -> None:
    names = peers.split(",")
    if not set(names) <= set(PEERS):
        raise UserError(f"--peers {peers}: should be of {listing(PEERS)}")
    if size < 1:
        raise UserError(f"--size {size}: should be at least 1")
    if not 10 <= round_trip_ms <= 900:
        raise UserError(f"--round-trip-ms {round_trip_ms}: should be from 10 to 900")
    rows = measure(build(design or DESIGN), names, size, 1000 * round_trip_ms)
    if pictures:
        draw_transfers(list(map(asdict, rows)), Path(pictures))
    wrong = sum(not row.complete for row in rows)
    report_replies(rows, wrong, "tcp-transfers", json, [table(rows, size)])

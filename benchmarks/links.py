# SPDX-License-Identifier: Apache-2.0
"""Links between two designs: goodput and round trip by TCP, UDP, Ethernet and without packets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from _links_ends import PAIRS, Pair, Tcp, content
from _links_report import draw, table

from bombus.base.errors import UserError
from bombus.base.output import check_writable, writing
from bombus.measure.bench import report_replies

PROTOCOLS = ",".join(pair.protocol for pair in PAIRS)
PAYLOAD = 4096
MESSAGES = 400
REQUEST = 64  # bytes of a round trip
TRIPS = 8  # each with a session of its own over TCP
STEP_CYCLES = 64


@dataclass(frozen=True)
class Row:
    """Figures of one protocol; docs/benchmarks.md defines them."""

    protocol: str
    payload_bytes: int
    goodput_gbps: float | None
    duplex_gbps: float | None
    bound_gbps: float | None
    round_trip_cycles: int
    round_trip_ns: float
    checked: int  # bytes


def goodput(
    pair: Pair, senders: tuple[int, ...], payload: int, messages: int
) -> tuple[float, int, int]:
    """Gbit/s of the slower direction while these ends send, checked bytes, and wrong directions."""
    for end in (0, 1):
        pair.link.arrivals(end)
    sent = {end: [content(2 * n + end, payload) for n in range(messages)] for end in senders}
    for end, each in sent.items():
        for message in each:
            pair.send(end, message)
    size = messages * payload
    found = pair.collect({1 - end: size for end in senders}, STEP_CYCLES)
    rates = []
    for end in found:
        arrivals = pair.link.arrivals(end)
        middle = arrivals[len(arrivals) // 4 : len(arrivals) - len(arrivals) // 4]
        # Whole periods of the link, from an arrival on
        first, last = (middle[0][0], middle[-1][0]) if middle else (0, 0)
        span = (last - first) // pair.period_cycles * pair.period_cycles
        if span == 0:
            raise UserError(f"{pair.protocol}: too few messages of {payload} bytes to measure")
        bits = 8 * sum(size for cycle, size in middle if cycle < first + span)
        rates.append(bits * pair.ends[0].clock_hz / span / 1e9)
    wrong = sum(found[1 - end] != b"".join(each) for end, each in sent.items())
    return min(rates), size * len(found), wrong


def trips(pair: Pair) -> tuple[int, int | None, int]:
    """Longest round trip, and with the handshake of TCP, in cycles; the number of wrong ones."""
    pair.open(echo=True)
    longest, with_handshake, wrong = 0, 0, 0
    for number in range(TRIPS):
        pair.link.step(2000 + number)  # all is idle
        start = pair.ends[0].cycle
        if isinstance(pair, Tcp):
            pair.connections = [pair.connect(7)]
        opened = pair.ends[0].cycle
        request = content(number, REQUEST)
        pair.send(0, request, echo=True)
        wrong += pair.collect({0: REQUEST}, 1)[0] != request
        longest = max(longest, pair.ends[0].cycle - opened)
        with_handshake = max(with_handshake, pair.ends[0].cycle - start)
    return longest, with_handshake if isinstance(pair, Tcp) else None, wrong


def measure(
    kinds: list[type[Pair]], payload: int, messages: int, seed: int
) -> tuple[list[Row], int]:
    """All rows, and the number of errors."""
    rows, errors = [], 0
    for kind in kinds:
        pair = kind(seed, echoes=False)
        pair.open(echo=False)
        measured = [goodput(pair, senders, payload, messages) for senders in ((0,), (1,), (0, 1))]
        rates, checked, wrongs = zip(*measured, strict=True)
        errors += sum(wrongs) + sum(sum(end.errors().values()) for end in pair.ends)
        pair.close()
        pair = kind(seed, echoes=True)
        trip, handshake, wrong = trips(pair)
        ns = 1e9 / pair.ends[0].clock_hz
        errors += wrong + sum(sum(end.errors().values()) for end in pair.ends)
        pair.close()
        name = pair.protocol
        if handshake is not None:
            figures = (handshake, round(handshake * ns, 1), 0)
            rows.append(Row(f"{name}_handshake", REQUEST, None, None, None, *figures))
        bound = round(kind.bound_gbps(payload), 3)
        figures = (trip, round(trip * ns, 1), sum(checked))
        simplex, duplex = round(min(rates[:2]), 3), round(rates[2], 3)
        rows.append(Row(name, payload, simplex, duplex, bound, *figures))
    return rows, errors


def main(
    design: Path | None,
    json: Path | None,
    *,
    protocols: Annotated[str, "separated by commas"] = PROTOCOLS,
    payload: Annotated[int, "bytes of a message, a multiple of 64 up to 4096"] = PAYLOAD,
    messages: Annotated[int, "messages of each end"] = MESSAGES,
    seed: Annotated[int, "random seed"] = 1,
    pictures: Annotated[str, "folder for the plot"] = "",
) -> None:
    if design is not None:
        raise UserError(f"{design}: bench links has designs of its own")
    if not 64 <= payload <= 4096 or payload % 64:
        raise UserError(f"--payload {payload}: should be a multiple of 64, up to 4096")
    if messages < 8:
        raise UserError(f"--messages {messages}: should be at least 8")
    known = {pair.protocol: pair for pair in PAIRS}
    names = protocols.split(",")
    if unknown := [name for name in names if name not in known]:
        raise UserError(f"--protocols {unknown[0]}: should be of {PROTOCOLS}")
    picture = Path(pictures) / "links.svg" if pictures else None
    if picture:
        with writing(picture):
            picture.parent.mkdir(parents=True, exist_ok=True)
        check_writable(picture)
    rows, errors = measure([known[name] for name in names], payload, messages, seed)
    found = [asdict(row) for row in rows]
    if picture:
        draw(found, picture)
    report_replies(rows, errors, "links", json, [table(found)])

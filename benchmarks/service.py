# SPDX-License-Identifier: Apache-2.0
"""A UDP or TCP service of your own: latency of single requests, rate at saturation, losses.

Requests have random bytes, those of a file, or those that a Python file makes. With `--checker`,
every reply is checked: `echo`, or a Python file with `request(number, size)`, `reply(request)` or
`check(request, reply)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Annotated, Any

from _service_messages import NONE, Messages
from _service_tcp import TcpService
from _service_udp import MOST_REQUESTS, UdpService
from rich.table import Table

from bombus import Simulation
from bombus.analysis.check import check
from bombus.base.errors import UserError
from bombus.base.text import counted, listing
from bombus.generation.manifest import manifest
from bombus.measure.bench import numbers, report
from bombus.protocols.frames import WIRE_EXTRA_BYTES
from bombus.simulator.counters import DROP, Counters, difference, with_prefix

PROTOCOLS = ("udp", "tcp")
COUNT = 2000
SINGLES = 100
SIZE = 64


@dataclass(frozen=True)
class Latency:
    """Cycles from the first beat of a request to the first beat of its reply."""

    min: int
    median: float
    p99: int
    max: int

    @classmethod
    def of(cls, cycles: Sequence[int]) -> Latency:
        ordered = sorted(cycles)
        last = -(-99 * len(ordered) // 100) - 1
        return cls(ordered[0], median(ordered), ordered[last], ordered[-1])


@dataclass(frozen=True)
class Row:
    """Figures of one size of requests; docs/benchmarks.md defines them."""

    request_bytes: int
    reply_bytes: float  # mean
    latency: Latency  # of single requests
    latency_ns: float  # median
    loaded_latency: Latency  # of those sent back to back
    messages: int
    lost: int
    cycles_per_message: float
    mmps: float
    gbps: float
    bound_gbps: float
    checked: int  # replies
    wrong: int


def service_port(described: dict[str, Any], protocol: str, port: int) -> tuple[str, int]:
    """Protocol and port, where the design leaves no choice if they are not given."""
    found = {
        (each, int(layer["params"].get(f"{each}_port", 0)))
        for tile in described["tiles"]
        for layer in tile["layers"]
        for each in PROTOCOLS
    }
    known = sorted(pair for pair in found if pair[1])
    fits = [each for each in known if protocol in ("", each[0]) and port in (0, each[1])]
    if len(fits) == 1:
        return fits[0]
    if protocol and port:  # software may have opened it
        return protocol, port
    have = listing(f"{each.upper()} port {number}" for each, number in known)
    needed = listing((["--port"] if not port else []) + (["--protocol"] if not protocol else []))
    raise UserError(
        f"{described['name']}: which service? give {needed}; the design file has "
        f"{have or 'no layer with a port'}"
    )


def cycles_each(cycles: Sequence[int]) -> float:
    """Cycles of a message in the middle half, or 0 if there are too few replies."""
    ordered = sorted(cycles)
    cut = len(ordered) // 4 if len(ordered) >= 40 else 0
    ordered = ordered[cut : len(ordered) - cut]
    return (ordered[-1] - ordered[0]) / (len(ordered) - 1) if len(ordered) > 1 else 0.0


def drops(after: Counters, before: Counters) -> dict[str, int]:
    """Drops by tile and reason."""
    return {
        f"{tile}: {name}": value
        for tile, values in difference(after, before).items()
        for name, value in with_prefix(values, DROP).items()
    }


def measure_row(
    service: UdpService | TcpService, size: int, count: int, singles: int, outstanding: int
) -> tuple[Row, dict[str, int]]:
    """Figures of one size, and the drops at saturation; UserError without replies."""
    simulation, messages = service.simulation, service.messages
    name = simulation.manifest["name"]
    checked, wrong = messages.checked, messages.wrong
    requests = messages.requests(singles + count, size, service.most_bytes())

    before = simulation.counters()
    alone = service.singles(requests[:singles])
    if len(alone.cycles) < singles:
        simulation.advance_until_idle()
        dropped = drops(simulation.counters(), before)
        raise UserError(
            f"{name}, port {service.port}: {singles - len(alone.cycles):,} of "
            f"{counted(singles, 'single request')} got no{_whole(service)} reply"
            f"{_named(dropped) or '; no layer counted a drop'}"
        )
    before = simulation.counters()
    loaded = service.burst(requests[singles:], outstanding)
    simulation.advance_until_idle()
    dropped = drops(simulation.counters(), before)
    cycles = cycles_each(loaded.cycles)
    if not cycles or (isinstance(service, TcpService) and len(loaded.cycles) < count):
        raise UserError(
            f"{name}, port {service.port}: {len(loaded.cycles):,} of {count:,} requests got "
            f"a{_whole(service)} reply{_named(dropped)}"
        )
    asked = round(fmean(map(len, requests[singles:])))
    answered = fmean(loaded.sizes)
    wire = max(service.wire_bytes(asked, round(answered)))
    rate = simulation.clock_hz / cycles
    line = float(simulation.manifest["line_rate_gbps"]) * 1e9
    beats = -(-(wire - WIRE_EXTRA_BYTES) // simulation.data_bytes)
    latency = Latency.of(alone.latencies)
    row = Row(
        request_bytes=asked,
        reply_bytes=round(answered, 1),
        latency=latency,
        latency_ns=round(latency.median * 1e9 / simulation.clock_hz, 1),
        loaded_latency=Latency.of(loaded.latencies),
        messages=count,
        lost=count - len(loaded.cycles),
        cycles_per_message=round(cycles, 3),
        mmps=round(rate / 1e6, 3),
        gbps=round(8 * wire * rate / 1e9, 3),
        bound_gbps=round(min(line, 8 * wire * simulation.clock_hz / beats) / 1e9, 3),
        checked=messages.checked - checked,
        wrong=messages.wrong - wrong,
    )
    return row, dropped


def _whole(service: UdpService | TcpService) -> str:
    """A TCP reply has a length that only the checker or `--reply-size` can know."""
    if isinstance(service, UdpService):
        return ""
    return " whole"


def _named(dropped: dict[str, int]) -> str:
    """Drops in words, if there are some."""
    each = [f"{name} {value:,}" for name, value in dropped.items()]
    return f"; dropped: {', '.join(each)}" if each else ""


def table(rows: Sequence[Row], title: str, line_rate: float, dropped: dict[str, int]) -> Table:
    result = Table(title=title, title_justify="left")
    headings = ("bytes\nout", "bytes\nback", "cycles\nmin", "median", "p99", "max", "ns\nmedian")
    for heading in (*headings, "million\na second", "Gbit/s", "bound", "lost"):
        result.add_column(heading, justify="right")
    for row in rows:
        latency = row.latency
        result.add_row(
            f"{row.request_bytes}",
            f"{row.reply_bytes:g}",
            *(f"{each:g}" for each in (latency.min, latency.median, latency.p99, latency.max)),
            f"{row.latency_ns:g}",
            f"{row.mmps:.3f}",
            f"{row.gbps:.2f}",
            f"{row.bound_gbps:.2f}",
            f"{row.lost:,}",
        )
    checked = sum(row.checked for row in rows)
    notes = [
        f"Latency of single requests; rate of {rows[0].messages:,} requests back to back, on a "
        f"line of {line_rate:g} Gbit/s",
        f"{counted(checked, 'reply').replace('replys', 'replies')} checked",
    ]
    result.caption = "; ".join(notes) + _named(dropped)
    result.caption_justify = "left"
    return result


def payload_of(file: str) -> bytes | None:
    if not file:
        return None
    path = Path(file)
    if not path.is_file():
        raise UserError(f"--payload {file}: there is no such file")
    return path.read_bytes()


def main(
    design: Path | None,
    json: Path | None,
    *,
    port: Annotated[int, "port of the service; 0: the only one of the design file"] = 0,
    protocol: Annotated[str, "udp or tcp; default: that of the port in the design file"] = "",
    size: Annotated[str, "bytes of a request, separated by commas"] = str(SIZE),
    count: Annotated[int, "requests back to back"] = COUNT,
    singles: Annotated[int, "requests one at a time"] = SINGLES,
    payload: Annotated[str, "file with the bytes of every request; default: random"] = "",
    checker: Annotated[str, "none, echo or a Python file: see above"] = NONE,
    reply_size: Annotated[int, "bytes of a TCP reply; 0: those of the request"] = 0,
    connections: Annotated[int, "TCP connections"] = 1,
    outstanding: Annotated[int, "most requests without a reply; 0: no limit"] = 0,
    seed: Annotated[int, "random seed"] = 1,
) -> None:
    if design is None:
        raise UserError("service needs a design: bombus bench service DESIGN")
    if protocol not in ("", *PROTOCOLS):
        raise UserError(f"--protocol {protocol}: should be {listing(PROTOCOLS, 'or')}")
    if port > 0xFFFF:
        raise UserError(f"--port {port}: should be from 1 to 65535")
    if not 2 <= count <= MOST_REQUESTS or singles > MOST_REQUESTS:
        raise UserError(f"--count and --singles: at most {MOST_REQUESTS:,}, --count at least 2")
    content = payload_of(payload)
    sizes = numbers("size", size) if content is None else [len(content)]
    messages = Messages(Random(seed), content, checker, reply_size)
    rows: list[Row] = []
    dropped: dict[str, int] = {}
    described = manifest(check(design)[0])
    protocol, port = service_port(described, protocol, port)  # before anything is built
    with Simulation(design, seed=seed) as simulation:
        line_rate = float(described["line_rate_gbps"])
        simulation.line_rate(line_rate)
        service: UdpService | TcpService
        if protocol == "udp":
            service = UdpService(simulation, port, messages)
        else:
            service = TcpService(simulation, port, messages, connections)
        for each in sizes:
            row, lost = measure_row(service, each, count, singles, outstanding)
            rows.append(row)
            for name, value in lost.items():
                dropped[name] = dropped.get(name, 0) + value
        violations = {name: value for name, value in simulation.errors().items() if value}
    title = f"{protocol.upper()} port {port} of {described['name']}"
    values = {
        "protocol": protocol,
        "port": port,
        "rows": list(map(asdict, rows)),
        "drops": dropped,
        "errors": messages.wrong + sum(violations.values()),
    }
    report(values, json, [table(rows, title, line_rate, dropped)])
    if messages.wrong:
        total = (singles + count) * len(rows)
        raise UserError(
            f"{title}: {messages.wrong:,} of {total:,} replies are wrong; "
            f"the first: {messages.first_wrong}"
        )
    if violations:
        named = listing(f"{name} {value:,}" for name, value in violations.items())
        raise UserError(f"{title}: violations of AXI-Stream: {named}")

# SPDX-License-Identifier: Apache-2.0
"""Witnesses of Viewstamped Replication in virtual time: latency and rate at the MAC port."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated

from _vr_software import software
from rich.table import Table

from bombus import Simulation
from bombus.applications.vr.messages import (
    HEADER_BYTES,
    Commit,
    Fixed,
    Prepare,
    PrepareOk,
    Request,
    ValidateRead,
    ValidateReadReply,
)
from bombus.applications.vr.simulated import Message, Witnesses
from bombus.base.paths import EXAMPLES
from bombus.measure.bench import report_replies
from bombus.measure.exchanges import cycles_per_packet
from bombus.protocols.frames import WIRE_EXTRA_BYTES

SEED = 1
MESSAGES = 1000
SINGLE = 16
VALUE_BYTES = 64
OP_BYTES = 140  # of a put of 64 bytes under a key of 64 bytes: a Prepare of 217 bytes
HEADERS = 42
COMMIT_EVERY = 100  # Prepares between Commits, so that the log is truncated


@dataclass(frozen=True)
class Row:
    """Figures of one message; docs/benchmarks.md defines them."""

    message: str
    shards: int
    bytes: int
    latency_cycles: int
    cycles_per_message: float
    wire_cycles: float
    messages_per_second: float
    checked: int


@dataclass(frozen=True)
class Part:
    """A part of the time of an operation, from the client to the leader and back, and the sum."""

    operation: str
    part: str
    bytes: int
    ns: float


@dataclass(frozen=True)
class Ratio:
    """Reply time of the simulated witness / real time of a software witness on loopback."""

    message: str
    hardware_ns: float
    ratio: float


class Load:
    """Makes the next message of a shard."""

    def __init__(self, witnesses: Witnesses) -> None:
        self.witnesses = witnesses
        self.random = Random(SEED)

    def read(self, port: int) -> bytes:
        view = self.witnesses.models[port].view
        client, number = self.random.getrandbits(64), self.random.getrandbits(64)
        return ValidateRead(view, client, number).encode()

    def prepare(self, port: int, ahead: int = 0) -> bytes:
        model, random = self.witnesses.models[port], self.random
        operation = random.randbytes(OP_BYTES)
        request = Request(random.getrandbits(64), random.getrandbits(64), operation)
        return Prepare.of(model.view, model.last + 1 + ahead, [request], model.committed).encode()

    def commit(self, port: int) -> bytes:
        model = self.witnesses.models[port]
        return Commit(model.view, model.last).encode()


def _latency(witnesses: Witnesses, make: Callable[[int], bytes]) -> int:
    """Cycles from the last beat in to the first beat out, idle; the maximum."""
    cycles = []
    for number in range(SINGLE):
        witnesses.simulation.advance_until_idle()
        witnesses.simulation.advance(number)  # not always in the same phase
        result = witnesses.exchange([(witnesses.ports[0], make(witnesses.ports[0]))])
        (sent,), (answer,) = result.sent, result.received
        cycles.append(answer.first_beat_cycle - sent.last_beat_cycle)
    return max(cycles)


def _rate(witnesses: Witnesses, messages: int, shards: int, name: str) -> float:
    """Cycles from one answer to the next, of messages that arrive back to back."""
    load, ports = Load(witnesses), witnesses.ports[:shards]
    made: list[Message] = []
    if name == "ValidateRead":
        made = [(ports[n % shards], load.read(ports[n % shards])) for n in range(messages)]
        return cycles_per_packet(witnesses.exchange(made).received)
    spans: list[float] = []
    for _ in range(max(1, messages // (COMMIT_EVERY * shards))):
        made = [
            (port, load.prepare(port, ahead)) for ahead in range(COMMIT_EVERY) for port in ports
        ]
        spans.append(cycles_per_packet(witnesses.exchange(made).received))
        witnesses.exchange([(port, load.commit(port)) for port in ports])
    return max(spans)


def _parts(latency_ns: dict[str, float], bytes_per_ns: float) -> list[Part]:
    """An operation as a sum: frames on the wire, and the witness. Host software and switches are
    not simulated, and so in no part."""
    request, reply = HEADER_BYTES + 25 + OP_BYTES, HEADER_BYTES + 40 + VALUE_BYTES
    answers: dict[str, Fixed] = {
        "Prepare": PrepareOk(0, 0, 0, 0),
        "ValidateRead": ValidateReadReply(1, 0, 0, 0),
    }
    operations: dict[str, tuple[int, Prepare | Fixed]] = {
        "put": (request, Prepare.of(0, 1, [Request(0, 0, bytes(OP_BYTES))])),
        "get": (request - VALUE_BYTES, ValidateRead(0, 0, 0)),
    }
    found = []
    for operation, (asked, message) in operations.items():
        name = type(message).__name__
        sizes = {
            "request": asked,
            name: len(message.encode()),
            type(answers[name]).__name__: len(answers[name].encode()),
            "reply": reply,
        }
        parts = [
            Part(operation, f"{part} on the wire", size, round(_wire_ns(size, bytes_per_ns), 1))
            for part, size in sizes.items()
        ]
        parts.insert(2, Part(operation, "witness, MAC to MAC", 0, latency_ns[name]))
        found += [*parts, Part(operation, "sum", 0, round(sum(part.ns for part in parts), 1))]
    return found


def _wire_ns(size: int, bytes_per_ns: float) -> float:
    """Time of a datagram on the line, with headers, FCS, preamble and gap."""
    return (size + HEADERS + WIRE_EXTRA_BYTES) / bytes_per_ns


def _ratios(program: Path, messages: int, latency_ns: dict[str, float]) -> list[Ratio]:
    with software(program) as witness:
        seconds = {
            "Prepare": witness.prepare(bytes(OP_BYTES), messages),
            "ValidateRead": witness.read(messages),
        }
    return [
        Ratio(name, latency_ns[name], round(latency_ns[name] / (1e9 * each), 5))
        for name, each in seconds.items()
    ]


def main(
    design: Path | None = None,
    json: Path | None = None,
    messages: Annotated[int, "messages of each measurement of the rate"] = MESSAGES,
    program: Annotated[str, "program of clients/vr in the repository: ratio to its witness"] = "",
) -> None:
    rows: list[Row] = []
    with Simulation(design or EXAMPLES / "vr" / "witness.yaml", seed=SEED) as simulation:
        witnesses = Witnesses(simulation)
        witnesses.join()
        load = Load(witnesses)
        bytes_per_cycle = simulation.manifest["line_rate_gbps"] * 1e9 / 8 / simulation.clock_hz
        for name, make in (("Prepare", load.prepare), ("ValidateRead", load.read)):
            latency = _latency(witnesses, make)
            size = len(make(witnesses.ports[0]))
            for shards in range(1, len(witnesses.ports) + 1):
                checked = witnesses.checked
                cycles = _rate(witnesses, int(messages), shards, name)
                wire = (size + HEADERS + WIRE_EXTRA_BYTES) / bytes_per_cycle
                rows.append(
                    Row(
                        name,
                        shards,
                        size,
                        latency,
                        round(cycles, 3),
                        round(wire, 3),
                        round(simulation.clock_hz / max(cycles, wire)),
                        witnesses.checked - checked,
                    )
                )
        simulation.check()
        latency_ns = {row.message: row.latency_cycles * 1e9 / simulation.clock_hz for row in rows}
        parts = _parts(latency_ns, bytes_per_cycle * simulation.clock_hz / 1e9)
    ratios = _ratios(Path(program), int(messages), latency_ns) if program else []
    table = Table("message", title="vr")
    headings = ("shards", "bytes", "cycles\nlatency", "cycles\nper message", "cycles\non the wire")
    for heading in (*headings, "messages/s"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            row.message,
            f"{row.shards}",
            f"{row.bytes}",
            f"{row.latency_cycles}",
            f"{row.cycles_per_message:.2f}",
            f"{row.wire_cycles:.2f}",
            f"{row.messages_per_second:,}",
        )
    sums = Table("operation", "part", title="operations, without the software of hosts")
    for heading in ("bytes", "ns"):
        sums.add_column(heading, justify="right")
    for part in parts:
        sums.add_row(part.operation, part.part, f"{part.bytes or ''}", f"{part.ns}")
    tables = [table, sums]
    if ratios:
        title = "reply time, simulated witness / software witness on loopback"
        tables.append(Table("message", "ratio", title=title))
        for ratio in ratios:
            tables[-1].add_row(ratio.message, f"{ratio.ratio}")
    report_replies(
        rows, witnesses.errors, "vr", json, tables, operations=parts, software_ratio=ratios
    )

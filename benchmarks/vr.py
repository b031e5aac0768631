# SPDX-License-Identifier: Apache-2.0
"""Witnesses of Viewstamped Replication in virtual time: latency and rate at the MAC port."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated

from rich.table import Table

from bombus import Simulation
from bombus.applications.vr.messages import Commit, Prepare, Request, ValidateRead
from bombus.applications.vr.simulated import Message, Witnesses
from bombus.base.paths import EXAMPLES
from bombus.measure.bench import report_replies
from bombus.measure.exchanges import cycles_per_packet
from bombus.protocols.frames import WIRE_EXTRA_BYTES

SEED = 1
MESSAGES = 1000
SINGLE = 16
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


def main(
    design: Path | None = None,
    json: Path | None = None,
    messages: Annotated[int, "messages of each measurement of the rate"] = MESSAGES,
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
    report_replies(rows, witnesses.errors, "vr", json, [table])

# SPDX-License-Identifier: Apache-2.0
"""tcp_deliver and tcp_bypass: payload and events go to their applications, in order."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from bombus.design.rtl import struct_layout
from tests.protocols.tcp.tcp_world import REPORT, VERDICT, Struct
from tests.support.harness import (
    KIND_BITS,
    LENGTH_BITS,
    PACES,
    SEEDS,
    WIDTHS,
    Bench,
    Benches,
    Layout,
)

pytestmark = pytest.mark.slow

PAYLOAD, ORDER, OUTCOME, MISSED = range(4)
DATA, EVENT = 2, 3
PORTS = {80: 0, 443: 1}
NO_SESSION, PORT_IN_USE = 4, 5  # cause_e
DATA_META = Struct("tcp_data_meta_t", "tcp_pkg")
EVENT_META = Struct("tcp_event_meta_t", "tcp_pkg")


def bits(name: str, package: str) -> int:
    return max(each.offset + each.width for each in struct_layout(name, package).values())


META_BITS = bits("tcp_event_meta_t", "tcp_pkg")
OUTCOMES = Layout(
    ("port", 16),
    ("report", bits("report_t", "tcp_state_pkg")),
    ("tells", 1),
    ("verdict", bits("verdict_t", "tcp_state_pkg")),
    ("arrival", 1),
)


@dataclass(frozen=True)
class Message:
    """The output to an application."""

    next_hop: int
    kind: int
    payload: bytes
    fields: tuple[tuple[str, int], ...]


class Link:
    """The bench, and its expected output."""

    def __init__(self, bench: Bench, width: int, seed: int) -> None:
        self.bench, self.random, self.size = bench, Random(seed), width // 8
        self.layout = Layout(
            ("data", width),
            ("bytes", self.size.bit_length()),
            ("last", 1),
            ("kind", KIND_BITS),
            ("length", LENGTH_BITS),
            ("meta", META_BITS),
            ("next", 1),
        )
        self.expected: list[Message] = []
        self.missed: list[tuple[int, int]] = []  # port and cause
        self.told: list[tuple[int, int]] = []  # those that were reported
        self.dropped = 0

    def segment(self, port: int, payload: bytes, *, has_session: bool = True, **fate: bool) -> None:
        """`keep`, `tells`, `opens`: what the session has made of it."""
        noise, size = self.random.getrandbits, self.size
        items = []
        for start in range(0, max(len(payload), 1), size):
            part = payload[start : start + size]
            items.append(
                self.layout.pack(
                    data=int.from_bytes(part, "little"),
                    bytes=len(part),
                    last=start + size >= len(payload),
                    kind=0 if not start else noise(KIND_BITS),
                    length=len(payload) if not start else noise(LENGTH_BITS),
                    meta=noise(META_BITS),
                )
            )
        self.bench.push(items, PAYLOAD)
        self.bench.push([has_session], ORDER)
        if has_session:
            self.outcome(port, payload, arrival=True, **fate)

    def outcome(
        self,
        port: int,
        payload: bytes = b"",
        *,
        arrival: bool = False,
        keep: bool = False,
        tells: bool = False,
        opens: bool = False,
    ) -> None:
        noise = self.random.getrandbits
        session, start, skip = noise(14), noise(32), noise(14)
        report = {"session": session, "read_end": noise(32), "write_end": noise(32)}
        report |= {"cause": noise(3), "mss": noise(14)}
        item = OUTCOMES.pack(
            port=port,
            arrival=arrival,
            tells=tells or opens,
            verdict=VERDICT.pack(session=session, keep=keep, start=start, skip=skip),
            report=REPORT.pack(**report, changes__opened=opens, changes__readable=tells),
        )
        self.bench.push([item], OUTCOME)
        data = {"port": port, "session": session, "start": start, "skip": skip}
        event = {**report, "port": port, "changes.opened": opens, "changes.readable": tells}
        if opens:
            self.expect(port, EVENT, b"", event)
        if keep:
            self.expect(port, DATA, payload, data)
        if tells and not opens:
            self.expect(port, EVENT, b"", event)

    def miss(self) -> None:
        """A connection for which no session is free. These keep their own order only."""
        port, in_use = self.random.choice([80, 443, 25]), self.random.randrange(2)
        self.bench.push([port | in_use << 16], MISSED)
        if port in PORTS:
            self.missed.append((port, PORT_IN_USE if in_use else NO_SESSION))
        else:
            self.dropped += 1

    def expect(self, port: int, kind: int, payload: bytes, fields: dict[str, int]) -> None:
        if port in PORTS:
            message = Message(PORTS[port], kind, payload, tuple(sorted(fields.items())))
            self.expected.append(message)
        else:
            self.dropped += 1

    def come(self) -> list[Message]:
        found: list[Message] = []
        payload, first = b"", {}
        for item in self.bench.items():
            beat = self.layout.unpack(item)
            first = first or beat
            assert beat["next"] == first["next"]
            payload += beat["data"].to_bytes(self.size, "little")[: beat["bytes"]]
            if not beat["last"]:
                continue
            assert first["length"] == len(payload)
            is_data = first["kind"] == DATA
            meta = (DATA_META if is_data else EVENT_META).unpack(first["meta"])
            if meta.get("changes.failed"):
                assert first["next"] == PORTS[meta["port"]]
                self.told.append((meta["port"], meta["cause"]))
                payload, first = b"", {}
                continue
            names = ("port", "session", "start", "skip")
            if not is_data:
                names = (
                    *("port", "session", "read_end", "write_end", "cause", "mss"),
                    *("changes.opened", "changes.readable"),
                )
            fields = tuple(sorted((name, meta[name]) for name in names))
            found.append(Message(first["next"], first["kind"], payload, fields))
            payload, first = b"", {}
        assert not payload
        return found

    def traffic(self, count: int) -> None:
        random = self.random
        for _ in range(count):
            port = random.choice([80, 443, 443, 80, 25])
            fate = {name: random.random() < 0.5 for name in ("tells", "opens")}
            if random.random() < 0.1:
                self.miss()
            if random.random() < 0.2:
                self.outcome(port, tells=True, opens=fate["opens"])
                continue
            length = random.choice([0, 1, 7, 8, 9, 63, 64, 65, random.randrange(1461)])
            self.segment(
                port,
                random.randbytes(length),
                has_session=random.random() < 0.9,
                keep=random.random() < 0.7 and length > 0,
                **fate,
            )


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("seed", SEEDS)
def test_order(benches: Benches, width: int, seed: int) -> None:
    link = Link(benches("tcp_deliver", seed=seed, DataWidth=width), width, seed)
    for pace in PACES:
        link.bench.pace(**pace)
        link.traffic(100)
        link.bench.drain()
    assert link.come() == link.expected
    assert link.told == link.missed
    assert link.bench.events[0] == link.dropped > 0
    assert not link.bench.status


def test_every_length(benches: Benches) -> None:
    link = Link(benches("tcp_deliver", DataWidth=512), 512, 1)
    for length in (*range(1, 200), *range(1300, 1461)):
        link.segment(80, link.random.randbytes(length), keep=True)
    link.bench.drain()
    assert link.come() == link.expected


def test_bytes_that_come_with_the_end_of_the_handshake(benches: Benches) -> None:
    """No application gets bytes of a session before the event that it has opened."""
    link = Link(benches("tcp_deliver", DataWidth=64), 64, 1)
    link.segment(443, b"request that is not short", keep=True, opens=True)
    link.bench.drain()
    assert [each.kind for each in link.come()] == [EVENT, DATA]


def test_no_gap_between_segments(benches: Benches) -> None:
    link = Link(benches("tcp_deliver", DataWidth=512), 512, 1)
    for _ in range(200):
        link.segment(80, link.random.randbytes(64), keep=True)
    link.bench.drain()
    cycles = [each.cycle for each in link.bench.received()]
    assert cycles[-1] - cycles[0] == len(cycles) - 1


def test_missed_connections_are_told_in_traffic(benches: Benches) -> None:
    """At most one segment passes a missed connection, even when segments never cease."""
    link = Link(benches("tcp_deliver", DataWidth=512), 512, 1)
    for _ in range(200):
        link.segment(80, link.random.randbytes(64), keep=True)
    link.bench.push([443] * 50, MISSED)
    link.bench.drain()
    hops = [link.layout.unpack(item)["next"] for item in link.bench.items()]
    assert len(hops) == 250
    assert sum(hops[:110]) == 50


def test_reset_in_traffic(benches: Benches) -> None:
    link = Link(benches("tcp_deliver", DataWidth=64), 64, 1)
    for _ in range(20):
        link.traffic(20)
        link.bench.run(link.random.randrange(200))
        link.bench.reset(1)
        link.expected.clear()
        link.missed.clear()
        link.told.clear()
        link.traffic(5)
        link.bench.drain()
        assert link.come() == link.expected
        assert link.told == link.missed

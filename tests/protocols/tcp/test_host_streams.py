# SPDX-License-Identifier: Apache-2.0
"""tcp_host between the messages of an engine and AXI-Streams."""

from __future__ import annotations

import pytest

from bombus.design.rtl import struct_layout
from tests.protocols.tcp.stream_world import KIND_DATA, KIND_EVENT, KIND_READ, KIND_REQUEST, META
from tests.support.app_bench import (
    BEATS_IN,
    BEATS_OUT,
    READS,
    REQUESTS,
    RX,
    TX,
    AppBench,
    Sent,
    struct_bits,
)
from tests.support.harness import PACES, Benches, consecutive

pytestmark = pytest.mark.slow

BITS = {
    name: struct_bits(f"tcp_{name}_meta_t", "tcp_pkg")
    for name in ("event", "data", "read", "request")
}
OUT_BITS = max(BITS["event"], BITS["data"])
IN_BITS = max(BITS["data"], BITS["read"], BITS["request"])
STREAMS = {"data": BEATS_OUT, "read": READS, "request": REQUESTS}
KINDS = {"data": KIND_DATA, "read": KIND_READ, "request": KIND_REQUEST}
UNKNOWN = 3
OPERATION = struct_layout("tcp_request_meta_t", "tcp_pkg")["request"]
# Of applications; the others are the send buffer's, or none.
OPERATIONS = (*range(2, 10), *range(11, 14))


@pytest.fixture(params=(64, 512), ids=["64 bits", "512 bits"])
def app(request: pytest.FixtureRequest, benches: Benches) -> AppBench:
    users = 24 + OUT_BITS, 24 + IN_BITS
    return AppBench(benches, "tcp_host", request.param, META, ("host_out", "host_in"), users)


def to_host(app: AppBench, payload: bytes, kind: str) -> Sent:
    """A message for the host: its expected result."""
    meta = app.random.getrandbits(BITS[kind])
    app.beats(payload, meta, KIND_EVENT if kind == "event" else KIND_DATA)
    return Sent(payload, (meta << 16 | len(payload)) << 8 | (kind == "data"))


def request_meta(app: AppBench, operation: int) -> int:
    bits = app.random.getrandbits(BITS["request"])
    mask = ((1 << OPERATION.width) - 1) << OPERATION.offset
    return bits & ~mask | operation << OPERATION.offset


def from_host(app: AppBench, payload: bytes, kind: str) -> Sent:
    meta = app.random.getrandbits(BITS[kind])
    if kind == "request":
        meta = request_meta(app, app.random.choice(OPERATIONS))
    app.send(payload, (meta << 16 | len(payload)) << 8 | list(STREAMS).index(kind))
    return Sent(payload, meta, KINDS[kind])


def some(app: AppBench, lengths: range) -> dict[int, list[Sent]]:
    """Messages of all kinds in both directions, with data of these lengths, and the expected
    results.
    """
    random = app.random
    expected: dict[int, list[Sent]] = {RX: [], BEATS_OUT: [], READS: [], REQUESTS: []}
    for length in random.sample(lengths, len(lengths)):
        for kind in random.sample(["data", "event"], 2):
            payload = random.randbytes(length) if kind == "data" else b""
            expected[RX].append(to_host(app, payload, kind))
        for kind in random.sample(list(STREAMS), 3):
            payload = random.randbytes(length) if kind == "data" else b""
            expected[STREAMS[kind]].append(from_host(app, payload, kind))
    return expected


def counts(app: AppBench) -> dict[str, int]:
    return dict(zip(app.events, app.bench.events, strict=False))


def test_every_length(app: AppBench) -> None:
    """All kinds in both directions at every pace; bytes outside tkeep are ignored."""
    for pace in PACES:
        app.bench.pace(**pace)
        number = 4 * app.size + 1
        expected = some(app, range(number))
        app.bench.drain()
        assert counts(app) == {
            "taken": 2 * number,
            "data": number,
            "read": number,
            "request": number,
            "unknown_kind": 0,
        }
        assert app.take() == expected
        assert not app.busy


def test_unknown_kinds(app: AppBench) -> None:
    """They are taken whole, counted, and forgotten."""
    app.bench.pace(gap=0.2, stall=0.2)
    expected = []
    for length in range(3 * app.size):
        app.send(app.random.randbytes(length), app.random.randrange(UNKNOWN, 256))
        expected.append(from_host(app, app.random.randbytes(length), "data"))
    app.bench.drain()
    assert counts(app)["unknown_kind"] == 3 * app.size
    found = app.take()
    assert found[BEATS_OUT] == expected
    assert not found[READS] and not found[REQUESTS]


def test_requests_that_applications_do_not_make(app: AppBench) -> None:
    """They are forgotten: with those of the send buffer, a host could stop all connections."""
    app.bench.pace(gap=0.2, stall=0.2)
    others = [each for each in range(1 << OPERATION.width) if each not in OPERATIONS]
    expected = []
    for operation in others:
        length = app.random.randrange(3 * app.size)
        meta = request_meta(app, operation)
        app.send(app.random.randbytes(length), (meta << 16 | length) << 8 | 2)
        expected.append(from_host(app, b"", "request"))
    app.bench.drain()
    assert counts(app)["unknown_kind"] == len(others) == 5
    assert app.take()[REQUESTS] == expected


def test_requests_with_more_beats(app: AppBench) -> None:
    """They have no data; anything the host sends after the first beat is ignored."""
    app.bench.pace(gap=0.2, stall=0.5)
    expected = []
    for length in range(3 * app.size):
        meta = app.random.getrandbits(BITS["read"])
        app.send(app.random.randbytes(length), (meta << 16 | length) << 8 | 1)
        expected.append(Sent(b"", meta, KIND_READ))
    app.bench.drain()
    assert app.take()[READS] == expected


def test_one_beat_per_cycle(app: AppBench) -> None:
    for _ in range(100):
        to_host(app, app.random.randbytes(app.random.randrange(3 * app.size)), "data")
        from_host(app, app.random.randbytes(app.random.randrange(3 * app.size)), "data")
    app.bench.drain()
    for source, sink in ((BEATS_IN, RX), (TX, BEATS_OUT)):
        came = [cycle for cycle, _ in app.bench.received(sink)]
        assert consecutive(came)
        assert came[0] - app.bench.taken(source)[0] == 1


def test_one_stream_does_not_wait_for_another(app: AppBench) -> None:
    """But for messages of the host, which come one behind the other."""
    for stuck in (RX, BEATS_OUT, READS, REQUESTS):
        app.reset()
        app.bench.pace(gap=0.0, stall=0.0)
        app.bench.stall(stuck, 1.0)
        for kind, stream in STREAMS.items():
            if stream != stuck:
                for _ in range(50):
                    from_host(app, b"x" * (kind == "data"), kind)
        for _ in range(50):
            to_host(app, b"x", "data")
        app.bench.run(400)
        found = app.take()
        for stream in (RX, BEATS_OUT, READS, REQUESTS):
            assert len(found[stream]) == (0 if stream == stuck else 50)


def test_reset_in_traffic(app: AppBench) -> None:
    for _ in range(20):
        app.bench.pace(gap=0.2, stall=app.random.choice([0.0, 0.5, 1.0]))
        some(app, range(3 * app.size))
        app.send(app.random.randbytes(3 * app.size), UNKNOWN)
        app.bench.run(app.random.randrange(100))
        app.reset()
        app.bench.pace(gap=0.2, stall=0.2)
        expected = some(app, range(10))
        app.bench.drain()
        assert app.take() == expected

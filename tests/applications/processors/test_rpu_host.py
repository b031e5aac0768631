# SPDX-License-Identifier: Apache-2.0
"""rpu_host between frames of packet processors and the AXI-Streams of a host."""

from __future__ import annotations

import pytest

from tests.support.app_bench import BEATS_OUT, RX, TX, AppBench, Sent, struct_bits
from tests.support.harness import PACES, Benches, consecutive, pack_meta

pytestmark = pytest.mark.slow

META = "packet_meta_t", "bombus_pkg"
META_BITS = struct_bits(*META)
PORT = 1
STORE_BYTES, STORE_FRAMES = 32768, 1024
LONGEST = 16383


@pytest.fixture(params=(64, 512), ids=["64 bits", "512 bits"])
def host(request: pytest.FixtureRequest, benches: Benches) -> AppBench:
    users = (24 + META_BITS, 24 + META_BITS)
    streams = ("host_out", "host_in")
    return AppBench(
        benches, "rpu_host", request.param, META, streams, users, parameters={"MacPort": PORT}
    )


def to_host(host: AppBench, payload: bytes) -> Sent:
    """A frame of a processor: what the host gets."""
    meta = host.random.getrandbits(META_BITS)
    host.beats(payload, meta)
    return Sent(payload, (meta << 16 | len(payload)) << 8)


def from_host(host: AppBench, payload: bytes) -> Sent:
    """A frame of the host, whatever port it says: what a processor gets."""
    meta = host.random.getrandbits(META_BITS)
    host.send(payload, (meta << 16 | len(payload)) << 8 | host.random.getrandbits(8))
    port = pack_meta(mac_port=3)
    return Sent(payload, meta & ~port | pack_meta(mac_port=PORT))


def counts(host: AppBench) -> dict[str, int]:
    return dict(zip(host.events, host.bench.events, strict=False))


def test_every_length(host: AppBench) -> None:
    """In both directions, at every pace; nothing is lost while the host takes what comes."""
    lengths = [*range(4 * host.size + 1), LONGEST]
    for pace in PACES:
        # A source that waits fills the store no faster than a sink that waits empties it.
        host.bench.pace(**pace)
        expected: dict[int, list[Sent]] = {RX: [], BEATS_OUT: []}
        for length in lengths:
            expected[RX].append(to_host(host, host.random.randbytes(length)))
            expected[BEATS_OUT].append(from_host(host, host.random.randbytes(length)))
            host.bench.drain()
        number = len(lengths)
        assert counts(host) == {"to_host": number, "from_host": number, "overflow": 0}
        found = host.take()
        assert {stream: found[stream] for stream in expected} == expected
        assert not host.busy
        host.reset()


@pytest.mark.parametrize("length", [1, 60, 900, LONGEST])
def test_a_host_that_takes_nothing_stops_nobody(host: AppBench, length: int) -> None:
    """Frames that find no room are lost whole and counted; frames from the host still come."""
    host.bench.pace()
    host.bench.stall(RX, 1.0)
    beats = -(-length // host.size)
    room = min(STORE_BYTES // host.size // beats, STORE_FRAMES, STORE_BYTES // host.size)
    number = room + 30
    sent = [to_host(host, host.random.randbytes(length)) for _ in range(number)]
    others = [from_host(host, host.random.randbytes(60)) for _ in range(50)]
    host.bench.run(beats * number + 200)
    assert not host.bench.waiting()
    assert counts(host)["from_host"] == 50
    lost = counts(host)["overflow"]
    assert host.take()[BEATS_OUT] == others
    assert host.busy
    host.bench.pace()
    host.bench.drain()
    assert counts(host)["overflow"] == 0
    found = host.take()[RX]
    assert found == sent[: len(found)]
    # The output register and what reads ahead hold some beats.
    assert room - 2 <= len(found) <= room + 4
    assert lost == number - len(found)
    assert not host.busy
    later = to_host(host, host.random.randbytes(length))
    host.bench.drain()
    assert host.take()[RX] == [later]


def test_processors_that_take_nothing_stop_only_the_host(host: AppBench) -> None:
    host.bench.pace()
    host.bench.stall(BEATS_OUT, 1.0)
    others = [from_host(host, bytes(60)) for _ in range(10)]
    sent = [to_host(host, host.random.randbytes(100)) for _ in range(100)]
    host.bench.run(100 * 15 + 100)
    found = host.take()
    assert (found[RX], found[BEATS_OUT]) == (sent, [])
    assert host.bench.waiting(TX)
    host.bench.pace()
    host.bench.drain()
    assert host.take()[BEATS_OUT] == others


def test_latency_and_throughput(host: AppBench) -> None:
    to_host(host, bytes(3 * host.size))
    host.bench.drain()
    assert host.bench.received(RX)[0][0] - host.bench.taken()[2] == 5
    host.reset()
    host.bench.stall(RX, 1.0)  # until frames wait: one does not leave before it is whole
    for _ in range(100):
        to_host(host, bytes(host.random.randrange(3 * host.size)))
        from_host(host, bytes(host.random.randrange(3 * host.size)))
    host.bench.run(20)
    host.bench.stall(RX, 0.0)
    host.bench.drain()
    for stream in (RX, BEATS_OUT):
        assert consecutive([cycle for cycle, _ in host.bench.received(stream)])
    assert host.bench.received(BEATS_OUT)[0][0] - host.bench.taken(TX)[0] == 1


def test_reset_in_traffic(host: AppBench) -> None:
    for _ in range(20):
        host.bench.pace(gap=0.2, stall=host.random.choice([0.0, 0.5, 1.0]))
        for length in range(3 * host.size):
            to_host(host, bytes(length))
            from_host(host, bytes(length))
        host.bench.run(host.random.randrange(100))
        host.reset()
        host.bench.pace(gap=0.2, stall=0.2)
        expected = [to_host(host, host.random.randbytes(n)) for n in range(10)]
        others = [from_host(host, host.random.randbytes(n)) for n in range(10)]
        host.bench.drain()
        found = host.take()
        assert (found[RX], found[BEATS_OUT]) == (expected, others)

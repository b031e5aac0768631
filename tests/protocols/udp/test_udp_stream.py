# SPDX-License-Identifier: Apache-2.0
"""udp_stream: datagrams between a kernel's AXI-Streams and the mesh."""

from __future__ import annotations

from random import Random

import pytest

from tests.protocols.tcp.tcp_world import Struct
from tests.support.app_bench import BEATS_IN, BEATS_OUT, RX, TX, AppBench, Sent, struct_bits
from tests.support.harness import PACES, Benches, consecutive, pack_meta

pytestmark = pytest.mark.slow

USER = Struct("datagram_t", "udp_stream_pkg")
USER_BITS = struct_bits("datagram_t", "udp_stream_pkg")
MAX_BYTES = 256


def open_udp(benches: Benches, width: int, seed: int = 1) -> AppBench:
    meta = "packet_meta_t", "bombus_pkg"
    names = "kernel_rx", "kernel_tx"
    users = USER_BITS, USER_BITS
    parameters = {"MaxBytes": MAX_BYTES}
    return AppBench(benches, "udp_stream", width, meta, names, users, parameters, seed)


@pytest.fixture(params=(64, 512), ids=["64 bits", "512 bits"])
def app(request: pytest.FixtureRequest, benches: Benches) -> AppBench:
    return open_udp(benches, request.param)


def addresses(random: Random) -> dict[str, int]:
    return {
        "mac_port": random.getrandbits(2),
        "vlan__valid": random.getrandbits(1),
        "vlan__tci": random.getrandbits(16),
        "ip": random.getrandbits(32),
    }


def to_kernel(app: AppBench, payload: bytes) -> Sent:
    """Sends a datagram to the kernel; returns the expected result."""
    random = app.random
    fields = addresses(random)
    ports = random.getrandbits(16), random.getrandbits(16)
    meta = pack_meta(
        **fields,
        l4__ports__src_port=ports[0],
        l4__ports__dst_port=ports[1],
        tos=random.getrandbits(8),
        csum=random.getrandbits(16),
    )
    app.beats(payload, meta)
    return Sent(payload, USER.pack(**fields, peer_port=ports[0], own_port=ports[1]))


def from_kernel(app: AppBench, payload: bytes) -> Sent:
    random = app.random
    fields = addresses(random)
    ports = random.getrandbits(16), random.getrandbits(16)
    app.send(payload, USER.pack(**fields, peer_port=ports[0], own_port=ports[1]))
    ports_out = {"l4__ports__src_port": ports[1], "l4__ports__dst_port": ports[0]}
    return Sent(payload, pack_meta(**fields, **ports_out))


def counts(app: AppBench) -> dict[str, int]:
    return dict(zip(app.events, app.bench.events, strict=False))


def test_every_length(app: AppBench) -> None:
    """Both ways at every pace; those that are too long are counted and forgotten."""
    for pace in PACES:
        app.bench.pace(**pace)
        expected: dict[int, list[Sent]] = {RX: [], BEATS_OUT: []}
        lengths = [*range(MAX_BYTES + 1), MAX_BYTES + 1, 2 * MAX_BYTES, 3 * MAX_BYTES + 5]
        app.random.shuffle(lengths)
        for length in lengths:
            expected[RX].append(to_kernel(app, app.random.randbytes(length)))
            sent = from_kernel(app, app.random.randbytes(length))
            if length <= MAX_BYTES:
                expected[BEATS_OUT].append(sent)
        app.bench.drain()
        counted = counts(app)
        found = app.take()
        assert found[RX] == expected[RX]
        assert found[BEATS_OUT] == expected[BEATS_OUT]
        assert counted == {"received": len(lengths), "sent": len(lengths) - 3, "too_long": 3}
        assert not app.busy


def test_one_beat_per_cycle(app: AppBench) -> None:
    """Towards the kernel without a gap; from it, datagrams of one beat take three cycles each."""
    for _ in range(100):
        to_kernel(app, app.random.randbytes(app.random.randrange(2 * app.size + 1)))
        from_kernel(app, app.random.randbytes(app.random.randrange(app.size + 1)))
    app.bench.drain()
    assert consecutive(app.bench.taken(BEATS_IN))
    came = [cycle for cycle, _ in app.bench.received(RX)]
    assert consecutive(came)
    assert came[0] - app.bench.taken(BEATS_IN)[0] == 1
    sent = [cycle for cycle, _ in app.bench.received(BEATS_OUT)]
    assert sent[-1] - sent[0] <= 3 * len(sent)
    assert sent[0] - app.bench.taken(TX)[0] == 3


def odd_parts(app: AppBench) -> list[bytes]:
    """Beats of a message that are not as they should be: some before the last are not full."""
    random = app.random
    sizes = [random.randrange(app.size + 1) for _ in range(random.randrange(2, 9))]
    parts = [random.randbytes(size) for size in sizes]
    parts[random.randrange(len(parts) - 1)] = random.randbytes(random.randrange(1, app.size))
    return parts


def test_beats_that_are_not_full(app: AppBench) -> None:
    """A datagram with such a beat before its last one is forgotten; others are not touched."""
    app.bench.pace(gap=0.2, stall=0.2)
    expected = []
    for _ in range(300):
        app.bench.push(app.axi_items(odd_parts(app), app.random.getrandbits(USER_BITS)), TX)
        expected.append(from_kernel(app, app.random.randbytes(app.random.randrange(MAX_BYTES))))
    app.bench.drain()
    assert counts(app)["too_long"] == 300
    assert app.take()[BEATS_OUT] == expected


def test_beats_without_bytes(app: AppBench) -> None:
    """They may be anywhere before the last bytes of a message, and have no effect."""
    app.bench.pace(gap=0.2, stall=0.2)
    random, expected = app.random, []
    for length in range(MAX_BYTES):
        payload, user = random.randbytes(length), random.getrandbits(USER_BITS)
        parts = [payload[n : n + app.size] for n in range(0, length, app.size)]
        for _ in range(random.randrange(1, 4)):
            parts.insert(random.randrange(max(1, len(parts))), b"")
        app.bench.push(app.axi_items(parts, user), TX)
        expected.append(payload)
    app.bench.drain()
    assert [sent.payload for sent in app.take()[BEATS_OUT]] == expected


def test_kernel_that_does_not_take(app: AppBench) -> None:
    """Its output is still sent, and vice versa."""
    for stuck, other in ((RX, BEATS_OUT), (BEATS_OUT, RX)):
        app.reset()
        app.bench.pace(gap=0.0, stall=0.0)
        app.bench.stall(stuck, 1.0)
        expected: dict[int, list[Sent]] = {RX: [], BEATS_OUT: []}
        for _ in range(50):
            expected[RX].append(to_kernel(app, app.random.randbytes(3 * app.size)))
            expected[BEATS_OUT].append(from_kernel(app, app.random.randbytes(3 * app.size)))
        app.bench.run(500)
        found = app.take()
        assert found[other] == expected[other]
        assert not found[stuck]
        app.bench.stall(stuck, 0.0)
        app.bench.drain()
        assert app.take()[stuck] == expected[stuck]


def test_reset_in_traffic(app: AppBench) -> None:
    for _ in range(30):
        app.bench.pace(gap=0.2, stall=app.random.choice([0.0, 0.5, 1.0]))
        for _ in range(10):
            to_kernel(app, app.random.randbytes(app.random.randrange(MAX_BYTES)))
            from_kernel(app, app.random.randbytes(app.random.randrange(2 * MAX_BYTES)))
        app.bench.run(app.random.randrange(100))
        app.reset()
        app.bench.pace(gap=0.2, stall=0.2)
        rx = [to_kernel(app, app.random.randbytes(n)) for n in range(20)]
        out = [from_kernel(app, app.random.randbytes(n)) for n in range(20)]
        app.bench.drain()
        found = app.take()
        assert found[RX] == rx
        assert found[BEATS_OUT] == out

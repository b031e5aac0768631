# SPDX-License-Identifier: Apache-2.0
"""tcp_handover at all widths: which segments change hands, their sums, drops, and the pace."""

from __future__ import annotations

import struct
from random import Random
from typing import Any

import pytest

from tests.protocols.stack.layer_cases import PACKET, ROUTED_FIELDS
from tests.support.harness import (
    PACES,
    WIDTHS,
    Beats,
    Bench,
    Benches,
    Message,
    csum,
    pack_meta,
    same_sum,
)
from tests.support.layer_bench import HOST_IP, counts, open_layer

PEER, CARRIER, OTHER = bytes((10, 77, 0, 9)), bytes((10, 77, 0, 250)), bytes((10, 77, 0, 8))
PEER_PORT, OWN_PORT = 40_000, 7
TCP, UDP = 6, 17
IMPORT = 2
LATENCY = 2


def opened(benches: Benches, *, received: bool, carried: bool) -> Bench:
    carrier = CARRIER.hex() if carried else "0"
    fields = f"peer_ip: 32'h{PEER.hex()}, carrier_ip: 32'h{carrier}, peer_port: 16'd{PEER_PORT}"
    value = f"'{{connection: '{{valid: 1'b1, {fields}, own_port: 16'd{OWN_PORT}, default: '0}}}}"
    return open_layer(
        benches,
        "tcp_handover",
        [f".Received({received:d})", f".KindTcpImport({IMPORT})", f".CutsReady({carried:d})"],
        metadata="" if received else "ipv4_pkg::routed_packet_meta_t",
        inputs={"regs_i": value},
    )


def pseudo(address: bytes, length: int) -> int:
    return csum(address + HOST_IP + struct.pack("!HH", TCP, length))


def beats(width: int, received: bool, *side: tuple[str, int]) -> Beats:
    more = () if received else ROUTED_FIELDS
    return Beats(width, *more, *side, first_only=[name for name, _ in more])


def case(
    random: Random, *, received: bool, carried: bool
) -> tuple[Message, tuple[bytes, int, int] | None]:
    """A message; address, sum and kind of the one that must become of it, None: it is dropped."""
    address = random.choice([PEER, PEER, CARRIER, CARRIER, OTHER])
    protocol = random.choice([TCP, TCP, TCP, UDP])
    ports = [
        random.choice([PEER_PORT] * 4 + [PEER_PORT + 256]),
        random.choice([OWN_PORT] * 4 + [OWN_PORT + 1]),
    ]
    ours = ports == [PEER_PORT, OWN_PORT] and protocol == TCP
    data = struct.pack("!HH", *(ports if received else reversed(ports)))
    data += random.randbytes(random.choice([0, 4, 16, 28, random.randrange(700)]))
    if random.random() < 0.05:
        data, ours = data[: random.randrange(4)], False
    before = csum(data) if received else pseudo(address, len(data))
    side = {name: random.getrandbits(bits) for name, bits in ROUTED_FIELDS}
    fields: dict[str, Any] = {f"l4__ip_{'rx' if received else 'tx'}__protocol": protocol}
    meta = pack_meta(
        length=len(data), kind=PACKET, csum=before, ip=int.from_bytes(address), **fields
    )
    message = Message(data, meta, {} if received else side)
    if ours and received and carried and address == CARRIER:
        to = before + pseudo(CARRIER, len(data)) - pseudo(PEER, len(data))
        return message, (PEER, to % 0xFFFF, IMPORT)
    if ours and address == PEER:
        if received or not carried:
            return message, None
        return message, (CARRIER, pseudo(CARRIER, len(data)), PACKET)
    return message, (address, before, PACKET)


def exchange(
    bench: Bench, random: Random, count: int, *, received: bool, carried: bool
) -> list[Message]:
    """Sends messages at all widths and compares what becomes of them; returns those sent."""
    cases = [case(random, received=received, carried=carried) for _ in range(count)]
    for stream, width in enumerate(WIDTHS):
        bench.push(beats(width, received).stream([each[0] for each in cases], random), stream)
    bench.drain()
    for stream, width in enumerate(WIDTHS):
        got = beats(width, received, ("next", 5)).messages(bench.items(stream), lengths=True)
        kept = [each for each in cases if each[1] is not None]
        assert len(got) == len(kept)
        for message, (given, expected) in zip(got, kept, strict=True):
            assert expected is not None
            address, total, kind = expected
            assert message.payload == given.payload
            assert (message["ip"], message["kind"]) == (int.from_bytes(address), kind)
            assert same_sum(message["csum"], total)
            assert all(message.side[name] == given.side[name] for name in given.side)
    bench.forget()
    return [each[0] for each in cases]


@pytest.mark.parametrize(("received", "carried"), [(True, True), (False, True), (False, False)])
def test_hands(benches: Benches, received: bool, carried: bool) -> None:
    random = Random(2 * received + carried)
    bench = opened(benches, received=received, carried=carried)
    for pace in PACES:
        bench.pace(**pace)
        sent = exchange(bench, random, 150, received=received, carried=carried)
    # A reset in traffic, of messages that are sent and of those that are dropped.
    for message in sent[:12]:
        for stream, width in enumerate(WIDTHS):
            bench.push(beats(width, received).stream([message] * 9, random), stream)
        bench.run(random.randrange(1, 12))
        bench.reset()
        exchange(bench, random, 3, received=received, carried=carried)


def test_one_beat_a_cycle(benches: Benches) -> None:
    bench = opened(benches, received=False, carried=True)
    data = struct.pack("!HH", OWN_PORT, PEER_PORT) + bytes(60)
    fields: dict[str, Any] = {"l4__ip_tx__protocol": TCP}
    message = Message(data, pack_meta(length=64, ip=int.from_bytes(PEER), **fields))
    for stream, width in enumerate(WIDTHS):
        bench.push(beats(width, False).stream([message] * 100), stream)
    bench.drain()
    for stream in range(len(WIDTHS)):
        came, out = bench.taken(stream), [cycle for cycle, _ in bench.received(stream)]
        assert [there - here for here, there in zip(came, out, strict=True)] == [LATENCY] * len(
            came
        )
        assert came[-1] - came[0] + 1 == len(came)
        assert counts(bench, "tcp_handover", stream) == {"carried": 100, "held": 0}

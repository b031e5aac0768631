# SPDX-License-Identifier: Apache-2.0
"""nat at all widths: addresses and sums of packets of all protocols, quotations, misses, pace."""

from __future__ import annotations

import struct
from random import Random

import pytest

from tests.protocols.stack.layer_cases import (
    ICMP_ERROR,
    PACKET,
    ROUTED,
    ROUTED_FIELDS,
    checksummed,
)
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

BEFORE, AFTER = bytes((10, 77, 0, 9)), bytes((203, 0, 113, 254))
MISS = bytes((10, 77, 0, 8))
ICMP, TCP, UDP, OTHER = 1, 6, 17, 89
ERRORS = (3, 11, 12)
MAPPING = f"'{{default: '0, valid: 1'b1, from_ip: 32'h{BEFORE.hex()}, to_ip: 32'h{AFTER.hex()}}}"
LATENCY = 3


def opened(benches: Benches, *, received: bool, drops: bool) -> Bench:
    """With one entry, which software writes all the time."""
    arguments = [
        f".Received({received:d})",
        f".DropsUnknown({drops:d})",
        *([".NumEntries(16)", ".CutsReady(1)"] if drops else []),
    ]
    inputs = {"mapping_request_i": "1'b1", "mapping_write_i": "1'b1", "mapping_wdata_i": MAPPING}
    metadata = "" if received else "ipv4_pkg::routed_packet_meta_t"
    bench = open_layer(benches, "nat", arguments, metadata=metadata, inputs=inputs, seed=7)
    settle(bench)
    return bench


def settle(bench: Bench) -> None:
    """Until the table is empty and the entry written."""
    bench.run(1200)
    bench.forget()


def pseudo(address: bytes, protocol: int, length: int) -> int:
    return csum(address + HOST_IP + struct.pack("!HH", protocol, length))


def quotation(address: bytes, random: Random) -> bytes:
    """An ICMP error about a packet from this address."""
    kind = random.choice(ERRORS)
    header = struct.pack(
        "!BBHHHBBH4s4s", 0x45, 0, 99, random.getrandbits(16), 0, 64, UDP, 0, address, HOST_IP
    )
    return struct.pack("!BBHI", kind, 3, 0, 0) + checksummed(header, 10) + random.randbytes(8)


def case(random: Random, *, received: bool) -> tuple[Message, bytes, int, bytes]:
    """A message; payload, sum and address of the one that must become of it."""
    protocol = random.choice([ICMP, TCP, UDP, OTHER])
    address = random.choice([BEFORE, BEFORE, MISS])
    after = AFTER if address == BEFORE else address
    data = random.randbytes(random.choice([0, 1, 18, 36, random.randrange(700)]))
    expected = data
    if protocol == ICMP and data:
        data = bytes((random.choice([0, 8]),)) + data[1:]
        expected = data
        if not received and random.random() < 0.7:
            data = quotation(address, random)
            header = checksummed(data[8:18] + bytes(2) + after + data[24:28], 10)
            expected = data[:8] + header + data[28:]
    covered = protocol in (TCP, UDP)
    if received:  # the layer adds the pseudo-header: the sum of all stays the same
        before = csum(data)
        to = before + pseudo(address, protocol, len(data)) - pseudo(after, protocol, len(data))
        fields = {"l4__ip_rx__protocol": protocol, "l4__ip_rx__ttl": 64}
    else:
        position = random.choice([0, 1, 3, 8]) if covered else random.choice([0, 1])
        before = pseudo(address, protocol, len(data)) if position else 0
        to = pseudo(after, protocol, len(data)) if position else 0
        fields = {"l4__ip_tx__protocol": protocol, "l4__ip_tx__csum_pos": position}
    if not covered:
        to = before
    kind = PACKET if received else random.choice([PACKET, ROUTED])
    side = {name: random.getrandbits(bits) for name, bits in ROUTED_FIELDS}
    meta = pack_meta(
        length=len(data), kind=kind, csum=before, ip=int.from_bytes(address), tos=9, **fields
    )
    message = Message(data, meta, {} if received else side)
    return message, expected, to % 0xFFFF, after


def beats(width: int, received: bool, *side: tuple[str, int]) -> Beats:
    more = () if received else ROUTED_FIELDS
    return Beats(width, *more, *side, first_only=[name for name, _ in more])


@pytest.mark.parametrize(("received", "drops"), [(True, True), (False, False)])
def test_translation(benches: Benches, received: bool, drops: bool) -> None:
    random = Random(received)
    bench = opened(benches, received=received, drops=drops)
    for pace in PACES:
        bench.pace(**pace)
        for _ in range(3):  # resets in traffic between
            cases = [case(random, received=received) for _ in range(80)]
            for stream, width in enumerate(WIDTHS):
                items = beats(width, received).stream([each[0] for each in cases], random)
                bench.push(items, stream)
            bench.drain()
            check(bench, cases, received, drops)
            bench.forget()
        for stream, width in enumerate(WIDTHS):
            bench.push(beats(width, received).stream([cases[0][0]] * 9, random), stream)
        bench.run(12)
        bench.reset()
        settle(bench)


def check(
    bench: Bench, cases: list[tuple[Message, bytes, int, bytes]], received: bool, drops: bool
) -> None:
    for stream, width in enumerate(WIDTHS):
        got = beats(width, received, ("next", 5)).messages(bench.items(stream), lengths=True)
        kept = [each for each in cases if not (drops and each[3] == MISS)]
        assert len(got) == len(kept)
        for message, (given, data, total, address) in zip(got, kept, strict=True):
            assert message.payload == data
            assert message["ip"] == int.from_bytes(address)
            assert same_sum(message["csum"], total)
            for name in ("kind", "length", "tos", "l4.ports.src_port", "l4.ports.dst_port"):
                assert message[name] == given[name], name
            for name in given.side:
                assert message.side[name] == given.side[name]


def test_errors_about_sent_segments(benches: Benches) -> None:
    """Before tcp_errors: only the peer's address in the metadata changes."""
    random = Random(2)
    bench = opened(benches, received=True, drops=True)

    def error(address: bytes, seed: int) -> int:
        values = Random(seed)
        return pack_meta(
            meta_type="icmp_error_meta_t",
            package="icmp_pkg",
            length=4,
            kind=ICMP_ERROR,
            code=values.getrandbits(8),
            mtu=values.getrandbits(16),
            ip=int.from_bytes(address),
            # As a packet's metadata, of a protocol whose sum changes
            peer_port=values.choice([TCP, UDP]) << 8 | values.getrandbits(8),
            own_port=values.getrandbits(16),
        )

    messages = [Message(random.randbytes(4), error(BEFORE, n)) for n in range(50)]
    for stream, width in enumerate(WIDTHS):
        bench.push(beats(width, True).stream(messages, random), stream)
    bench.drain()
    for stream, width in enumerate(WIDTHS):
        got = beats(width, True, ("next", 5)).messages(bench.items(stream), lengths=True)
        assert [each.payload for each in got] == [each.payload for each in messages]
        assert [each.meta for each in got] == [error(AFTER, n) for n in range(50)]


def test_one_beat_a_cycle(benches: Benches) -> None:
    bench = opened(benches, received=False, drops=False)
    message = Message(bytes(64), pack_meta(length=64, ip=int.from_bytes(BEFORE)))
    for stream, width in enumerate(WIDTHS):
        bench.push(beats(width, False).stream([message] * 100), stream)
    bench.drain()
    for stream in range(len(WIDTHS)):
        came, out = bench.taken(stream), [cycle for cycle, _ in bench.received(stream)]
        assert [there - here for here, there in zip(came, out, strict=True)] == [LATENCY] * len(
            came
        )
        assert came[-1] - came[0] + 1 == len(came)
        assert counts(bench, "nat", stream)["translated"] == 100

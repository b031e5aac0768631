# SPDX-License-Identifier: Apache-2.0
"""The Reed-Solomon encoder: every code gives what the model says, at every width and pace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

import pytest

from bombus.applications.reed_solomon.model import MATRICES, Code
from tests.support.harness import (
    PACES,
    SEEDS,
    Beats,
    Bench,
    Benches,
    Message,
    consecutive,
    pack_meta,
)
from tests.support.layer_bench import layer_kind

pytestmark = pytest.mark.slow

VANDERMONDE, CAUCHY, POWER = range(len(MATRICES))
PORT = 1082


@dataclass(frozen=True)
class Encoder:
    """An encoder of the bench, and its model."""

    data_width: int
    data_shards: int
    parity_shards: int
    shard_bytes: int
    matrix: int = VANDERMONDE

    @cached_property
    def code(self) -> Code:
        return Code(self.data_shards, self.parity_shards, MATRICES[self.matrix])

    @property
    def request_bytes(self) -> int:
        return self.data_shards * self.shard_bytes

    @property
    def beats(self) -> Beats:
        return Beats(self.data_width, ("next", 5))

    @property
    def words(self) -> tuple[int, ...]:
        """As in benches/rs_encode.sv."""
        shards = (self.data_shards, self.parity_shards)
        return (self.data_width, *shards, self.shard_bytes, self.matrix)


# All widths; all matrices; shards of one beat, and with numbers of beats that are not powers of
# two; more parity than data.
ENCODERS = (
    Encoder(512, 8, 2, 512),
    Encoder(64, 8, 2, 64),
    Encoder(128, 8, 2, 96, CAUCHY),
    Encoder(256, 8, 2, 32, POWER),
    Encoder(64, 4, 2, 8),
    Encoder(512, 4, 2, 192, CAUCHY),
    Encoder(128, 10, 4, 48),
    Encoder(256, 10, 4, 64, CAUCHY),
    Encoder(64, 16, 4, 24),
    Encoder(512, 16, 4, 64, POWER),
    Encoder(256, 16, 1, 96),
    Encoder(128, 1, 1, 16, POWER),
    Encoder(64, 1, 1, 40),
    Encoder(64, 2, 5, 16, CAUCHY),
    Encoder(128, 1, 3, 16),
    Encoder(64, 17, 3, 16),
)
FEW = ENCODERS[1:6]


def open_bench(benches: Benches, encoders: Sequence[Encoder], seed: int = 1) -> Bench:
    words = [f"32'd{word}" for encoder in encoders for word in encoder.words]
    macros: dict[str, str | int] = {
        "RS_CODES": "{" + ",".join(reversed(words)) + "}",
        "NUM_CODES": len(encoders),
    }
    return benches("rs_encode", seed=seed, macros=macros)


@dataclass(frozen=True)
class Request:
    """A request, and the reason for which it is dropped; empty: it is answered."""

    message: Message
    reason: str = ""


def request(random: Random, encoder: Encoder, *, good: bool = False) -> Request:
    right = encoder.request_bytes
    wrong = [0, 1, right - 1, right + 1, right // 2, 2 * right, encoder.shard_bytes]
    wrong = [size for size in wrong if size != right]
    size = right if good or random.random() < 0.7 else random.choice(wrong)
    source = random.randrange(1, 1 << 16) if good or random.random() < 0.9 else 0
    # Few different values make shards that cancel out.
    data = random.choice([random.randbytes(size), bytes(random.choices([0, 1, 255], k=size))])
    meta = pack_meta(
        length=size,
        ip=random.getrandbits(32),
        vlan=random.getrandbits(17),
        tos=random.getrandbits(8),
        mac_port=random.getrandbits(2),
        csum=random.getrandbits(16),
        l4__ports__src_port=source,
        l4__ports__dst_port=PORT,
    )
    reason = "" if source and size == right else "wrong_size" if source else "no_reply_port"
    return Request(Message(data, meta), reason)


def push(
    bench: Bench, encoders: Sequence[Encoder], requests: list[list[Request]], random: Random
) -> None:
    for stream, (encoder, some) in enumerate(zip(encoders, requests, strict=True)):
        bench.push(encoder.beats.stream((one.message for one in some), random), stream)


def check(bench: Bench, encoders: Sequence[Encoder], requests: list[list[Request]]) -> None:
    """Every good request has been answered, every other one counted, and nothing is inside."""
    kind = layer_kind("rs_encode")
    for stream, (encoder, some) in enumerate(zip(encoders, requests, strict=True)):
        answered = [one.message for one in some if not one.reason]
        replies = encoder.beats.messages(bench.items(stream), lengths=True)
        assert len(replies) == len(answered)
        for asked, reply in zip(answered, replies, strict=True):
            assert kind.outputs["out"].hops[reply.side["next"]] == "udp_tx"
            assert reply.payload == encoder.code.encode(asked.payload)
            for field in ("ip", "vlan", "tos", "mac_port", "kind"):
                assert reply[field] == asked[field]
            assert reply["l4.ports.src_port"] == PORT
            assert reply["l4.ports.dst_port"] == asked["l4.ports.src_port"]
        counted = bench.events[4 * stream : 4 * stream + 3]
        reasons = [one.reason for one in some]
        assert counted == [*map(reasons.count, kind.drops), len(answered)]
    assert bench.status == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_parity(
    benches: Benches, seed: int, encoders: Sequence[Encoder] = ENCODERS, count: int = 25
) -> None:
    random = Random(seed)
    bench = open_bench(benches, encoders, seed)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        requests = [[request(random, encoder) for _ in range(count)] for encoder in encoders]
        push(bench, encoders, requests, random)
        bench.drain()
        check(bench, encoders, requests)


def test_reset_forgets_the_block(benches: Benches) -> None:
    random = Random(4)
    bench = open_bench(benches, ENCODERS)
    for _ in range(20):
        requests = [[request(random, encoder) for _ in range(5)] for encoder in ENCODERS]
        push(bench, ENCODERS, requests, random)
        bench.pace(gap=0.2, stall=random.choice([0.2, 0.8, 1.0]))
        bench.run(random.randrange(1, 150))
        bench.reset(1)
        bench.pace(gap=0.3, stall=0.3)
        requests = [[request(random, encoder) for _ in range(3)] for encoder in ENCODERS]
        push(bench, ENCODERS, requests, random)
        bench.drain()
        check(bench, ENCODERS, requests)
        bench.forget()


def test_a_beat_goes_in_or_out_in_every_cycle(benches: Benches) -> None:
    """Back to back requests: the input never stops, or, with more parity than data, the output."""
    random = Random(5)
    bench = open_bench(benches, ENCODERS)
    requests = [[request(random, encoder, good=True) for _ in range(12)] for encoder in ENCODERS]
    push(bench, ENCODERS, requests, random)
    bench.drain()
    check(bench, ENCODERS, requests)
    for stream, encoder in enumerate(ENCODERS):
        if encoder.parity_shards <= encoder.data_shards:
            assert consecutive(bench.taken(stream)), encoder
        else:
            assert consecutive([cycle for cycle, _ in bench.received(stream)]), encoder


def test_busy_while_a_block_is_inside(benches: Benches) -> None:
    """Also between the beats of a request, when only the sums are inside."""
    random = Random(6)
    bench = open_bench(benches, ENCODERS)
    inside = 0
    for stream, encoder in enumerate(ENCODERS):
        beats = encoder.beats.beats(request(random, encoder, good=True).message)[:-1]
        bench.push(beats, stream)
        inside |= bool(beats) << stream
    bench.drain()
    assert bench.status == inside

# SPDX-License-Identifier: Apache-2.0
"""The kernel: every reply is what the bit-exact model says, whatever the lengths and the pace."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest

from bombus.applications import spn
from bombus.applications.spn.pipeline import Pipeline, pipeline
from bombus.applications.spn.systemverilog import sources
from tests.applications.spn.networks import RandomNetwork
from tests.support.harness import PACES, Beats, Bench, Benches, Message, pack_meta

pytestmark = pytest.mark.slow

PORT = 1043
HEADER = struct.Struct("<2sBBHH")
REQUEST, RESULTS, BAD_HEADER, BAD_LENGTH, TOO_MANY = range(5)
EVENTS = ("no_reply_port", "reply", "batch", "bad_header", "bad_length", "too_many")


@dataclass(frozen=True)
class Kernel:
    variables: int
    data_width: int
    copies: int
    floats: bool = False
    value_bits: int = 8
    max_reply: int = 128

    @property
    def sample_bytes(self) -> int:
        return self.variables * (2 if self.value_bits > 8 else 1)

    @property
    def max_results(self) -> int:
        return (self.max_reply - HEADER.size) // 4

    @property
    def beats(self) -> Beats:
        return Beats(self.data_width)


# Samples that do not fit beats, smaller and larger ones than a beat, wide values
KERNELS = (Kernel(5, 64, 2), Kernel(10, 512, 5, floats=True), Kernel(7, 64, 1, value_bits=10))


@cache
def model(variables: int, value_bits: int) -> Pipeline:
    network = spn.parse(str(RandomNetwork(Random(3), variables, 4, kinds=("Histogram",))))
    return pipeline(network, fraction=12, value_bits=value_bits)


def open_bench(kernel: Kernel, folder: Path, seed: int = 1) -> Bench:
    found = model(kernel.variables, kernel.value_bits)
    for name, text in sources(found, "model", udp_port=PORT).items():
        (folder / name).write_text(text)
    return Benches(generated=folder)(
        "spn_kernel",
        seed=seed,
        macros={"BOMBUS_CHECKS": 1},
        DataWidth=kernel.data_width,
        Copies=kernel.copies,
        MaxReplyBytes=kernel.max_reply,
        Float=int(kernel.floats),
    )


def samples(random: Random, kernel: Kernel, count: int) -> np.ndarray:
    missing = (1 << kernel.value_bits) - 1
    values = [random.choice([random.randrange(13), random.randrange(missing + 1), missing])
              for _ in range(count * kernel.variables)]  # fmt: skip
    return np.array(values, dtype="<u2").reshape(count, kernel.variables)


def payload(kernel: Kernel, rows: np.ndarray) -> bytes:
    return rows.astype("u1" if kernel.value_bits <= 8 else "<u2").tobytes()


def results(kernel: Kernel, rows: np.ndarray) -> bytes:
    found = model(kernel.variables, kernel.value_bits)
    numbers = found.results(rows)
    if kernel.floats:
        exact = numbers / (1 << found.fraction)
        return exact.astype("<f4").tobytes()  # of few bits, so that there is no rounding
    return numbers.astype("<i4").tobytes()


@dataclass(frozen=True)
class Request:
    message: Message
    event: str
    reply: bytes = b""


def request(random: Random, kernel: Kernel, wanted: str | None = None) -> Request:
    event = wanted or random.choice(["batch"] * 6 + list(EVENTS))
    batch = random.getrandbits(16)
    count = random.choice([0, 1, 2, 3, random.randrange(kernel.max_results + 1)])
    rows = samples(random, kernel, count)
    data = payload(kernel, rows)
    header = [b"SP", REQUEST, 0, count, batch]
    port = random.randrange(1, 1 << 16)
    reply = b""
    fraction = 0 if kernel.floats else 12
    match event:
        case "batch":
            answer = HEADER.pack(b"SP", RESULTS, fraction, count, batch)
            reply = answer + results(kernel, rows)
        case "bad_header":
            header[0], header[2] = random.choice([(b"PS", 0), (b"SP", 9), (b"\0\0", 0)])
        case "bad_length":
            change = random.choice([1, kernel.sample_bytes, 1000])
            header[3] = count + 1 if random.random() < 0.5 else count
            data += bytes(0 if header[3] != count else change)
        case "too_many":
            count = header[3] = kernel.max_results + random.randrange(1, 9)
            data = payload(kernel, samples(random, kernel, count))
        case "reply":
            header[1] = random.randrange(1, 256)
        case "no_reply_port":
            port = 0
    text = HEADER.pack(*header) + data
    if event == "bad_header" and random.random() < 0.3:
        text = text[: random.randrange(HEADER.size)]
        batch = int.from_bytes(text[6:8].ljust(2, b"\0"), "little")
    forms = {"bad_header": BAD_HEADER, "bad_length": BAD_LENGTH, "too_many": TOO_MANY}
    if event in forms:
        reply = HEADER.pack(b"SP", forms[event], 0, 0, batch)
    meta = pack_meta(
        length=len(text),
        ip=random.getrandbits(32),
        vlan=random.getrandbits(17),
        mac_port=random.getrandbits(2),
        l4__ports__src_port=port,
        l4__ports__dst_port=PORT,
    )
    return Request(Message(text, meta), event, reply)


def check(bench: Bench, kernel: Kernel, requests: Iterable[Request]) -> None:
    answered = [each for each in requests if each.reply]
    replies = kernel.beats.messages(bench.items(), lengths=True)
    assert len(replies) == len(answered)
    for asked, reply in zip(answered, replies, strict=True):
        assert reply.payload == asked.reply
        for field in ("ip", "vlan", "mac_port", "kind"):
            assert reply[field] == asked.message[field]
        assert reply["l4.ports.src_port"] == PORT
        assert reply["l4.ports.dst_port"] == asked.message["l4.ports.src_port"]
    counted = Counter(each.event for each in requests)
    assert bench.events[: len(EVENTS)] == [counted[event] for event in EVENTS]
    assert bench.status == 0


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_requests(kernel: Kernel, tmp_path: Path) -> None:
    random = Random(1)
    bench = open_bench(kernel, tmp_path)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        requests = [request(random, kernel) for _ in range(60)]
        bench.push(kernel.beats.stream((each.message for each in requests), random))
        bench.drain()
        check(bench, kernel, requests)


def test_reset_in_traffic(tmp_path: Path) -> None:
    random = Random(2)
    kernel = KERNELS[0]
    bench = open_bench(kernel, tmp_path)
    for _ in range(30):
        bench.push(kernel.beats.stream(request(random, kernel).message for _ in range(9)))
        bench.run(random.randrange(1, 150))
        bench.reset()
        requests = [request(random, kernel) for _ in range(3)]
        bench.push(kernel.beats.stream(each.message for each in requests))
        bench.drain()
        check(bench, kernel, requests)


def test_throughput(tmp_path: Path) -> None:
    """Copies samples a cycle, or a beat a cycle; nothing between requests but the last group."""
    random = Random(3)
    kernel = KERNELS[1]
    bench = open_bench(kernel, tmp_path)
    many = [request(random, kernel, "batch") for _ in range(100)]
    items = kernel.beats.stream(each.message for each in many)
    bench.push(items)
    bench.drain(quiet=200)
    check(bench, kernel, many)
    counts = [(len(each.message.payload) - HEADER.size) // 10 for each in many]
    cycles = sum(max(-(-count // 5), -(-(8 + 10 * count) // 64)) for count in counts)
    taken = bench.taken()
    assert taken[-1] - taken[0] <= cycles + 40

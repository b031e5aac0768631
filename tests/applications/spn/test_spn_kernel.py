# SPDX-License-Identifier: Apache-2.0
"""The kernel: every reply is what the bit-exact model says, whatever the lengths and the pace."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest

from bombus.applications import spn
from bombus.applications.spn.pipeline import Pipeline, pipeline
from bombus.applications.spn.systemverilog import TRANSPORTS, sources
from bombus.design.rtl import struct_layout
from tests.applications.spn.networks import RandomNetwork
from tests.support.harness import PACES, Beats, Bench, Benches, Message, pack_meta

pytestmark = pytest.mark.slow

PORT = 1043
HEADER = struct.Struct("<2sBBHHH")
REQUEST, RESULTS, BAD_HEADER, BAD_LENGTH, TOO_MANY = range(5)
FORMS = {"bad_header": BAD_HEADER, "bad_length": BAD_LENGTH, "too_many": TOO_MANY}
EVENTS = ("no_reply", "reply", "batch", "bad_header", "bad_length", "too_many")


@dataclass(frozen=True)
class Kernel:
    transport: str
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
KERNELS = (
    Kernel("udp", 5, 64, 2),
    Kernel("ethernet", 10, 512, 5, floats=True),
    Kernel("tcp", 7, 64, 1, value_bits=10),
)
# As for a line of 10 Gbit/s on Ethernet
NARROW = Kernel("ethernet", 10, 64, 1)


@cache
def model(variables: int, value_bits: int) -> Pipeline:
    network = spn.parse(str(RandomNetwork(Random(3), variables, 4, kinds=("Histogram",))))
    return pipeline(network, fraction=12, value_bits=value_bits)


def open_bench(benches: Benches, kernel: Kernel, folder: Path, seed: int = 1) -> Bench:
    found = model(kernel.variables, kernel.value_bits)
    layer = sources(found, "model", udp_port=PORT, transport=TRANSPORTS[kernel.transport])
    for name, text in layer.items():
        (folder / name).write_text(text)
    return replace(benches, generated=folder)(
        "spn_kernel",
        seed=seed,
        macros={"BOMBUS_CHECKS": 1, f"SPN_{kernel.transport.upper()}": 1},
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
    """A message, what it is counted as, and what it is answered by; `side`: fields of the reply's
    metadata.
    """

    message: Message
    event: str
    reply: bytes | None = None
    side: Mapping[str, int] = field(default_factory=dict)


def body(random: Random, kernel: Kernel, event: str) -> tuple[bytes, bytes]:
    """A request of that kind, and its reply."""
    batch = random.getrandbits(16)
    count = random.choice([0, 1, 2, 3, random.randrange(kernel.max_results + 1)])
    if event == "too_many":
        count = kernel.max_results + random.randrange(1, 9)
    rows = samples(random, kernel, count)
    data = payload(kernel, rows)
    form = fraction = 0
    magic, length = b"SP", len(data)
    match event:
        case "bad_header":
            magic, fraction = random.choice([(b"PS", 0), (b"SP", 9), (b"\0\0", 0)])
        case "bad_length":
            match random.randrange(3 if kernel.transport == "udp" else 1):
                case 0:
                    count += random.choice([1, 5, 1000])
                case 1:
                    length += random.choice([1, kernel.sample_bytes])
                case 2:
                    data += bytes(random.choice([1, kernel.sample_bytes, 100]))
        case "reply":
            form = random.randrange(1, 256)
    text = HEADER.pack(magic, form, fraction, length, count, batch) + data
    if event == "bad_header" and kernel.transport == "udp" and random.random() < 0.3:
        text = text[: random.randrange(HEADER.size)]
        batch = int.from_bytes(text[8:10].ljust(2, b"\0"), "little")
    if event in FORMS:
        return text, HEADER.pack(b"SP", FORMS[event], 0, 0, 0, batch)
    got = results(kernel, rows)
    fraction = 0 if kernel.floats else 12
    return text, HEADER.pack(b"SP", RESULTS, fraction, len(got), count, batch) + got


def udp_request(random: Random, text: bytes, reply: bytes | None, event: str) -> Request:
    same = {
        "ip": random.getrandbits(32),
        "vlan": random.getrandbits(17),
        "mac_port": random.getrandbits(2),
    }
    port = 0 if event == "no_reply" else random.randrange(1, 1 << 16)
    meta = pack_meta(length=len(text), l4__ports__src_port=port, l4__ports__dst_port=PORT, **same)
    ports = {"l4.ports.src_port": PORT, "l4.ports.dst_port": port}
    return Request(Message(text, meta), event, reply, same | ports)


MAC = bytes.fromhex("02b00b050001")
TYPE = bytes.fromhex("88b5")


def ethernet_request(random: Random, text: bytes, reply: bytes | None, event: str) -> Request:
    own, peer = MAC, random.randbytes(6)
    kind = TYPE
    if event == "no_reply":
        own, kind = random.choice([(bytes(6), TYPE), (MAC, bytes.fromhex("0800"))])
    frame = own + peer + kind + text
    frame += random.randbytes(max(0, 60 - len(frame)))
    answer = None if reply is None else peer + own + kind + reply
    port = random.getrandbits(2)
    meta = pack_meta(length=len(frame), mac_port=port)
    return Request(Message(frame, meta), event, answer, {"mac_port": port})


def tcp_request(random: Random, text: bytes, reply: bytes | None, event: str) -> Request:
    """Also the notices of a session."""
    session = random.randrange(16)
    notice = event == "batch" and random.random() < 0.3
    flags = {"opened": 0, "closed": 0, "ended": 0}
    if notice:
        flags[random.choice(list(flags))] = 1
        text, event = b"", "notice"
        reply = None if flags["opened"] else b""
    meta = pack_meta(meta_type="from_peer_t", package="tcp_stream_pkg", session=session, **flags)
    answers = {"session": session, "close": flags["closed"], "done": flags["ended"]}
    return Request(Message(text, meta), event, reply, answers)


MAKERS = {"udp": udp_request, "ethernet": ethernet_request, "tcp": tcp_request}


def request(random: Random, kernel: Kernel, wanted: str | None = None) -> Request:
    kinds = [event for event in EVENTS if kernel.transport != "tcp" or event != "no_reply"]
    event = wanted or random.choice(["batch"] * 6 + kinds)
    text, reply = body(random, kernel, event)
    is_answered = event not in ("no_reply", "reply")
    return MAKERS[kernel.transport](random, text, reply if is_answered else None, event)


def side(kernel: Kernel, reply: Message, name: str) -> int:
    if kernel.transport != "tcp":
        return reply[name]
    place = struct_layout("to_peer_t", "tcp_stream_pkg")[name]
    return reply.meta >> place.offset & ((1 << place.width) - 1)


def check(bench: Bench, kernel: Kernel, requests: Iterable[Request]) -> None:
    answered = [each for each in requests if each.reply is not None]
    has_length = kernel.transport != "tcp"
    replies = kernel.beats.messages(bench.items(), lengths=has_length)
    assert len(replies) == len(answered)
    for asked, reply in zip(answered, replies, strict=True):
        assert reply.payload == asked.reply
        for name, value in asked.side.items():
            assert side(kernel, reply, name) == value
    counted = Counter(each.event for each in requests)
    assert bench.events[: len(EVENTS)] == [counted[event] for event in EVENTS]
    assert bench.status == 0


@pytest.mark.parametrize(
    "kernel", [*KERNELS, pytest.param(NARROW, marks=pytest.mark.sweep)], ids=str
)
def test_requests(benches: Benches, kernel: Kernel, tmp_path: Path) -> None:
    random = Random(1)
    bench = open_bench(benches, kernel, tmp_path)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        requests = [request(random, kernel) for _ in range(60)]
        bench.push(kernel.beats.stream((each.message for each in requests), random))
        bench.drain()
        check(bench, kernel, requests)


def test_reset_in_traffic(benches: Benches, tmp_path: Path) -> None:
    random = Random(2)
    kernel = KERNELS[0]
    bench = open_bench(benches, kernel, tmp_path)
    for _ in range(30):
        bench.push(kernel.beats.stream(request(random, kernel).message for _ in range(9)))
        bench.run(random.randrange(1, 150))
        bench.reset()
        requests = [request(random, kernel) for _ in range(3)]
        bench.push(kernel.beats.stream(each.message for each in requests))
        bench.drain()
        check(bench, kernel, requests)


def test_throughput(benches: Benches, tmp_path: Path) -> None:
    """Copies samples a cycle, or a beat a cycle; nothing between requests but the last group."""
    random = Random(3)
    kernel = KERNELS[1]
    bench = open_bench(benches, kernel, tmp_path)
    many = [request(random, kernel, "batch") for _ in range(100)]
    items = kernel.beats.stream(each.message for each in many)
    bench.push(items)
    bench.drain(quiet=200)
    check(bench, kernel, many)
    headers = 14 + HEADER.size
    cycles = 0
    for each in many:
        assert each.reply is not None
        count = (len(each.reply) - headers) // 4
        cycles += max(-(-count // 5), -(-max(60, headers + 10 * count) // 64))
    taken = bench.taken()
    assert taken[-1] - taken[0] <= cycles + 40

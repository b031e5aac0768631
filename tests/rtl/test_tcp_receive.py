# SPDX-License-Identifier: Apache-2.0
"""tcp_receive: every header and payload length at every width, any options, what is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random

import pytest
from harness import (
    PACES,
    WIDTHS,
    Beats,
    Bench,
    Benches,
    Message,
    consecutive,
    csum,
    pack_meta,
)

from bombus.design import rtl

IP = 0x0A000001  # as in benches/tcp_receive.sv
STREAMS = range(len(WIDTHS))
EVENTS = (
    *("truncated", "bad_offset", "bad_checksum", "bad_port", "options_busy"),
    *("odd_options", "bad_option"),
)
FIXED = 20
MAX_OPTIONS = 40
OFFSETS = rtl.struct_layout("segment_t", "tcp_pkg")


def blocks(random: Random, count: int) -> bytes:
    return bytes((5, 2 + 8 * count)) + random.randbytes(8 * count)


def layouts(random: Random) -> dict[str, bytes]:
    """Those that are read at once."""
    stamps = bytes((8, 10)) + random.randbytes(8)
    mss = bytes((2, 4)) + random.randbytes(2)
    scale = bytes((1, 3, 3, random.randrange(18)))
    nops, permitted = bytes((1, 1)), bytes((4, 2))
    found = {
        "none": b"",
        "stamps": nops + stamps,
        "linux": mss + permitted + stamps + scale,
        "linux, no SACK": mss + nops + stamps + scale,
        "linux, no scale": mss + permitted + stamps,
        "linux, no SACK, no scale": mss + nops + stamps,
        "linux, no stamps": mss + nops + permitted + scale,
        "linux, neither stamps nor scale": mss + nops + permitted,
        "linux, scale": mss + scale,
        "mss": mss,
        "windows": mss + scale + nops + permitted,
        "macos": mss + scale + nops + stamps + permitted + bytes(2),
    }
    for count in range(1, 5):
        found[f"sack {count}"] = nops + blocks(random, count)
        if count < 4:
            found[f"stamps sack {count}"] = nops + stamps + nops + blocks(random, count)
    return found


def random_options(random: Random) -> bytes:
    """In any order and at any place, some of bad length, the last perhaps cut."""
    options = b""
    size = 4 * random.randrange(1, 11)
    while len(options) < size:
        value = random.choice(
            [
                *(b"\1", b"\1", b"\1\1"),
                bytes((2, 4)) + random.randbytes(2),
                bytes((3, 3, random.randrange(20))),
                bytes((4, 2)),
                bytes((8, 10)) + random.randbytes(8),
                blocks(random, random.randrange(1, 5)),
            ]
        )
        if random.random() < 0.1:
            kind = random.choice([0, 2, 3, 4, 5, 8, 254, random.randrange(256)])
            length = random.choice([0, 1, *range(2, 20), random.randrange(256)])
            value = (bytes((kind, length)) + random.randbytes(40))[: max(2, length)]
        if len(options) + len(value) <= size or random.random() < 0.1:
            options += value
    return options[:size]


def read_options(options: bytes) -> tuple[dict[str, int], list[tuple[int, int]], bool]:
    """Fields, SACK blocks, and whether the list ended at a bad length."""
    found: dict[str, int] = {}
    sacks: list[tuple[int, int]] = []
    rest = options
    while rest and rest[0] != 0:
        if rest[0] == 1:
            rest = rest[1:]
            continue
        if len(rest) < 2 or rest[1] < 2 or rest[1] > len(rest):
            return found, sacks, True
        kind, value, rest = rest[0], rest[2 : rest[1]], rest[rest[1] :]
        number = int.from_bytes(value, "big")
        match kind, len(value):
            case 2, 2:
                found |= {"has_mss": 1, "mss": number}
            case 3, 1:
                found |= {"has_scale": 1, "scale": min(number, 14)}
            case 4, 0:
                found |= {"sack_permitted": 1}
            case 8, 8:
                found |= {"has_timestamps": 1, "ts_value": number >> 32}
                found |= {"ts_echo": number & 0xFFFFFFFF}
            case 5, 8 | 16 | 24 | 32:
                words = [int.from_bytes(value[i : i + 4], "big") for i in range(0, len(value), 4)]
                sacks = list(zip(words[::2], words[1::2], strict=True))
    return found, sacks, False


@dataclass(frozen=True)
class Segment:
    """As it comes; its sequence number is `seed`. `offset`: words of the header that it tells."""

    seed: int
    options: bytes = b""
    payload: bytes = b""
    offset: int | None = None
    cut: int | None = None  # to so many bytes
    good: bool = True
    fields: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def header(self) -> dict[str, int]:
        random = Random(self.seed)
        drawn = {name: random.getrandbits(8 * size) for name, size in SIZES.items()}
        drawn["vlan"] &= 0x1FFFF
        drawn["seq"] = self.seed
        drawn["src_port"] |= 1
        drawn["dst_port"] |= 1
        return drawn | self.fields

    @cached_property
    def data(self) -> bytes:
        head = self.header
        ports = b"".join(head[name].to_bytes(2, "big") for name in ("src_port", "dst_port"))
        numbers = b"".join(head[name].to_bytes(4, "big") for name in ("seq", "ack"))
        words = (FIXED + len(self.options)) // 4 if self.offset is None else self.offset
        rest = bytes((words << 4 | head["reserved"] & 15, head["flags"]))
        rest += head["window"].to_bytes(2, "big")
        urgent = head["urgent"].to_bytes(2, "big")
        before = ports + numbers + rest
        after = urgent + self.options + self.payload
        whole = before + bytes(2) + after
        check = 0xFFFF ^ csum(whole[: self.cut], self.pseudo(len(whole[: self.cut])))
        if not self.good:
            check ^= 1 << self.seed % 16
        return (before + check.to_bytes(2, "big") + after)[: self.cut]

    def pseudo(self, length: int) -> int:
        addresses = self.header["ip"].to_bytes(4, "big") + IP.to_bytes(4, "big")
        return csum(addresses + bytes((0, 6)) + length.to_bytes(2, "big"))

    @property
    def message(self) -> Message:
        head, data = self.header, self.data
        meta = pack_meta(
            length=len(data),
            csum=csum(data),
            ip=head["ip"],
            tos=head["tos"],
            vlan__valid=head["vlan"] >> 16 & 1,
            vlan__tci=head["vlan"] & 0xFFFF,
        )
        return Message(data, meta)

    @cached_property
    def found(self) -> tuple[dict[str, int], list[tuple[int, int]], bool]:
        return read_options(self.options)

    def check(self, item: int) -> None:
        """The fields of segment_o."""
        head = self.header
        for name in ("ip", "tos", "vlan", "src_port", "dst_port", "seq", "ack", "window", "flags"):
            assert get(item, name) == head[name], name
        assert get(item, "mac_port") == 0
        assert get(item, "length") == len(self.payload)
        fields, sacks, _ = self.found
        for name in ("has_mss", "has_scale", "sack_permitted", "has_timestamps"):
            assert get(item, f"options.{name}") == fields.get(name, 0), name
        for name, number in fields.items():
            assert get(item, f"options.{name}") == number, name
        assert get(item, "options.has_sack") == bool(sacks)
        for left, right in sacks[:1]:
            assert get(item, "options.sack.left") == left
            assert get(item, "options.sack.right") == right


def get(item: int, name: str) -> int:
    """A field of segment_t."""
    at = OFFSETS[name]
    return item >> at.offset & ((1 << at.width) - 1)


SIZES = {
    "ip": 4,
    "tos": 1,
    "vlan": 2,
    "src_port": 2,
    "dst_port": 2,
    "seq": 4,
    "ack": 4,
    "flags": 1,
    "window": 2,
    "urgent": 2,
    "reserved": 1,
}


# ---- Checks ----


def push(bench: Bench, stream: int, segments: Sequence[Segment], random: Random) -> None:
    messages = [segment.message for segment in segments]
    bench.push(Beats(WIDTHS[stream]).stream(messages, random), stream)


def received(
    bench: Bench, stream: int, sent: Sequence[Segment], strips: bool = True
) -> list[Segment]:
    """Those that came out, each as it should be."""
    payloads = Beats(WIDTHS[stream]).messages(bench.items(2 * stream), lengths=True)
    segments = bench.items(2 * stream + 1)
    assert len(payloads) == len(segments)
    by_number = {segment.seed: segment for segment in sent}
    assert len(by_number) == len(sent)
    came = []
    for payload, item in zip(payloads, segments, strict=True):
        segment = by_number.pop(get(item, "seq"))
        segment.check(item)
        shown = segment.payload if strips else segment.data
        header = len(shown) - len(segment.payload)
        assert payload.payload == shown
        assert payload.meta == pack_meta(length=len(shown), tos=header)
        came.append(segment)
    return came


def counted(bench: Bench, stream: int) -> Counter[str]:
    counts = bench.events[16 * stream : 16 * stream + len(EVENTS)]
    return +Counter(dict(zip(EVENTS, counts, strict=True)))


def check(bench: Bench, stream: int, sent: Sequence[Segment], **events: int) -> None:
    """All came, in order."""
    assert received(bench, stream, sent) == list(sent)
    assert counted(bench, stream) == Counter(events)


@pytest.mark.parametrize("pace", range(len(PACES)))
def test_every_layout_and_payload_length(benches: Benches, pace: int) -> None:
    random = Random(pace)
    bench = benches("tcp_receive", seed=pace + 1)
    bench.pace(**PACES[pace])
    sent: list[list[Segment]] = []
    for stream, width in enumerate(WIDTHS):
        segments = [
            Segment(0, options, random.randbytes(length))
            for length in [*range(3 * width // 8 + 2), 1460]
            for options in layouts(random).values()
        ]
        if pace > 2:
            segments = random.sample(segments, 400)
        random.shuffle(segments)
        sent.append([replace(segment, seed=seed) for seed, segment in enumerate(segments)])
        push(bench, stream, sent[stream], random)
    bench.drain()
    assert bench.status == 0, "it is not busy"
    for stream in STREAMS:
        check(bench, stream, sent[stream])


@pytest.mark.parametrize("pace", range(len(PACES)))
def test_other_layouts_of_every_length(benches: Benches, pace: int) -> None:
    """Alone: none is lost."""
    random = Random(pace)
    bench = benches("tcp_receive", seed=pace + 1)
    bench.pace(**PACES[pace])
    for _ in range(12):
        for words in range(1, 11):
            options = b"\1" * 4 * (words - 1) + random.choice([b"\1\1\1\1", b"\3\3\5\0"])
            bench.forget()
            sent = []
            for stream, width in enumerate(WIDTHS):
                length = random.randrange(3 * width // 8 + 2)
                sent.append([Segment(words, options, random.randbytes(length))])
                push(bench, stream, sent[stream], random)
            bench.drain()
            for stream in STREAMS:
                check(bench, stream, sent[stream], odd_options=1)


@pytest.mark.parametrize("seed", range(3))
def test_options(benches: Benches, seed: int) -> None:
    random = Random(seed)
    bench = benches("tcp_receive", seed=seed + 1)
    bad = 0
    for number in range(250):
        sent = [Segment(number, random_options(random), random.randbytes(random.randrange(80)))]
        bench.forget()
        for stream in STREAMS:
            push(bench, stream, sent, random)
        bench.drain()
        for stream in STREAMS:
            assert received(bench, stream, sent) == sent
            assert counted(bench, stream)["bad_option"] == sent[0].found[2]
        bad += sent[0].found[2]
    assert 25 < bad < 170


def mixed(random: Random, count: int, odd: float = 0.3, longest: int = 300) -> list[Segment]:
    plain = list(layouts(random).values())
    return [
        Segment(
            seed,
            b"\1" * 40 if random.random() < odd else random.choice(plain),
            random.randbytes(random.choice([0, 0, random.randrange(longest)])),
        )
        for seed in range(count)
    ]


def is_odd(segment: Segment) -> bool:
    return segment.options == b"\1" * 40


def check_mixed(bench: Bench, stream: int, sent: Sequence[Segment]) -> int:
    """All in known layouts came, in order; how many others did."""
    came = received(bench, stream, sent)
    assert [each for each in came if not is_odd(each)] == [s for s in sent if not is_odd(s)]
    odd = [each for each in came if is_odd(each)]
    assert odd == sorted(odd, key=lambda each: each.seed)
    events = counted(bench, stream)
    assert events["odd_options"] == len(odd)
    assert events["options_busy"] == len(sent) - len(came)
    assert set(events) <= {"odd_options", "options_busy"}
    return len(odd)


@pytest.mark.parametrize("pace", range(len(PACES)))
def test_odd_layouts_beside_others(benches: Benches, pace: int) -> None:
    random = Random(pace)
    bench = benches("tcp_receive", seed=pace + 1)
    for round_ in range(3):
        bench.pace(**PACES[pace])
        # Streams that stall by themselves.
        for stream in STREAMS:
            bench.stall(2 * stream + round_ % 2, random.choice([0.0, 0.5, 0.8]))
        sent = mixed(random, 200, odd=random.choice([0.02, 0.3, 0.9]))
        bench.forget()
        for stream in STREAMS:
            push(bench, stream, sent, random)
        bench.drain()
        assert bench.status == 0
        for stream in STREAMS:
            assert check_mixed(bench, stream, sent)


def test_headers_that_stay(benches: Benches) -> None:
    """At 512 bits: in front of the payload, with their length."""
    bench = benches("tcp_receive", StripHeaders=0)
    random = Random(5)
    for pace in (0, 4):
        bench.pace(**PACES[pace])
        sent = mixed(random, 300, odd=0.1, longest=1460)
        bench.forget()
        for stream in STREAMS:
            push(bench, stream, sent, random)
        bench.drain()
        assert bench.status == 0
        for stream, width in enumerate(WIDTHS):
            came = received(bench, stream, sent, strips=width < 512)
            assert [each for each in came if not is_odd(each)] == [s for s in sent if not is_odd(s)]
            assert sum(map(is_odd, came)) == counted(bench, stream)["odd_options"]


def test_options_in_other_layouts_that_do_not_count(benches: Benches) -> None:
    """Nothing is dropped or overtaken, and an MSS in first position is used."""
    bench = benches("tcp_receive", AnyLayout=0)
    random = Random(6)
    mss = b"\2\4\5\264"
    freebsd = mss + b"\1\3\3\6\4\2\10\12" + random.randbytes(8)
    sent = [
        Segment(seed, random.choice([freebsd, b"\1" * 40, b""]), random.randbytes(seed % 90))
        for seed in range(300)
    ]
    for stream in STREAMS:
        push(bench, stream, sent, random)
    bench.drain()
    for stream in STREAMS:
        items = bench.items(2 * stream + 1)
        assert [get(item, "seq") for item in items] == [each.seed for each in sent]
        payloads = Beats(WIDTHS[stream]).messages(bench.items(2 * stream), lengths=True)
        assert [each.payload for each in payloads] == [each.payload for each in sent]
        for item, segment in zip(items, sent, strict=True):
            has_mss = segment.options.startswith(mss)
            assert get(item, "options.has_mss") == has_mss
            assert not has_mss or get(item, "options.mss") == 0x5B4
            for name in ("has_scale", "sack_permitted", "has_timestamps", "has_sack"):
                assert not get(item, f"options.{name}")
        odd = sum(each.options != b"" for each in sent)
        assert counted(bench, stream) == Counter(odd_options=odd)


def test_long_segments_of_odd_layouts(benches: Benches) -> None:
    """Nothing waits for itself, however full it is when they come."""
    random = Random(7)
    bench = benches("tcp_receive")
    for stall in (0.0, 0.5):
        bench.pace(stall=stall)
        sent = mixed(random, 40, odd=0.4, longest=9000)
        bench.forget()
        for stream in STREAMS:
            push(bench, stream, sent, random)
        # Full, or as full as other streams let it become.
        for stream in STREAMS:
            bench.stall(2 * stream, 1.0)
        bench.run(500)
        bench.pace(stall=stall)
        bench.drain()
        for stream in STREAMS:
            check_mixed(bench, stream, sent)


def test_no_gap_between_messages(benches: Benches) -> None:
    """At the rate of the input: without a payload, with some, one layout or another."""
    random = Random(1)
    bench = benches("tcp_receive")
    plain = list(layouts(random).values())
    for longest in (1, 40, 500):
        sent = [
            Segment(seed, random.choice(plain), random.randbytes(random.randrange(longest)))
            for seed in range(500)
        ]
        bench.forget()
        start = bench.cycle
        for stream in STREAMS:
            push(bench, stream, sent, random)
        bench.drain()
        for stream in STREAMS:
            assert consecutive(bench.taken(stream))
            check(bench, stream, sent)
        first = bench.taken(3)[0]
        assert first - start < 5
        assert bench.received(7)[0].cycle - first == 3
        if longest == 1:
            assert bench.received(6)[0].cycle - first == 5
            assert consecutive([item.cycle for item in bench.received(6)])
            assert consecutive([item.cycle for item in bench.received(7)])


def test_odd_layouts_take_no_throughput(benches: Benches) -> None:
    """At line rate each that is read costs a cycle."""
    random = Random(2)
    bench = benches("tcp_receive")
    for longest in (1, 40, 500):
        sent = mixed(random, 600, odd=0.5, longest=longest)
        bench.forget()
        for stream in STREAMS:
            push(bench, stream, sent, random)
        bench.drain()
        for stream in STREAMS:
            odd = check_mixed(bench, stream, sent)
            taken = bench.taken(stream)
            assert taken[-1] - taken[0] + 1 - len(taken) <= odd
            assert odd >= 8


def test_refused(benches: Benches) -> None:
    random = Random(3)
    bench = benches("tcp_receive")
    for pace in PACES:
        bench.pace(**pace)
        sent, good, expected = [], [], Counter[str]()
        plain = list(layouts(random).values())
        for seed in range(300):
            payload = random.randbytes(random.randrange(200))
            segment = Segment(seed, random.choice(plain), payload)
            reason = random.choice([None, None, *EVENTS[:4]])
            if reason == "truncated":
                words = len(segment.options) // 4 + 5
                cut = random.choice([random.randrange(1, 20), random.randrange(1, 4 * words)])
                segment = replace(segment, cut=cut, payload=b"")
            elif reason == "bad_offset":
                segment = replace(segment, offset=random.randrange(5))
            elif reason == "bad_checksum":
                segment = replace(segment, good=False)
            elif reason == "bad_port":
                port = random.choice(["src_port", "dst_port"])
                segment = replace(segment, fields={port: 0})
            else:
                good.append(segment)
            sent.append(segment)
            if reason:
                expected[reason] += 1
        bench.forget()
        for stream in STREAMS:
            push(bench, stream, sent, random)
        bench.drain()
        for stream in STREAMS:
            check(bench, stream, good, **expected)


def test_stalled_outputs_stop_the_input(benches: Benches) -> None:
    """And nothing is lost, whichever stream stalls, short segments or long."""
    random = Random(4)
    bench = benches("tcp_receive")
    plain = list(layouts(random).values())
    for stalled in (0, 1):
        for length in (0, 100, 8000):
            sent = [
                Segment(seed, random.choice(plain), random.randbytes(length))
                for seed in range(40 if length > 1000 else 200)
            ]
            bench.forget()
            bench.pace()
            for stream in STREAMS:
                bench.stall(2 * stream + stalled, 1.0)
                push(bench, stream, sent, random)
            bench.run(3000)
            assert all(bench.waiting(stream) for stream in STREAMS)
            bench.pace()
            bench.drain()
            for stream in STREAMS:
                check(bench, stream, sent)


def test_ready_comes_out_of_a_register(benches: Benches) -> None:
    random = Random(5)
    bench = benches("tcp_receive")
    bench.pace(gap=0.2, stall=0.5)
    for stream in STREAMS:
        push(bench, stream, mixed(random, 300), random)
    bench.drain()
    assert bench.combinational == 0


def test_reset_in_the_middle_of_traffic(benches: Benches) -> None:
    random = Random(6)
    bench = benches("tcp_receive")
    for _ in range(30):
        bench.pace(gap=random.choice([0, 0.3]), stall=random.choice([0.0, 0.5, 1.0]))
        for stream in STREAMS:
            push(bench, stream, mixed(random, 60), random)
        bench.run(random.randrange(5, 200))
        bench.reset(random.randrange(1, 3))
        bench.pace(gap=0.3, stall=0.3)
        sent = mixed(random, 30)
        for stream in STREAMS:
            push(bench, stream, sent, random)
        bench.drain()
        assert bench.status == 0
        for stream in STREAMS:
            check_mixed(bench, stream, sent)

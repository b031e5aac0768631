# SPDX-License-Identifier: Apache-2.0
"""tcp_receive: every header and payload length at every width, any options, what is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from tests.protocols.tcp.segments import ACK, Segment, get, layouts, random_options, sack_of
from tests.support.harness import (
    PACES,
    WIDTHS,
    Beats,
    Bench,
    Benches,
    consecutive,
    pack_meta,
)

pytestmark = pytest.mark.slow

STREAMS = range(len(WIDTHS))
EVENTS = (
    *("truncated", "bad_offset", "bad_checksum", "bad_port", "options_busy"),
    *("odd_options", "bad_option"),
)


def push(bench: Bench, stream: int, segments: Sequence[Segment], random: Random) -> None:
    messages = [segment.message for segment in segments]
    bench.push(Beats(WIDTHS[stream]).stream(messages, random), stream)


def received(
    bench: Bench, stream: int, sent: Sequence[Segment], strips: bool = True
) -> list[Segment]:
    """Those that came out, each as it should be, and further SACK blocks behind some."""
    payloads = Beats(WIDTHS[stream]).messages(bench.items(2 * stream), lengths=True)
    items = bench.items(2 * stream + 1)
    segments = [item for item in items if not get(item, "sack_only")]
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
    blocks = iter((segment, block) for segment in came for block in segment.more)
    for item in items:
        if get(item, "sack_only"):
            segment = next(
                segment
                for segment, block in blocks
                if block == sack_of(item) and segment.header["ack"] == get(item, "ack")
            )
            segment.check_more(item)
    return came


def count_more(bench: Bench, stream: int) -> int:
    """SACK blocks that came behind the first ones."""
    return sum(get(item, "sack_only") for item in bench.items(2 * stream + 1))


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


@pytest.mark.parametrize("pace", range(len(PACES)))
def test_further_sack_blocks(benches: Benches, pace: int) -> None:
    """Of a segment alone each comes, in any layout of options, unless it opens, ends or resets the
    connection.
    """
    random = Random(pace)
    bench = benches("tcp_receive", seed=pace + 1)
    bench.pace(**PACES[pace])
    for number in range(60):
        options = [each for name, each in layouts(random).items() if "sack" in name]
        options += [random_options(random) for _ in range(4)]
        flags = random.choice([ACK, ACK | 8, ACK, random.getrandbits(8)])
        payload = random.randbytes(random.choice([0, 0, 1, 70]))
        segment = Segment(number, random.choice(options), payload, fields={"flags": flags})
        bench.forget()
        for stream in STREAMS:
            push(bench, stream, [segment], random)
        bench.drain()
        bench.run(60)
        assert bench.status == 0, "it is not busy"
        for stream in STREAMS:
            assert received(bench, stream, [segment]) == [segment]
            items = bench.items(2 * stream + 1)
            assert [sack_of(item) for item in items if get(item, "sack_only")] == segment.more


def test_further_sack_blocks_give_way_to_other_layouts(benches: Benches) -> None:
    """None of these is dropped, whenever it comes."""
    random = Random(8)
    bench = benches("tcp_receive")
    sack = Segment(0, layouts(random)["sack 4"], fields={"flags": ACK})
    cut = 0
    for gap in range(40):
        odd = Segment(1, random_options(random), random.randbytes(30))
        bench.forget()
        for segment in (sack, odd):
            for stream in STREAMS:
                push(bench, stream, [segment], random)
            bench.run(gap + 1)
        bench.drain()
        for stream in STREAMS:
            came = received(bench, stream, [sack, odd])
            assert sorted(each.seed for each in came) == [0, 1]
            cut += count_more(bench, stream) < 3
    assert cut


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
        sent = [each for each in sent if not each.more]
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


def test_further_sack_blocks_take_little_throughput(benches: Benches) -> None:
    """At line rate each that is read costs a cycle."""
    random = Random(9)
    bench = benches("tcp_receive")
    options = layouts(random)["stamps sack 3"]
    sent = [Segment(seed, options, fields={"flags": ACK}) for seed in range(200)]
    for stream in STREAMS:
        push(bench, stream, sent, random)
    bench.drain()
    for stream in STREAMS:
        check(bench, stream, sent)
        more = count_more(bench, stream)
        taken = bench.taken(stream)
        assert taken[-1] - taken[0] + 1 - len(taken) <= more
        assert more >= len(sent) // 20


def test_odd_layouts_take_no_throughput(benches: Benches) -> None:
    """At line rate each that is read costs a cycle."""
    random = Random(2)
    bench = benches("tcp_receive")
    for longest in (1, 40, 500):
        sent = [each for each in mixed(random, 600, odd=0.5, longest=longest) if not each.more]
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

# SPDX-License-Identifier: Apache-2.0
"""bridge_pack and bridge_unpack: messages of a mesh in packets between boards."""

from __future__ import annotations

from random import Random

import pytest

from tests.support.harness import PACES, SEEDS, Beats, Bench, Benches, Layout, Message, pack_meta

pytestmark = pytest.mark.slow

# As in benches/bridge.sv.
IDENTITIES = (0x11111111, 0x22222222, 0x33333333)
TARGET = 5
META_WORDS = 2  # of a packet's metadata
UNKNOWN_KIND, UNKNOWN_SOURCE, BAD_PACKET, BROKEN = range(4)  # drops

SHAPES = (
    # widths of mesh and link, words of the longest packet
    (512, 128, 32),
    pytest.param(64, 128, 16, marks=pytest.mark.sweep),
    pytest.param(128, 128, 240, marks=pytest.mark.sweep),
    (64, 512, 64),
    pytest.param(512, 512, 240, marks=pytest.mark.sweep),
)


def piece_bytes(width: int, max_words: int) -> int:
    """Payload of a full packet."""
    return (max_words - 1 - META_WORDS) * 64 // width * (width // 8)


def packet_layout(link: int) -> Layout:
    return Layout(
        ("data", link),
        ("last", 1),
        ("length", 8),
        ("yield", 1),
        ("credit", 1),
        ("channel", 5),
        ("source", 8),
        ("destination", 8),
    )


def message(random: Random, length: int) -> Message:
    return Message(
        random.randbytes(length),
        pack_meta(kind=random.randrange(3), length=length, ip=random.getrandbits(32)),
    )


def messages(random: Random, full: int, count: int, longest: int) -> list[Message]:
    edges = [0, 1, 8, full - 1, full, full + 1, 2 * full, 2 * full + 7, longest]
    lengths = [each for each in edges if each <= longest]
    lengths += [random.randrange(min(2 * full, longest)) for _ in range(count)]
    random.shuffle(lengths)
    return [message(random, length) for length in lengths]


def header(identity: int, length: int, left: int, target: int = TARGET) -> bytes:
    word = identity << 32 | target << 28 | length << 14 | left
    return word.to_bytes(8, "little") + bytes(8 * META_WORDS)


def packet(link: int, source: int, data: bytes, words: int | None = None) -> list[int]:
    """Beats of a packet; `words`: that its header says, if not those that it has."""
    size = link // 8
    count = -(-len(data) // 8)
    layout = packet_layout(link)
    beats = max(1, -(-len(data) // size))
    return [
        layout.pack(
            data=int.from_bytes(data[n * size : (n + 1) * size], "little"),
            last=int(n == beats - 1),
            length=count if words is None else words,
            source=source,
        )
        for n in range(beats)
    ]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("width, link, max_words", SHAPES)
def test_messages_arrive_whole_and_in_order(
    benches: Benches, width: int, link: int, max_words: int, seed: int
) -> None:
    bench = benches("bridge", seed=seed, DataWidth=width, LinkWidth=link, MaxWords=max_words)
    random = Random(seed)
    form = Beats(width)
    full = piece_bytes(width, max_words)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        bench.stall(1, 0)
        sent = [messages(random, full, 40, 9600) for _ in range(2)]
        for number, each in enumerate(sent):
            bench.push(form.stream(each, random), number)
        bench.drain()
        assert not bench.status, "busy without a message"
        got = form.messages(bench.items(0), lengths=True)
        assert len(got) == sum(map(len, sent))
        for each in sent:  # those of each source in its order
            rest = iter(got)
            assert all(any(one == other for other in rest) for one in each)
        check_packets(bench, link, max_words)
    assert not any(bench.events[:4])


def check_packets(bench: Bench, link: int, max_words: int) -> None:
    """Lengths of all packets agree with their beats, and words beyond the end are zero."""
    layout = packet_layout(link)
    beats = 0
    for item in bench.items(1):
        beat = layout.unpack(item)
        beats += 1
        words = beat["length"]
        assert 0 < words <= max_words
        if beat["last"]:
            assert beats == -(-words * 64 // link)
            used = words * 64 - (beats - 1) * link
            assert not beat["data"] >> used
            beats = 0
    assert not beats


def test_every_length_of_two_pieces(benches: Benches) -> None:
    bench = benches("bridge")
    form = Beats(512)
    random = Random(4)
    full = piece_bytes(512, 32)
    sent = [message(random, length) for length in range(2 * full + 10)]
    bench.push(form.stream(sent, random), 0)
    bench.drain()
    assert form.messages(bench.items(0), lengths=True) == sent


def test_a_long_message_blocks_no_other_source(benches: Benches) -> None:
    """The rest of a message never comes; the other board's messages pass."""
    bench = benches("bridge")
    random = Random(5)
    form = Beats(512)
    full = piece_bytes(512, 32)
    bench.push(packet(128, 1, header(IDENTITIES[0], 3 * full, 3 * full) + bytes(full)), 2)
    bench.drain()
    sent = [message(random, length) for length in (10, 4000, 0, 300)]
    bench.push(form.stream(sent, random), 1)
    bench.drain()
    assert form.messages(bench.items(0), lengths=True) == sent
    assert not any(bench.events[:4])
    # Its board has been reset and begins again: the part is dropped and counted.
    again = [message(random, 5), message(random, 5000)]
    bench.forget()
    bench.push(form.stream(again, random), 0)
    bench.drain()
    assert form.messages(bench.items(0), lengths=True) == again
    assert bench.events[:4] == [0, 0, 0, 1]


@pytest.mark.parametrize(
    "data, words, source, reason",
    [
        (header(0x44444444, 8, 8) + bytes(8), None, 1, UNKNOWN_KIND),
        (header(IDENTITIES[0], 8, 8) + bytes(8), None, 3, UNKNOWN_SOURCE),
        (header(IDENTITIES[0], 8, 8, target=4) + bytes(8), None, 1, BAD_PACKET),
        (header(IDENTITIES[0], 8, 8), None, 1, BAD_PACKET),
        (header(IDENTITIES[0], 8, 8) + bytes(16), None, 1, BAD_PACKET),
        (header(IDENTITIES[0], 8, 16) + bytes(16), None, 1, BAD_PACKET),
        (header(IDENTITIES[0], 8, 0), None, 1, BAD_PACKET),
        (header(IDENTITIES[0], 9601, 9601) + bytes(192), None, 1, BAD_PACKET),
        (header(IDENTITIES[0], 400, 208) + bytes(192), None, 1, BROKEN),
        (bytes(8), None, 1, UNKNOWN_KIND),
        (b"", None, 1, None),
    ],
)
def test_what_fits_no_message_is_dropped(
    benches: Benches, data: bytes, words: int | None, source: int, reason: int | None
) -> None:
    bench = benches("bridge")
    random = Random(6)
    form = Beats(512)
    bench.push(packet(128, source, data, words), 2)
    bench.drain()
    assert not bench.items(0)
    assert sum(bench.events[:4]) == 1
    if reason is not None:
        assert bench.events[reason] == 1
    sent = [message(random, length) for length in (10, 4000)]
    bench.push(form.stream(sent, random), 0)
    bench.drain()
    assert form.messages(bench.items(0), lengths=True) == sent


def test_without_memory_long_messages_are_dropped(benches: Benches) -> None:
    full = piece_bytes(512, 32)
    bench = benches("bridge", MaxBytes=full)
    random = Random(7)
    form = Beats(512)
    sent = [message(random, length) for length in (full, 2 * full, full + 1, 9)]
    bench.push(form.stream(sent, random), 0)
    bench.drain()
    assert form.messages(bench.items(0), lengths=True) == [sent[0], sent[3]]
    assert bench.events[:4] == [0, 0, 4, 0]  # two packets each

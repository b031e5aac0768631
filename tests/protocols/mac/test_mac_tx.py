# SPDX-License-Identifier: Apache-2.0
"""mac_tx: checksums, tags, padding, whole frames without a gap; at all widths."""

from __future__ import annotations

from random import Random

import pytest

from tests.protocols.mac.mac_bench import (
    BUFFER_BYTES,
    FILLINGS,
    HEADER,
    MAX_FRAME,
    TAG_TYPE,
    events,
    filling,
    keep_counts_flowing,
    room,
)
from tests.support.axi_stream import AxiStream
from tests.support.harness import (
    PACES,
    SEEDS,
    WIDTHS,
    Beats,
    Bench,
    Benches,
    Message,
    consecutive,
    csum,
    pack_meta,
)

pytestmark = pytest.mark.slow


def ahead(stream: int) -> int:
    """Beats that have left the memory."""
    return 2 if WIDTHS[stream] < 512 else 1


def tx_message(data: bytes, start: int = 0, word: int = 0, tag: int | None = None) -> Message:
    """A frame whose checksum, at `word` from byte 0 on (0: none), starts with `start`; the tag
    is not in the bytes yet, nor counted in `word`."""
    meta = pack_meta(length=len(data), csum=start, l4__ip_tx__csum_pos=word)
    if tag is not None:
        meta |= pack_meta(vlan__valid=1, vlan__tci=tag)
    return Message(data, meta)


def on_the_wire(message: Message) -> bytes:
    tag = TAG_TYPE + message["vlan.tci"].to_bytes(2, "big") if message["vlan.valid"] else b""
    frame = bytearray(message.payload.ljust(60 - len(tag), b"\0"))
    if word := message["l4.ip_tx.csum_pos"]:
        total = csum(bytes(frame[HEADER:]), message["csum"])
        number = 0xFFFF ^ total
        frame[2 * word : 2 * word + 2] = (number or 0xFFFF).to_bytes(2, "big")
    return bytes(frame[:12] + tag + frame[12:])


def check_sent(bench: Bench, sent: list[list[Message]], *, stalled: bool) -> None:
    for stream, messages in enumerate(sent):
        frames = AxiStream(WIDTHS[stream]).frames(bench.received(stream))
        kept = [message for message in messages if len(on_the_wire(message)) <= MAX_FRAME]
        assert [frame for frame, _ in frames] == [on_the_wire(message) for message in kept]
        if not stalled:  # a MAC must never run dry inside a frame
            assert all(consecutive(cycles) for _, cycles in frames)
        dropped = len(messages) - len(kept)
        assert events(bench, stream)[:2] == [dropped, len(kept)]
        assert bench.items(len(WIDTHS) + stream) == [len(frame) for frame, _ in frames]


def random_tx_message(random: Random) -> Message:
    data = random.randbytes(random.choice([random.randrange(14, 80), random.randrange(14, 700)]))
    last_word = len(data) // 2 - 1
    word = random.randrange(7, last_word + 1) if last_word >= 7 and random.random() < 0.7 else 0
    tag = random.getrandbits(16) if random.random() < 0.4 else None
    return tx_message(data, random.getrandbits(16), word, tag)


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("seed", SEEDS)
def test_tx(benches: Benches, seed: int, pace: dict[str, float]) -> None:
    random = Random(seed)
    bench = benches("mac_tx", seed=seed)
    bench.pace(**pace)
    keep_counts_flowing(bench)
    sent = [[random_tx_message(random) for _ in range(120)] for _ in WIDTHS]
    for stream, messages in enumerate(sent):
        bench.push(Beats(WIDTHS[stream]).stream(messages, random), stream)
    bench.drain()
    check_sent(bench, sent, stalled=pace["stall"] > 0)
    assert bench.status == 0


@pytest.mark.parametrize("tag", [None, 0x2064])
def test_tx_checksum_at_every_position(benches: Benches, tag: int | None) -> None:
    random = Random(4)
    bench = benches("mac_tx")
    messages = [
        tx_message(random.randbytes(600), random.getrandbits(16), word, tag)
        for word in range(7, 300)
    ]
    # In the longest frame, to its end; the position is one of 13 bits.
    longest = MAX_FRAME - (0 if tag is None else 4)
    ends = longest // 2 - 1
    messages += [
        tx_message(random.randbytes(longest), random.getrandbits(16), word, tag)
        for word in (*[1 << bit for bit in range(8, 13)], *range(300, ends, 397), ends - 1, ends)
    ]
    for stream in range(len(WIDTHS)):
        bench.push(Beats(WIDTHS[stream]).stream(messages, random), stream)
    bench.drain()
    check_sent(bench, [messages] * len(WIDTHS), stalled=False)


@pytest.mark.parametrize("tag", [None, 0x0123])
def test_tx_pads_every_short_frame(benches: Benches, tag: int | None) -> None:
    random = Random(5)
    bench = benches("mac_tx")
    bench.pace(gap=0.5)
    messages = [
        tx_message(random.randbytes(length), random.getrandbits(16), 8 if length >= 18 else 0, tag)
        for length in range(HEADER, 140)
    ]
    for stream in range(len(WIDTHS)):
        bench.push(Beats(WIDTHS[stream]).stream(messages, random), stream)
    bench.drain()
    check_sent(bench, [messages] * len(WIDTHS), stalled=False)


def test_tx_sends_no_zero_checksum(benches: Benches) -> None:
    bench = benches("mac_tx")
    zeros = bytes(60)
    messages = [tx_message(zeros, start, 20) for start in (0, 0xFFFF, 0xFFFE, 1)]
    # The bytes themselves add up to all ones.
    messages.append(tx_message(bytes(14) + b"\xff\xff" + bytes(44), 0, 20))
    messages.append(tx_message(bytes(14) + b"\xff\xfe" + bytes(44), 1, 20))
    for stream in range(len(WIDTHS)):
        bench.push(Beats(WIDTHS[stream]).stream(messages), stream)
    bench.drain()
    for stream in range(len(WIDTHS)):
        frames = AxiStream(WIDTHS[stream]).frames(bench.received(stream))
        fields = [int.from_bytes(frame[40:42], "big") for frame, _ in frames]
        assert fields == [0xFFFF, 0xFFFF, 0x0001, 0xFFFE, 0xFFFF, 0xFFFF]


def test_tx_drops_what_is_too_long(benches: Benches) -> None:
    random = Random(6)
    bench = benches("mac_tx")
    messages = [
        tx_message(random.randbytes(length), 0, 20)
        for length in (60, 9600, 9601, 61, 9700, 16383, 9599, 9601, 9601, 1514)
    ]
    # With a tag, four bytes less go in.
    messages += [tx_message(random.randbytes(9590 + n), 0, 20, tag=n) for n in range(10)]
    for stream in range(len(WIDTHS)):
        bench.push(Beats(WIDTHS[stream]).stream(messages, random), stream)
    bench.drain()
    check_sent(bench, [messages] * len(WIDTHS), stalled=False)


@pytest.mark.parametrize("length", [40, 64, 1514, 9600])
def test_tx_stops_the_stream_when_full(benches: Benches, length: int) -> None:
    random = Random(length)
    bench = benches("mac_tx")
    messages = [
        tx_message(n.to_bytes(4, "big") + random.randbytes(length - 4), n, 10)
        for n in range(2 * (BUFFER_BYTES // length))
    ]
    for stream in range(len(WIDTHS)):
        bench.push(Beats(WIDTHS[stream]).stream(messages, random), stream)
    bench.pace(stall=1.0)
    bench.run(12000)
    assert all(bench.waiting(stream) for stream in range(len(WIDTHS)))
    bench.pace()
    bench.drain()
    check_sent(bench, [messages] * len(WIDTHS), stalled=False)


@pytest.mark.parametrize("length", [40, 64, 1514, 9600])
def test_tx_drops_what_finds_no_room(benches: Benches, length: int) -> None:
    """Where several MAC ports share a stack: whole frames, counted, and the stream never stops."""
    random = Random(length)
    bench = benches("mac_tx", DropsWhenFull=1)
    count = 2 * (BUFFER_BYTES // length)
    messages = [
        tx_message(n.to_bytes(4, "big") + random.randbytes(length - 4), n, 10) for n in range(count)
    ]
    for _ in range(2):
        bench.forget()
        keep_counts_flowing(bench)
        for stream in range(len(WIDTHS)):
            bench.push(Beats(WIDTHS[stream]).stream(messages, random), stream)
        bench.pace(stall=1.0)
        bench.run(12000)
        assert not any(bench.waiting(stream) for stream in range(len(WIDTHS)))
        kept = [count - bench.events[8 * stream + 2] for stream in range(len(WIDTHS))]
        bench.pace()
        bench.drain()
        # Frames that fit are kept and no others: all but the room of one frame and its padding.
        assert all(abs(n * max(length, 64) - BUFFER_BYTES) < length + 256 for n in kept), kept
        check_sent(bench, [messages[:n] for n in kept], stalled=False)


@FILLINGS
def test_tx_takes_frames_until_the_beats_are_used_up(
    benches: Benches, beats: tuple[int, ...]
) -> None:
    random = Random(str(beats))
    bench = benches("mac_tx")
    for _ in range(2):
        bench.forget()
        bench.pace(stall=1.0)
        keep_counts_flowing(bench)
        sent = []
        for stream in range(len(WIDTHS)):
            data = filling(random, stream, beats, 60, ahead(stream))
            sent.append([tx_message(frame, n, 10) for n, frame in enumerate(data)])
            more = tx_message(bytes(60))
            bench.push(Beats(WIDTHS[stream]).stream([*sent[stream], more], random), stream)
            sent[stream].append(more)
        bench.run(BUFFER_BYTES // (min(WIDTHS) // 8) + 100)
        for stream in range(len(WIDTHS)):
            assert len(bench.taken(stream)) == room(stream, ahead(stream))
        bench.pace()
        bench.drain()
        check_sent(bench, sent, stalled=False)


def test_tx_latency_and_throughput(benches: Benches) -> None:
    bench = benches("mac_tx")
    messages = [tx_message(bytes(1500)) for _ in range(20)]
    for stream in range(len(WIDTHS)):
        bench.push(Beats(WIDTHS[stream]).stream(messages), stream)
    bench.drain()
    for stream, width in enumerate(WIDTHS):
        received = bench.received(stream)
        last_of_first = bench.taken(stream)[Beats(width).count(1500) - 1]
        assert received[0].cycle - last_of_first == 1 + ahead(stream)
        assert consecutive([cycle for cycle, _ in received])


def test_tx_forgets_at_reset(benches: Benches) -> None:
    random = Random(8)
    bench = benches("mac_tx")
    for _ in range(20):
        for stream, width in enumerate(WIDTHS):
            traffic = [random_tx_message(random) for _ in range(10)]
            bench.push(Beats(width).stream(traffic, random), stream)
        bench.pace(gap=0.2, stall=random.choice([0.5, 1.0]))
        keep_counts_flowing(bench)
        bench.run(random.randrange(1, 60))
        bench.reset(1)
        bench.pace(gap=0.2)
        messages = [random_tx_message(random) for _ in range(8)]
        for stream, width in enumerate(WIDTHS):
            bench.push(Beats(width).stream(messages, random), stream)
        bench.drain()
        check_sent(bench, [messages] * len(WIDTHS), stalled=False)
        bench.forget()

# SPDX-License-Identifier: Apache-2.0
"""mac_rx and mac_tx: whole frames, sums, padding, at all widths side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from random import Random

import pytest
from axi_stream import AxiStream
from harness import (
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
    same_sum,
)

MAX_FRAME = 9600
HEADER = 14
TAG_TYPE = b"\x81\x00"
BAD, TOO_LONG, OVERFLOW, FRAMES = range(4)  # events of mac_rx
LAST_WORD = 253  # of a checksum: with a tag it moves by two, and the field has 8 bits
BUFFER_BYTES = 32768


def events(bench: Bench, stream: int) -> list[int]:
    return bench.events[8 * stream : 8 * stream + 8]


def keep_counts_flowing(bench: Bench) -> None:
    """The counts of frames are pulses, not streams."""
    for stream in range(len(WIDTHS)):
        bench.stall(len(WIDTHS) + stream, 0.0)


def room(stream: int) -> int:
    """Beats that a buffer holds: those in its memory and the one at the output."""
    return BUFFER_BYTES // (WIDTHS[stream] // 8) + 1


def filling(random: Random, stream: int, beats: Sequence[int], shortest: int) -> list[bytes]:
    """Random data for frames of so many beats, in turn, that fill a buffer to the last one."""
    size = WIDTHS[stream] // 8
    least = -(-shortest // size)
    frames: list[bytes] = []
    left = room(stream)
    for count in cycle(max(n, least) for n in beats):
        count = left if left < count + least else count
        frames.append(random.randbytes(max(shortest, count * size - random.randrange(size))))
        left -= count
        if not left:
            return frames
    raise AssertionError


# Beats of the frames that fill a buffer.
FILLINGS = pytest.mark.parametrize(
    "beats", [(1,), (2,), (1, 2), (1, 1, 1, 9, 2, 24)], ids=lambda beats: "-".join(map(str, beats))
)


# ---- Receive ----


@dataclass(frozen=True)
class Frame:
    data: bytes
    bad: bool = False

    @property
    def tag(self) -> int | None:
        """The VLAN tag, if it is whole."""
        if self.data[12:14] != TAG_TYPE or len(self.data) < 16:
            return None
        return int.from_bytes(self.data[14:16], "big")

    @property
    def message(self) -> bytes:
        """Without the tag, and without what is behind the end of an IPv4 packet."""
        data = self.data if self.tag is None else self.data[:12] + self.data[16:]
        if data[12:14] != b"\x08\x00" or len(data) < HEADER + 4:
            return data
        total = int.from_bytes(data[HEADER + 2 : HEADER + 4], "big")
        return data[: HEADER + total] if 20 <= total <= MAX_FRAME else data


def ethernet(random: Random, total: int, padding: int, *, tagged: bool = False) -> bytes:
    """A frame with an IPv4 packet of `total` bytes, and `padding` that is not zero."""
    tag = TAG_TYPE + random.randbytes(2) if tagged else b""
    packet = b"\x45\x00" + total.to_bytes(2, "big") + random.randbytes(max(total - 4, 0))
    return (
        random.randbytes(12)
        + tag
        + b"\x08\x00"
        + packet[: max(total, 4)]
        + random.randbytes(padding)
    )


def random_frame(random: Random) -> Frame:
    kind = random.randrange(8)
    if kind == 0:  # anything, runts included
        data = random.randbytes(random.randrange(1, 100))
    elif kind == 1:  # no IPv4
        data = random.randbytes(12) + b"\x08\x06" + random.randbytes(random.randrange(100))
    elif kind == 2:  # IPv4, but a length that no packet has, or longer than the frame
        total = random.choice([0, 3, 19, MAX_FRAME + 1, 0xFFFF, 300, 90])
        data = ethernet(random, 20, 40, tagged=random.random() < 0.5)
        at = 16 if data[12:14] == b"\x08\x00" else 20
        data = data[:at] + total.to_bytes(2, "big") + data[at + 2 :]
    elif kind == 3:  # cut short in the header
        data = ethernet(random, 60, 0, tagged=random.random() < 0.5)[: random.randrange(12, 24)]
    else:
        data = ethernet(
            random,
            random.randrange(20, 260),
            random.choice([0, 0, 1, 7, 26, 46, 150]),
            tagged=random.random() < 0.4,
        )
    return Frame(data, bad=random.random() < 0.1)


def check_received(bench: Bench, stream: int, kept: list[Frame]) -> None:
    beats = Beats(WIDTHS[stream])
    got = beats.messages(bench.items(stream), lengths=True)
    assert [m.payload for m in got] == [frame.message for frame in kept]
    for message, frame in zip(got, kept, strict=True):
        assert same_sum(message["csum"], csum(message.payload[HEADER:]))
        assert message["mac_port"] == stream
        assert message["kind"] == 0
        if len(frame.data) >= HEADER:  # a runt has no header that could tell
            tag = message["vlan.tci"] if message["vlan.valid"] else None
            assert tag == frame.tag


def push_frames(bench: Bench, stream: int, frames: list[Frame], random: Random) -> None:
    axi = AxiStream(WIDTHS[stream])
    for frame in frames:
        bench.push(list(axi.beats(frame.data, random, bad=frame.bad)), stream)


@pytest.mark.parametrize("seed", SEEDS)
def test_rx_trims_sums_and_drops(benches: Benches, seed: int) -> None:
    random = Random(seed)
    bench = benches("mac_rx", seed=seed)
    for pace in ({"gap": 0.0, "stall": 0.0}, {"gap": 0.5, "stall": 0.2}, {"gap": 0.1, "stall": 0}):
        bench.forget()
        bench.pace(**pace)
        keep_counts_flowing(bench)
        sent = [[random_frame(random) for _ in range(250)] for _ in WIDTHS]
        for stream, frames in enumerate(sent):
            push_frames(bench, stream, frames, random)
        bench.drain()
        for stream, frames in enumerate(sent):
            bad = sum(frame.bad for frame in frames)
            check_received(bench, stream, [frame for frame in frames if not frame.bad])
            assert events(bench, stream)[:4] == [bad, 0, 0, len(frames)]
            assert bench.items(len(WIDTHS) + stream) == [len(frame.data) for frame in frames]
        assert bench.status == 0


@pytest.mark.parametrize("tagged", [False, True])
def test_rx_cuts_padding_at_every_byte(benches: Benches, tagged: bool) -> None:
    random = Random(7)
    bench = benches("mac_rx")
    frames = [
        Frame(ethernet(random, total, padding, tagged=tagged))
        for total in range(20, 150)
        for padding in (0, 1, 8, 30)
    ]
    for stream in range(len(WIDTHS)):
        push_frames(bench, stream, frames, random)
    bench.drain()
    for stream in range(len(WIDTHS)):
        check_received(bench, stream, frames)


def test_rx_refuses_what_is_too_long(benches: Benches) -> None:
    random = Random(1)
    bench = benches("mac_rx")
    lengths = (9599, 9600, 9601, 60, 9664, 12000, 16383, 16384, 61, 16385, 20000, 32768, 40000, 62)
    frames = [Frame(random.randbytes(12) + b"\x88\xb5" + random.randbytes(n - 14)) for n in lengths]
    for stream in range(len(WIDTHS)):
        push_frames(bench, stream, frames, random)
    bench.drain()
    for stream in range(len(WIDTHS)):
        check_received(bench, stream, [f for f in frames if len(f.data) <= MAX_FRAME])
        good = sum(length <= MAX_FRAME for length in lengths)
        assert events(bench, stream)[TOO_LONG] == len(lengths) - good
        assert events(bench, stream)[FRAMES] == len(lengths)


@pytest.mark.parametrize("length", [60, 64, 500, 1514, 9600])
def test_rx_counts_overflow_and_recovers(benches: Benches, length: int) -> None:
    random = Random(length)
    bench = benches("mac_rx")
    count = 3 * (BUFFER_BYTES // length)
    for stall in (1.0, 0.8):
        bench.forget()
        frames = [
            Frame(random.randbytes(12) + n.to_bytes(2, "big") + bytes(length - 14))
            for n in range(1, count + 1)
        ]
        for stream in range(len(WIDTHS)):
            push_frames(bench, stream, frames, random)
        bench.pace(stall=stall)
        keep_counts_flowing(bench)
        while any(bench.waiting(stream) for stream in range(len(WIDTHS))):
            bench.run(100)
        bench.pace()
        bench.drain()
        after = [Frame(random.randbytes(200)) for _ in range(5)]
        for stream in range(len(WIDTHS)):
            got = Beats(WIDTHS[stream]).messages(bench.items(stream), lengths=True)
            lost = events(bench, stream)[OVERFLOW]
            assert lost and len(got) + lost == count
            if stall == 1.0:  # what fits is kept, in order, then nothing
                assert [m.payload for m in got] == [f.data for f in frames[: len(got)]]
                beats = -(-length // (WIDTHS[stream] // 8))
                assert len(got) == room(stream) // beats
            else:
                wanted = [frame.data for frame in frames]
                positions = [wanted.index(m.payload) for m in got]
                assert positions == sorted(set(positions))
            for message in got:
                assert same_sum(message["csum"], csum(message.payload[HEADER:]))
            assert events(bench, stream)[FRAMES] == count
        bench.forget()
        for stream in range(len(WIDTHS)):
            push_frames(bench, stream, after, random)
        bench.drain()
        for stream in range(len(WIDTHS)):
            check_received(bench, stream, after)


@FILLINGS
def test_rx_holds_frames_until_the_beats_are_used_up(
    benches: Benches, beats: tuple[int, ...]
) -> None:
    random = Random(str(beats))
    bench = benches("mac_rx")
    for _ in range(2):  # the second time from where the first one ended
        bench.forget()
        bench.pace(stall=1.0)
        keep_counts_flowing(bench)
        sent = []
        for stream in range(len(WIDTHS)):
            # An IPv4 packet without padding is not shorter.
            data = filling(random, stream, beats, 34)
            sent.append([Frame(frame[:12] + b"\x88\xb5" + frame[14:]) for frame in data])
            push_frames(bench, stream, [*sent[stream], Frame(bytes(60))], random)
        while any(bench.waiting(stream) for stream in range(len(WIDTHS))):
            bench.run(100)
        bench.run(10)
        for stream in range(len(WIDTHS)):
            assert events(bench, stream)[OVERFLOW] == 1, "the one that is too many"
        bench.pace()
        bench.drain()
        for stream, frames in enumerate(sent):
            check_received(bench, stream, frames)


def test_rx_takes_runts_until_it_is_full(benches: Benches) -> None:
    """Frames of a byte: a narrow buffer holds one for each 32 bytes."""
    random = Random(8)
    bench = benches("mac_rx")
    bench.pace(stall=1.0)
    keep_counts_flowing(bench)
    count = BUFFER_BYTES // 8 + 100
    frames = [Frame(random.randbytes(1)) for _ in range(count)]
    for stream in range(len(WIDTHS)):
        push_frames(bench, stream, frames, random)
    while any(bench.waiting(stream) for stream in range(len(WIDTHS))):
        bench.run(100)
    bench.pace()
    bench.drain()
    for stream in range(len(WIDTHS)):
        kept = room(stream) if WIDTHS[stream] >= 256 else BUFFER_BYTES // 32
        check_received(bench, stream, frames[:kept])
        assert events(bench, stream)[OVERFLOW] == count - kept


def test_rx_latency(benches: Benches) -> None:
    random = Random(2)
    bench = benches("mac_rx")
    for stream in range(len(WIDTHS)):
        push_frames(bench, stream, [Frame(bytes(60))], random)
    bench.drain()
    for stream in range(len(WIDTHS)):
        assert bench.received(stream)[0].cycle - bench.taken(stream)[-1] == 6


def test_rx_forgets_at_reset(benches: Benches) -> None:
    random = Random(3)
    bench = benches("mac_rx")
    for _ in range(20):
        for stream in range(len(WIDTHS)):
            push_frames(bench, stream, [random_frame(random) for _ in range(10)], random)
        bench.pace(gap=0.2, stall=random.choice([0.5, 1.0]))
        keep_counts_flowing(bench)
        bench.run(random.randrange(1, 60))
        bench.reset(1)
        bench.pace(gap=0.2, stall=0.2)
        keep_counts_flowing(bench)
        sent = [random_frame(random) for _ in range(10)]
        for stream in range(len(WIDTHS)):
            push_frames(bench, stream, sent, random)
        bench.drain()
        for stream in range(len(WIDTHS)):
            check_received(bench, stream, [frame for frame in sent if not frame.bad])
        bench.forget()


# ---- Transmit ----


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
    last_word = min(len(data) // 2 - 1, LAST_WORD)
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
        for word in range(7, LAST_WORD + 1)
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
            data = filling(random, stream, beats, 60)
            sent.append([tx_message(frame, n, 10) for n, frame in enumerate(data)])
            more = tx_message(bytes(60))
            bench.push(Beats(WIDTHS[stream]).stream([*sent[stream], more], random), stream)
            sent[stream].append(more)
        bench.run(max(map(room, range(len(WIDTHS)))) + 100)
        for stream in range(len(WIDTHS)):
            assert len(bench.taken(stream)) == room(stream)
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
        assert received[0].cycle - last_of_first == 3
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

# SPDX-License-Identifier: Apache-2.0
"""mac_rx: padding cut, sums, bad and long frames dropped, a full buffer; at all widths."""

from __future__ import annotations

from dataclasses import dataclass
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
    run_until_taken,
)
from tests.support.axi_stream import AxiStream
from tests.support.harness import SEEDS, WIDTHS, Beats, Bench, Benches, csum, same_sum

pytestmark = pytest.mark.slow

BAD, TOO_LONG, OVERFLOW, FRAMES = range(4)  # events of mac_rx
AHEAD = 2  # beats that have left the memory


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
        """The frame without tag and without bytes after an IPv4 packet."""
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
        assert message["mac_port"] == stream % 3
        assert message["kind"] == 0
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
        run_until_taken(bench)
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
                assert len(got) == room(stream, AHEAD) // beats
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
            data = filling(random, stream, beats, 34, AHEAD)
            sent.append([Frame(frame[:12] + b"\x88\xb5" + frame[14:]) for frame in data])
            push_frames(bench, stream, [*sent[stream], Frame(bytes(60))], random)
        run_until_taken(bench)
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
    run_until_taken(bench)
    bench.pace()
    bench.drain()
    for stream in range(len(WIDTHS)):
        kept = room(stream, AHEAD) if WIDTHS[stream] >= 256 else BUFFER_BYTES // 32
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

# SPDX-License-Identifier: Apache-2.0
"""frame_rx: frames byte for byte, what identifies their flow, drops; at all widths."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from bombus.protocols.flow_key import flow_key
from tests.protocols.mac.mac_bench import (
    BUFFER_BYTES,
    FILLINGS,
    MAX_FRAME,
    events,
    filling,
    keep_counts_flowing,
    room,
    run_until_taken,
)
from tests.support.axi_stream import AxiStream
from tests.support.harness import SEEDS, WIDTHS, Beats, Bench, Benches

pytestmark = pytest.mark.slow

BAD, TOO_LONG, OVERFLOW, FRAMES = range(4)  # events of frame_rx
AHEAD = 2  # beats that have left the memory


def whole(benches: Benches, seed: int = 1) -> Bench:
    return benches("mac_rx", seed=seed, Whole=1)


def random_frame(random: Random) -> bytes:
    """Mostly IPv4 with all fields of the flow key; sometimes truncated, sometimes anything."""
    tag = random.choice([b"", b"\x81\x00", b"\x88\xa8"])
    tag += random.randbytes(2) if tag else b""
    packet = bytearray(random.randbytes(random.randrange(24, 200)))
    packet[0] = random.choice([0x45, 0x45, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4F, 0x44, 0x65])
    packet[6:8] = random.choice([b"\0\0", b"\x40\0", b"\x20\0", b"\0\1", b"\x1f\0", b"\x80\0"])
    packet[9] = random.choice([6, 17, 132, 1, 50])
    kind = random.choice([b"\x08\x00"] * 4 + [b"\x86\xdd", b"\x81\x00"])
    frame = random.randbytes(12) + tag + kind + packet
    return frame[: random.randrange(1, 70)] if random.random() < 0.2 else frame


def push(bench: Bench, frames: Sequence[bytes], random: Random, bad: Sequence[bool] = ()) -> None:
    for stream, width in enumerate(WIDTHS):
        axi = AxiStream(width)
        for n, frame in enumerate(frames):
            bench.push(list(axi.beats(frame, random, bad=bool(bad) and bad[n])), stream)


def check(bench: Bench, stream: int, kept: Sequence[bytes]) -> None:
    got = Beats(WIDTHS[stream]).messages(bench.items(stream), lengths=True)
    assert [message.payload for message in got] == list(kept)
    for message in got:
        names = ("ip", "l4.ports.src_port", "l4.ports.dst_port", "csum", "vlan", "tos")
        values = [message[name] for name in names]
        assert values == [*flow_key(message.payload), 0, 0, 0, 0]
        assert message["mac_port"] == stream % 3


@pytest.mark.parametrize("seed", SEEDS)
def test_frames_pass_as_they_are(benches: Benches, seed: int) -> None:
    random = Random(seed)
    bench = whole(benches, seed)
    for pace in ({"gap": 0.0, "stall": 0.0}, {"gap": 0.5, "stall": 0.2}, {"gap": 0.1, "stall": 0}):
        bench.forget()
        bench.pace(**pace)
        keep_counts_flowing(bench)
        sent = [random_frame(random) for _ in range(300)]
        bad = [random.random() < 0.1 for _ in sent]
        push(bench, sent, random, bad)
        bench.drain()
        good = [frame for frame, is_bad in zip(sent, bad, strict=True) if not is_bad]
        for stream in range(len(WIDTHS)):
            check(bench, stream, good)
            assert events(bench, stream)[:4] == [sum(bad), 0, 0, len(sent)]
            assert bench.items(len(WIDTHS) + stream) == list(map(len, sent))
        assert bench.status == 0


def test_every_length(benches: Benches) -> None:
    random = Random(2)
    bench = whole(benches)
    sent = [random.randbytes(length) for length in (*range(1, 200), 9599, MAX_FRAME)]
    push(bench, sent, random)
    bench.drain()
    for stream in range(len(WIDTHS)):
        check(bench, stream, sent)


def test_what_is_too_long_is_dropped(benches: Benches) -> None:
    random = Random(3)
    bench = whole(benches)
    lengths = (9599, 9600, 9601, 60, 9664, 12000, 16383, 16384, 61, 16385, 20000, 40000, 62)
    sent = [random.randbytes(length) for length in lengths]
    push(bench, sent, random)
    bench.drain()
    for stream in range(len(WIDTHS)):
        kept = [frame for frame in sent if len(frame) <= MAX_FRAME]
        check(bench, stream, kept)
        assert events(bench, stream)[TOO_LONG] == len(sent) - len(kept)
        # The beat count of a very long frame saturates.
        most = (1 << 14) - WIDTHS[stream] // 8
        assert bench.items(len(WIDTHS) + stream) == [min(length, most) for length in lengths]


@FILLINGS
def test_frames_are_kept_until_the_beats_are_used_up(
    benches: Benches, beats: tuple[int, ...]
) -> None:
    random = Random(str(beats))
    bench = whole(benches)
    for _ in range(2):  # the second time from where the first one ended
        bench.forget()
        bench.pace(stall=1.0)
        keep_counts_flowing(bench)
        sent = []
        for stream, width in enumerate(WIDTHS):
            sent.append(filling(random, stream, beats, 33, AHEAD))
            axi = AxiStream(width)
            for frame in [*sent[stream], bytes(60)]:
                bench.push(list(axi.beats(frame, random)), stream)
        run_until_taken(bench)
        bench.run(10)
        for stream in range(len(WIDTHS)):
            assert events(bench, stream)[OVERFLOW] == 1, "the one that is too many"
        bench.pace()
        bench.drain()
        for stream, frames in enumerate(sent):
            check(bench, stream, frames)


def test_overflow_loses_whole_frames_only(benches: Benches) -> None:
    random = Random(5)
    bench = whole(benches)
    sent = [n.to_bytes(2) + random.randbytes(random.randrange(1, 400)) for n in range(600)]
    push(bench, sent, random)
    bench.pace(stall=0.8)
    keep_counts_flowing(bench)
    run_until_taken(bench)
    bench.pace()
    bench.drain()
    for stream in range(len(WIDTHS)):
        got = [m.payload for m in Beats(WIDTHS[stream]).messages(bench.items(stream), lengths=True)]
        places = [int.from_bytes(frame[:2]) for frame in got]
        assert places == sorted(set(places))
        assert got == [sent[place] for place in places]
        lost = events(bench, stream)[OVERFLOW]
        assert lost and lost + len(got) == len(sent)


def test_runts_until_it_is_full(benches: Benches) -> None:
    """Frames of a byte: a narrow buffer holds one for each 32 bytes."""
    random = Random(8)
    bench = whole(benches)
    bench.pace(stall=1.0)
    keep_counts_flowing(bench)
    sent = [random.randbytes(1) for _ in range(BUFFER_BYTES // 8 + 100)]
    push(bench, sent, random)
    run_until_taken(bench)
    bench.pace()
    bench.drain()
    for stream in range(len(WIDTHS)):
        kept = room(stream, AHEAD) if WIDTHS[stream] >= 256 else BUFFER_BYTES // 32
        check(bench, stream, sent[:kept])


def test_latency(benches: Benches) -> None:
    random = Random(2)
    bench = whole(benches)
    push(bench, [bytes(60)], random)
    bench.drain()
    for stream in range(len(WIDTHS)):
        assert bench.received(stream)[0].cycle - bench.taken(stream)[-1] == 4


def test_frames_can_be_held(benches: Benches) -> None:
    """None begins while they are held, one that has begun ends; nothing is lost."""
    random = Random(7)
    bench = whole(benches)
    bench.pace(gap=0.1, stall=0.2)
    keep_counts_flowing(bench)
    sent = [random_frame(random) for _ in range(200)]
    push(bench, sent, random)
    for _ in range(40):
        bench.control(1)
        bench.run(60)
        before = [len(bench.items(stream)) for stream in range(len(WIDTHS))]
        for stream, width in enumerate(WIDTHS):
            Beats(width).messages(bench.items(stream), lengths=True)  # ends are there
        bench.run(30)
        assert before == [len(bench.items(stream)) for stream in range(len(WIDTHS))]
        bench.control(0)
        bench.run(random.randrange(1, 30))
    bench.drain()
    for stream in range(len(WIDTHS)):
        check(bench, stream, sent)


def test_reset_forgets(benches: Benches) -> None:
    random = Random(3)
    bench = whole(benches)
    for _ in range(20):
        push(bench, [random_frame(random) for _ in range(10)], random)
        bench.pace(gap=0.2, stall=random.choice([0.5, 1.0]))
        keep_counts_flowing(bench)
        bench.run(random.randrange(1, 60))
        bench.reset(1)
        bench.pace(gap=0.2, stall=0.2)
        keep_counts_flowing(bench)
        sent = [random_frame(random) for _ in range(10)]
        push(bench, sent, random)
        bench.drain()
        for stream in range(len(WIDTHS)):
            check(bench, stream, sent)
        bench.forget()

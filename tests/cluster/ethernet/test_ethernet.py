# SPDX-License-Identifier: Apache-2.0
"""Links over Ethernet: each packet arrives once and in order, whatever the switch does."""

from __future__ import annotations

from random import Random

import pytest

from tests.cluster.ethernet.ethernet_bench import (
    ETHER_TYPE,
    FRAMES,
    HEADER_BYTES,
    A,
    B,
    Boards,
    address,
)
from tests.cluster.link.link_bench import packets
from tests.cluster.link.test_link import some, whole
from tests.cluster.link.test_link_format import crc32c
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

SWEPT = (pytest.param(width, marks=pytest.mark.sweep) for width in (128, 256))
WIDTHS = (64, *SWEPT, 512)
DROPS = ("foreign", "malformed", "late", "cut")


def header(number: int, beats: int, *, source: int = 1, destination: int = 2) -> bytes:
    """The header of a frame."""
    numbering = (number << 11 | beats).to_bytes(4, "big")
    crc = crc32c(numbering[::-1])[::-1]
    ends = address(destination) + address(source)
    return ends + ETHER_TYPE.to_bytes(2, "big") + bytes(2) + numbering + crc


@pytest.mark.parametrize("width", WIDTHS)
def test_all_lengths(benches: Benches, width: int) -> None:
    """Every length of a packet; frames have the header, no bubbles and at least 60 bytes."""
    random = Random(width)
    boards = Boards(benches, width)
    boards.train()
    lengths = list(range(256)) * 2
    random.shuffle(lengths)
    boards.send(A, packets(random, lengths))
    boards.send(B, packets(random, reversed(lengths)))
    boards.settle()
    boards.check()
    counts = boards.counts()
    assert not counts["crc_error"] + counts["bad_word"] + counts["retry"] + counts["lost"], counts
    for side in (A, B):
        carrier = boards.carrier(side)
        assert not any(carrier[name] for name in (*DROPS, "gap")), carrier
        frames = boards.frames(side)
        assert len(frames) <= carrier["frame_out"] <= len(frames) + 1
        sizes = set()
        first = int.from_bytes(frames[0].data[16:20], "big") >> 11
        for number, (data, cycles) in enumerate(frames):
            beats = data[19] | (data[18] & 7) << 8
            ends = {"source": 1 + side, "destination": 2 - side}
            assert data[:HEADER_BYTES] == header(first + number, beats, **ends)
            length = HEADER_BYTES + beats * boards.beat_bytes
            assert len(data) == max(length, -(-60 // boards.beat_bytes) * boards.beat_bytes)
            assert len(data) <= 1514
            assert cycles[1] - cycles[0] + 1 == -(-len(data) // boards.beat_bytes)
            sizes.add(len(data))
        assert max(sizes) > 1514 - boards.beat_bytes  # the longest frames have been in use
        assert min(sizes) <= max(64, HEADER_BYTES + boards.beat_bytes)


TROUBLE = {
    "losses": 0.01,
    "delays": 0.05,
    "repetitions": 0.05,
    "corruptions": 0.02,
    "bad_beats": 1e-4,
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", [*TROUBLE, "all"])
def test_trouble(benches: Benches, width: int, kind: str) -> None:
    """Frames are lost, overtaken, repeated and corrupted, with stalls and bubbles."""
    random = Random(f"{width} {kind}")
    boards = Boards(benches, width, seed=random.randrange(1000))
    boards.train()
    scale = 4 if width == 512 else 1  # few frames
    shares = {name: share * scale for name, share in TROUBLE.items()}
    boards.trouble(**(shares if kind == "all" else {kind: shares[kind]}))
    for stall in (0.0, 0.3):
        boards.bench.pace(gap=stall, stall=stall)
        for wire in (FRAMES + A, FRAMES + B):
            boards.bench.stall(wire, stall / 4)
        boards.faults(bubbles=int(stall > 0))
        for side in (A, B):
            boards.send(side, packets(random, some(random, 600 * scale)))
        boards.settle()
    boards.check()
    carrier = {name: boards.carrier(A)[name] + boards.carrier(B)[name] for name in ("gap", "late")}
    if kind in ("losses", "delays", "all"):
        assert carrier["gap"], carrier
    if kind in ("delays", "repetitions", "all"):
        assert carrier["late"], carrier
    assert not boards.counts()["lost"]


@pytest.mark.parametrize("width", [64, 512])
def test_outages(benches: Benches, width: int) -> None:
    """The switch stops passing frames on, or a port goes down, and comes back."""
    random = Random(width)
    boards = Boards(benches, width, seed=3)
    boards.train()
    for side in (A, B):
        boards.send(side, packets(random, some(random, 1500)))
    for n in range(10):
        fault = ("down", "dead")[n % 2]
        boards.faults(**{fault: random.randrange(1, 4)})
        boards.bench.run(random.randrange(1, 20_000 if n in (3, 6) else 1500))
        boards.faults(**{fault: 0})
        boards.bench.run(random.randrange(3000))
    boards.settle()
    boards.check()
    counts = boards.counts()
    assert counts["down"] >= 5 and not counts["lost"], counts


@pytest.mark.parametrize("width", [64, 512])
def test_reset_of_a_board(benches: Benches, width: int) -> None:
    """A board is reset in traffic: what arrives is in order, and later packets arrive once."""
    random = Random(width)
    boards = Boards(benches, width, seed=5)
    boards.train()
    boards.trouble(losses=0.01, delays=0.02, repetitions=0.02)
    for _ in range(3):
        boards.send(A, packets(random, some(random, 500)))
        boards.bench.run(random.randrange(200, 1500))
        boards.faults(resets=1 << B)
        boards.bench.run(random.randrange(1, 200))
        boards.faults(resets=0)
        boards.train(60_000)
        boards.bench.run(40_000 * 64 // width + 8000)
        assert not boards.bench.waiting(A)
        rest = iter(boards.sent[A])
        assert all(any(each == other for other in rest) for each in whole(boards, A))
        boards.bench.forget()
        boards.sent[A].clear()
    boards.send(A, packets(random, some(random, 300)))
    boards.bench.run(60_000)
    assert boards.received(A) == boards.sent[A]


def test_a_neighbour_is_configured_anew(benches: Benches) -> None:
    """Its numbers start again. Frames with numbers far ahead stop a link only for a while."""
    random = Random(1)
    boards = Boards(benches, 64)
    boards.train()
    boards.inject(B, [header(400_000, 1) + bytes(40)])
    boards.bench.run(500)
    boards.send(A, packets(random, some(random, 100)))
    boards.bench.run(2000)
    assert boards.carrier(B)["late"] > 2
    boards.bench.run(30_000)
    boards.settle()
    boards.check()


@pytest.mark.parametrize("width", [64, 512])
def test_hostile_frames(benches: Benches, width: int) -> None:
    """Frames that no neighbour has sent are counted and change nothing."""
    random = Random(width)
    boards = Boards(benches, width)
    boards.train()
    good = header(500_000, 4) + random.randbytes(4 * boards.beat_bytes)
    old = int.from_bytes(boards.frames(A)[-1].data[16:20], "big") >> 11
    short = 8 if width == 64 else 20
    bad_crc = bytearray(good)
    bad_crc[21] ^= 4
    foreign = [
        good[:12] + b"\x08\x00" + good[14:],
        good[:14] + b"\1" + good[15:],
        header(500_000, 4, source=3) + good[HEADER_BYTES:],
        header(500_000, 4, destination=1) + good[HEADER_BYTES:],
        b"\xff" * 6 + good[6:],
        random.randbytes(60),
        random.randbytes(1514),
    ]
    malformed = [
        bytes(bad_crc),
        header(500_000, 0) + bytes(40),
        *([good[:short]] if width == 64 else []),
    ]
    late = [header(old, 4) + good[HEADER_BYTES:], header(old - 3, 1) + good[HEADER_BYTES:]]
    for side in (A, B):
        boards.send(side, packets(random, some(random, 200)))
    before = boards.carrier(B)
    for each in (foreign, malformed, late):
        boards.inject(B, each)
        boards.bench.run(300)
    boards.settle()
    boards.check()
    after = boards.carrier(B)
    changed = {name: after[name] - before[name] for name in DROPS}
    expected = {"foreign": 7, "malformed": len(malformed), "late": 2, "cut": 0}
    assert changed == expected


def test_cut_frames(benches: Benches) -> None:
    """A frame that ends early, or with a wrong FCS, is counted; the link finds what is wrong."""
    random = Random(2)
    boards = Boards(benches, 64)
    boards.train()
    boards.faults(dead=1)  # the numbers of A are not in the way
    boards.bench.run(500)
    number = int.from_bytes(boards.frames(A)[-1].data[16:20], "big") >> 11
    body = random.randbytes(200)
    boards.inject(B, [header(number + 50, 100) + body])
    boards.inject(B, [header(number + 51, 5) + bytes(40)], error=True)
    boards.bench.run(500)
    assert boards.carrier(B)["cut"] == 2
    boards.faults(dead=0)
    for side in (A, B):
        boards.send(side, packets(random, some(random, 300)))
    boards.settle()
    boards.check()


LINE_BYTES = 24  # of a frame on the line: preamble, FCS and gap


@pytest.mark.parametrize(
    ("width", "frame_bytes", "words", "least"),
    [
        (64, 1518, 31, 0.99),
        *(
            pytest.param(*each, marks=pytest.mark.sweep)
            for each in (
                (64, 64, 7, 0.98),
                (64, 256, 31, 0.99),
                (64, 1518, 7, 0.99),
                (64, 1518, 255, 0.97),  # credits of 1,000 beats last for less than a round trip
                (128, 3584, 31, 0.99),
            )
        ),
    ],
)
def test_efficiency(
    benches: Benches, width: int, frame_bytes: int, words: int, least: float
) -> None:
    """Payload of packets per byte of the line, as a part of what the formats leave of it."""
    size = width // 8
    gap = -(-LINE_BYTES // size)
    boards = Boards(benches, width, FrameBytes=frame_bytes - 4, GapBeats=gap, BufferBeats=1000)
    boards.train()
    boards.bench.forget()
    count = 80_000 // words * size // 8
    boards.send(A, packets(Random(1), [words] * count))
    boards.settle()
    line = sum(len(data) + LINE_BYTES for data, _ in boards.frames(A))
    efficiency = 8 * words * count / line
    beats = (frame_bytes - 4 - HEADER_BYTES) // size  # of a frame
    packet = -(-(words + 1) // (width // 64))  # beats
    frame = max(-(-60 // size) * size, size * beats + HEADER_BYTES)
    bound = 8 * words / packet * beats / (frame + LINE_BYTES)
    print(f"{width} bits, {frame_bytes} B, {8 * words} B: {efficiency:.1%} of {bound:.1%}")
    assert least * bound < efficiency < bound

# SPDX-License-Identifier: Apache-2.0
"""Payload that looks like words of the link, where lost beats let the receiver see it as such."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from tests.cluster.link.link_bench import (
    CONTROL,
    DATA,
    HEADER,
    TRAIN,
    TRAINING,
    WIRE,
    WORD,
    A,
    B,
    Links,
    Packet,
    crc32c,
    packets,
)
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

ALL = (1 << 32) - 1  # every beat is lost
LOST = 5  # packets of B
STATE = 1
LIMIT = 300  # beats
IDLE = bytes(WORD)
WIDTHS = (64, pytest.param(256, marks=pytest.mark.sweep), 512)


def word(half: int, key: int = 0) -> bytes:
    low = half.to_bytes(4, "little")
    return low + crc32c(low, key)


def carrier(words: list[bytes], check: int) -> Packet:
    """A packet whose words on the wire, after the first one, are these."""
    payload = b"".join(words)
    if check:  # its first half word is in the first word, its last one in that of the CRC
        payload = bytes(4) + payload + bytes(4)
    return Packet(HEADER.pack(length=len(payload) // WORD), payload)


def forged(word: bytes, width: int, check: int) -> Packet:
    """The beat after that of the header begins with this word, and the rest is idle."""
    num_words = width // 64
    return carrier([*[IDLE] * (num_words - 1), word, *[IDLE] * num_words], check)


def attack(links: Links, sent: list[Packet], delay: int | None) -> int:
    """A sends packets, and loses the beat that is sent `delay` cycles later, if any. What B sends
    is lost. Returns after how many cycles the first beat of the packets was sent.
    """
    start = links.bench.cycle
    links.send(A, sent)
    if delay is not None:
        links.bench.run(delay)
        links.faults(clean=0)
        links.bench.run(1)
        links.faults(clean=1 << A)
    links.bench.run(400)
    beats = [each for each in links.bench.received(WIRE + A) if each.cycle >= start]
    return next(each.cycle for each in beats if each.item & DATA) - start


def attacked(
    benches: Benches, width: int, check: int, word: Callable[[int], bytes], knows: bool
) -> Links:
    """Links whose side B has received the beats after the header of a packet with a forged word of
    a session key: the right one, or none. Five packets of B were lost meanwhile.
    """
    delay = None
    for _ in range(2):  # the second time, it is known when the header is sent
        links = Links(benches, width, Check=check)
        links.train()
        key = links.session_key(A) if knows else 0
        links.faults(losses=ALL, clean=1 << A)
        links.send(B, packets(Random(1), [0] * LOST))
        links.bench.run(50)
        delay = attack(links, [forged(word(key), width, check)], delay)
    links.faults(losses=0, clean=0)
    return links


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("knows", [False, True], ids=["blind", "knows"])
def test_state(benches: Benches, width: int, knows: bool) -> None:
    """A State that acknowledges packets which have been lost. Without the session key it has no
    effect. If it hits the key, a new session begins, and the packets are counted.
    """
    acknowledges = CONTROL.pack(kind=STATE, payload=LOST << 12 | LIMIT)
    links = attacked(benches, width, 1, partial(word, acknowledges), knows)
    links.bench.run(5000)
    links.train()
    counts = links.counts(B)
    assert counts["lost"] == LOST * knows, counts
    assert counts["down"] == knows, counts
    if knows:
        links.sent[B].clear()
    for side in (A, B):
        links.send(side, packets(Random(2), range(20)))
    links.settle(20_000)
    links.check()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("check", [0, 1])
@pytest.mark.parametrize("knows", [False, True], ids=["blind", "knows"])
def test_packet(benches: Benches, width: int, check: int, knows: bool) -> None:
    """A packet in the place of the lost one. It arrives only with the session key."""
    header = HEADER.pack(source=0x5A, destination=0xA5)
    links = attacked(benches, width, check, partial(word, DATA | header), knows)
    links.bench.run(5000)
    came = [item >> width + 1 for item in links.bench.items(A)]
    assert (header in came) == knows


def imitation(width: int, check: int, place: int, words: int) -> Packet:
    """A packet that begins at this word of a beat. The next beats begin with training words."""
    train = word(CONTROL.pack(kind=TRAIN, payload=TRAINING.pack(own=0x123)))
    places = range(place + 1, place + 1 + words)
    return carrier([IDLE if at % (width // 64) else train for at in places], check)


@pytest.mark.parametrize(
    ("width", "check"), [(256, 1), pytest.param(512, 1, marks=pytest.mark.sweep), (128, 0)]
)
def test_training(benches: Benches, width: int, check: int) -> None:
    """Training words at the beginning of each beat, over more beats than a run has. The receiver is
    out of step, or between packets, and so looks there only.
    """
    if check:
        middle = width // 128
        first = carrier([IDLE] * (3 * middle - 2), check)
        sent = [first, *[imitation(width, check, middle, 254)] * 3] * 2
    else:
        sent = [imitation(width, check, 0, 254), imitation(width, check, 1, 255)] * 3
    delay = None
    for _ in range(2):  # the second time, it is known when the first beat is sent
        links = Links(benches, width, Check=check, BufferBeats=1000)
        links.train()
        links.faults(losses=ALL, clean=1 << A)
        delay = attack(links, sent, delay if delay is None or not check else 10)
    links.bench.run(1000)
    assert links.counts(B)["packet_in"] < len(sent)
    assert not links.counts(B)["down"]

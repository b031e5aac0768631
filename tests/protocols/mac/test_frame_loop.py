# SPDX-License-Identifier: Apache-2.0
"""frame_loop: frames come out as they are, by its port; credits or drops; at all widths."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from bombus.protocols.flow_key import flow_key
from tests.support.harness import PACES, WIDTHS, Beats, Bench, Benches, Message, pack_meta
from tests.support.layer_bench import counts, open_layer

pytestmark = pytest.mark.slow

PORT = 2
MAX_FRAME = 9600


def loop(benches: Benches, drops: int = 0, keeps: int = 0) -> Bench:
    values = (
        f".DataWidth(DataWidth), .MacPort({PORT}), .DropsWhenFull({drops}), .KeepsFlow({keeps})"
    )
    return open_layer(benches, "frame_loop", [values])


def frame(random: Random, length: int) -> bytes:
    """UDP over IPv4, or its beginning."""
    start = random.randbytes(12) + b"\x08\x00\x45\0\0\x40" + bytes(5) + b"\x11\0\0"
    return (start + random.randbytes(max(12, length)))[:length]


def push(bench: Bench, frames: Sequence[bytes], random: Random) -> None:
    for stream, width in enumerate(WIDTHS):
        for each in frames:
            sent = Message(each, pack_meta(mac_port=PORT, length=len(each)))
            bench.push(Beats(width).beats(sent), stream)


def got(bench: Bench, stream: int) -> list[Message]:
    beats = Beats(WIDTHS[stream], ("next", 5))
    return beats.messages(bench.items(stream), lengths=True)


@pytest.mark.parametrize("pace", PACES, ids=str)
def test_frames_come_out_as_they_are(benches: Benches, pace: dict[str, float]) -> None:
    random = Random(1)
    bench = loop(benches)
    bench.pace(**pace)
    sent = [frame(random, random.choice((1, 59, 60, 64, 65, 200, 300))) for _ in range(50)]
    push(bench, sent, random)
    bench.drain()
    for stream in range(len(WIDTHS)):
        there = got(bench, stream)
        assert [each.payload for each in there] == sent
        for each in there:
            assert (each["ip"], each["l4.ports.src_port"]) == flow_key(each.payload)
            assert each["mac_port"] == PORT
        assert not counts(bench, "frame_loop", stream).total()


def test_every_length(benches: Benches) -> None:
    random = Random(2)
    bench = loop(benches)
    sent = [frame(random, length) for length in (*range(1, 200), 9599, MAX_FRAME)]
    push(bench, [*sent, frame(random, MAX_FRAME + 1), frame(random, 16383)], random)
    bench.drain()
    for stream in range(len(WIDTHS)):
        assert [each.payload for each in got(bench, stream)] == sent
        counted = counts(bench, "frame_loop", stream)
        assert (counted["too_long"], counted["overflow"]) == (2, 0)


@pytest.mark.parametrize("length", [1, 60, 900, MAX_FRAME])
def test_it_takes_nothing_that_it_has_no_room_for(benches: Benches, length: int) -> None:
    """The output is repeatedly stalled until everything is full: nothing is lost."""
    random = Random(4)
    bench = loop(benches)
    count = 40_000 // length + 12 if length > 60 else 1100
    sent = [frame(random, length) for _ in range(count)]
    push(bench, sent, random)
    for number in range(4):
        bench.pace(stall=1.0 if number % 2 == 0 else 0.7)
        bench.run(6000)
        if number == 0:
            assert all(bench.waiting(stream) for stream in range(len(WIDTHS)))
    bench.pace()
    bench.drain()
    for stream in range(len(WIDTHS)):
        assert [each.payload for each in got(bench, stream)] == sent
        assert not counts(bench, "frame_loop", stream).total()


def test_it_never_stops_its_input(benches: Benches) -> None:
    """With DropsWhenFull: frames that find no room are dropped whole."""
    random = Random(3)
    bench = loop(benches, drops=1)
    bench.pace(stall=1.0)
    sent = [n.to_bytes(2) + frame(random, 900) for n in range(60)]
    push(bench, sent, random)
    bench.run(60 * 120 * 2)
    assert not any(bench.waiting(stream) for stream in range(len(WIDTHS)))
    bench.pace()
    bench.drain()
    for stream in range(len(WIDTHS)):
        there = [each.payload for each in got(bench, stream)]
        assert there == sent[: len(there)]
        lost = counts(bench, "frame_loop", stream)["overflow"]
        assert lost and lost + len(there) == len(sent)


@pytest.mark.parametrize("drops", [0, 1])
def test_flow_of_the_sender(benches: Benches, drops: int) -> None:
    """With KeepsFlow the number of each frame stays with it, also when others are dropped."""
    random = Random(5)
    bench = loop(benches, drops=drops, keeps=1)
    sent = []
    for number in range(700):
        data = number.to_bytes(2) + frame(random, random.choice((60, 61, 200, 900)))[2:]
        if number % 50 == 7:
            data = bytes(MAX_FRAME + 1)
        flow = {
            "ip": random.getrandbits(32),
            "l4__ports__src_port": random.getrandbits(16),
            "l4__ports__dst_port": random.getrandbits(16),
        }
        sent.append(Message(data, pack_meta(mac_port=PORT, length=len(data), **flow)))
    for stream, width in enumerate(WIDTHS):
        for each in sent:
            bench.push(Beats(width).beats(each), stream)
    for stall in (1.0, 0.2, 0.9, 1.0):
        bench.pace(stall=stall)
        bench.run(5000)
    bench.pace()
    bench.drain()
    by_payload = {each.payload: each["ip"] for each in sent}
    for stream in range(len(WIDTHS)):
        there = got(bench, stream)
        for each in there:
            ports = each["l4.ports.src_port"] << 16 | each["l4.ports.dst_port"]
            assert (each["ip"], ports) == (0, by_payload[each.payload])
        counted = counts(bench, "frame_loop", stream)
        assert counted["too_long"] == 14
        assert bool(counted["overflow"]) == bool(drops)
        assert len(there) + counted.total() == len(sent)

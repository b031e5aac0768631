# SPDX-License-Identifier: Apache-2.0
"""tcp_send_buffer and tcp_receive_buffer against rings of bytes in Python."""

from __future__ import annotations

from random import Random

import pytest

from tests.protocols.tcp.buffers_world import (
    ANSWER,
    KIND_EVENT,
    LOAD_OF_HEADERS,
    PACKET,
    PORTS,
    READ,
    RECEIVE_DATA,
    REQUEST,
    RING_BEATS,
    SEGMENT,
    SEND_DATA,
    SESSIONS,
    Buffers,
    Sent,
    buffers_of,
    pack,
)
from tests.support.harness import (
    PACES,
    SEEDS,
    WIDTHS,
    Benches,
    consecutive,
)

pytestmark = pytest.mark.slow

BAD_SEND_SESSION, BAD_SEND_LENGTH, BAD_SEGMENT_SESSION, BAD_SEGMENT_LENGTH = range(4)
BAD_RECEIVE_SESSION, BAD_RECEIVE_LENGTH, BAD_READ_PORT, BAD_EVENT_PORT = range(4, 8)
BAD_READ, KEPT, TOLD_SENT = range(8, 11)
HEADERS = range(20, 64, 4)  # bytes that a TCP header may have


@pytest.fixture(params=WIDTHS, ids=[f"{width} bits" for width in WIDTHS])
def buffers(request: pytest.FixtureRequest, benches: Benches) -> Buffers:
    return buffers_of(benches, request.param)


def test_payload_of_every_start_and_length(buffers: Buffers) -> None:
    """Every place in a row x every length up to four beats, with headers of every length."""
    buffers.fill()
    for offset in range(buffers.size):
        packets, answers = [], []
        for length in range(4 * buffers.size + 1):
            session = buffers.random.randrange(SESSIONS)
            start = buffers.start() // buffers.size * buffers.size + offset
            header = buffers.random.choice(HEADERS)
            packets.append(buffers.segment(session, start, length, header))
            answers.append(buffers.read(session, start, length, length % 2))
        buffers.expect(packets, answers)


def test_writes_of_every_start_and_length(buffers: Buffers) -> None:
    """Every place in a row x every length up to four beats, with and without bytes to skip."""
    buffers.fill()
    random = buffers.random
    for offset in range(buffers.size):
        for length in range(4 * buffers.size + 1):
            session = random.randrange(SESSIONS)
            start = buffers.start() // buffers.size * buffers.size + offset
            skip = random.choice([0, 0, random.randrange(length + 1), length + random.randrange(3)])
            for stream in (SEND_DATA, RECEIVE_DATA):
                buffers.write(stream, session, start, random.randbytes(length), skip)
        assert consecutive(buffers.bench.taken(SEND_DATA)[-100:]) or offset == 0
        buffers.bench.drain()
        packets = [buffers.segment(n, offset, buffers.ring, 20) for n in range(SESSIONS)]
        answers = [buffers.read(n, offset, buffers.ring) for n in range(SESSIONS)]
        buffers.expect(packets, answers)


@pytest.mark.parametrize("seed", SEEDS)
def test_reads_beside_writes(buffers: Buffers, seed: int) -> None:
    """Session 0 is read while others are written, with gaps and stalls; then these are read."""
    random = Random(seed)
    for pace in PACES:
        buffers.bench.pace(**pace)
        buffers.fill()
        for _ in range(4):
            packets, answers = [], []
            for _ in range(60):
                length = random.choice([0, 1, random.randrange(5 * buffers.size)])
                header = random.choice(HEADERS)
                packets.append(buffers.segment(0, buffers.start(), length, header))
                answers.append(buffers.read(0, buffers.start(), length, random.randrange(2)))
                length = random.randrange(5 * buffers.size)
                for stream in (SEND_DATA, RECEIVE_DATA):
                    payload, skip = random.randbytes(length), random.randrange(length + 1)
                    session = random.randrange(1, SESSIONS)
                    buffers.write(stream, session, buffers.start(), payload, skip)
            buffers.expect(packets, answers)
            packets, answers = [], []
            for session in range(SESSIONS):
                packets.append(buffers.segment(session, 0, buffers.ring, 20))
                answers.append(buffers.read(session, 0, buffers.ring))
            buffers.expect(packets, answers)


def test_reads_of_other_bytes_of_rows_that_are_written(buffers: Buffers) -> None:
    buffers.fill()
    random, half = buffers.random, buffers.size // 2
    for row in range(2 * RING_BEATS):
        packets, answers = [], []
        for _ in range(20):
            start = row * buffers.size
            packets.append(buffers.segment(1, start, half, 20))
            answers.append(buffers.read(1, start, half))
            for stream in (SEND_DATA, RECEIVE_DATA):
                buffers.write(stream, 1, start + half, random.randbytes(half))
        buffers.expect(packets, answers)


def test_what_was_just_written_is_read(buffers: Buffers) -> None:
    """A segment or a read that is taken in the cycle after a write's last beat."""
    buffers.fill()
    for _ in range(100):
        start, length = buffers.start(), buffers.random.randrange(1, 3 * buffers.size)
        for stream in (SEND_DATA, RECEIVE_DATA):
            buffers.write(stream, 0, start, buffers.random.randbytes(length))
        while buffers.bench.waiting(SEND_DATA) or buffers.bench.waiting(RECEIVE_DATA):
            buffers.bench.run()
        packet = buffers.segment(0, start, length, 20)
        buffers.expect([packet], [buffers.read(0, start, length)])


def test_messages_that_fit_no_ring(buffers: Buffers) -> None:
    buffers.fill()
    random, ring = buffers.random, buffers.ring
    buffers.expect()
    packets, answers = [], []
    for _ in range(30):
        bad = random.choice([SESSIONS, 2**14 - 1])
        for stream in (SEND_DATA, RECEIVE_DATA):
            buffers.write(stream, bad, 0, random.randbytes(random.randrange(ring)))
            buffers.write(stream, 0, 0, random.randbytes(ring + random.randrange(1, ring)))
            buffers.write(stream, 1, 5, random.randbytes(ring + 7), skip=7)
            buffers.write(stream, 2, 5, random.randbytes(ring + 7), skip=6)
        buffers.segment(bad, 0, 10, 20)
        buffers.segment(0, 0, random.randrange(ring + 1, 2**14 - 60), 20)
        buffers.segment(0, 0, 10, random.choice([0, 19, 16, 22, 61, 64, 100]))
        packets.append(buffers.segment(0, 5, ring, 60))
        answers.append(buffers.read(bad, 0, 10))
        answers.append(buffers.read(0, 7, random.randrange(ring + 1, 2**14)))
        answers.append(buffers.read(0, 7, ring, 1))
        meta = pack("tcp_read", port=random.choice([0, 79, 81]), session=0, start=0, length=1)
        buffers.bench.push(buffers.beats(b"", meta), READ)
    buffers.bench.drain()
    counted = buffers.bench.events
    buffers.expect(packets, answers)
    assert counted[BAD_SEND_SESSION] == counted[BAD_RECEIVE_SESSION] == 30
    assert counted[BAD_SEND_LENGTH] == counted[BAD_RECEIVE_LENGTH] == 60
    assert counted[BAD_SEGMENT_SESSION] == counted[BAD_READ_PORT] == 30
    assert counted[BAD_SEGMENT_LENGTH] == counted[BAD_READ] == 60
    assert counted[BAD_EVENT_PORT] == 0
    buffers.expect(
        [buffers.segment(n, 0, ring, 20) for n in range(SESSIONS)],
        [buffers.read(n, 0, ring) for n in range(SESSIONS)],
    )


def test_segments_whose_packet_is_too_long(benches: Benches) -> None:
    """Header and payload must not exceed what a length field holds."""
    bench = benches("tcp_buffers", DataWidth=64, RingBeats=4096)
    buffers = Buffers(bench, 64, Random(1))
    for length in (2**14 - 21, 2**14 - 20, 2**14 - 1):
        meta = pack("tcp_segment", session=0, start=0, payload_length=length, packet=0)
        buffers.push_segment(bytes(20), meta, length)
    bench.drain()
    (packet,) = buffers.messages(PACKET)
    assert len(packet.payload) == 2**14 - 1
    assert not buffers.take_loads(buffers.messages(REQUEST))
    assert buffers.told_load == buffers.load, "of what is dropped too"
    assert bench.events[BAD_SEGMENT_LENGTH] == 2


def test_writes_do_not_wait_for_reads(buffers: Buffers) -> None:
    buffers.fill()
    for stream in (PACKET, ANSWER):
        buffers.bench.stall(stream, 1.0)
    for _ in range(100):
        buffers.segment(0, 0, 3 * buffers.size, 20)
        buffers.read(0, 0, 3 * buffers.size)
    buffers.bench.run(200)
    buffers.bench.forget()
    for stream in (SEND_DATA, RECEIVE_DATA):
        for _ in range(50):
            buffers.write(stream, 1, buffers.start(), buffers.random.randbytes(buffers.size + 1))
    buffers.bench.run(101)
    assert buffers.bench.waiting(SEND_DATA) == buffers.bench.waiting(RECEIVE_DATA) == 0
    assert buffers.bench.waiting(SEGMENT) > 50
    assert buffers.bench.waiting(READ) > 50


def test_events_come_behind_the_bytes_that_they_tell_of(buffers: Buffers) -> None:
    """They go to the application of their port, in order; others are dropped and counted."""
    buffers.fill()
    random = buffers.random
    buffers.expect()
    buffers.bench.pace(gap=0.3, stall=0.3)
    for _ in range(30):
        events = []
        for _ in range(random.randrange(1, 20)):
            start, length = buffers.start(), random.randrange(3 * buffers.size)
            buffers.write(RECEIVE_DATA, 1, start, random.randbytes(length))
            app = random.randrange(2)
            meta = pack(
                "tcp_event",
                session=1,
                read_end=(start + length) % 2**32,
                port=PORTS[app],
            )
            buffers.bench.push(buffers.beats(b"", meta, KIND_EVENT), RECEIVE_DATA)
            events.append(Sent(b"", meta, KIND_EVENT, app))
        meta = pack("tcp_event", port=81)
        buffers.bench.push(buffers.beats(b"", meta, KIND_EVENT), RECEIVE_DATA)
        buffers.bench.drain()
        assert buffers.bench.events[BAD_EVENT_PORT] == 1
        buffers.expect([], events)
        buffers.expect([], [buffers.read(1, start, length)])


def test_the_engine_hears_of_what_has_gone_while_it_waits(buffers: Buffers) -> None:
    """A packet counts when its first beat is sent; one report covers many packets."""
    buffers.fill()
    bench = buffers.bench
    buffers.expect()
    bench.stall(PACKET, 1.0)
    for length in (1, 100, 0, *range(1, 11)):
        buffers.segment(0, 0, length, 20)
    bench.run(100)
    assert not buffers.take_loads(buffers.messages(REQUEST))
    assert buffers.told_load == LOAD_OF_HEADERS, "the first one stands at the output"
    bench.forget()
    bench.stall(REQUEST, 1.0)
    bench.stall(PACKET, 0.0)
    bench.run(200)
    bench.stall(REQUEST, 0.0)
    bench.drain()
    told = buffers.messages(REQUEST)
    assert not buffers.take_loads(told)
    assert buffers.told_load == buffers.load
    assert len(told) == bench.events[TOLD_SENT] < 4


def test_no_gap_and_latency(buffers: Buffers) -> None:
    """Packets with payload and answers follow one another without a gap, at any position."""
    buffers.fill()
    bench = buffers.bench
    for _ in range(200):
        length = buffers.random.randrange(60, 60 + 4 * buffers.size)
        buffers.segment(0, buffers.start(), length, 60)
        buffers.read(0, buffers.start(), length)
    bench.drain()
    cycles = [cycle for cycle, _ in bench.received(ANSWER)]
    assert consecutive(cycles)
    assert cycles[0] - bench.taken(READ)[0] == 11
    assert consecutive([cycle for cycle, _ in bench.received(PACKET)][10:])
    bench.forget()
    for _ in range(200):
        buffers.segment(0, buffers.start(), 0, buffers.random.choice(HEADERS))
    bench.drain()
    cycles = [cycle for cycle, _ in bench.received(PACKET)]
    assert consecutive(cycles)
    assert cycles[0] - bench.taken(SEGMENT)[0] == 3


def test_headers_are_taken_ahead_of_the_output(buffers: Buffers) -> None:
    """So that a long message of an application, before the tile's input, makes no gap."""
    buffers.fill()
    bench = buffers.bench
    bench.pace(stall=1.0)
    for _ in range(40):
        buffers.segment(0, buffers.start(), 2 * buffers.size, 20)
    bench.run(200)
    assert len(bench.taken(SEGMENT)) >= 30  # beats
    bench.pace(stall=0.0)
    bench.drain()


def test_reset_in_the_middle_of_traffic(buffers: Buffers) -> None:
    random = buffers.random
    for _ in range(20):
        buffers.bench.pace(gap=0.3, stall=random.choice([0.0, 0.5, 1.0]))
        for _ in range(30):
            buffers.segment(0, buffers.start(), random.randrange(buffers.ring), 20)
            buffers.read(0, buffers.start(), random.randrange(buffers.ring))
            for stream in (SEND_DATA, RECEIVE_DATA):
                payload = random.randbytes(random.randrange(buffers.ring))
                buffers.write(stream, 0, buffers.start(), payload)
        buffers.bench.run(random.randrange(5, 60))
        buffers.bench.reset(1)
        buffers.told.clear()
        buffers.load = buffers.told_load = 0
        buffers.bench.pace(gap=0.3, stall=0.3)
        buffers.fill()
        buffers.expect(
            [buffers.segment(n, 3, 2 * buffers.size, 24) for n in range(SESSIONS)],
            [buffers.read(n, 3, 2 * buffers.size) for n in range(SESSIONS)],
        )

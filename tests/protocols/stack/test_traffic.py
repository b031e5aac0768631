# SPDX-License-Identifier: Apache-2.0
"""Good traffic of every length, at every pace, in bursts, with resets: byte for byte."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from bombus.protocols.frames import (
    ETHERNET_BYTES,
    IPV4_BYTES,
    MAX_FRAME_BYTES,
    UDP_BYTES,
    Host,
    Station,
    arp_request,
    padded,
    ping_frame,
    udp_frame,
)
from tests.support.bench import ALL_DESIGNS, CUT, DESIGNS, FAR, FUSED, GATEWAY, PEER, TAGGED, Bench

pytestmark = pytest.mark.slow

MAX_PAYLOAD = 1500 - IPV4_BYTES - UDP_BYTES
MAX_JUMBO = MAX_FRAME_BYTES - ETHERNET_BYTES - IPV4_BYTES - UDP_BYTES
# Probabilities of an idle input cycle and of an output stall. More bubbles than stalls, so that
# frames do not pile up without limit.
PACES = ((0.0, 0.0), (0.4, 0.2), (0.8, 0.7))
all_designs = pytest.mark.parametrize("design", ALL_DESIGNS)


def around_beats(limit: int) -> list[int]:
    """Sizes at which headers and payload end near the end of a beat, for every width."""
    sizes = {*range(140), *range(MAX_PAYLOAD - 70, MAX_PAYLOAD + 1)}
    for multiple in range(0, limit + 64, 512):
        sizes |= {multiple + offset for offset in (-43, -42, -41, -9, -8, -7, -1, 0, 1, 22)}
    return sorted(size for size in sizes if 0 <= size <= limit)


@all_designs
@pytest.mark.parametrize("pace", PACES, ids=lambda pace: f"{pace[0]}-{pace[1]}")
def test_every_udp_length(design: Path, pace: tuple[float, float]) -> None:
    choice = random.Random(str(pace))
    content = choice.randbytes(MAX_PAYLOAD)
    # The slowest pace on the narrowest design takes long and shows little that is new.
    step = 3 if pace == PACES[-1] else 1
    with Bench(design, seed=3) as bench:
        bench.simulation.pace(rx_bubble=pace[0], tx_stall=pace[1])
        frames = [
            udp_frame(PEER, bench.host, content[:size], source_port=40000 + size)
            for size in range(0, MAX_PAYLOAD + 1, step)
        ]
        bench.run(frames, ordered=True, window=16)


@all_designs
def test_ping_sizes(design: Path) -> None:
    content = random.Random("ping").randbytes(MAX_JUMBO)
    with Bench(design, seed=4) as bench:
        bench.simulation.pace(rx_bubble=0.3, tx_stall=0.2)
        frames = [
            ping_frame(PEER, bench.host, content[:size], sequence=size)
            for size in around_beats(MAX_PAYLOAD)
        ]
        bench.run(frames, ordered=True, window=16)
        # The same with a tag, which shifts everything by four.
        frames = [udp_frame(TAGGED, bench.host, content[:size]) for size in around_beats(600)]
        bench.run(frames, ordered=True, window=16)


@all_designs
def test_jumbo_lengths(design: Path) -> None:
    choice = random.Random("jumbo")
    content = choice.randbytes(MAX_JUMBO)
    sizes = [MAX_PAYLOAD + 1, 1500, 2048, 4096, 8191, 8192, 8193, 8972, 8973, 9000]
    sizes += [MAX_JUMBO - n for n in range(20)] + choice.sample(range(MAX_PAYLOAD, MAX_JUMBO), 20)
    with Bench(design, seed=5) as bench:
        bench.simulation.pace(rx_bubble=0.1, tx_stall=0.05)
        frames = []
        for size in sizes:
            frames.append(udp_frame(PEER, bench.host, content[:size]))
            frames.append(ping_frame(PEER, bench.host, content[-size:]))
        bench.run(frames, window=2)


@all_designs
@pytest.mark.parametrize("size", [18, 22, 23, 64, 86, 87, 512, 1472])
def test_back_to_back(design: Path, size: int) -> None:
    """A design keeps up with its own ports: nothing is dropped however long a burst lasts."""
    count = 600 if size < 200 else 150
    with Bench(design, seed=6) as bench:
        payload = random.Random(size).randbytes(size)
        frames = [
            padded(udp_frame(PEER, bench.host, payload, source_port=40000 + n))
            for n in range(count)
        ]
        bench.run(frames, ordered=True)
        bench.run([padded(ping_frame(PEER, bench.host, payload, sequence=n)) for n in range(count)])


def mixed_frames(host: Host, choice: random.Random, count: int, longest: int = 300) -> list[bytes]:
    """Pings, datagrams and ARP of all known stations, no two alike."""
    frames = []
    for number in range(count):
        station = choice.choice([PEER, GATEWAY, TAGGED, FAR])
        payload = choice.randbytes(choice.randrange(4, longest))
        kind = choice.random()
        if kind < 0.45:
            frames.append(udp_frame(station, host, payload, source_port=40000 + number))
        elif kind < 0.9:
            frames.append(ping_frame(station, host, payload, sequence=number))
        elif station is not FAR:
            frames.append(arp_request(station, host))
    return [padded(frame) for frame in frames]


@all_designs
@pytest.mark.parametrize("seed", range(3))
def test_mix(design: Path, seed: int) -> None:
    choice = random.Random(seed)
    with Bench(design, seed=seed, rx_bubble=0.3, tx_stall=0.2) as bench:
        for _ in range(4):
            bench.run(mixed_frames(bench.host, choice, 200), gap_cycles=choice.choice([0, 0, 20]))
        bench.alive([PEER, TAGGED, GATEWAY, FAR])


@pytest.mark.parametrize("pace", PACES, ids=lambda pace: f"{pace[0]}-{pace[1]}")
def test_mix_where_every_layer_cuts_ready(pace: tuple[float, float]) -> None:
    choice = random.Random(str(pace))
    with Bench(CUT, seed=8, rx_bubble=pace[0], tx_stall=pace[1]) as bench:
        bench.run(mixed_frames(bench.host, choice, 200))
        # A burst at the port's rate, in order, without a loss.
        bench.simulation.pace()
        burst = [udp_frame(PEER, bench.host, bytes([n]) * 22) for n in range(200)]
        bench.run([padded(frame) for frame in burst], ordered=True)
        bench.alive([PEER, TAGGED, GATEWAY, FAR])


def is_subsequence(part: list[bytes], whole: list[bytes]) -> bool:
    rest = iter(whole)
    return all(frame in rest for frame in part)


@all_designs
@pytest.mark.parametrize("size", [20, 70, 900, 1472, MAX_JUMBO], ids=lambda size: f"{size}B")
def test_overflow_is_counted_and_passes(design: Path, size: int) -> None:
    """The network accepts nothing: buffers fill, the rest is counted; then everything continues."""
    count = 120_000 // size if size > 400 else 1600
    with Bench(design, seed=7) as bench:
        for turn in range(2):
            payload = bytes([turn]) * size
            frames = [
                udp_frame(PEER, bench.host, payload, source_port=40000 + n) for n in range(count)
            ]
            bench.simulation.pace(tx_stall=1.0)
            for frame in frames:
                bench.simulation.send(padded(frame))
            bench.simulation.advance(count * (size + 100) // bench.simulation.data_bytes + 2000)
            bench.simulation.pace(tx_stall=0.1)
            came = [frame.data for frame in bench.simulation.receive_all()]
            expected, _ = bench.predict(frames)
            assert is_subsequence(came, expected)
            lost = count - len(came)
            assert lost > 0
            bench.expect_drops(Counter({"mac_rx.overflow": lost}))
            bench.alive()


@all_designs
def test_overflow_of_a_mix(design: Path) -> None:
    choice = random.Random("overflow")
    with Bench(design, seed=8) as bench:
        frames = mixed_frames(bench.host, choice, 500, longest=1400)
        bench.simulation.pace(tx_stall=0.97)
        for frame in frames:
            bench.simulation.send(frame)
        assert bench.simulation.advance_until_idle(4_000_000)
        came = Counter(frame.data for frame in bench.simulation.receive_all())
        expected = Counter(bench.predict(frames)[0])
        assert came <= expected
        drops = bench.drops()
        assert set(drops) <= {"mac_rx.overflow", "arp.busy"}
        assert expected.total() - came.total() == drops.total() > 0
        bench.simulation.pace(tx_stall=0.0)
        bench.alive()


@all_designs
def test_arp_flood(design: Path) -> None:
    """More simultaneous questions than ARP can answer: unanswered ones are counted."""
    with Bench(design, seed=9) as bench:
        question = padded(arp_request(PEER, bench.host))
        came = bench.simulation.exchange([question] * 500).received
        answer = bench.model.process(question).replies[0]
        assert {frame.data for frame in came} == {answer}
        drops = bench.drops()
        assert set(drops) <= {"arp.busy"}
        assert len(came) + drops.total() == 500
        bench.alive()


@all_designs
def test_a_frame_after_a_long_rest(design: Path) -> None:
    with Bench(design) as bench:
        for idle in (0, 100, 20_000, 10_000_000):
            frame = arp_request(PEER, bench.host)
            expected = list(bench.model.process(frame).replies)
            bench.simulation.advance(idle)
            came = bench.simulation.exchange([frame])
            assert [reply.data for reply in came.received] == expected
            assert came.cycles < 1000
            bench.simulation.advance(idle)
            bench.simulation.send(frame)
            assert [reply.data for reply in bench.simulation.receive_all()] == expected


@all_designs
def test_reset_in_the_middle(design: Path) -> None:
    """Wherever a reset strikes, the design is as new afterwards."""
    choice = random.Random("reset")
    known = (PEER, GATEWAY, TAGGED)
    with Bench(design, seed=10, rx_bubble=0.2, tx_stall=0.3) as bench:
        for turn in range(40):
            for frame in mixed_frames(bench.host, choice, 30, longest=600):
                bench.simulation.send(frame)
            stranger = Station.of("02:00:00:00:00:70", "10.77.0.112")
            bench.simulation.send(udp_frame(stranger, bench.host, bytes(30)))
            bench.simulation.advance(turn * 9 + choice.randrange(9))
            bench.simulation.reset()
            bench.after_reset()
            # Nothing is known any more.
            bench.run([udp_frame(PEER, bench.host, bytes(10))])
            assert len(bench.model.questions) == 1
            bench.introduce(known)
            bench.alive(known)


@pytest.mark.parametrize("design", [DESIGNS[512], FUSED], ids=lambda path: path.stem)
def test_same_seed_same_bytes(design: Path) -> None:
    def once(seed: int) -> list[tuple[bytes, int]]:
        choice = random.Random(1)
        with Bench(design, seed=seed, rx_bubble=0.2, tx_stall=0.2) as bench:
            frames = mixed_frames(bench.host, choice, 200)
            exchange = bench.simulation.exchange(frames)
            return [(frame.data, frame.last_beat_cycle) for frame in exchange.received]

    assert once(5) == once(5)
    assert [len(frame) for frame, _ in once(6)]

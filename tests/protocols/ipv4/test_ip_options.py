# SPDX-License-Identifier: Apache-2.0
"""Packets with IP options at the rate of the wire: they alone are lost, and none uncounted."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bombus.protocols.answers import echo_reply
from bombus.protocols.frames import ETHERNET_BYTES, IPV4_BYTES, UDP_BYTES, padded, udp_frame
from tests.support.bench import DESIGNS, PEER, Bench

pytestmark = pytest.mark.slow

COUNT = 3000
SMALLEST = 46  # bytes of a packet in the shortest frame
NO_OPERATION = b"\x01"
HEADERS = IPV4_BYTES + UDP_BYTES
NUMBER_BYTES = 4
# What a plain packet may wait for others to come back from the side path, in beats of a packet.
# A queue that grew would exceed it long before the end.
PATIENCE = 16


@pytest.mark.parametrize("share", [0.05, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("size", [200, SMALLEST])
@pytest.mark.parametrize("design", [DESIGNS[512], DESIGNS[64]], ids=["512", "64"])
def test_plain_packets_keep_line_rate(design: Path, size: int, share: float) -> None:
    """All of them are answered, and none later than a few packets' time."""
    choice = random.Random(f"{size} {share}")
    with Bench(design) as bench:
        simulation = bench.simulation
        frames, with_options = [], []
        for number in range(COUNT):
            words = choice.randrange(1, 11) if choice.random() < share else 0
            words = min(words, (size - HEADERS - NUMBER_BYTES) // 4)
            payload = number.to_bytes(NUMBER_BYTES).ljust(size - HEADERS - 4 * words, b"\xa5")
            options = NO_OPERATION * 4 * words
            frames.append(padded(udp_frame(PEER, bench.host, payload, options=options)))
            with_options.append(bool(words))
        simulation.line_rate(simulation.manifest["line_rate_gbps"])
        exchange = simulation.exchange(frames, limit_cycles=100 * COUNT)
        assert not exchange.timed_out
        place = ETHERNET_BYTES + HEADERS
        answers = {
            int.from_bytes(frame.data[place : place + NUMBER_BYTES]): frame
            for frame in exchange.received
        }
        assert len(answers) == len(exchange.received), "an answer came twice"
        waits = []
        for number, is_slow in enumerate(with_options):
            if is_slow:
                continue
            assert number in answers, f"plain packet {number} is lost"
            assert answers[number].data == echo_reply(frames[number])
            came = exchange.sent[number].first_beat_cycle
            waits.append(answers[number].first_beat_cycle - came)
        beats = -(-len(frames[0]) // simulation.data_bytes)
        assert max(waits) <= min(waits) + PATIENCE * beats
        lost = COUNT - len(answers)
        assert lost < sum(with_options), "some with options are answered"
        drops = {name: number for name, number in bench.drops().items() if number}
        assert drops == ({"ipv4_rx.options_busy": lost} if lost else {})
        assert lost or share < 0.9, "so many are more than the side path can take"

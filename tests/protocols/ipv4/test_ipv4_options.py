# SPDX-License-Identifier: Apache-2.0
"""ipv4_options: every number of options, every payload length, every width; what they say."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from bombus.protocols.stack import option_fault
from tests.support.harness import (
    PACES,
    WIDTHS,
    Beats,
    Bench,
    Benches,
    Message,
    csum,
    pack_meta,
    same_sum,
)

pytestmark = pytest.mark.slow

MAX_WORDS = 10
HEADER = 20
PRESENT, MALFORMED, SOURCE_ROUTE = 4, 2, 1
BUFFER_BYTES = 32768  # at 512 bits


@dataclass(frozen=True)
class Packet:
    """An IPv4 packet. `good`: the sum of its header is right."""

    options: bytes
    payload: bytes
    good: bool = True
    tci: int = 0x1234

    @property
    def data(self) -> bytes:
        random = Random(self.payload + self.options)
        ihl, length = HEADER + len(self.options), HEADER + len(self.options) + len(self.payload)
        head = bytes((0x40 | ihl // 4, 0x5C)) + length.to_bytes(2, "big") + random.randbytes(6)
        head += bytes(2) + random.randbytes(8) + self.options
        check = 0xFFFF ^ csum(head) ^ (not self.good)
        return head[:10] + check.to_bytes(2, "big") + head[12:] + self.payload

    @property
    def message(self) -> Message:
        data = self.data
        meta = pack_meta(length=len(data), csum=csum(data), mac_port=2)
        return Message(data, meta | pack_meta(vlan__valid=1, vlan__tci=self.tci))

    @property
    def found(self) -> int:
        fault = option_fault(self.options)
        return PRESENT | {None: 0, "bad_option": MALFORMED, "source_route": SOURCE_ROUTE}[fault]


def beats_in(stream: int) -> Beats:
    return Beats(WIDTHS[stream])


def check(bench: Bench, stream: int, sent: list[Packet]) -> None:
    beats = Beats(WIDTHS[stream], ("found", 3))
    got = beats.messages(bench.items(stream), lengths=True)
    assert len(got) == len(sent)
    for packet, after in zip(sent, got, strict=True):
        data = packet.data
        length = HEADER + len(packet.payload)
        assert after["length"] == length
        assert (after["mac_port"], after["vlan.tci"]) == (2, packet.tci)
        assert after["csum"] == packet.message["csum"], "what goes adds up to nothing"
        header = after.payload[:HEADER]
        assert header[:2] == bytes((0x45, data[1]))
        assert header[2:4] == length.to_bytes(2, "big")
        assert header[4:10] + header[12:] == data[4:10] + data[12:HEADER]
        assert same_sum(csum(header), 0xFFFF if packet.good else csum(data[: -len(packet.payload)]))
        assert after.payload[HEADER:] == packet.payload
        found = after.side["found"]
        # A source route before bad options is not reported.
        assert (found if not found & MALFORMED else PRESENT | MALFORMED) == packet.found


def push(bench: Bench, stream: int, packets: list[Packet], random: Random) -> None:
    messages = [packet.message for packet in packets]
    bench.push(beats_in(stream).stream(messages, random), stream)


def random_options(random: Random, words: int) -> bytes:
    """Mostly good ones, of which the last may be cut."""
    options = b""
    while len(options) < 4 * words:
        kind = random.choice([0, 1, 1, 1, 7, 68, 131, 137, 148, random.randrange(256)])
        if kind < 2:
            options += bytes((kind,))
            continue
        length = random.choice([0, 1, 2, 3, 4, 7, 11, random.randrange(40)])
        pointer = random.choice([0, 3, 4, length - 1, length, length + 1, 255]) % 256
        options += bytes((kind, length)) + (bytes((pointer,)) + random.randbytes(40))[: length - 2]
    return options[: 4 * words]


@pytest.mark.parametrize("words", range(1, MAX_WORDS + 1))
def test_every_payload_length(benches: Benches, words: int) -> None:
    random = Random(words)
    bench = benches("ipv4_options", seed=words)
    for pace in PACES[:4]:
        bench.forget()
        bench.pace(**pace)
        sent: list[list[Packet]] = []
        for stream, width in enumerate(WIDTHS):
            lengths = list(range(2 * width // 8 + 2))
            random.shuffle(lengths)
            sent.append([Packet(bytes((1,)) * 4 * words, random.randbytes(n)) for n in lengths])
            push(bench, stream, sent[stream], random)
        bench.drain()
        for stream, packets in enumerate(sent):
            check(bench, stream, packets)
        assert bench.status == 0


@pytest.mark.parametrize("seed", range(4))
def test_what_options_say(benches: Benches, seed: int) -> None:
    random = Random(seed)
    bench = benches("ipv4_options", seed=seed)
    packets = []
    for _ in range(800):
        options = random_options(random, random.randrange(1, MAX_WORDS + 1))
        packets.append(
            Packet(options, random.randbytes(random.randrange(1, 30)), random.random() < 0.9)
        )
    assert {packet.found for packet in packets} == {4, 5, 6}
    for start in range(0, len(packets), 100):
        bench.forget()
        for stream in range(len(WIDTHS)):
            push(bench, stream, packets[start : start + 100], random)
        bench.drain()
        for stream in range(len(WIDTHS)):
            check(bench, stream, packets[start : start + 100])


def test_packets_cut_short_do_no_harm(benches: Benches) -> None:
    """A header that announces more options than there are is output with its IHL, so that it is
    rejected; later packets are processed correctly.
    """
    random = Random(1)
    bench = benches("ipv4_options")
    bench.pace(gap=0.2, stall=0.2)
    for stream, width in enumerate(WIDTHS):
        good, messages = [], []
        for _ in range(60):
            words = random.randrange(1, MAX_WORDS + 1)
            length = random.randrange(1, HEADER + 4 * words)
            first = bytes((0x40 | 5 + words,))
            data = (first + random.randbytes(100))[:length]
            messages.append(Message(data, pack_meta(length=length, csum=csum(data))))
            good.append(Packet(bytes(4 * words), random.randbytes(random.randrange(1, 40))))
            messages.append(good[-1].message)
        bench.push(beats_in(stream).stream(messages, random), stream)
        bench.drain(quiet=1000)
        beats = Beats(width, ("found", 3))
        groups: list[list[int]] = [[]]
        for item in bench.items(stream):
            groups[-1].append(item)
            if beats.layout.get(item, "last"):
                groups.append([])
        assert len(groups) - 1 == len(messages)
        for before, group in zip(messages[::2], groups[::2], strict=False):
            first = beats.layout.unpack(group[0])
            assert first["length"] == before["length"]
            if len(before.payload) >= HEADER:
                assert first["data"].to_bytes(width // 8, "little")[:4] == before.payload[:4]
        for packet, group in zip(good, groups[1::2], strict=True):
            assert beats.messages(group)[0].payload[HEADER:] == packet.payload
        bench.forget()


def test_full_buffers_lose_whole_packets_and_count_them(benches: Benches) -> None:
    random = Random(3)
    bench = benches("ipv4_options")
    for stall in (1.0, 0.5, 0.0):
        bench.reset()
        before = bench.events
        packets = [
            Packet(
                bytes((1,)) * 4 * random.randrange(1, MAX_WORDS + 1),
                n.to_bytes(4, "big") + random.randbytes(random.randrange(500)),
            )
            for n in range(1200)
        ]
        for stream in range(len(WIDTHS)):
            push(bench, stream, packets, random)
        bench.pace(stall=stall)
        while any(bench.waiting(stream) for stream in range(len(WIDTHS))):
            bench.run(1000)
        bench.pace()
        bench.drain(quiet=1000)
        for stream in range(len(WIDTHS)):
            came = Beats(WIDTHS[stream], ("found", 3)).messages(bench.items(stream))
            numbers = [int.from_bytes(message.payload[HEADER : HEADER + 4]) for message in came]
            assert numbers == sorted(set(numbers))
            check(bench, stream, [packets[number] for number in numbers])
            lost = bench.events[16 * stream] - before[16 * stream]
            assert lost == len(packets) - len(came) > 0


def test_the_longest_packets(benches: Benches) -> None:
    random = Random(4)
    bench = benches("ipv4_options")
    packets = [
        Packet(bytes((1,)) * 4 * words, random.randbytes(9586 - HEADER - 4 * words))
        for words in (1, 4, 10)
    ]
    for packet in packets:
        bench.forget()
        for stream in range(len(WIDTHS)):
            push(bench, stream, [packet], random)
        bench.drain(quiet=30_000)
        for stream in range(len(WIDTHS)):
            check(bench, stream, [packet])


def test_reset_inside_a_packet(benches: Benches) -> None:
    random = Random(2)
    bench = benches("ipv4_options")
    for _ in range(20):
        for after_reset in (False, True):
            bench.pace(gap=0.2, stall=0.3)
            sent = []
            for stream in range(len(WIDTHS)):
                words = random.randrange(1, MAX_WORDS + 1)
                sent.append([Packet(bytes(4 * words), random.randbytes(50)) for _ in range(5)])
                push(bench, stream, sent[stream], random)
            if not after_reset:
                bench.run(random.randrange(1, 200))
                bench.reset(1)
        bench.drain(quiet=500)
        for stream, packets in enumerate(sent):
            check(bench, stream, packets)
        bench.forget()

# SPDX-License-Identifier: Apache-2.0
"""Checksums that start anywhere in the frame: mac_tx finishes them from the seed that it gets."""

from __future__ import annotations

from random import Random

import pytest

from bombus.protocols.frames import PROTOCOL_UDP, TYPE_IPV4, ethernet, ipv4, pseudo_header, udp
from tests.protocols.mac.mac_bench import HEADER, MAX_FRAME, TAG_TYPE
from tests.protocols.mac.test_mac_tx import tx_message
from tests.support.axi_stream import AxiStream
from tests.support.harness import PACES, WIDTHS, Beats, Benches, Message, csum, pack_meta

pytestmark = pytest.mark.slow

LAST_WORD = 300  # of the checksums in test_tx_checksum_from_every_start

# As in benches/tunnel.sv.
HOST_MAC, HOST_IP = bytes.fromhex("8a1b2c3d4e9f"), bytes((10, 0, 0, 1))
PEER_MAC, PEER_IP = bytes.fromhex("c2917b55d3aa"), bytes((10, 0, 0, 2))
INNER_MACS = bytes.fromhex("02aabbccddee"), bytes.fromhex("021122334455")


@pytest.mark.parametrize("tag", [None, 0x2064])
def test_tx_checksum_from_every_start(benches: Benches, tag: int | None) -> None:
    """The sum begins behind headers whose sum is taken out of the seed."""
    random = Random(6)
    bench = benches("mac_tx")
    messages, expected = [], []
    for start in range(HEADER, 2 * LAST_WORD, 2):
        data = random.randbytes(random.randrange(2 * LAST_WORD + 2, 800))
        word = random.randrange(start // 2, LAST_WORD + 1)
        pseudo = random.getrandbits(16)
        seed = csum((0xFFFF ^ csum(data[HEADER:start])).to_bytes(2, "big"), pseudo)
        messages.append(tx_message(data, seed, word, tag))
        total = (0xFFFF ^ csum(data[start:], pseudo)) or 0xFFFF
        field = total.to_bytes(2, "big")
        expected.append(data[: 2 * word] + field + data[2 * word + 2 :])
    for stream in range(len(WIDTHS)):
        bench.push(Beats(WIDTHS[stream]).stream(messages, random), stream)
    bench.drain()
    for stream, width in enumerate(WIDTHS):
        frames = AxiStream(width).frames(bench.received(stream))
        between = b"" if tag is None else TAG_TYPE + tag.to_bytes(2, "big")
        assert [frame for frame, _ in frames] == [
            frame[:12] + between + frame[12:] for frame in expected
        ]


def wrapped(packet: bytes) -> bytes:
    """The frame in which benches/tunnel.sv sends a packet."""
    inner = ethernet(*INNER_MACS, TYPE_IPV4, packet)
    outer = udp(HOST_IP, PEER_IP, 0xC000, 4789, inner, udp_checksum=0)
    return ethernet(PEER_MAC, HOST_MAC, TYPE_IPV4, ipv4(HOST_IP, PEER_IP, PROTOCOL_UDP, outer))


@pytest.mark.parametrize("pace", PACES[::3])
def test_tx_checksum_of_a_frame_in_a_datagram(benches: Benches, pace: dict[str, float]) -> None:
    """As benches/tunnel.sv wraps it: the inner datagram's checksum is the one to be finished."""
    random = Random(7)
    bench = benches("tunnel")
    bench.pace(**pace)
    sources = bytes((192, 168, 1, 1)), bytes((192, 168, 1, 2))
    messages, expected = [], []
    for _ in range(80):
        data = random.randbytes(random.randrange(400))
        packet = ipv4(*sources, PROTOCOL_UDP, udp(*sources, 1234, 5678, data), ttl=17)
        expected.append(wrapped(packet))
        # As udp_tx and ipv4_tx leave it: the field is zero, the seed covers the pseudo-header.
        seed = csum(pseudo_header(*sources, PROTOCOL_UDP, 8 + len(data)))
        blank = packet[:26] + bytes(2) + packet[28:]
        meta = pack_meta(length=len(blank), csum=seed, l4__ip_tx__csum_pos=13)
        messages.append(Message(blank, meta | pack_meta(ip=int.from_bytes(PEER_IP, "big"))))
    for stream, width in enumerate((64, 512)):
        bench.push(Beats(width).stream(messages, random), stream)
    bench.drain()
    for stream, width in enumerate((64, 512)):
        frames = AxiStream(width).frames(bench.received(stream))
        assert [frame for frame, _ in frames] == expected


def test_tx_checksum_far_behind_the_headers(benches: Benches) -> None:
    """A field anywhere in a long packet, which every layer on its way moves on by its header."""
    random = Random(8)
    bench = benches("tunnel")
    messages, expected = [], []
    longest = MAX_FRAME - len(wrapped(b""))
    for word in (1, 200, 256 - 7, 256, 1000, 4095, longest // 2 - 1):
        data = bytearray(random.randbytes(longest))
        seed = random.getrandbits(16)
        data[2 * word : 2 * word + 2] = bytes(2)
        meta = pack_meta(length=len(data), csum=seed, l4__ip_tx__csum_pos=word)
        messages.append(Message(bytes(data), meta | pack_meta(ip=int.from_bytes(PEER_IP, "big"))))
        field = (0xFFFF ^ csum(bytes(data), seed)) or 0xFFFF
        data[2 * word : 2 * word + 2] = field.to_bytes(2, "big")
        expected.append(wrapped(bytes(data)))
    for stream, width in enumerate((64, 512)):
        bench.push(Beats(width).stream(messages, random), stream)
    bench.drain()
    for stream, width in enumerate((64, 512)):
        frames = AxiStream(width).frames(bench.received(stream))
        assert [frame for frame, _ in frames] == expected

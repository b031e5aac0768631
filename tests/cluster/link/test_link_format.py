# SPDX-License-Identifier: Apache-2.0
"""The words on the wire between boards, read by software: format, and CRC-32C of Scapy."""

from __future__ import annotations

from random import Random

import pytest
from scapy.layers.sctp import crc32c as scapy_crc32c

from tests.cluster.link.link_bench import HEADER, WIRE, WORD, A, Links, Packet, packets
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

DATA = 1 << 31  # in the first half of a packet's first word


def crc32c(data: bytes) -> bytes:
    """As it stands on the wire. Scapy returns the number whose big-endian bytes RFC 3309 sends."""
    return scapy_crc32c(data).to_bytes(4, "big")


def packets_of(words: list[bytes]) -> list[Packet]:
    """The packets among words, which are checked: numbers from 0 on."""
    found: list[Packet] = []
    at = 0
    while at < len(words):
        half = int.from_bytes(words[at][:4], "little")
        if half & DATA:
            header = half ^ DATA
            length = HEADER.get(header, "length")
            whole = b"".join(words[at : at + length + 1])
            payload, crc = whole[4:-4], whole[-4:]
            assert len(payload) == length * WORD
            numbered = (half ^ len(found) & 0xFFFF).to_bytes(4, "little")
            assert crc == crc32c(numbered + payload)
            found.append(Packet(header, payload))
            at += length + 1
        else:
            assert half >> 28 or not any(words[at]), "neither idle nor a control word"
            if half:
                assert words[at][4:] == crc32c(words[at][:4])
            at += 1
    return found


@pytest.mark.parametrize("width", [64, 128, 512])
def test_format(benches: Benches, width: int) -> None:
    random = Random(width)
    links = Links(benches, width)
    links.train()
    links.bench.forget()
    links.send(A, packets(random, [*range(20), *(random.randrange(256) for _ in range(60))]))
    links.settle()
    links.check()
    words = []
    for item in links.bench.items(WIRE + A):
        data = (item & ((1 << width) - 1)).to_bytes(width // 8, "little")
        beat = [data[n : n + WORD] for n in range(0, len(data), WORD)]
        words += beat
    assert packets_of(words) == links.sent[A]

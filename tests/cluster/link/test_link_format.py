# SPDX-License-Identifier: Apache-2.0
"""The words on the wire between boards, read by software: format, and CRC-32C of Scapy."""

from __future__ import annotations

from random import Random

import pytest

from tests.cluster.link.link_bench import (
    DATA,
    HEADER,
    WORD,
    A,
    Links,
    Packet,
    crc32c,
    packets,
)
from tests.cluster.link.test_link import WIDTHS
from tests.support.harness import Benches

pytestmark = pytest.mark.slow


def packets_of(words: list[bytes], key: int) -> list[Packet]:
    """The packets among words, which are checked: numbers from 0 on. `key`: of the session."""
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
            assert crc == crc32c(numbered + payload, key)
            found.append(Packet(header, payload))
            at += length + 1
        else:
            assert half >> 28 or not any(words[at]), "neither idle nor a control word"
            if half:
                assert words[at][4:] == crc32c(words[at][:4], key)
            at += 1
    return found


@pytest.mark.parametrize("width", WIDTHS)
def test_format(benches: Benches, width: int) -> None:
    random = Random(width)
    links = Links(benches, width)
    links.train()
    key = links.session_key(A)
    assert key
    links.bench.forget()
    links.send(A, packets(random, [*range(20), *(random.randrange(256) for _ in range(60))]))
    links.settle()
    links.check()
    assert packets_of(links.wire(A), key) == links.sent[A]

# SPDX-License-Identifier: Apache-2.0
"""SipHash-2-4 against its definition, and the definition against a value of its paper."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from tests.support.harness import Benches

pytestmark = pytest.mark.slow

KEY = bytes(range(16))
LATENCY = 17  # cycles
MASK = (1 << 64) - 1


def siphash(key: bytes, data: bytes) -> int:
    """Aumasson and Bernstein, 2012, section 2."""
    k0, k1 = (int.from_bytes(key[n : n + 8], "little") for n in (0, 8))
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D]
    v += [k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def turn(value: int, bits: int) -> int:
        return (value << bits | value >> (64 - bits)) & MASK

    def rounds(count: int) -> None:
        for _ in range(count):
            for one, other, bits in ((0, 1, 13), (2, 3, 16), (0, 3, 21), (2, 1, 17)):
                v[one] = (v[one] + v[other]) & MASK
                v[other] = turn(v[other], bits) ^ v[one]
                if bits in (13, 17):
                    v[one] = turn(v[one], 32)

    padded = data + bytes(-(len(data) + 1) % 8) + bytes((len(data) % 256,))
    for n in range(0, len(padded), 8):
        word = int.from_bytes(padded[n : n + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def test_definition() -> None:
    assert siphash(KEY, bytes(range(15))) == 0xA129CA6149BE45E5


@pytest.mark.parametrize("width", [64, 66, 68, 120])
def test_hashes(benches: Benches, width: int) -> None:
    random = Random(width)
    bench = benches("siphash", DataWidth=width)
    data = [random.getrandbits(width) for _ in range(50)]
    bench.push(data)
    bench.drain()
    count = (width + 7) // 8
    assert bench.items() == [siphash(KEY, each.to_bytes(count, "little")) for each in data]
    # The bench takes two cycles between hashes.
    done = [each.cycle for each in bench.received()]
    assert {after - before for before, after in pairwise(done)} == {LATENCY + 2}

# SPDX-License-Identifier: Apache-2.0
"""Ascon-AEAD128: known answers of NIST for the software, the software for the RTL."""

from __future__ import annotations

from random import Random

import pytest

from bombus.applications.control.ascon import BadTagError, open_sealed, seal
from tests.support.harness import SEEDS, Benches

KEY = bytes(range(0x10))
NONCE = bytes(range(0x10, 0x20))
TEXT = bytes(range(0x20, 0x40))
ASSOCIATED = bytes(range(0x30, 0x50))
# Bytes of associated data: 32 bytes of text, sealed (LWC_AEAD_KAT_128_128, 1057 to
# 1089).
ANSWERS = {
    0: "E8C3DEEE246CC5EAE3E872313897A2BB6089AA3E15E80307970F2D1F006654C2"
    "AAA5FA172CB9F07D07463CEFC7440BC1",
    1: "96107D8A29A7529A7941BDC7DF1FE3C6C7210336AB5B1EB94CFC067CE2248742"
    "B9E5DBBB767A4AD97D1949F09022CD66",
    8: "FABE2CB1E7EBA6329A30080F26E7DC72503D2E3CCE7C9F5BC5E4BBBD2D287019"
    "ACD40754D79F1C3A9522A593B9395E84",
    15: "20FD19DABC1A5CC449A621D34DAC6013EF43F597DF00A4FCC9570F4C64C4D006"
    "DBC8504A6EE24BE1DE7F594925D38471",
    16: "6373EBB28BE97C9BAC090CF399C13EF14EA6C5E519E30A5C6EF44F7CEA881AB7"
    "ABEF171657D19C6C1138B7577693E439",
    17: "BF77C71B3DE9F1C5B372EF273A08E89BE9675ADC5777342F1D1EF3C5D4BFC7AA"
    "055DD1908BB4C524BC967452FFDAA943",
    31: "4B392E5FA60E0CBBCA547DB96E3262BD8382D6C0E608E24F441AAAFC4726E5AD"
    "779233DA0AE25E0BDE856E4805896EC2",
    32: "CB34D04660A66DBFBE9C856601F5B8AA51A499B55AC8F7FBEFBC331A613EE9CD"
    "FD191750A47F211C0A15ED28173D7CAA",
}


@pytest.mark.parametrize("count", ANSWERS)
def test_known_answers(count: int) -> None:
    sealed = seal(KEY, NONCE, ASSOCIATED[:count], TEXT)
    assert sealed.hex().upper() == ANSWERS[count]
    assert open_sealed(KEY, NONCE, ASSOCIATED[:count], sealed) == TEXT


@pytest.mark.parametrize("flipped", [0, 31, 32, 47])
def test_a_changed_byte_is_noticed(flipped: int) -> None:
    sealed = bytearray(seal(KEY, NONCE, ASSOCIATED, TEXT))
    sealed[flipped] ^= 0x10
    with pytest.raises(BadTagError):
        open_sealed(KEY, NONCE, ASSOCIATED, bytes(sealed))
    with pytest.raises(BadTagError):
        open_sealed(KEY, NONCE, ASSOCIATED, b"")


def blocks(data: bytes) -> list[int]:
    """Items of the bench: 16 bytes each, fewer in the last."""
    starts = range(0, max(1, len(data)), 16)
    return [
        int.from_bytes(data[start : start + 16].ljust(16, b"\xa5"), "little")
        | min(16, len(data) - start) << 128
        | (start == starts[-1]) << 133
        for start in starts
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_rtl(benches: Benches, seed: int) -> None:
    """Every length, both ways."""
    random = Random(seed)
    bench = benches("ascon_aead", seed=seed)
    texts, tags = list[bytes](), list[bytes]()
    lengths = [(a, t) for a in (0, 1, 15, 16, 17, 32) for t in range(36)]
    random.shuffle(lengths)
    bench.pace(gap=0.0 if seed == 1 else 0.4)
    for associated_bytes, text_bytes in lengths:
        key, nonce = random.randbytes(16), random.randbytes(16)
        associated, text = random.randbytes(associated_bytes), random.randbytes(text_bytes)
        sealed = seal(key, nonce, associated, text)
        decrypts = random.random() < 0.5
        command = int.from_bytes(nonce + key, "little") | bool(associated) << 256 | decrypts << 257
        given, result = (sealed[:-16], text) if decrypts else (text, sealed[:-16])
        bench.push([command])
        bench.push([*(blocks(associated) if associated else []), *blocks(given)], 1)
        texts += [result[n : n + 16] for n in range(0, max(1, len(result)), 16)]
        tags.append(sealed[-16:])
    bench.drain()
    found = bench.items(0)
    assert [each >> 128 for each in found] == [len(text) for text in texts]
    assert [each & ((1 << 128) - 1) for each in found] == [
        int.from_bytes(text, "little") for text in texts
    ]
    assert bench.items(1) == [int.from_bytes(tag, "little") for tag in tags]

# SPDX-License-Identifier: Apache-2.0
"""Ascon-AEAD128: authenticated encryption (NIST SP 800-232, section 4)."""

from __future__ import annotations

import hmac
from collections.abc import Iterator

KEY_BYTES = 16
NONCE_BYTES = 16
TAG_BYTES = 16

_IV = 0x00001000808C0001
_MASK = (1 << 64) - 1
_RATE = 16  # bytes
_ROTATIONS = ((19, 28), (61, 39), (1, 6), (10, 17), (7, 41))
_LAST_BIT = 1 << 63


class BadTagError(ValueError):
    """The tag is not that of this key, nonce, associated data and ciphertext."""


def _rotated(word: int, bits: int) -> int:
    return (word >> bits | word << (64 - bits)) & _MASK


def _permute(state: list[int], rounds: int) -> None:
    for n in range(12 - rounds, 12):
        x0, x1, x2, x3, x4 = state
        x2 ^= 0xF0 - n * 0x0F
        x0 ^= x4
        x4 ^= x3
        x2 ^= x1
        y0 = x0 ^ (~x1 & x2)
        y1 = x1 ^ (~x2 & x3)
        y2 = x2 ^ (~x3 & x4)
        y3 = x3 ^ (~x4 & x0)
        y4 = x4 ^ (~x0 & x1)
        words = (y0 ^ y4, y1 ^ y0, y2 ^ _MASK, y3 ^ y2, y4)
        state[:] = [
            word ^ _rotated(word, first) ^ _rotated(word, second)
            for word, (first, second) in zip(words, _ROTATIONS, strict=True)
        ]


def _words(data: bytes) -> list[int]:
    return [int.from_bytes(data[n : n + 8], "little") for n in range(0, len(data), 8)]


def _bytes(words: list[int]) -> bytes:
    return b"".join(word.to_bytes(8, "little") for word in words)


def _blocks(data: bytes) -> Iterator[bytes]:
    """Full blocks, then one that is shorter than a block, perhaps empty."""
    for start in range(0, len(data) + 1, _RATE):
        yield data[start : start + _RATE]


def _padded(block: bytes) -> list[int]:
    return _words(block + b"\x01" + bytes(_RATE - len(block) - 1))


def _crypt(
    key: bytes, nonce: bytes, associated: bytes, text: bytes, *, decrypts: bool
) -> tuple[bytes, bytes]:
    """The other text and the tag."""
    if len(key) != KEY_BYTES or len(nonce) != NONCE_BYTES:
        raise ValueError(f"key and nonce have {KEY_BYTES} bytes each")
    keys = _words(key)
    state = [_IV, *keys, *_words(nonce)]
    _permute(state, 12)
    state[3] ^= keys[0]
    state[4] ^= keys[1]
    if associated:
        for block in _blocks(associated):
            words = _words(block) if len(block) == _RATE else _padded(block)
            state[0] ^= words[0]
            state[1] ^= words[1]
            _permute(state, 8)
    state[4] ^= _LAST_BIT
    result = bytearray()
    for block in _blocks(text):
        stream = _bytes(state[:2])
        other = bytes(a ^ b for a, b in zip(block, stream, strict=False))
        result += other
        plain = other if decrypts else block
        words = _words(plain) if len(block) == _RATE else _padded(plain)
        state[0] ^= words[0]
        state[1] ^= words[1]
        if len(block) == _RATE:
            _permute(state, 8)
    state[2] ^= keys[0]
    state[3] ^= keys[1]
    _permute(state, 12)
    return bytes(result), _bytes([state[3] ^ keys[0], state[4] ^ keys[1]])


def seal(key: bytes, nonce: bytes, associated: bytes, text: bytes) -> bytes:
    """The ciphertext, then the tag of 16 bytes. A nonce must never be used twice with one key."""
    sealed, tag = _crypt(key, nonce, associated, text, decrypts=False)
    return sealed + tag


def open_sealed(key: bytes, nonce: bytes, associated: bytes, sealed: bytes) -> bytes:
    """The text of `seal`. Raises BadTagError."""
    if len(sealed) < TAG_BYTES:
        raise BadTagError("shorter than a tag")
    body, tag = sealed[:-TAG_BYTES], sealed[-TAG_BYTES:]
    text, expected = _crypt(key, nonce, associated, body, decrypts=True)
    if not hmac.compare_digest(tag, expected):
        raise BadTagError("wrong tag")
    return text

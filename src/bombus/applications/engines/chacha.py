# SPDX-License-Identifier: Apache-2.0
"""The stream cipher ChaCha (RFC 8439), many blocks at a time in numpy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

BLOCK_BYTES = 64
KEY_BYTES = 32

_Words = npt.NDArray[np.uint32]
_CONSTANTS = np.frombuffer(b"expand 32-byte k", dtype="<u4")
_COLUMNS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
_DIAGONALS = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def _rotated(words: _Words, places: int) -> _Words:
    return (words << np.uint32(places)) | (words >> np.uint32(32 - places))


def _quarter_round(state: _Words, a: int, b: int, c: int, d: int) -> None:
    for to, other, mixed, places in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[to] += state[other]
        state[mixed] = _rotated(state[mixed] ^ state[to], places)


def key_stream(key: bytes, nonce: bytes, size: int, *, first: int = 1, rounds: int = 20) -> bytes:
    """The first bytes of the key stream; `first`: the number of its first block."""
    blocks = -(-size // BLOCK_BYTES)
    start: _Words = np.zeros((16, blocks), dtype=np.uint32)
    start[:4] = _CONSTANTS[:, None]
    start[4:12] = np.frombuffer(key, dtype="<u4")[:, None]
    start[12] = np.arange(first, first + blocks)
    start[13:] = np.frombuffer(nonce, dtype="<u4")[:, None]
    state = start.copy()
    for number in range(rounds):
        for quarter in _DIAGONALS if number % 2 else _COLUMNS:
            _quarter_round(state, *quarter)
    return (state + start).T.astype("<u4").tobytes()[:size]


def encrypt(key: bytes, nonce: bytes, data: bytes, *, rounds: int = 20) -> bytes:
    """Encrypted, or decrypted, from block 1 on."""
    stream = key_stream(key, nonce, len(data), rounds=rounds)
    return bytes(a ^ b for a, b in zip(data, stream, strict=True))

# SPDX-License-Identifier: Apache-2.0
"""Requests to a controller and its answers, as bytes (docs/applications/control/format.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from bombus.applications.control.ascon import TAG_BYTES, BadTagError, open_sealed, seal
from bombus.base.errors import UserError
from bombus.design import rtl
from bombus.registers.model import WORD_BITS, WORD_BYTES

_PACKAGE = "control_pkg"


def _constant(name: str) -> int:
    return rtl.constant(f"{_PACKAGE}::{name}")


MAGIC = _constant("Magic").to_bytes(2, "little")
VERSION = _constant("Version")
ANSWER_VERSION = _constant("AnswerVersion")
DESIGN_KEY = _constant("DesignKey")  # number of the design file's key
HEADER_BYTES = WORD_BYTES * _constant("HeaderWords")
MAX_BODY_WORDS = _constant("MaxBodyWords")
MAX_RESULT_WORDS = _constant("MaxResultWords")
_MORE = 1 << 16
_ANSWER_NONCE = _constant("AnswerNonce") << 62


class Status(IntEnum):
    """Of an answer."""

    OK = 0
    MALFORMED = 1
    TOO_LONG = 2
    NO_RIGHT = 3
    REPEATED = 4
    OTHER_BOOT = 5
    BUSY = 6


class ControlError(UserError):
    """An answer is missing or invalid, or its status is not OK."""


@dataclass(frozen=True)
class Key:
    """A key of a controller, by number; `secret` None: messages are not sealed."""

    secret: bytes | None
    number: int = DESIGN_KEY


# ---- Items of a batch ----


def words(*values: int) -> bytes:
    return b"".join(value.to_bytes(WORD_BYTES, "little") for value in values)


def read(address: int, count: int = 1) -> bytes:
    """Reads successive words."""
    return words(address, count)


def write(address: int, value: int) -> bytes:
    """Writes a word."""
    return words(address | 1, value)


def masked_write(address: int, mask: int, value: int) -> bytes:
    """Writes the bits of a word that `mask` has."""
    return words(address | 2, mask, value)


def write_block(address: int, values: Sequence[int]) -> bytes:
    """Writes successive words."""
    return words(address | 3, len(values), *values)


# ---- Messages ----


@dataclass(frozen=True)
class Answer:
    """An answer: what it says, and the identity of the design since its reset."""

    status: Status
    number: int  # of the request
    boot: int
    body: bytes

    @property
    def words(self) -> list[int]:
        starts = range(0, len(self.body), WORD_BYTES)
        return [int.from_bytes(self.body[n : n + WORD_BYTES], "little") for n in starts]


def request(
    key: Key, number: int, body: bytes, *, boot: int, client: int, more: bool = False
) -> bytes:
    """A request. `number` is above that of every earlier request with this key; 0 with an empty
    body: asks for the design's identity, `boot`. `client`: random number of 64 bits of this
    program.
    """
    header = b"".join(
        (
            MAGIC,
            bytes((VERSION, key.number)),
            words(len(body) | _MORE * more),
            *(each.to_bytes(8, "little") for each in (boot, client, number)),
        )
    )
    if key.secret is None:
        return header + body
    nonce = client.to_bytes(8, "little") + number.to_bytes(8, "little")
    return header + seal(key.secret, nonce, header, body)


def answer(key: Key, data: bytes) -> Answer:
    """Opens an answer. Raises ControlError if it is none for this key."""
    tag_bytes = 0 if key.secret is None else TAG_BYTES
    if len(data) < HEADER_BYTES + tag_bytes:
        raise ControlError(f"an answer of {len(data)} bytes is too short")
    header, sealed = data[:HEADER_BYTES], data[HEADER_BYTES:]
    if header[:4] != MAGIC + bytes((ANSWER_VERSION, key.number)):
        raise ControlError("the answer is not for this key or version")
    boot, counter, number = (
        int.from_bytes(header[n : n + 8], "little") for n in range(8, HEADER_BYTES, 8)
    )
    body = sealed
    if key.secret is not None:
        nonce = header[8:16] + (counter | _ANSWER_NONCE).to_bytes(8, "little")
        try:
            body = open_sealed(key.secret, nonce, header, sealed)
        except BadTagError as error:
            raise ControlError(f"the answer was not sealed with this key: {error}") from None
    if int.from_bytes(header[4:6], "little") != len(body):
        raise ControlError("the answer's length is wrong")
    return Answer(Status(header[7]), number, boot, body)


def chunks(items: Iterable[bytes], limit_bytes: int) -> list[bytes]:
    """The bodies of as few requests as hold the items, in order."""
    bodies = [b""]
    for item in items:
        if bodies[-1] and len(bodies[-1]) + len(item) > limit_bytes:
            bodies.append(b"")
        bodies[-1] += item
    return bodies


assert WORD_BITS == 8 * WORD_BYTES

# SPDX-License-Identifier: Apache-2.0
"""Requests to a controller and its answers, as bytes (docs/applications/control/format.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from bombus.applications.control.ascon import TAG_BYTES, BadTagError, open_sealed, seal
from bombus.base.errors import UserError
from bombus.design import rtl
from bombus.registers.model import WORD_BYTES

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
_MORE, _CONTINUES = 1 << 16, 1 << 17
_ANSWER_NONCE = _constant("AnswerNonce") << 62
# Operations, in the lowest bits of an address
_READ, _WRITE = _constant("Read"), _constant("Write")
_MASKED_WRITE, _WRITE_BLOCK = _constant("MaskedWrite"), _constant("WriteBlock")


class Status(IntEnum):
    """Of an answer."""

    OK = _constant("Ok")
    MALFORMED = _constant("Malformed")
    TOO_LONG = _constant("TooLong")
    NO_RIGHT = _constant("NoRight")
    REPEATED = _constant("Repeated")
    OTHER_BOOT = _constant("OtherBoot")
    BUSY = _constant("Busy")
    CUT = _constant("Cut")


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
    return words(address | _READ, count)


def write(address: int, value: int) -> bytes:
    """Writes a word."""
    return words(address | _WRITE, value)


def masked_write(address: int, mask: int, value: int) -> bytes:
    """Writes the bits of a word that `mask` has."""
    return words(address | _MASKED_WRITE, mask, value)


def write_block(address: int, values: Sequence[int]) -> bytes:
    """Writes successive words."""
    return words(address | _WRITE_BLOCK, len(values), *values)


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
    key: Key,
    number: int,
    body: bytes,
    *,
    boot: int,
    client: int,
    more: bool = False,
    continues: bool = False,
) -> bytes:
    """A request. `number` is above that of every earlier request with this key; 0 with an empty
    body: asks for the design's identity, `boot`. `client`: random number of 64 bits of this
    program. `more`: the batch continues in the next request; `continues`: that of the last one.
    """
    header = b"".join(
        (
            MAGIC,
            bytes((VERSION, key.number)),
            words(len(body) | _MORE * more | _CONTINUES * continues),
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

# SPDX-License-Identifier: Apache-2.0
"""Requests to a log and its answers, as bytes (docs/applications/logs/format.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from bombus.base.errors import UserError
from bombus.design import rtl

_PACKAGE = "log_pkg"


class LogError(UserError):
    """A log does not answer, or something read from one is invalid."""


class Status(IntEnum):
    """Of an answer."""

    OK = 0
    NOT_WRITTEN = 1
    OVERWRITTEN = 2


@cache
def struct_bits(name: str, package: str = _PACKAGE) -> int:
    """Width of a packed struct."""
    return max(each.offset + each.width for each in rtl.struct_layout(name, package).values())


def unpack(name: str, value: int, package: str = _PACKAGE) -> dict[str, int]:
    """The fields of a packed struct, those of nested structs too, as `stamp.cycle`."""
    return {
        field: value >> where.offset & (1 << where.width) - 1
        for field, where in rtl.struct_layout(name, package).items()
    }


def pack(name: str, values: Mapping[str, int], package: str = _PACKAGE) -> int:
    """A packed struct; fields without a value are 0."""
    layout = rtl.struct_layout(name, package)
    return sum((value << layout[field].offset) for field, value in values.items())


@dataclass(frozen=True)
class Answer:
    """An answer: the state of the log, and the entry that was requested if it exists.

    Entries `first` to `next` - 1 exist. `lost`: entries not written because the log was full.
    `generation`: how often it was cleared, modulo 256.
    """

    status: Status
    number: int
    index: int
    first: int
    next: int
    lost: int
    entry_bits: int
    generation: int
    ring: bool
    entry: bytes = b""

    @property
    def entry_bytes(self) -> int:
        return -(-self.entry_bits // 8)


def request(index: int, number: int) -> bytes:
    """Requests an entry. `number`: returned in the answer, 32 bits."""
    values = {
        "magic": rtl.constant(f"{_PACKAGE}::Magic"),
        "version": rtl.constant(f"{_PACKAGE}::Version"),
        "number": number,
        "index": index,
    }
    return pack("request_t", values).to_bytes(struct_bits("request_t") // 8, "little")


def header_bytes() -> int:
    """Bytes of an answer before its entry."""
    return struct_bits("answer_t") // 8


def answer(data: bytes) -> Answer | None:
    """An answer from its bytes; None if it is not one."""
    header = header_bytes()
    if len(data) < header:
        return None
    fields = unpack("answer_t", int.from_bytes(data[:header], "little"))
    if (fields["magic"], fields["version"]) != (
        rtl.constant(f"{_PACKAGE}::Magic"),
        rtl.constant(f"{_PACKAGE}::Version"),
    ):
        return None
    if fields["status"] not in set(Status):
        return None
    found = Answer(
        status=Status(fields["status"]),
        number=fields["number"],
        index=fields["index"],
        first=fields["first"],
        next=fields["next"],
        lost=fields["lost"],
        entry_bits=fields["entry_bits"],
        generation=fields["generation"],
        ring=bool(fields["ring"]),
        entry=data[header:],
    )
    expected = found.entry_bytes if found.status == Status.OK else 0
    return found if len(found.entry) == expected else None

# SPDX-License-Identifier: Apache-2.0
"""Messages between leader, replicas and witnesses (docs/applications/vr/wire.md)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from enum import IntEnum
from itertools import pairwise
from typing import ClassVar, Self

MAGIC = bytes.fromhex("18030520")
FRAGMENT_MAGIC = bytes.fromhex("10101020")
HEADER_BYTES = 13  # magic, type, size
FRAGMENT_HEADER_BYTES = 28
NUMBER_BITS = 48  # of views and operation numbers
VERSION = 1  # of recovery and set-up
MAX_REQUESTS = 1 << 10  # a Prepare has fewer
LINE = 64  # an entry of the log takes a multiple of this many bytes
MAX_REPLICAS = 8


class MessageError(Exception):
    """The bytes are not a message."""


class Type(IntEnum):
    PREPARE = 5
    PREPARE_OK = 6
    COMMIT = 7
    REQUEST_STATE_TRANSFER = 8
    STATE_TRANSFER = 9
    START_VIEW_CHANGE = 10
    DO_VIEW_CHANGE = 11
    START_VIEW = 12
    VALIDATE_READ = 13
    VALIDATE_READ_REPLY = 14
    SET_UP = 128
    SET_UP_REPLY = 129
    RECOVERY = 130
    RECOVERY_RESPONSE = 131


class State(IntEnum):
    OFF = 0
    RECOVERING = 1
    FETCHING = 2
    NORMAL = 3
    VIEW_CHANGE = 4


class Mode(IntEnum):
    """Of SetUp."""

    QUERY = 0
    ADDRESS = 1
    RECOVER = 2


@dataclass(frozen=True)
class Request:
    client: int
    number: int
    op: bytes

    def encode(self) -> bytes:
        return struct.pack(">QQQ", self.client, self.number, len(self.op)) + self.op


@dataclass(frozen=True)
class Entry:
    """An entry of the log. `received`: its bytes, which are passed on unchanged."""

    view: int
    op_number: int
    request: Request
    state: int = 1
    received: bytes = b""

    def encode(self) -> bytes:
        if self.received:
            return self.received
        data = struct.pack(
            ">QQQQQ", LINE + len(self.request.op), self.view, self.op_number, self.state, 0
        )
        data += self.request.encode()
        return data + bytes(-len(data) % LINE)


def encode_entries(entries: Sequence[Entry]) -> bytes:
    return b"".join(entry.encode() for entry in entries)


def decode_entries(data: bytes, view: int) -> list[Entry]:
    """Entries with consecutive numbers, of no later view than this one.

    Raises:
        MessageError: fields do not agree, or the data end inside an entry.
    """
    entries: list[Entry] = []
    if len(data) % LINE:
        raise MessageError("the entries are no multiple of 64 bytes")
    while data:
        size, of_view, op_number, state, hashed, client, number, length = struct.unpack_from(
            ">8Q", data
        )
        end = -(-size // LINE) * LINE
        if hashed or size != LINE + length or end > len(data):
            raise MessageError("lengths of an entry do not agree")
        _check_numbers(of_view, op_number)
        request = Request(client, number, data[LINE:size])
        entries.append(Entry(of_view, op_number, request, state, data[:end]))
        data = data[end:]
    for before, after in pairwise(entries):
        if after.op_number != before.op_number + 1 or after.view < before.view:
            raise MessageError("entries are not in order")
    if entries and (entries[-1].view > view or entries[0].op_number < 1):
        raise MessageError("an entry has a view or number that cannot be")
    return entries


def _check_numbers(*numbers: int) -> None:
    if any(number >> NUMBER_BITS for number in numbers):
        raise MessageError("a view or number is too large")


def _frame(kind: int, fields_: bytes) -> bytes:
    return MAGIC + bytes((kind,)) + struct.pack(">Q", len(fields_)) + fields_


@dataclass(frozen=True)
class Fixed:
    """A message of integers only."""

    TYPE: ClassVar[Type]
    FORMAT: ClassVar[str]
    NUMBERS: ClassVar[frozenset[str]] = frozenset()  # fields limited to 48 bits

    def encode(self) -> bytes:
        return _frame(self.TYPE, struct.pack(self.FORMAT, *astuple(self)))

    @classmethod
    def parse(cls, data: bytes) -> Self:
        if len(data) != struct.calcsize(cls.FORMAT):
            raise MessageError("wrong length")
        values = struct.unpack(cls.FORMAT, data)
        names = [field.name for field in fields(cls)]
        _check_numbers(*(v for n, v in zip(names, values, strict=True) if n in cls.NUMBERS))
        if "version" in names and values[0] != VERSION:
            raise MessageError("another version")
        return cls(*values)


@dataclass(frozen=True)
class PrepareOk(Fixed):
    TYPE = Type.PREPARE_OK
    FORMAT = ">QQQQ"
    view: int
    op_number: int
    replica: int
    committed: int


@dataclass(frozen=True)
class Commit(Fixed):
    TYPE = Type.COMMIT
    FORMAT = ">QQ"
    NUMBERS = frozenset({"view", "op_number"})
    view: int
    op_number: int


@dataclass(frozen=True)
class RequestStateTransfer(Fixed):
    TYPE = Type.REQUEST_STATE_TRANSFER
    FORMAT = ">QQ"
    NUMBERS = frozenset({"view", "op_number"})
    view: int
    op_number: int


@dataclass(frozen=True)
class StartViewChange(Fixed):
    TYPE = Type.START_VIEW_CHANGE
    FORMAT = ">QQQ"
    NUMBERS = frozenset({"view", "replica", "committed"})
    view: int
    replica: int
    committed: int


@dataclass(frozen=True)
class ValidateRead(Fixed):
    TYPE = Type.VALIDATE_READ
    FORMAT = ">QQQ"
    NUMBERS = frozenset({"view"})
    view: int
    client: int
    number: int


@dataclass(frozen=True)
class ValidateReadReply(Fixed):
    TYPE = Type.VALIDATE_READ_REPLY
    FORMAT = ">BQQQ"
    is_valid: int
    client: int
    number: int
    replica: int


@dataclass(frozen=True)
class SetUp(Fixed):
    TYPE = Type.SET_UP
    FORMAT = ">IIIIIIIQ"
    version: int = VERSION
    mode: int = 0
    index: int = 0
    count: int = 0
    slot: int = 0
    ip: int = 0
    port: int = 0
    nonce: int = 0


@dataclass(frozen=True)
class SetUpReply(Fixed):
    TYPE = Type.SET_UP_REPLY
    FORMAT = ">IIIIQQQQ"
    version: int
    state: int
    result: int
    index: int
    view: int
    last: int
    committed: int
    cleaned: int


@dataclass(frozen=True)
class Recovery(Fixed):
    TYPE = Type.RECOVERY
    FORMAT = ">IIQ"
    version: int
    replica: int
    nonce: int


@dataclass(frozen=True)
class RecoveryResponse(Fixed):
    TYPE = Type.RECOVERY_RESPONSE
    FORMAT = ">IIQQQQQ"
    NUMBERS = frozenset({"view", "last", "committed", "cleaned"})
    version: int
    replica: int
    nonce: int
    view: int
    last: int
    committed: int
    cleaned: int


@dataclass(frozen=True)
class Prepare:
    """`requests`: its bytes, which are checked only when they are appended to the log."""

    view: int
    op_number: int
    start: int
    clean_up_to: int
    count: int
    requests: bytes

    @classmethod
    def of(
        cls, view: int, start: int, requests: Sequence[Request], clean_up_to: int = 0
    ) -> Prepare:
        data = b"".join(request.encode() for request in requests)
        last = start + len(requests) - 1
        return cls(view, last, start, clean_up_to, len(requests), data)

    def encode(self) -> bytes:
        head = (self.view, self.op_number, self.start, self.clean_up_to, self.count)
        return _frame(Type.PREPARE, struct.pack(">QQQQQ", *head) + self.requests)

    @classmethod
    def parse(cls, data: bytes) -> Prepare:
        if len(data) < 40 + 24:
            raise MessageError("too short")
        view, last, start, clean, count = struct.unpack_from(">QQQQQ", data)
        _check_numbers(view, last, start, clean, count)
        message = cls(view, last, start, clean, count, data[40:])
        if message.start < 1 or message.op_number - message.start + 1 != message.count:
            raise MessageError("the count does not agree with the numbers")
        if not 0 < message.count < MAX_REQUESTS:
            raise MessageError("no request, or too many")
        return message

    def split(self) -> list[Request]:
        """Raises MessageError if lengths do not agree."""
        found, data = [], self.requests
        for _ in range(self.count):
            if len(data) < 24:
                raise MessageError("a request is cut off")
            client, number, length = struct.unpack_from(">QQQ", data)
            if length > len(data) - 24:
                raise MessageError("an operation is cut off")
            found.append(Request(client, number, data[24 : 24 + length]))
            data = data[24 + length :]
        if data:
            raise MessageError("bytes after the last request")
        return found


@dataclass(frozen=True)
class WithEntries:
    """A message that begins with numbers and ends with entries."""

    TYPE: ClassVar[Type]

    def encode(self) -> bytes:
        *numbers, entries = astuple(self)
        head = struct.pack(f">{len(numbers)}Q", *numbers)
        return _frame(self.TYPE, head + struct.pack(">Q", len(entries)) + entries)

    @classmethod
    def parse(cls, data: bytes) -> Self:
        count = len(fields(cls)) - 1
        if len(data) < 8 * count + 8:
            raise MessageError("too short")
        *numbers, length = struct.unpack_from(f">{count + 1}Q", data)
        entries = data[8 * count + 8 :]
        _check_numbers(*numbers)
        if length != len(entries) or length % LINE:
            raise MessageError("wrong length of the entries")
        return cls(*numbers, entries)  # type: ignore[call-arg]  # fields of the subclasses


@dataclass(frozen=True)
class StateTransfer(WithEntries):
    TYPE = Type.STATE_TRANSFER
    view: int
    committed: int
    entries: bytes


@dataclass(frozen=True)
class DoViewChange(WithEntries):
    TYPE = Type.DO_VIEW_CHANGE
    view: int
    log_view: int
    last: int
    committed: int
    replica: int
    entries: bytes


@dataclass(frozen=True)
class StartView(WithEntries):
    TYPE = Type.START_VIEW
    view: int
    last: int
    committed: int
    entries: bytes


Message = Fixed | WithEntries | Prepare
_KINDS: dict[int, type[Message]] = {
    Type.PREPARE: Prepare,
    Type.PREPARE_OK: PrepareOk,
    Type.COMMIT: Commit,
    Type.REQUEST_STATE_TRANSFER: RequestStateTransfer,
    Type.STATE_TRANSFER: StateTransfer,
    Type.START_VIEW_CHANGE: StartViewChange,
    Type.DO_VIEW_CHANGE: DoViewChange,
    Type.START_VIEW: StartView,
    Type.VALIDATE_READ: ValidateRead,
    Type.VALIDATE_READ_REPLY: ValidateReadReply,
    Type.SET_UP: SetUp,
    Type.SET_UP_REPLY: SetUpReply,
    Type.RECOVERY: Recovery,
    Type.RECOVERY_RESPONSE: RecoveryResponse,
}


def type_of(data: bytes) -> Type:
    """Type of a datagram with a valid frame.

    Raises:
        MessageError: another magic, size or type.
    """
    if len(data) < HEADER_BYTES or not data.startswith(MAGIC):
        raise MessageError("no message")
    (size,) = struct.unpack_from(">Q", data, 5)
    if size != len(data) - HEADER_BYTES:
        raise MessageError("the size does not agree with the datagram")
    if data[4] not in _KINDS:
        raise MessageError("unknown type")
    return Type(data[4])


def decode(data: bytes) -> Message:
    """A message from a datagram, or from all data of its fragments.

    Raises:
        MessageError: another magic or type, or lengths or numbers that do not agree.
    """
    return _KINDS[type_of(data)].parse(data[HEADER_BYTES:])


def fragments(message: bytes, number: int, size: int) -> list[bytes]:
    """Datagrams with `size` bytes of the message each."""
    return [
        FRAGMENT_MAGIC
        + struct.pack("<QQQ", number, start, len(message))
        + message[start : start + size]
        for start in range(0, len(message), size)
    ]

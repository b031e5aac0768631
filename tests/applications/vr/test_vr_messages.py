# SPDX-License-Identifier: Apache-2.0
"""Messages as docs/applications/vr/wire.md states them."""

from __future__ import annotations

import struct

import pytest

from bombus.applications.vr.messages import (
    HEADER_BYTES,
    Commit,
    Entry,
    Message,
    MessageError,
    Prepare,
    PrepareOk,
    RecoveryResponse,
    Request,
    SetUp,
    SetUpReply,
    StartView,
    StateTransfer,
    Type,
    ValidateRead,
    ValidateReadReply,
    decode,
    decode_entries,
    encode_entries,
    fragments,
)

REQUEST = Request(1, 2, b"x" * 140)
ENTRIES = [Entry(0, 5, REQUEST), Entry(1, 6, Request(3, 4, b""))]


@pytest.mark.parametrize(
    ("message", "size"),
    [
        (Prepare.of(3, 7, [REQUEST]), 217),
        (PrepareOk(1, 2, 1, 0), 45),
        (Commit(1, 2), 29),
        (ValidateRead(1, 2, 3), 37),
        (ValidateReadReply(1, 2, 3, 1), 38),
        (SetUp(nonce=9), 49),
        (SetUpReply(1, 3, 0, 1, 0, 0, 0, 0), 61),
        (RecoveryResponse(1, 0, 9, 2, 5, 4, 3), 61),
        (StateTransfer(1, 5, encode_entries(ENTRIES)), 37 + 5 * 64),
        (StartView(1, 6, 5, encode_entries(ENTRIES)), 45 + 5 * 64),
    ],
)
def test_sizes(message: Message, size: int) -> None:
    data = message.encode()
    assert len(data) == size
    assert decode(data) == message
    assert data[:4] == bytes.fromhex("18030520")
    assert struct.unpack_from(">Q", data, 5) == (size - 13,)
    for cut in range(size):
        with pytest.raises(MessageError, match=r"the size does not|no message"):
            decode(data[:cut])
    for wrong in (*(data[:cut] for cut in range(HEADER_BYTES, size)), data + b"x"):
        sized = wrong[:5] + struct.pack(">Q", len(wrong) - HEADER_BYTES) + wrong[HEADER_BYTES:]
        with pytest.raises(MessageError, match=r"length|short|count|cut off|after the last"):
            found = decode(sized)
            assert isinstance(found, Prepare)  # its requests are checked later
            found.split()


def test_prepare_has_its_fields_where_the_page_says() -> None:
    data = Prepare.of(3, 7, [REQUEST, REQUEST], 2).encode()
    assert struct.unpack_from(">QQQQQ", data, 13) == (3, 8, 7, 2, 2)
    assert struct.unpack_from(">QQQ", data, 53) == (1, 2, 140)
    assert data[77:217] == REQUEST.op


def test_entries() -> None:
    data = encode_entries(ENTRIES)
    assert len(data) == 64 * (1 + 3 + 1)
    found = decode_entries(data, 1)
    assert [(each.view, each.op_number, each.request) for each in found] == [
        (each.view, each.op_number, each.request) for each in ENTRIES
    ]
    for bad in (
        data[:-64],  # of the first entry, four lines are left; the second is missing
        data[64:],
        encode_entries(ENTRIES[::-1]),
        data[:32] + struct.pack(">Q", 1) + data[40:],  # a hash
        data[:56] + struct.pack(">Q", 141) + data[64:],
    ):
        if bad == data[:-64]:
            assert len(decode_entries(bad, 1)) == 1
            continue
        with pytest.raises(MessageError):
            decode_entries(bad, 1)
    with pytest.raises(MessageError):
        decode_entries(data, 0)


def test_a_batch_must_fill_its_message() -> None:
    message = Prepare(0, 2, 1, 0, 2, REQUEST.encode() * 3)
    with pytest.raises(MessageError, match="after the last request"):
        message.split()
    with pytest.raises(MessageError, match="cut off"):
        Prepare(0, 2, 1, 0, 2, REQUEST.encode()).split()
    with pytest.raises(MessageError, match="count"):
        decode(Prepare(0, 3, 1, 0, 2, REQUEST.encode() * 2).encode())


def test_fragments() -> None:
    message = bytes(range(256)) * 40
    parts = fragments(message, 7, 1408)
    assert b"".join(part[28:] for part in parts) == message
    starts = [struct.unpack_from("<QQQ", part, 4) for part in parts]
    assert starts == [(7, 1408 * n, len(message)) for n in range(len(parts))]
    assert parts[0][:4] == bytes.fromhex("10101020")


def test_foreign_types() -> None:
    with pytest.raises(MessageError, match="type"):
        decode(bytes.fromhex("18030520") + bytes([99]) + bytes(8))
    assert Type(130) is Type.RECOVERY

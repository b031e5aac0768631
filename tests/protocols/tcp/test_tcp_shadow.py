# SPDX-License-Identifier: Apache-2.0
"""The reference model of TCP: it accepts what is right, and every rule that it checks can fail."""

from __future__ import annotations

import struct

import pytest

from tests.protocols.tcp.tcp_shadow import Connection
from tests.protocols.tcp.tcp_shadowing import OWN
from tests.protocols.tcp.tcp_wire import NOP, SACK, SACK_PERMITTED, WORD, Wire

PEER, ENGINE = 1000, 7  # ports
IRS, ISS = WORD - 500, WORD - 70  # so that numbers wrap
FULL = 1000
Blocks = tuple[tuple[int, int], ...]


class Exchange:
    """An open connection with SACK; places are relative to the first byte, which is 1."""

    def __init__(self) -> None:
        self.model = Connection((bytes(4), PEER, ENGINE), OWN)
        self.model.time_us = 0.0
        permitted = bytes((SACK_PERMITTED, 2, NOP, NOP))
        syn, both = frozenset({"SYN"}), frozenset({"SYN", "ACK"})
        self.model.note_received(Wire(PEER, ENGINE, IRS, flags=syn, options=permitted))
        opening = Wire(ENGINE, PEER, ISS, IRS + 1, both, options=permitted)
        self.model.note_sent(opening)
        self.receive(1, 0)

    def receive(self, place: int, length: int, *flags: str) -> None:
        wire = Wire(PEER, ENGINE, IRS + place, ISS + 1, frozenset(flags or {"ACK"}))
        self.model.note_received(
            wire.but(seq=wire.seq % WORD, ack=wire.ack % WORD).but(payload=bytes(length))
        )

    def send(self, ack: int, *blocks: tuple[int, int], seq: int = 1, **fields: object) -> None:
        options = b""
        if blocks:
            numbers = [(IRS + edge) % WORD for block in blocks for edge in block]
            body = struct.pack(f"!{len(numbers)}I", *numbers)
            options = bytes((NOP, NOP, SACK, 2 + len(body))) + body
        wire = Wire(
            *(ENGINE, PEER, (ISS + seq) % WORD, (IRS + ack) % WORD, frozenset({"ACK"})),
            options=options,
        )
        self.model.note_sent(wire.but(**fields))


@pytest.fixture
def exchange() -> Exchange:
    return Exchange()


def test_good_segments(exchange: Exchange) -> None:
    exchange.receive(1, FULL)
    exchange.send(1001)
    exchange.receive(3001, FULL)
    exchange.send(1001, (3001, 4001))
    exchange.receive(1, FULL)  # twice
    exchange.send(1001, (1, 1001), (3001, 4001))
    exchange.receive(1001, 2 * FULL)
    exchange.receive(2001, FULL)  # came in another segment before
    exchange.send(4001, (2001, 3001))
    exchange.send(4001, payload=b"bytes")
    exchange.send(4001, seq=6, payload=b"more")
    exchange.send(4001, payload=b"bytesmor")


@pytest.mark.parametrize(
    ("ack", "blocks", "message"),
    [
        (1002, (), "acknowledges more than has come, 1001"),
        (1000, (), "acknowledges less than before, 1001"),
        (1001, ((2001, 4001),), r"bytes of SACK block \(2001, 4001\) are missing"),
        (1001, ((3001, 3001),), "is empty"),
        (1001, ((501, 1001),), "is of no segment, or of one that came once"),
        (1001, ((1, 1001),), "is of no segment, or of one that came once"),
        (1001, ((3001, 4001), (3001, 4001)), "is of no segment, or of one that came once"),
    ],
)  # fmt: skip
def test_wrong_acknowledgements(exchange: Exchange, ack: int, blocks: Blocks, message: str) -> None:
    exchange.receive(1, FULL)
    exchange.send(1001)
    exchange.receive(3001, FULL)
    exchange.receive(1, FULL, "PSH")  # no acknowledgement: not a segment to report
    with pytest.raises(AssertionError, match=message):
        exchange.send(ack, *blocks)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"seq": 8, "payload": b"x"}, "bytes after a gap from 6 on"),
        ({"seq": 3, "payload": b"tez"}, "retransmits other bytes"),
        ({"window": 10_000}, "window ends before"),
        ({"seq": 6, "payload": bytes(1500)}, "longer than 536"),
        ({"flags": frozenset({"RST"})}, "a reset of a connection that is not over"),
        ({"flags": frozenset()}, "no acknowledgement"),
    ],
)
def test_wrong_segments(exchange: Exchange, fields: dict[str, object], message: str) -> None:
    exchange.send(1, payload=b"bytes")
    with pytest.raises(AssertionError, match=message):
        exchange.send(1, **fields)


def test_bytes_that_were_not_written(exchange: Exchange) -> None:
    exchange.model.written = b"bytes"
    exchange.send(1, payload=b"byt")
    with pytest.raises(AssertionError, match="sends other bytes than were written"):
        exchange.send(1, seq=4, payload=b"ez")

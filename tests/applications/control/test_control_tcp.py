# SPDX-License-Identifier: Apache-2.0
"""A controller at a TCP port: the same messages, cut anywhere; connections that die."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from random import Random

import pytest

from bombus.applications.control.ascon import TAG_BYTES
from bombus.applications.control.messages import (
    HEADER_BYTES,
    MAX_BODY_WORDS,
    Answer,
    Key,
    Status,
    answer,
    masked_write,
    read,
    request,
    write,
    write_block,
)
from bombus.protocols.tcp.sockets import Connection
from tests import ROOT
from tests.protocols.tcp.tcp_pair import SERVER, Pair

pytestmark = pytest.mark.slow

DESIGN = ROOT / "docs" / "examples" / "control" / "control_tcp.yaml"
PORT = 9
KEY = Key(bytes(range(16)))  # of the design file
CLIENT = 0x0123456789ABCDEF
MASKS = (0xFFFFFFFF, 0x3FFF)  # bits of the two registers that requests write


class Control:
    """A program with connections to the controller; its requests write two plain registers."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.numbers = count(1)
        self.boot = 0
        self.first, self.second = (
            int(register.where())
            for register in (
                pair.far.registers.host[0].gateway,
                pair.far.tile("tcp").registers.tcp.session,
            )
        )
        connection = self.connect()
        hello = self.ask(connection, request(KEY, 0, b"", boot=0, client=CLIENT))
        assert hello.status == Status.OK
        self.boot = hello.boot
        connection.close()

    def connect(self) -> Connection:
        connection = self.pair.client.connect(SERVER, PORT, timeout=2)
        connection.no_delay = True
        return connection

    def message(self, body: bytes, **flags: bool) -> bytes:
        number = next(self.numbers)
        return request(KEY, number, body, boot=self.boot, client=CLIENT, **flags)

    def answered(self, connection: Connection) -> Answer:
        header = connection.receive_exactly(HEADER_BYTES)
        body = int.from_bytes(header[4:6], "little")
        return answer(KEY, header + connection.receive_exactly(body + TAG_BYTES))

    def ask(self, connection: Connection, data: bytes) -> Answer:
        connection.send(data)
        return self.answered(connection)

    def values(self) -> list[int]:
        return [self.pair.far.read_register(each) for each in (self.first, self.second)]

    def counted(self, name: str) -> int:
        return self.pair.far.counters()["control"][name]


@pytest.fixture
def control() -> Iterator[Control]:
    with ExitStack() as stack:
        pair = Pair(stack, DESIGN)
        yield Control(pair)
        pair.far.check()


def test_requests_are_answered_in_order_however_they_are_cut(control: Control) -> None:
    random = Random(1)
    connection, model = control.connect(), control.values()
    places = (control.first, control.second)
    for _ in range(4):
        stream, expected = b"", []
        for _ in range(12):
            body, results = b"", list[int]()
            for _ in range(random.randrange(1, 6)):
                at, kind = random.randrange(2), random.randrange(3)
                value = random.getrandbits(32) & MASKS[at]
                if kind == 0:
                    body += read(places[at])
                    results.append(model[at])
                elif kind == 1:
                    body += write(places[at], value)
                    model[at] = value
                else:
                    mask = random.getrandbits(32) & MASKS[at]
                    body += masked_write(places[at], mask, value)
                    model[at] = model[at] & ~mask | value & mask
            stream += control.message(body)
            expected.append(results)
        while stream:
            cut = random.choice([1, 7, 63, 64, 65, 700])
            connection.write(stream[:cut])
            stream = stream[cut:]
            control.pair.link.run(random.choice([1, 3]))
        for results in expected:
            found = control.answered(connection)
            assert (found.status, found.words) == (Status.OK, results)
    assert control.values() == model
    connection.close()
    control.pair.settle()


def test_the_longest_request(control: Control) -> None:
    connection = control.connect()
    items = [write(control.second, n) for n in range(MAX_BODY_WORDS // 2)]
    assert control.ask(connection, control.message(b"".join(items))).status == Status.OK
    assert control.values()[1] == MAX_BODY_WORDS // 2 - 1
    # One that is longer resets its connection, and no other.
    other = control.connect()
    long = control.message(b"".join(items) + bytes(4))
    connection.send(long[:HEADER_BYTES])
    with pytest.raises(ConnectionResetError):
        connection.receive(timeout=1)
    assert control.counted("event.control_tcp.long") == 1
    assert control.ask(other, control.message(read(control.second))).words == [len(items) - 1]


@pytest.mark.parametrize("ends", ["abort", "close"])
def test_a_connection_that_dies_in_a_batch_changes_nothing(control: Control, ends: str) -> None:
    before = control.values()
    # In the middle of a request
    whole = control.message(write(control.first, 1) + write(control.second, 2))
    for size in (1, 31, 32, 47, len(whole) - 1):
        connection = control.connect()
        connection.send(whole[:size])
        control.pair.link.run(20)
        getattr(connection, ends)()
    # Between the parts of a batch, of which the next connection sends another one
    for part in (write(control.first, 3), write_block(control.first, [4, 5])[:12]):
        connection = control.connect()
        found = control.ask(connection, control.message(part, more=True))
        assert found.status == Status.OK
        getattr(connection, ends)()
        control.pair.link.run(20)
        following = control.connect()
        body = read(control.first) + read(control.second)
        last = control.message(write(control.first, 8), continues=True)
        assert control.ask(following, last).status == Status.CUT
        assert control.ask(following, control.message(body)).words == before
        assert control.ask(following, control.message(b"")).status == Status.OK
        following.close()
    # An empty last part does not complete the batch of a connection that has ended, either.
    connection = control.connect()
    assert control.ask(connection, control.message(write(control.first, 6), more=True))
    getattr(connection, ends)()
    following = control.connect()
    assert control.ask(following, control.message(b"")).status == Status.OK
    assert control.values() == before
    assert control.counted("event.control_tcp.cut") == 5
    following.close()
    control.pair.settle()


def test_a_connection_is_closed_after_its_answers(control: Control) -> None:
    connection = control.connect()
    requests = [control.message(read(control.first, 1) * 8) for _ in range(6)]
    connection.write(b"".join(requests))
    connection.shutdown()
    for _ in requests:
        assert len(control.answered(connection).words) == 8
    assert connection.receive(1) == b""
    connection.close()
    control.pair.settle()


def test_two_connections_take_turns(control: Control) -> None:
    """Batches of two connections that write the same two registers are never mixed."""
    ends = [control.connect() for _ in range(2)]
    for n in range(12):
        for place, end in enumerate(ends):
            value = n << 8 | place
            body = write_block(control.first, [value]) + write(control.second, value)
            end.write(control.message(body + read(control.first) + read(control.second)))
        for place, end in enumerate(ends):
            found = control.answered(end)
            # The requests may arrive in either order; the second number must be the higher one.
            if found.status == Status.OK:
                assert found.words == [n << 8 | place] * 2
            else:
                assert found.status == Status.REPEATED
        first, second = control.values()
        assert first == second


def test_unknown_bytes_are_ignored_until_the_connection_ends(control: Control) -> None:
    random = Random(3)
    before = control.values()
    good = control.message(write(control.first, 66))
    for _ in range(40):
        connection = control.connect()
        data = bytearray(good)
        place = random.randrange(len(data))
        data[place:] = random.randbytes(len(data) - place)
        connection.send(bytes(data))
        control.pair.link.run(30)
        connection.abort()
    assert control.values() == before
    connection = control.connect()
    assert control.ask(connection, good).status == Status.OK
    assert control.values()[0] == 66

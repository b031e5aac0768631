# SPDX-License-Identifier: Apache-2.0
"""Connections that open and end in every way leave no session behind in either engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from random import Random

import pytest

from bombus.protocols.tcp.sockets import Connection
from tests.protocols.tcp.tcp_link import TIME_WAIT_US
from tests.protocols.tcp.tcp_pair import SERVER, SESSIONS, Pair
from tests.protocols.tcp.tcp_states import CLOSED, states
from tests.support import message_sums

pytestmark = pytest.mark.slow

AT_ONCE = 8  # the most, of 16 sessions, some of which are in TIME-WAIT
PORT, NO_PORT = 80, 81

# One end, the other, and bytes that each sends.
Ends = tuple[Connection, Connection, bytes]


def closes(one: Connection, other: Connection, data: bytes) -> None:
    """One end closes, and the other answers with its own end."""
    one.send(data)
    one.close()
    assert other.receive_exactly(len(data)) == data
    assert other.receive() == b""
    other.close()


def both_close(one: Connection, other: Connection, data: bytes) -> None:
    """At once, so that the FINs cross."""
    one.close()
    other.close()


def half_closes(one: Connection, other: Connection, data: bytes) -> None:
    """The other end sends after the end of the one."""
    one.shutdown()
    assert other.receive() == b""
    other.send(data)
    other.close()
    assert one.receive_exactly(len(data)) == data
    assert one.receive() == b""
    one.close()


def closes_without_reading(one: Connection, other: Connection, data: bytes) -> None:
    other.write(data)
    one.close()
    other.close()


def aborts(one: Connection, other: Connection, data: bytes) -> None:
    one.send(data)
    one.abort()
    with pytest.raises(ConnectionResetError):
        while True:
            other.receive()
    other.close()


def both_abort(one: Connection, other: Connection, data: bytes) -> None:
    one.abort()
    other.abort()


def aborts_behind_a_half_close(one: Connection, other: Connection, data: bytes) -> None:
    one.shutdown()
    assert other.receive() == b""
    other.write(data)
    other.abort()
    one.abort()


WAYS: tuple[Callable[[Connection, Connection, bytes], None], ...] = (
    *(closes, both_close, half_closes, closes_without_reading),
    *(aborts, both_abort, aborts_behind_a_half_close),
)


@pytest.fixture
def pair() -> Iterator[Pair]:
    with ExitStack() as stack:
        yield Pair(stack, coarse=True)


@pytest.mark.parametrize("connections", [60, pytest.param(200, marks=pytest.mark.sweep)])
def test_no_session_is_left(pair: Pair, connections: int) -> None:
    random = Random(1)
    opened = refused = 0
    used: set[int] = set()
    while opened < connections:
        with pytest.raises(ConnectionRefusedError):
            pair.client.connect(SERVER, NO_PORT, timeout=1)
        refused += 1
        ends = [pair.connected(PORT) for _ in range(random.randrange(1, AT_ONCE + 1))]
        random.shuffle(ends)
        for each in ends:
            used |= {end.session for end in each}
            one, other = random.sample(each, 2)
            WAYS[opened % len(WAYS)](one, other, random.randbytes(random.randrange(1, 5000)))
            opened += 1
        pair.link.run(TIME_WAIT_US)
    pair.settle()
    assert used == set(range(SESSIONS))
    for end in pair.ends:
        assert states(end, SESSIONS) == {CLOSED: SESSIONS}
        assert message_sums.check(end) == 0
        counters = end.counters()
        engine, receiver, sender = (
            counters[name] for name in ("tcp", "receive_buffer", "send_buffer")
        )
        assert engine["event.tcp.payload"] == receiver["event.tcp_receive_buffer.kept"]
        assert receiver["event.tcp_receive_buffer.bad_read"] == 0
        drops = {
            name: n
            for values in (receiver, sender)
            for name, n in values.items()
            if name.startswith("drop.") and n
        }
        assert not drops
    assert pair.far.counters()["tcp"]["event.tcp.refused"] >= refused

# SPDX-License-Identifier: Apache-2.0
"""Bytes that a third party sends to both ends of a connection, and that both accept: each end then
expects more than the other has sent. They must not answer each other without end (RFC 5961, 7).
"""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from bombus.protocols.frames import PROTOCOL_TCP, TYPE_IPV4, ethernet, ipv4, padded
from bombus.protocols.tcp.connection import Connection
from bombus.simulator.simulation import Simulation
from tests.protocols.tcp.tcp_pair import Pair
from tests.protocols.tcp.tcp_states import session_state
from tests.protocols.tcp.tcp_wire import Wire, decode

pytestmark = pytest.mark.slow

CHALLENGE_US = 131_072  # a session sends one challenge ACK per period
PERIODS = 4
STORM = 100  # more frames to one end than this test needs


def forged(frame: bytes) -> bytes:
    """One more byte behind a segment that has been sent, with its acknowledgement and options."""
    wire = decode(frame)
    assert isinstance(wire, Wire)
    more = wire.but(seq=wire.end, payload=b"X", flags=frozenset({"ACK", "PSH"}))
    source, destination = frame[26:30], frame[30:34]
    packet = ipv4(source, destination, PROTOCOL_TCP, more.body(source, destination))
    return padded(ethernet(frame[:6], frame[6:12], TYPE_IPV4, packet))


def test_ends_that_expect_more_than_was_sent_do_not_answer_each_other_without_end() -> None:
    with ExitStack() as stack:
        pair = Pair(stack)
        near, far = pair.connected()
        seen: dict[Simulation, list[bytes]] = {pair.near: [], pair.far: []}
        forward = pair.link.carry

        def carry(source: Simulation, target: Simulation, frame: bytes) -> None:
            if decode(frame) is not None:
                seen[target].append(frame)
                assert len(seen[target]) < STORM
            forward(source, target, frame)

        def exchange(source: Connection, target: Connection) -> None:
            source.write(b"hello")
            assert target.receive_exactly(5) == b"hello"
            pair.link.run(5000)

        pair.link.carry = carry
        exchange(near, far)
        exchange(far, near)
        ends = {pair.near: near.session, pair.far: far.session}
        before = {end: session_state(end, session) for end, session in ends.items()}
        last = {end: frames[-1] for end, frames in seen.items()}
        for end, frame in last.items():
            seen[end].clear()
            end.send(forged(frame))
        pair.link.run(10_000)
        assert all(seen.values())  # the forged bytes are acknowledged, and that has an answer
        for end, session in ends.items():
            accepted = session_state(end, session)["rcv_nxt"] - before[end]["rcv_nxt"]
            assert accepted % 2**32 == 1
            seen[end].clear()
        pair.link.run(PERIODS * CHALLENGE_US)
        for frames in seen.values():
            assert len(frames) <= PERIODS + 1

# SPDX-License-Identifier: Apache-2.0
"""The example of tcp_framer: a kernel that gets whole messages, however their bytes come."""

from __future__ import annotations

from contextlib import ExitStack
from random import Random

import pytest

from bombus.protocols.tcp.sockets import Connection
from tests import ROOT
from tests.protocols.tcp.tcp_pair import SERVER, Pair

# test_tcp_framer.py has samples, and the design of test_control_tcp.py has a framer.
pytestmark = [pytest.mark.slow, pytest.mark.sweep]

MESSAGES = ROOT / "docs" / "examples" / "tcp_messages" / "tcp_messages.yaml"
PORT, LONGEST = 7000, 1022  # bytes after the length
CONNECTIONS = 5


def test_messages_of_many_connections_at_once() -> None:
    """Cut anywhere; each is answered once, in order, with its number."""
    random = Random(1)
    with ExitStack() as stack:
        pair = Pair(stack, MESSAGES)
        for _ in range(2):  # numbers of sessions are used again
            ends = [pair.client.connect(SERVER, PORT, timeout=2) for _ in range(CONNECTIONS)]
            to_send: dict[Connection, bytes] = {}
            answers: dict[Connection, bytes] = {}
            for end in ends:
                end.no_delay = True
                lengths = [
                    random.choice([0, 1, 62, 63, random.randrange(LONGEST), LONGEST])
                    for _ in range(40)
                ]
                to_send[end] = b"".join(n.to_bytes(2) + random.randbytes(n) for n in lengths)
                answers[end] = b"".join(
                    (6).to_bytes(2) + number.to_bytes(4) + length.to_bytes(2)
                    for number, length in enumerate(lengths, 1)
                )
            while any(to_send.values()):
                end = random.choice([end for end, data in to_send.items() if data])
                count = random.choice([1, 2, 3, 64, 700, 5000])
                end.write(to_send[end][:count])
                to_send[end] = to_send[end][count:]
                pair.link.run(random.choice([1, 5, 20]))
            for end in ends:
                assert end.receive_exactly(len(answers[end])) == answers[end]
                end.close()
            while pair.client.connections:
                pair.link.run(100_000)
            pair.link.run(1_100_000)
        pair.far.check()


def test_a_message_that_is_too_long_resets_its_connection() -> None:
    with ExitStack() as stack:
        pair = Pair(stack, MESSAGES)
        bad, good = (pair.client.connect(SERVER, PORT, timeout=2) for _ in range(2))
        bad.send((1).to_bytes(2) + b"x")
        assert bad.receive_exactly(8) == bytes([0, 6, 0, 0, 0, 1, 0, 1])
        bad.send((LONGEST + 1).to_bytes(2))
        with pytest.raises(ConnectionResetError):
            bad.receive(timeout=1)
        good.send((LONGEST).to_bytes(2) + bytes(LONGEST))
        assert good.receive_exactly(8) == bytes([0, 6, 0, 0, 0, 1]) + LONGEST.to_bytes(2)
        assert pair.far.counters()["messages"]["event.tcp_framer.long"] == 1
        bad.close()
        good.close()
        pair.settle()

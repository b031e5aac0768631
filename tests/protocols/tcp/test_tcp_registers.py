# SPDX-License-Identifier: Apache-2.0
"""What the registers of the engine show of a session."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest

from bombus.design.rtl.packages import enum_names
from bombus.simulator.simulation import Simulation
from tests.protocols.tcp.tcp_pair import CLIENT, HOST, SERVER, SESSIONS, Pair
from tests.protocols.tcp.tcp_states import session_ranges, session_state
from tests.protocols.tcp.tcp_wire import decode
from tests.support.live import ADDRESS, Live

pytestmark = pytest.mark.slow

SLOTS = 16  # of ranges, as many as an engine can have
STATES = enum_names("tcp_state_pkg", "state_e")


# An echo server that writes the registers of sessions in use, several times per second. `{folder}`:
# of the servers; `{seen}`: the file.
SOFTWARE = """
import json, sys
from pathlib import Path
sys.path.insert(0, {folder!r})
from serve import Servers
servers = Servers()
calls = 0
def software(simulation):
    global calls
    servers(simulation)
    calls += 1
    if calls % 4:
        return
    registers = simulation.tile("tcp").registers.tcp
    with open({seen!r}, "a") as file:
        for session in range(16):
            registers.session.index = session
            state = registers.state.read()
            if state["state"]:
                print(json.dumps(state), file=file)
"""

CLIENT_PROGRAM = """
import socket, sys, time
client = socket.create_connection((sys.argv[1], 7), timeout=60)
for _ in range(20):
    client.sendall(bytes(1000))
    left = 1000
    while left:
        left -= len(client.recv(left))
time.sleep(1)
client.shutdown(socket.SHUT_WR)
assert client.recv(1) == b""
print(client.getsockname()[1])
"""


def test_linux_is_the_peer(start: Callable[..., Live], tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    software = SOFTWARE.format(folder=str(HOST.parent), seen=str(seen))
    live = start(HOST, assertions=True, software=software)
    port = int(live.python(CLIENT_PROGRAM, ADDRESS))
    live.stop()
    states = [json.loads(line) for line in seen.read_text().splitlines()]
    established = [each for each in states if STATES[each["state"]] == "established"]
    assert established
    last = established[-1]
    assert (last["peer_port"], last["own_port"]) == (port, 7)
    assert (last["una"] - established[0]["una"]) % 2**32 <= 20_000
    assert last["una"] == last["nxt"] == last["send_end"]
    assert last["cwnd"] > last["mss"] > 1000
    assert (last["receive_edge"] - last["rcv_nxt"]) % 2**32 <= 65536


def state_of(simulation: Simulation, session: int) -> tuple[str, Any]:
    """The name of a session's state, and the whole."""
    state = session_state(simulation, session)
    return STATES[state["state"]], state


def test_a_session_from_its_beginning_to_its_end() -> None:
    with ExitStack() as stack:
        pair = Pair(stack)
        near, far = pair.connected()
        pair.link.run(100)
        name, seen = state_of(pair.near, near.session)
        other_name, other = state_of(pair.far, far.session)
        assert name == other_name == "established"
        assert str(IPv4Address(seen["peer_ip"])) == SERVER
        assert str(IPv4Address(other["peer_ip"])) == CLIENT
        assert (seen["peer_port"], other["own_port"]) == (80, 80)
        assert seen["own_port"] == other["peer_port"]
        assert seen["una"] == seen["nxt"] == other["rcv_nxt"]
        assert seen["scaled"] == seen["timestamps"] == 1
        assert seen["cwnd"] > seen["mss"] > 1000
        assert seen["rto"] >= 200_000
        assert (seen["send_edge"] - seen["una"]) % 2**32 == 65535  # as in the SYN: not scaled
        # Bytes that the far end does not take shut its window.
        near.send(bytes(10_000))
        pair.link.run(5000)
        _, after = state_of(pair.near, near.session)
        assert (after["una"] - seen["una"]) % 2**32 == 10_000
        _, other = state_of(pair.far, far.session)
        assert (other["receive_edge"] - other["rcv_nxt"]) % 2**32 == 55_536
        near.shutdown()
        pair.link.run(5000)
        assert state_of(pair.near, near.session)[0] == "fin_wait2"
        assert state_of(pair.far, far.session)[0] == "close_wait"
        assert far.receive_exactly(10_000) == bytes(10_000)
        far.close()
        pair.link.run(5000)
        assert state_of(pair.near, near.session)[0] == "time_wait"
        near.close()
        pair.settle()
        assert state_of(pair.near, near.session)[0] == "closed"
        # No others, and none that there is not.
        assert {state_of(pair.near, n)[0] for n in range(SESSIONS)} == {"closed"}
        assert not any(state_of(pair.near, SESSIONS)[1].values())


def test_reading_disturbs_nothing() -> None:
    with ExitStack() as stack:
        pair = Pair(stack)
        near, far = pair.connected()
        data = bytes(range(256)) * 400
        near.write(data)
        came = b""
        for _ in range(300):
            assert state_of(pair.near, near.session)[0] == "established"
            pair.link.step()
            came += far.read()
        assert came + far.receive_exactly(len(data) - len(came)) == data


def test_ranges_beyond_lost_segments() -> None:
    """What one end has received beyond gaps is what the other knows of it by SACK, until the gaps
    are closed; also where the lower bits of sequence numbers have wrapped (RFC 2018, RFC 6675).
    """
    with ExitStack() as stack:
        pair = Pair(stack)
        near, far = pair.connected()
        for _ in range(4):  # more than the places of a ring
            near.write(bytes(60_000))
            assert far.receive_exactly(60_000) == bytes(60_000)
        pair.link.run(5000)
        _, seen = state_of(pair.near, near.session)
        first = seen["una"]
        sent: list[int] = []
        expected: list[tuple[int, int]] = []
        answers: list[bytes] = []

        def carry(_: Simulation, target: Simulation, frame: bytes) -> None:
            """Loses every second segment, and all that are sent again; keeps answers back, so that
            there is no recovery before all segments are sent.
            """
            wire = decode(frame)
            if wire is None:
                target.send(frame)
                return
            if target is pair.near:
                answers.append(frame)
                return
            if wire.seq in sent:
                return
            sent.append(wire.seq)
            if len(sent) % 2 == 0:
                expected.append((wire.seq, wire.end))
                target.send(frame)

        unimpaired, pair.link.carry = pair.link.carry, carry
        for number in range(8):
            near.write(bytes([number]) * 1000)
            pair.link.run(100)
        for answer in answers:
            pair.near.send(answer)
        pair.link.run(100)
        assert len(expected) == 4  # of 8 segments, or of 9: none goes beyond the end of the ring
        received = session_ranges(pair.far, far.session, SLOTS)
        reported = session_ranges(pair.near, near.session, SLOTS)
        assert [(each["received_left"], each["received_right"]) for each in received[:4]] == (
            expected[::-1]  # the latest first
        )
        assert [
            (each["reported_left"], each["reported_right"]) for each in reported[:4]
        ] == expected
        assert [each["is_received"] for each in received] == [1] * 4 + [0] * 12
        assert [each["is_reported"] for each in reported] == [1] * 4 + [0] * 12
        assert not any(each["is_reported"] for each in received)
        assert not any(each["is_received"] for each in reported)
        _, seen = state_of(pair.near, near.session)
        assert seen["recovering"]
        assert seen["una"] == first
        # The first gap is retransmitted at once, others as far as the window allows.
        resent = (reported[0]["resent"] - first) % 2**32
        starts = [(start - first) % 2**32 for start, _ in expected]
        assert 0 < resent <= starts[-1]
        assert [each["beyond"] for each in reported[:4]] == [start > resent for start in starts]
        pair.link.carry = unimpaired
        assert far.receive_exactly(8000) == b"".join(bytes([n]) * 1000 for n in range(8))
        pair.link.run(300_000)
        for end, session in ((pair.near, near.session), (pair.far, far.session)):
            for each in session_ranges(end, session, SLOTS):
                assert not each["is_reported"]
                assert not each["is_received"]
        assert not any(
            map(any, (each.values() for each in session_ranges(pair.near, SESSIONS, SLOTS)))
        )

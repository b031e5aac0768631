# SPDX-License-Identifier: Apache-2.0
"""What the registers of the engine show of a session."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from support.live import ADDRESS, Live
from support.tcp_pair import CLIENT, HOST, SERVER, SESSIONS, Pair

from bombus.design.rtl.packages import enum_names
from bombus.simulator.simulation import Simulation

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
    registers = simulation.tile("tcp").registers.tcp
    registers.session.index = session
    state = registers.state.read()
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

# SPDX-License-Identifier: Apache-2.0
"""Thousands of TCP connections that Linux has open at once, and none that is left behind."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.protocols.tcp.tcp_states import CLOSED
from tests.protocols.tcp.test_tcp_host import DESIGN, SERVE
from tests.support.live import ADDRESS, starter

pytestmark = pytest.mark.slow

SESSIONS = 16384  # the most that an engine can have
CONNECTIONS = 10_000  # twice as many do not fit, and leave Linux ports in TIME_WAIT enough
SIZES = {
    "tcp": f"num_sessions: {SESSIONS}, send_bytes: 2048, receive_bytes: 2048",
    "tcp_receive_buffer": f"num_sessions: {SESSIONS}, ring_bytes: 2048",
    "tcp_send_buffer": f"num_sessions: {SESSIONS}, ring_bytes: 2048",
}

# The servers of the example. Once the file `asked` exists, the states of all sessions go to
# `result`, which appears when it is complete.
SOFTWARE = """
{serve}
import json
from pathlib import Path
from tests.protocols.tcp.tcp_states import states
servers, asked, result = software, Path({asked!r}), Path({result!r})
def software(simulation):
    servers(simulation)
    if asked.exists():
        asked.unlink()
        part = result.with_suffix(".part")
        part.write_text(json.dumps(states(simulation, {sessions})))
        part.rename(result)
"""
TIME_WAIT_SECONDS = 2  # more than the default of the engine
PATIENCE_SECONDS = 120
CLIENT_SECONDS = 1200  # on a busy machine

# Opens connections, has each echo its number, closes them. Arguments: address, connections.
# Prints how many opened, and how many of the echoes were right. Closes a part at a time: the queue
# of the interface holds 1,000 frames, and Linux sends a FIN that finds no place again with
# doubled patience, so the last of 10,000 at once would go after a minute.
CLIENTS = """
import resource, selectors, socket, sys
address, number = sys.argv[1], int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (number + 100, number + 100))
opening, clients = selectors.DefaultSelector(), []
while len(clients) < number:
    for _ in range(min(64, number - len(clients))):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex((address, 7))
        opening.register(client, selectors.EVENT_WRITE)
    while opening.get_map():
        found = opening.select(60)
        assert found, "connections do not open"
        for key, _ in found:
            opening.unregister(key.fileobj)
            assert not key.fileobj.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            key.fileobj.settimeout(60)
            clients.append(key.fileobj)
right = 0
for first in range(0, number, 64):
    part = dict(enumerate(clients[first:first + 64], first))
    for n, client in part.items():
        client.sendall(b"%d" % n)
    for n, client in part.items():
        wanted, came = b"%d" % n, b""
        while len(came) < len(wanted):
            came += client.recv(100)
        right += came == wanted
for first in range(0, number, 500):
    part = clients[first:first + 500]
    for client in part:
        client.shutdown(socket.SHUT_WR)
    for client in part:
        assert client.recv(1) == b""
        client.close()
print(len(clients), right)
"""


@pytest.fixture
def design(tmp_path: Path) -> Path:
    """The example with all sessions that an engine can have."""
    text = DESIGN.read_text().replace("name: tcp_host\n", "name: tcp_many\n")
    text = text.replace("max_per_peer: 16", f"max_per_peer: {SESSIONS}")
    for kind, sizes in SIZES.items():
        assert text.count(f"kind: {kind},") == 1
        text = text.replace(f"kind: {kind},", f"kind: {kind}, {sizes},")
    file = tmp_path / "tcp_many.yaml"
    file.write_text(text)
    return file


@pytest.mark.sweep
def test_ten_thousand_connections_at_once_and_once_more(design: Path, tmp_path: Path) -> None:
    asked, result = tmp_path / "asked", tmp_path / "states.json"
    names = {"asked": str(asked), "result": str(result)}
    software = SOFTWARE.format(serve=SERVE, sessions=SESSIONS, **names)
    with starter(tmp_path) as start:
        running = start(design, assertions=True, software=software)
        for _ in range(2):
            opened = running.python(CLIENTS, ADDRESS, CONNECTIONS, seconds=CLIENT_SECONDS)
            assert opened == f"{CONNECTIONS} {CONNECTIONS}"
        time.sleep(TIME_WAIT_SECONDS)
        asked.touch()
        end = time.monotonic() + PATIENCE_SECONDS
        while not result.exists():
            assert time.monotonic() < end, "no states"
            time.sleep(1)
        assert json.loads(result.read_text()) == {str(CLOSED): SESSIONS}
        counters = running.stop()["counters"]["tcp"]
    assert counters["event.tcp.payload"] >= 2 * CONNECTIONS

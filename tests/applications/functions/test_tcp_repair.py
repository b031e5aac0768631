# SPDX-License-Identifier: Apache-2.0
"""Connections of Linux that move between two hosts, to a Linux server that must not notice."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bombus.applications.functions import tcp_repair
from bombus.applications.functions.tcp_repair import RepairError
from bombus.live.linux_host import LinuxHost
from tests.support.live import new_namespace

CLIENT, SERVER = "10.88.0.2", "10.88.0.1"
SECONDS = 20.0
RST = 4
OPTIONS = ("tcp_timestamps", "tcp_sack", "tcp_window_scaling")


@dataclass
class Cable:
    """Passes frames on between the server and the host that the client is on."""

    server: LinuxHost
    hosts: list[LinuxHost]
    at: int = 0
    loses: bool = False  # all frames to the server
    skips: int = 0  # of the next frames to the server
    is_deaf: bool = False  # frames of the server are lost
    segments: list[bytes] = field(default_factory=list)  # of all hosts

    def run(self) -> None:
        for host in self.hosts:
            for frame in host.frames():
                self._note(frame)
                if host is self.hosts[self.at] and not self.loses:
                    if self.skips == 0:
                        self.server.take(frame)
                    self.skips = max(0, self.skips - 1)
        for frame in self.server.frames():
            self._note(frame)
            if self.is_deaf:
                continue
            host = self.hosts[self.at]
            host.take(frame if frame[0] & 1 else host.mac + frame[6:])

    def _note(self, frame: bytes) -> None:
        if frame[12:14] == b"\x08\x00" and frame[23] == socket.IPPROTO_TCP:
            self.segments.append(frame[34:])

    def settle(self, seconds: float = 0.02) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.run()
            time.sleep(0.001)

    def read(self, end: socket.socket, size: int) -> bytes:
        found, limit = b"", time.monotonic() + SECONDS
        while len(found) < size and time.monotonic() < limit:
            self.run()
            with suppress(BlockingIOError):
                found += end.recv(size - len(found))
        return found

    def resets(self) -> int:
        return sum(bool(segment[13] & RST) for segment in self.segments)


@pytest.fixture(scope="module")
def cable() -> Iterator[Cable]:
    """Both hosts have the client's address."""
    if not Path("/dev/net/tun").exists():
        pytest.skip("there is no /dev/net/tun")
    new_namespace().close()
    with (
        LinuxHost("server0", SERVER) as server,
        LinuxHost("client0", CLIENT) as first,
        LinuxHost("client1", CLIENT) as second,
    ):
        yield Cable(server, [first, second])


def pair(cable: Cable) -> tuple[socket.socket, socket.socket]:
    """A client's connection on the first host, and the server's end."""
    cable.at, cable.segments = 0, []
    with cable.server.inside():
        listener = socket.create_server((SERVER, 0))
    with cable.hosts[0].inside():
        client = socket.socket()
    client.setblocking(False)
    client.bind((CLIENT, 0))
    limit = time.monotonic() + SECONDS
    while client.connect_ex(listener.getsockname()) != 0 and time.monotonic() < limit:
        cable.run()
    cable.settle()
    server, _ = listener.accept()
    server.setblocking(False)
    listener.close()
    return client, server


def move(cable: Cable, client: socket.socket, *, filters: bool = True) -> socket.socket:
    to = 1 - cable.at
    with cable.hosts[to].inside():
        new = tcp_repair.prepare(CLIENT, client.getsockname()[1])
    with tcp_repair.paused(client, filters=filters):
        count = len(cable.segments)
        state = tcp_repair.dump(client)
        tcp_repair.restore(new, state)
        cable.at = to
        tcp_repair.resume(new, state)
    new.setblocking(False)
    assert client.fileno() == -1
    cable.run()
    assert all(segment[13] & 0x17 == 0x10 for segment in cable.segments[count:])  # no SYN, FIN, RST
    return new


@pytest.mark.parametrize("has_options", [True, False])
def test_moves_with_full_queues(cable: Cable, has_options: bool) -> None:
    """Bytes that are not read and not acknowledged go with the connection, to and fro."""
    for option in OPTIONS:
        cable.server.namespace.run(
            ["sh", "-c", f"echo {int(has_options)} > /proc/sys/net/ipv4/{option}"]
        )
    client, server = pair(cable)
    for received, sent in ((0, 0), (1, 1), (1460, 0), (0, 4000), (50_000, 20_000), (3, 1461)):
        to_client, to_server = os.urandom(received), os.urandom(sent)
        assert server.send(to_client) == received
        cable.settle()
        cable.loses = True  # what the client sends from now on is not acknowledged
        assert client.send(to_server) == sent
        cable.settle()
        cable.loses = False
        client = move(cable, client)
        assert cable.read(client, received) == to_client
        assert cable.read(server, sent) == to_server
    info = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    assert info[5] & 3 == (3 if has_options else 0)  # timestamps, SACK
    assert bool(info[6]) == has_options  # bits of the windows' scales
    client.shutdown(socket.SHUT_WR)
    cable.settle()
    assert server.recv(1) == b"" and cable.resets() == 0
    server.close()
    cable.settle()
    client.close()
    cable.settle()


def test_the_server_lacks_the_first_segment_only(cable: Cable) -> None:
    """It acknowledges, at once, more than a new connection has sent."""
    client, server = pair(cable)
    for _ in range(30):  # until the client sends much at once
        data = os.urandom(30_000)
        assert client.send(data) == len(data)
        assert cable.read(server, len(data)) == data
    cable.settle()
    data = os.urandom(50_000)
    cable.skips, cable.is_deaf = 1, True
    count = len(cable.segments)
    assert client.send(data) == len(data)
    cable.settle(0.05)
    cable.is_deaf = False
    sent = sum(len(each) - 4 * (each[12] >> 4) for each in cable.segments[count:])
    assert sent > 30_000, "little was on its way"
    client = move(cable, client)
    assert cable.read(server, len(data)) == data
    assert server.send(b"answer") == 6
    assert cable.read(client, 6) == b"answer" and cable.resets() == 0
    client.close()
    server.close()
    cable.settle()


@pytest.mark.parametrize("start", [0xFFFF_FFFF, 0xFFFF_FF00, 0x7FFF_FFFE])
def test_sequence_numbers_wrap(cable: Cable, start: int) -> None:
    """Two ends with chosen sequence numbers are a connection, without a handshake."""
    client, server = pair(cable)
    with tcp_repair.paused(client):
        seen = tcp_repair.dump(client)
    with tcp_repair.paused(server):
        other = tcp_repair.dump(server)
    wide = seen.window[1]
    mine = replace(
        seen, send_sequence=start, receive_sequence=start, window=(start, wide, wide, wide, start)
    )
    theirs = replace(mine, port=other.port, peer=other.peer, timestamp=other.timestamp)
    with cable.hosts[0].inside():
        client = tcp_repair.prepare(CLIENT, seen.port)
    with cable.server.inside():
        server = tcp_repair.prepare(SERVER, other.port)
    for end, state in ((client, mine), (server, theirs)):
        tcp_repair.restore(end, state)
        tcp_repair.resume(end, state)
        end.setblocking(False)
    for size in (1, 2, 300, 5000):
        data = os.urandom(size)
        cable.settle()
        cable.loses = True
        assert client.send(data) == size
        cable.settle()
        cable.loses = False
        client = move(cable, client, filters=False)
        assert cable.read(server, size) == data
        assert server.send(data) == size
        assert cable.read(client, size) == data
    assert cable.resets() == 0
    client.close()
    server.close()
    cable.settle()


def test_timestamps_keep_their_unit(cable: Cable) -> None:
    """An odd value does not let Linux count microseconds, nor the clock go back."""
    client, server = pair(cable)
    with tcp_repair.paused(client):
        seen = tcp_repair.dump(client)
    with tcp_repair.paused(server):
        tcp_repair.dump(server)
    odd = 0x8000_0001
    with cable.hosts[0].inside():
        end = tcp_repair.prepare(CLIENT, seen.port)
    tcp_repair.restore(end, replace(seen, timestamp=odd))
    time.sleep(0.01)
    with tcp_repair.paused(end):
        again = tcp_repair.dump(end)
    assert again.timestamp is not None and odd < again.timestamp < odd + 1000  # ms


def test_paused_connection_acknowledges_nothing(cable: Cable) -> None:
    client, server = pair(cable)
    count = len(cable.segments)
    with pytest.raises(RuntimeError), tcp_repair.paused(client):
        assert server.send(b"late") == 4
        cable.settle()
        assert all(len(segment) > 4 * (segment[12] >> 4) for segment in cable.segments[count:])
        raise RuntimeError
    assert cable.read(client, 4) == b"late"  # it continues; the server retransmits
    client.close()
    server.close()
    cable.settle()


def test_errors(cable: Cable) -> None:
    client, server = pair(cable)
    with cable.hosts[0].inside(), pytest.raises(RepairError, match="assign"):
        tcp_repair.prepare("10.88.0.9", 700)
    with cable.hosts[0].inside():
        closed = socket.socket()
    with pytest.raises(RepairError, match="only an established"), tcp_repair.paused(closed):
        tcp_repair.dump(closed)
    with tcp_repair.paused(client):
        state = tcp_repair.dump(client)
        with cable.hosts[1].inside():
            end = tcp_repair.prepare(CLIENT, state.port)
        with pytest.raises(RepairError, match="not restored"):
            tcp_repair.restore(end, replace(state, window=(0, 2, 1, 0, 0)))
        end.close()
    closed.close()
    server.close()
    cable.settle()


WITHOUT_RIGHT = """
import socket
import subprocess
import sys
from bombus.applications.functions import tcp_repair
end = socket.socket()
try:
    with tcp_repair.paused(end, filters=False):
        pass
except tcp_repair.RepairError as error:
    print(error)
"""


def test_missing_right() -> None:
    new_namespace().close()
    result = subprocess.run(
        ["unshare", "--user", sys.executable, "-c", WITHOUT_RIGHT],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert "needs the capability CAP_NET_ADMIN" in result.stdout, result.stderr

# SPDX-License-Identifier: Apache-2.0
"""TCP kernels with plain AXI-Streams, behind tcp_stream, against Linux."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import ROOT
from tests.protocols.tcp.test_tcp import ABORT, ECHO
from tests.support.live import ADDRESS, Live

pytestmark = pytest.mark.slow

DESIGN = ROOT / "docs" / "examples" / "tcp_kernel" / "tcp_kernel.yaml"
PORT = 7


# Serves one request. Arguments: address, port, bytes of the answer.
SERVE = """
import socket, sys
server = socket.create_server((sys.argv[1], int(sys.argv[2])))
server.settimeout(60)
client, _ = server.accept()
request = b""
while not request.endswith(b"\\r\\n\\r\\n"):
    request += client.recv(100)
client.sendall(bytes(int(sys.argv[3])))
client.close()
print(request.decode().strip())
"""
# Opens connections until one succeeds, and prints the number of bytes received.
FETCH = """
def software(simulation):
    names = ("fetch_go_i", "fetch_done_o", "fetch_failed_o")
    go, done, failed = map(simulation.read_pin, names)
    if done and not failed:
        open({path!r}, "w").write(str(simulation.read_pin("fetch_bytes_o")))
    elif done or not go:
        simulation.write_pin("fetch_go_i", 1 - go)
"""


def echo(live: Live, size: int, connections: int = 1, rounds: int = 1) -> int:
    """Connections whose bytes were all echoed."""
    return int(live.python(ECHO, ADDRESS, PORT, size, connections, rounds, ""))


# Sends bytes, closes its side, and prints the answer. Arguments: address, sizes.
COUNT = """
import socket, sys
for size in map(int, sys.argv[2:]):
    client = socket.create_connection((sys.argv[1], 700), timeout=60)
    client.sendall(bytes(size))
    client.shutdown(socket.SHUT_WR)
    answer = b""
    while part := client.recv(100):
        answer += part
    print(int.from_bytes(answer, "little"), len(answer))
"""


# The server's port is closed while a file exists.
CLOSES = """
import os
def software(simulation):
    simulation.write_pin("count_closed_i", os.path.exists({path!r}))
"""
# Counts over a connection that was open before the port was closed, and over one opened when it is
# open again. Arguments: address, file.
AROUND = """
import os, socket, sys, time
address = sys.argv[1], 700

def connection(refused):
    for _ in range(600):
        try:
            client = socket.create_connection(address, timeout=60)
        except ConnectionRefusedError:
            if refused:
                return None
        else:
            if not refused:
                return client
            client.close()
        time.sleep(0.1)
    raise SystemExit("the port stays " + ("open" if refused else "closed"))

def count(client, size):
    client.sendall(bytes(size))
    client.shutdown(socket.SHUT_WR)
    print(int.from_bytes(client.recv(4), "little"))

old = connection(False)
old.sendall(bytes(10))
open(sys.argv[2], "w").close()
connection(True)
count(old, 20)
os.remove(sys.argv[2])
count(connection(False), 5)
"""


def test_linux_hears_its_bytes(start: Callable[..., Live]) -> None:
    live = start(DESIGN, assertions=True)
    for size in (0, 1, 63, 64, 65, 2047, 2048, 2049, 200_000):
        assert echo(live, size) == 1
    assert echo(live, 20_000, connections=8) == 8
    # More connections than sessions, one after the other, and some that are reset.
    for _ in range(6):
        assert live.python(ABORT, ADDRESS, PORT) == "reset"
        assert echo(live, 10, connections=4, rounds=3) == 12
    sizes = (0, 1, 5000, 200_000)
    assert live.python(COUNT, ADDRESS, *sizes).splitlines() == [f"{size} 4" for size in sizes]
    counted = live.stop()["counters"]["echo"]
    assert counted["event.tcp_stream.sent"] > 100


def test_a_kernel_closes_its_port(start: Callable[..., Live], tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    live = start(DESIGN, assertions=True, software=CLOSES.format(path=str(closed)))
    assert echo(live, 100) == 1
    assert live.python(AROUND, ADDRESS, closed).split() == ["30", "5"]
    assert echo(live, 100) == 1
    live.stop()


def test_a_kernel_fetches_from_linux(start: Callable[..., Live], tmp_path: Path) -> None:
    result = tmp_path / "fetched"
    live = start(DESIGN, assertions=True, software=FETCH.format(path=str(result)))
    assert live.python(SERVE, "10.77.0.1", 80, 100_000) == "GET / HTTP/1.0"
    for _ in range(100):
        if result.exists() and result.read_text():
            break
        time.sleep(0.1)
    live.stop()
    assert result.read_text() == "100000"

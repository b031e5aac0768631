# SPDX-License-Identifier: Apache-2.0
"""Known programs measure the TCP engine: iperf both ways, wrk; long transfers and many connections
in the sweep."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import ROOT
from tests.support.live import ADDRESS, Live, starter

pytestmark = pytest.mark.slow

DESIGNS = ROOT / "designs"
EXAMPLE = ROOT / "docs" / "examples" / "tcp_host"
OWN = "10.77.0.1"  # Linux, on the design's network
IPERF_PORT = 5001
IPERF_BYTES = 1_000_000
SETTINGS_BYTES = 4  # of iperf's client, first in the stream; its server does not count them
WRK_CONNECTIONS = 8

# The servers of the example, a sink for iperf, and a connection to its server once there is one.
# The sink writes how many bytes of a connection have arrived to a file, when it is over.
SOFTWARE = f"""
import bombus
import sys
sys.path.insert(0, {str(EXAMPLE)!r})
from pathlib import Path
from serve import Servers
servers = Servers()
sink = opening = sender = None
sunk = dict()
def software(simulation):
    global sink, opening, sender
    if sink is None:
        sink = bombus.sockets(simulation).listen({IPERF_PORT})
    servers(simulation)
    while sink.waiting:
        sunk[sink.accept(timeout=0)] = 0
    for connection in list(sunk):
        sunk[connection] += len(connection.read())
        if connection.is_closed or connection.at_end:
            connection.close()
            with Path({{arrived!r}}).open("a") as file:
                print(sunk.pop(connection), file=file)
    # iperf may not listen yet: then Linux refuses, and the design tries again.
    if (opening is None or opening.error) and Path({{go!r}}).exists():
        opening = bombus.sockets(simulation).open({OWN!r}, {IPERF_PORT})
    if opening is not None and opening.connection and sender is None:
        sender = opening.connection
        sender.write(bytes({IPERF_BYTES}))
        sender.close()
"""

# Sends bytes and hears them back; prints whether the sums are equal. Arguments: address, bytes.
LONG = """
import hashlib, random, socket, sys, threading
left = int(sys.argv[2])
client = socket.create_connection((sys.argv[1], 7), timeout=120)
block = random.Random(1).randbytes(1 << 20)
sums = [hashlib.sha256(), hashlib.sha256()]
def send():
    rest = left
    while rest:
        part = block[:rest]
        client.sendall(part)
        sums[0].update(part)
        rest -= len(part)
    client.shutdown(socket.SHUT_WR)
sender = threading.Thread(target=send)
sender.start()
while part := client.recv(1 << 16):
    sums[1].update(part)
sender.join()
print(sums[0].digest() == sums[1].digest())
"""

# Connections one after the other, each with a few bytes; then as many at once as there are
# sessions. Arguments: address, how many.
# Connections one after the other, then as many at once as one peer may have (`max_per_peer`): none
# of the others may still count.
MANY = """
import socket, sys
def echo(client):
    client.sendall(b"hello")
    came = b""
    while len(came) < 5:
        came += client.recv(5)
    assert came == b"hello"
for _ in range(int(sys.argv[2])):
    with socket.create_connection((sys.argv[1], 7), timeout=60) as client:
        echo(client)
        client.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b""
clients = [socket.create_connection((sys.argv[1], 7), timeout=60) for _ in range(8)]
for client in clients:
    echo(client)
print("right")
"""


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"the program {name} is missing")
    return found


@pytest.fixture(scope="module")
def go(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The design connects to iperf once this file exists."""
    return tmp_path_factory.mktemp("go") / "go"


@pytest.fixture(scope="module")
def arrived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bytes of each connection that the sink has received, one a line."""
    path = tmp_path_factory.mktemp("arrived") / "arrived"
    path.touch()
    return path


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, go: Path, arrived: Path) -> Iterator[Live]:
    software = SOFTWARE.format(go=str(go), arrived=str(arrived))
    with starter(tmp_path_factory.mktemp("live")) as start:
        running = start(EXAMPLE / "tcp_host.yaml", assertions=True, software=software)
        yield running
        running.stop()


def iperf(live: Live, *options: str) -> int:
    """The bytes that it reports."""
    command = [program("iperf"), "-p", str(IPERF_PORT), "-y", "C", *options]
    return int(live.run(command).strip().splitlines()[-1].split(",")[7])


def test_iperf_sends(live: Live, arrived: Path) -> None:
    """The application has received every byte that iperf has sent."""
    assert iperf(live, "-c", ADDRESS, "-n", str(IPERF_BYTES)) == IPERF_BYTES
    end = time.monotonic() + 60  # iperf does not wait for the end of the connection
    while not (lines := arrived.read_text().splitlines()) and time.monotonic() < end:
        time.sleep(0.1)
    assert lines == [str(IPERF_BYTES)]


def test_iperf_receives(live: Live, go: Path) -> None:
    """iperf has received every byte that the application has sent."""
    go.touch()
    assert iperf(live, "-s", "-P", "1") == IPERF_BYTES - SETTINGS_BYTES


def test_wrk(live: Live) -> None:
    """On a busy machine, an answer may take longer than wrk's own limit of two seconds."""
    options = ["-t", "1", "-c", str(WRK_CONNECTIONS), "-d", "10s", "--timeout", "60s"]
    report = live.run([program("wrk"), *options, f"http://{ADDRESS}/1000"])
    assert "Socket errors" not in report and "Non-2xx" not in report, report
    done = re.search(r"^ *(\d+) requests in ", report, re.MULTILINE)
    assert done and int(done[1]) >= WRK_CONNECTIONS, report


def test_many_connections_one_after_the_other(start: Callable[..., Live]) -> None:
    live = start(DESIGNS / "tcp_echo.yaml", assertions=True)
    assert live.python(MANY, ADDRESS, 40) == "right"


@pytest.mark.sweep
def test_a_thousand_connections_leave_nothing(start: Callable[..., Live]) -> None:
    live = start(DESIGNS / "tcp_echo.yaml", assertions=True)
    for _ in range(10):  # a command may take four minutes
        assert live.python(MANY, ADDRESS, 100) == "right"


@pytest.mark.sweep
def test_a_hundred_megabytes(start: Callable[..., Live]) -> None:
    live = start(DESIGNS / "tcp_echo.yaml", assertions=True)
    for _ in range(10):  # a command may take four minutes
        assert live.python(LONG, ADDRESS, 10_000_000) == "True"

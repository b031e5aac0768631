# SPDX-License-Identifier: Apache-2.0
"""A TCP application that is a Python program: sockets on the engine, against Linux."""

from __future__ import annotations

import csv
import runpy
import shutil
from collections.abc import Iterator

import pytest

from tests import ROOT
from tests.support.live import ADDRESS, Live, starter

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "docs" / "examples" / "tcp_host"
DESIGN = EXAMPLE / "tcp_host.yaml"
SERVE = f"""
import sys
sys.path.insert(0, {str(EXAMPLE)!r})
from serve import Servers
software = Servers()
"""

# Echo: bytes on some connections at once. Arguments: address, bytes, connections.
ECHO = """
import os, socket, sys, threading
address, size, connections = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
right = []
def talk():
    data = os.urandom(size)
    client = socket.create_connection((address, 7), timeout=60)
    sender = threading.Thread(target=client.sendall, args=(data,))
    sender.start()
    back = b""
    while len(back) < size:
        back += client.recv(65536)
    sender.join()
    client.shutdown(socket.SHUT_WR)
    assert client.recv(1) == b""
    right.append(back == data)
threads = [threading.Thread(target=talk) for _ in range(connections)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(right.count(True))
"""

HTTP = """
import http.client, sys
client = http.client.HTTPConnection(sys.argv[1], timeout=60)
for size in (0, 1, 1460, 100000):
    client.request("GET", f"/{size}")
    answer = client.getresponse()
    assert answer.status == 200 and answer.read() == b"x" * size
client.request("POST", "/1")
assert client.getresponse().status == 404
print("right")
"""

# Many commands at once, cut anywhere.
REDIS = """
import random, socket, sys
client = socket.create_connection((sys.argv[1], 6379), timeout=60)
def command(*words):
    return b"*%d\\r\\n" % len(words) + b"".join(b"$%d\\r\\n%s\\r\\n" % (len(w), w) for w in words)
sent, wanted = b"", b""
for n in range(200):
    key, value = b"key%d" % (n % 7), b"v" * (n % 50)
    sent += command(b"SET", key, value) + command(b"get", key) + command(b"PING")
    wanted += b"+OK\\r\\n$%d\\r\\n%s\\r\\n+PONG\\r\\n" % (len(value), value)
sent += command(b"GET", b"nothing") + command(b"FLUSHALL")
wanted += b"$-1\\r\\n-ERR unknown command\\r\\n"
while sent:
    size = random.Random(len(sent)).randrange(1, 3000)
    client.sendall(sent[:size])
    sent = sent[size:]
came = b""
while len(came) < len(wanted):
    came += client.recv(65536)
assert came == wanted
print("right")
"""

# A reset instead of an end.
ABORT = """
import socket, struct, sys
client = socket.create_connection((sys.argv[1], 7), timeout=20)
client.sendall(b"hello")
assert client.recv(5) == b"hello"
client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
client.close()
"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with starter(tmp_path_factory.mktemp("live")) as start:
        running = start(DESIGN, assertions=True, software=SERVE)
        yield running
        counted = running.stop()["counters"]
    assert counted["app"]["event.tcp_host.unknown_kind"] == 0
    assert counted["app"]["event.tcp_host.taken"] > 0


def test_echo(live: Live) -> None:
    for size in (1, 1449, 200_000):
        assert live.python(ECHO, ADDRESS, size, 1) == "1"
    assert live.python(ECHO, ADDRESS, 20_000, 12) == "12"
    # More connections than sessions, some of them reset.
    for _ in range(6):
        live.python(ABORT, ADDRESS)
        assert live.python(ECHO, ADDRESS, 10, 4) == "4"


def test_http(live: Live) -> None:
    assert live.python(HTTP, ADDRESS) == "right"


def test_http_with_curl(live: Live) -> None:
    if shutil.which("curl") is None:
        pytest.skip("the program curl is missing")
    urls = [f"http://{ADDRESS}/{size}" for size in (5, 30_000)]
    assert live.run(["curl", "-sS", *urls]) == "x" * 30_005


@pytest.mark.parametrize(
    ("port", "came"),
    [
        (80, b"X\r\n\r\n"),
        (80, b"\r\n\r\n"),
        (80, b"GET /99999999999999 HTTP/1.1\r\n\r\n"),
        (6379, b"abc\r\n"),
        (6379, b"*0\r\n"),
        (6379, b"*-1\r\n"),
        (6379, b"*1\r\n$x\r\nPING\r\n"),
    ],
)
def test_wrong_requests_have_an_answer(port: int, came: bytes) -> None:
    services = runpy.run_path(str(EXAMPLE / "serve.py"))["SERVICES"]
    rest = bytearray(came)
    assert services[port](rest).startswith((b"HTTP/1.1 404 ", b"-ERR "))
    assert not rest


def test_redis(live: Live) -> None:
    assert live.python(REDIS, ADDRESS) == "right"


def test_redis_with_its_benchmark(live: Live) -> None:
    if shutil.which("redis-benchmark") is None:
        pytest.skip("the program redis-benchmark is missing")
    command = ["redis-benchmark", "-h", ADDRESS, "-n", "200", "-c", "8", "-t", "set,get", "--csv"]
    # It warns on the error stream that the server has no CONFIG command.
    report = live.run(command)
    assert "error" not in report.lower(), report
    rates = {row[0]: row[1] for row in csv.reader(report.splitlines()) if len(row) > 1}
    assert rates.pop("test") == "rps"
    assert rates.keys() == {"SET", "GET"} and all(float(rate) > 0 for rate in rates.values())

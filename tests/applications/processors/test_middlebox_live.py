# SPDX-License-Identifier: Apache-2.0
"""designs/middlebox.yaml between two namespaces of Linux: client, port 0, port 1, server."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bombus.applications.processors.build import build
from bombus.base.paths import DESIGNS
from tests.applications.processors import forwarding
from tests.support.live import COMMAND_SECONDS, two_sides

pytestmark = pytest.mark.slow

SOFTWARE = """
from pathlib import Path
from bombus.applications.processors.software import keep_loaded
software = keep_loaded(Path({elf!r}))
"""

# A TCP connection and datagrams, each answered with the same bytes.
SERVER = """
import socket, threading
def tcp():
    listener = socket.create_server(("10.9.0.2", 7))
    print("ready", flush=True)
    connection, _ = listener.accept()
    while data := connection.recv(65536):
        connection.sendall(data)
    connection.close()
def udp():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("10.9.0.2", 7))
    while True:
        data, peer = server.recvfrom(65536)
        server.sendto(data, peer)
threading.Thread(target=udp, daemon=True).start()
tcp()
"""

CLIENT = """
import os, socket, threading
for length in range(0, 1473, 46):
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)  # a flow of its own
    udp.settimeout(30)
    udp.connect(("10.9.0.2", 7))
    message = os.urandom(length)
    udp.send(message)
    assert udp.recv(65536) == message, length
data = os.urandom(300_000)
tcp = socket.create_connection(("10.9.0.2", 7), timeout=60)
def send():
    tcp.sendall(data)
    tcp.shutdown(socket.SHUT_WR)
threading.Thread(target=send).start()
came = bytearray()
while part := tcp.recv(65536):
    came += part
assert bytes(came) == data
print("same")
"""


def test_linux_on_both_sides(tmp_path: Path) -> None:
    """Datagrams of many lengths and a TCP connection; the program is replaced meanwhile."""
    elf = tmp_path / "forward.elf"
    build([forwarding.PROGRAM], elf)
    options = {
        "software": SOFTWARE.format(elf=str(elf)),
        "address": ["10.9.0.1/24", "10.9.0.2/24"],
    }
    with two_sides(DESIGNS / "middlebox.yaml", tmp_path, **options) as (left, right):
        server = right.popen([sys.executable, "-c", SERVER], stdout=-1, text=True)
        assert server.stdout and server.stdout.readline() == "ready\n"
        client = left.popen([sys.executable, "-c", CLIENT], stdout=-1, text=True)
        build([forwarding.PROGRAM], elf)  # rewritten: all processors are reloaded
        assert client.communicate(timeout=COMMAND_SECONDS)[0].strip() == "same"
        assert server.wait(COMMAND_SECONDS) == 0
    totals = json.loads((tmp_path / "report.json").read_text())
    used = [tile for tile, values in totals["counters"].items() if values.get("noc_in_messages")]
    assert len([tile for tile in used if tile.startswith("rpu")]) >= 2

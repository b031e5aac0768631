# SPDX-License-Identifier: Apache-2.0
"""Linux programs and designs that do more than answer: a join of two streams, a table that is
written meanwhile, a memory at raised ports, a card of engines between two hosts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import ROOT
from tests.protocols.stack.test_linux import ECHO, drops
from tests.support.live import ADDRESS, COMMAND_SECONDS, Live, two_sides

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "docs" / "examples"

# Operands for both sides, some at a time; each sum is that of a pair. Arguments: address, pairs.
SUMS = """
import socket, sys
sides = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
for n, side in enumerate(sides):
    side.settimeout(20)
    side.connect((sys.argv[1], 3000 + n))
pairs = int(sys.argv[2])
def ask(numbers):
    for number in numbers:
        sides[0].send(number.to_bytes(8, "big"))
    for number in numbers:
        sides[1].send((number << 40).to_bytes(8, "big"))
    for number in numbers:
        assert int.from_bytes(sides[0].recv(100), "big") == number + (number << 40)
ask(range(1))  # Linux keeps the order once it has resolved the address
for first in range(1, pairs, 8):
    ask(range(first, min(first + 8, pairs)))
print(pairs)
"""

# Sequential requests until answers have shown this many patterns, which never get older and have
# four equal parts. Arguments: address, patterns.
PATTERNS = """
import socket, sys
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(20)
client.connect((sys.argv[1], 2000))
seen = [0xffff]  # after reset
for number in range(1 << 20):
    client.send(number.to_bytes(8, "little"))
    pattern = int.from_bytes(client.recv(100), "little") ^ number
    version = pattern & 0xffff
    assert pattern == version * 0x0001000100010001, hex(pattern)
    if version != seen[-1]:
        assert len(seen) == 1 or version > seen[-1]
        seen.append(version)
    if len(seen) == int(sys.argv[2]):
        break
print(len(seen), number > 100)
"""

WRITES_PATTERNS = """
from itertools import count
versions = count(1)
def software(simulation):
    patterns = simulation.tile("lookup").registers.store.patterns
    patterns[0].value = next(versions) * 0x0001000100010001
"""

# Both directions pass engines. Datagrams to UDP port 5000 are encrypted, replies to port 5001 are
# decrypted; everything else, including ARP and TCP, gets new checksums and is counted.
WRITES_RULES = """
from bombus.applications.engines.client import Card
from bombus.applications.engines.model import Rule
cards = []
def software(simulation):
    if cards:
        return
    card = Card(simulation.manifest, simulation)
    card.set_key(bytes(range(32)), b"salt")
    card.set_rule(0, Rule(steps=(2, 4, 1), to_mac_port=1, protocol=17, port=5000, mac_port=0))
    card.set_rule(1, Rule(steps=(4, 2, 1), to_mac_port=0, protocol=17, port=5001, mac_port=1))
    for port in range(2):
        card.set_rule(14 + port, Rule(steps=(1, 3, 4), to_mac_port=1 - port, mac_port=port))
    cards.append(card)
"""

# Echoes TCP data, then datagrams, and prints whether one of these is encrypted.
SERVER = """
import socket
by_tcp = socket.create_server(("10.77.0.20", 5000))
by_udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
by_udp.bind(("10.77.0.20", 5000))
print("ready", flush=True)
connection, _ = by_tcp.accept()
while data := connection.recv(65536):
    connection.sendall(data)
for _ in range(20):
    data, peer = by_udp.recvfrom(2000)
    by_udp.sendto(data, peer)
print(b"secret" in data)
"""

CLIENT = """
import os, socket
connection = socket.create_connection(("10.77.0.20", 5000), 30)
sent = os.urandom(100_000)
came = b""
for start in range(0, len(sent), 5000):
    connection.sendall(sent[start : start + 5000])
    while len(came) < start + 5000:
        came += connection.recv(65536)
assert came == sent
connection.close()
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(20)
client.bind(("10.77.0.10", 5001))
client.connect(("10.77.0.20", 5000))
for number in range(20):
    message = number.to_bytes(8, "big") + b"secret" * 5 * (number + 1)
    client.send(message)
    assert client.recv(2000) == message
print("done")
"""


def test_join_of_two_streams(start: Callable[..., Live]) -> None:
    live = start(EXAMPLES / "join" / "join.yaml")
    assert live.python(SUMS, ADDRESS, 400) == "400"
    totals = live.stop()
    assert totals["counters"]["adder"]["event.adder.sum"] == 400
    assert not drops(totals)


def test_table_that_is_written_under_traffic(start: Callable[..., Live]) -> None:
    """Every answer has a whole pattern, and none an older one than the answer before."""
    live = start(EXAMPLES / "lookup" / "lookup.yaml", software=WRITES_PATTERNS)
    assert live.python(PATTERNS, ADDRESS, 12) == "12 True"
    assert not drops(live.stop())


def test_memory_at_raised_ports(start: Callable[..., Live]) -> None:
    live = start(ROOT / "designs" / "udp_echo_memory.yaml")
    assert live.python(ECHO, ADDRESS, 0, 1472, 1, 8) == "1473"
    assert not drops(live.stop())


def test_engines_between_two_hosts(tmp_path: Path) -> None:
    """A TCP connection and encrypted datagrams through a card that both hosts take for a wire."""
    options = {
        "ip": ["10.77.0.2/24", "10.77.0.3/24"],
        "address": ["10.77.0.10/24", "10.77.0.20/24"],
        "software": WRITES_RULES,
    }
    with two_sides(ROOT / "designs" / "engines.yaml", tmp_path, **options) as (left, right):
        command = [sys.executable, "-c", SERVER]
        server = right.popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        assert left.python(CLIENT, timeout=COMMAND_SECONDS) == "done\n"
        said, _ = server.communicate(timeout=COMMAND_SECONDS)
        assert said == "False\n"
    counters = json.loads((tmp_path / "report.json").read_text())["counters"]
    assert counters["encrypt"]["event.engine_encrypt.encrypted"] == 40
    assert counters["count"]["noc_in_messages"] > 200

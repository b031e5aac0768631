# SPDX-License-Identifier: Apache-2.0
"""Linux's own network stack and programs talk to a design, in a network namespace of their own.

A program that is missing on this machine skips its tests, by name.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bombus.live.interface import MAX_MTU
from bombus.protocols.frames import IPV4_BYTES, UDP_BYTES
from tests.support.bench import ALL_DESIGNS, DESIGNS, SCALE
from tests.support.live import ADDRESS, INTERFACE

pytestmark = pytest.mark.slow

OUR_ADDRESS = "10.77.0.1"
ECHO_PORT = 7
HEADERS = IPV4_BYTES + UDP_BYTES  # of a ping just as well

# Sends datagrams of many lengths, some at a time, and compares the replies. The first goes alone:
# until it has resolved an address, Linux may send a later datagram before an earlier one.
# Arguments: address, first length, last length, step, datagrams in flight.
ECHO = """
import os, socket, sys
address, first, last, step, window = sys.argv[1], *map(int, sys.argv[2:])
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(5)
client.connect((address, 7))
lengths = list(range(first, last + 1, step))
def echo(lengths):
    messages = [os.urandom(length) for length in lengths]
    for message in messages:
        assert client.send(message) == len(message)
    for message in messages:
        assert client.recv(65535) == message, len(message)
echo(lengths[:1])
for start in range(1, len(lengths), window):
    echo(lengths[start : start + window])
print(len(lengths))
"""

# A connected socket learns that a port is closed. Prints the number of ports that reported it.
CLOSED = """
import socket, sys
told = 0
for port in range(1000, 1004):
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.settimeout(3)
    client.connect((sys.argv[1], port))
    client.send(b"anybody there?")
    try:
        client.recv(100)
    except ConnectionRefusedError:
        told += 1
print(told)
"""

# Datagrams over a network that loses, duplicates, reorders and corrupts. Prints as JSON how many
# different ones came back, how many more than once, and how many that were never sent.
# Both sides know each other's MAC address first: ARP has no checksum, and a second lost for a
# question is too long for `send`.
ROUGH = """
import json, os, socket, sys, time
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.connect((sys.argv[1], 7))
for attempt in range(20):
    client.settimeout(5)
    client.send(b"first")
    client.settimeout(0.5)
    try:
        client.recv(65535)
        break
    except TimeoutError:
        pass
time.sleep(0.1)
client.settimeout(0.05)
sent, came = set(), []
def take():
    try:
        while True:
            came.append(client.recv(65535))
            client.settimeout(0.001)
    except TimeoutError:
        client.settimeout(0.05)
for number in range(2000):
    message = number.to_bytes(4, "big") * 20
    sent.add(message)
    client.send(message)
    if number % 20 == 19:
        take()
time.sleep(0.5)
take()
came = [message for message in came if message != b"first"]
whole = [message for message in came if message in sent]
print(json.dumps({"different": len(set(whole)), "again": len(whole) - len(set(whole)),
                  "foreign": len(came) - len(whole)}))
"""


# Datagrams from many sockets to every port of a design with replicas. Arguments: address, ports.
# Consecutive ports fall into different slots of a hash, so that each replica gets some.
MANY_FLOWS = """
import socket, sys
for n in range(40):
    for port in map(int, sys.argv[2:]):
        client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        client.settimeout(5)
        client.bind(("", 62768 + n))
        message = bytes(2) + b"%d to %d" % (n, port)
        client.sendto(message, (sys.argv[1], port))
        assert client.recv(65535) == message, (n, port)
"""


def program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if found is None:
        pytest.skip(f"the program {name} is missing")
    return found


def drops(totals: dict[str, Any]) -> dict[str, int]:
    return {
        name: value
        for tile in totals["counters"].values()
        for name, value in tile.items()
        if name.startswith("drop.") and value
    }


def ping(live: Any, *options: str, address: str = ADDRESS, count: int = 2) -> None:
    """Pings this many times; every ping must be answered, with its payload.

    Each is a run of its own: after its last packet ping waits 3 s for the only answer, but just
    two round trips if it has seen another, which a busy machine does not keep.
    """
    for _ in range(count):
        shown = live.run([program("ping"), "-c", "1", "-W", "3", *options, address])
        assert ", 1 received" in shown, shown
        assert "wrong data" not in shown


@pytest.mark.parametrize("design", [DESIGNS[512], DESIGNS[64]], ids=lambda path: path.stem)
def test_flood_ping(start: Any, design: Path) -> None:
    live = start(design)
    shown = live.run([program("ping"), "-q", "-f", "-c", "10000", ADDRESS])
    assert "10000 packets transmitted, 10000 received, 0% packet loss" in shown
    assert not drops(live.stop())


@pytest.mark.parametrize("design", ALL_DESIGNS)
def test_ping_sizes(start: Any, design: Path) -> None:
    live = start(design, mtu=MAX_MTU)
    for size in (0, 1, 7, 8, 17, 18, 19, 56, 64, 1471, 1472, 1473, 4000, MAX_MTU - HEADERS):
        ping(live, "-M", "do", "-s", str(size), count=3)
    assert not drops(live.stop())


def test_ping_with_patterns_and_types_of_service(start: Any) -> None:
    live = start(DESIGNS[512])
    for pattern in ("00", "ff", "a5", "0001"):
        ping(live, "-p", pattern, "-s", "100")
    for tos in ("0x10", "0xb8", "0x03"):
        ping(live, "-Q", tos)
    # Options that Linux puts in, which the design skips.
    ping(live, "-R")
    assert not drops(live.stop())


def test_ping_of_another_address_is_not_answered(start: Any) -> None:
    live = start(DESIGNS[512])
    result = live.namespace.run(
        [program("ping"), "-c", "1", "-W", "1", "10.77.0.3"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert result.returncode != 0
    assert "0 received" in result.stdout
    live.stop()


def test_arping(start: Any) -> None:
    arping = program("arping")
    live = start(DESIGNS[512])
    shown = live.run([arping, "-c", "3", "-I" if _is_iputils(arping) else "-i", INTERFACE, ADDRESS])
    assert len(re.findall(r"02:b0:0b:05:00:01", shown, re.IGNORECASE)) >= 3
    live.stop()


def _is_iputils(arping: str) -> bool:
    shown = subprocess.run([arping, "-V"], capture_output=True, text=True, check=False)
    return "iputils" in shown.stdout + shown.stderr


def test_netcat(start: Any) -> None:
    netcat = program("nc")
    live = start(DESIGNS[512])
    shown = live.run([netcat, "-u", "-w", "1", ADDRESS, str(ECHO_PORT)], input="hello, bumblebee\n")
    assert shown == "hello, bumblebee\n"
    assert not drops(live.stop())


def test_replicas_share_the_work(start: Any) -> None:
    """28 tiles: every one of the 22 application tiles answers programs."""
    live = start(SCALE)
    ping(live, count=20)
    live.python(MANY_FLOWS, ADDRESS, 7, 1007, 2007, *range(7000, 7004))
    totals = live.stop()
    taken = {
        name: values["noc_in_messages"]
        for name, values in totals["counters"].items()
        if name.partition("_")[0] in ("flow", "turn", "port", "load")
    }
    assert len(taken) == 22
    assert all(taken.values()), taken
    assert sum(taken.values()) == 40 * 7
    assert not drops(totals)


@pytest.mark.parametrize("design", ALL_DESIGNS)
def test_every_udp_length(start: Any, design: Path) -> None:
    live = start(design, mtu=MAX_MTU)
    last = 1500 - HEADERS
    assert live.python(ECHO, ADDRESS, 0, last, 1, 8) == str(last + 1)
    largest = MAX_MTU - HEADERS
    assert live.python(ECHO, ADDRESS, largest - 20, largest, 1, 4) == "21"
    live.python(ECHO, ADDRESS, last + 1, largest, 501, 4)
    assert not drops(live.stop())


@pytest.mark.parametrize("design", ALL_DESIGNS)
def test_closed_port(start: Any, design: Path) -> None:
    live = start(design)
    assert live.python(CLOSED, ADDRESS) == "4"
    # The port that is open is still so.
    assert live.python(ECHO, ADDRESS, 10, 12, 1, 1) == "3"
    totals = live.stop()
    assert not drops(totals)


def test_veth(start: Any) -> None:
    """Where TAP cannot be had, a pair of virtual Ethernet interfaces does."""
    live = start(DESIGNS[512], veth=True)
    assert live.python(ECHO, ADDRESS, 0, 1472, 37, 4) == "40"
    live.stop()


def test_address_is_resolved_again(start: Any) -> None:
    """Linux forgets and asks again; the design does not mind."""
    ip = program("ip")
    live = start(DESIGNS[512])
    for _ in range(5):
        ping(live, count=1)
        live.run([ip, "neigh", "flush", "dev", INTERFACE])
    assert not drops(live.stop())


@pytest.mark.parametrize("design", [DESIGNS[512], DESIGNS[64]], ids=lambda path: path.stem)
def test_tshark_finds_nothing_wrong(start: Any, design: Path) -> None:
    """Checksums are checked in everything that the design and Linux send."""
    tshark = program("tshark")
    live = start(design, capture=True, mtu=MAX_MTU)
    live.python(ECHO, ADDRESS, 0, 1472, 23, 4)
    live.python(ECHO, ADDRESS, 8000, 8972, 243, 1)
    live.python(CLOSED, ADDRESS)
    for size in ("0", "56", "1472", "8972"):
        ping(live, "-s", size)
    live.stop()

    def count(display_filter: str) -> int:
        command = [tshark, "-r", str(live.capture), "-Y", display_filter, "-T", "fields"]
        for option in ("ip.check_checksum", "udp.check_checksum", "ip.defragment"):
            command += ["-o", f"{option}:TRUE"]
        result = subprocess.run(
            [*command, "-e", "frame.number"], capture_output=True, text=True, check=True
        )
        return len(result.stdout.split())

    from_design = f"ip.src == {ADDRESS}"
    assert count(f"udp.srcport == {ECHO_PORT} && {from_design}") == 65 + 5
    assert count(f"icmp.type == 0 && {from_design}") == 8
    assert count(f"icmp.type == 3 && icmp.code == 3 && {from_design}") == 4
    # A check must be able to fail, so checksums that tshark calls good are counted too.
    assert count(f"ip.checksum.status == 1 && {from_design}") == 70 + 8 + 4
    assert count(f"udp.checksum.status == 1 && udp && !icmp && {from_design}") == 70
    assert count(f"icmp.checksum.status == 1 && {from_design}") == 12
    bad = "ip.checksum.status == 0 || udp.checksum.status == 0 || icmp.checksum.status == 0"
    # The quoted datagram of an ICMP error is cut short: its UDP checksum cannot be checked.
    assert count(f"({bad}) && !(icmp.type == 3)") == 0
    assert count("frame.time_relative > 3600") == 0  # the first frame has wall-clock time, too
    assert count("_ws.malformed") == 0
    assert count('_ws.expert.severity == "Error"') == 0


@pytest.mark.parametrize("direction", ["impair_rx", "impair_tx"])
def test_rough_network(start: Any, direction: str) -> None:
    """Loss shows as loss, damage as nothing worse, and the design carries on."""
    impairment = {
        "loss": 0.05,
        "duplicate": 0.05,
        "reorder": 0.1,
        "corrupt": 0.05,
        "seed": 3,
    }
    mac = "02:00:00:00:00:77"
    live = start(DESIGNS[512], mac=mac, **{direction: impairment})
    ip = [program("ip"), "neigh", "replace", ADDRESS, "dev", INTERFACE]
    live.run([*ip, "lladdr", mac, "nud", "permanent"])
    result = json.loads(live.python(ROUGH, ADDRESS))
    assert 1600 < result["different"] < 1950
    assert 40 < result["again"] < 200
    # A flipped bit never passes the checksums of UDP and IP.
    assert result["foreign"] == 0
    totals = live.stop()
    index = 0 if direction == "impair_rx" else 1
    done = totals["ports"][0]
    assert min(done[kind][index] for kind in ("lost", "duplicated", "corrupted", "reordered")) > 40


def test_other_addresses_without_a_rebuild(start: Any) -> None:
    """The registers take the place of the addresses in the design file."""
    live = start(DESIGNS[512], ip="192.168.40.5/22", mac="02:00:00:00:00:77")
    ping(live, address="192.168.40.5")
    assert live.python(ECHO, "192.168.40.5", 0, 1472, 37, 4) == "40"
    neighbours = live.run(["ip", "neigh", "show", "dev", INTERFACE])
    assert "02:00:00:00:00:77" in neighbours
    assert not drops(live.stop())

# SPDX-License-Identifier: Apache-2.0
"""napt as a whole design: what nf_tables makes of the same packets, and Linux hosts on both sides.

A program that is missing on this machine skips its tests, by name.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from bombus.base import paths
from bombus.live.interface import Interface
from bombus.protocols.frames import Host, Station, arp_request, ethernet, mac_bytes, padded
from bombus.simulator.simulation import Simulation
from tests.applications.functions import napt_model as model
from tests.applications.functions.napt_model import ACK, FIN, ICMP, SYN, TCP, UDP
from tests.applications.functions.napt_packets import answer, echo, error, tcp, udp
from tests.applications.functions.test_functions_linux import needs
from tests.support.live import COMMAND_SECONDS, new_namespace, two_sides

pytestmark = [pytest.mark.slow, pytest.mark.sweep]

DESIGN = paths.EXAMPLES / "functions" / "napt.yaml"
INSIDE, OUTSIDE = 0, 1
CLIENT = Station.of("02:00:00:00:00:99", "10.77.0.9")
SERVER = Station.of("02:00:00:00:00:98", "10.78.0.1")
NAMES = ("inside0", "outside0")
MACS = [mac_bytes(f"02:b0:0b:05:00:0{n}") for n in (1, 2)]  # of the design
# Linux gets the addresses of the design.
SETUP = """
set -e
PATH=$PATH:/usr/sbin:/sbin
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 0 > /proc/sys/net/ipv4/conf/all/rp_filter
echo 1 > /proc/sys/net/netfilter/nf_conntrack_checksum || true
for side in inside0/02:b0:0b:05:00:01 outside0/02:b0:0b:05:00:02; do
  echo 0 > /proc/sys/net/ipv4/conf/${side%/*}/rp_filter
  ip link set ${side%/*} address ${side#*/}
done
ip neigh replace 10.77.0.9 lladdr 02:00:00:00:00:99 dev inside0 nud permanent
ip neigh replace 10.78.0.1 lladdr 02:00:00:00:00:98 dev outside0 nud permanent
nft -f - <<'END'
table ip nat {
  chain post {
    type nat hook postrouting priority 100;
    oifname outside0 masquerade
  }
}
END
"""


@dataclass(frozen=True)
class Linux:
    """A router with nf_tables whose frames are read and written."""

    files: tuple[int, int]

    def translate(self, frame: bytes, side: int) -> bytes:
        """The frame with an IPv4 packet that leaves by the other side."""
        os.write(self.files[side], frame)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            if select.select([self.files[1 - side]], [], [], 0.2)[0]:
                got = os.read(self.files[1 - side], 10_000)
                if got[12:14] == b"\x08\x00" and got[:6] in (CLIENT.mac, SERVER.mac):
                    return got
        raise AssertionError("nf_tables has sent nothing")


@contextmanager
def linux() -> Iterator[Linux]:
    namespace = new_namespace()
    with (
        namespace,
        Interface(NAMES[0], tap=True, netns=namespace.path) as inside,
        Interface(NAMES[1], tap=True, netns=namespace.path) as outside,
    ):
        inside.bring_up("10.77.0.2/24", 1500, None)
        outside.bring_up("10.78.0.2/24", 1500, None)
        namespace.run(["sh", "-c", SETUP])
        yield Linux((inside.file_descriptor, outside.file_descriptor))


def framed(data: bytes, side: int) -> bytes:
    station = (CLIENT, SERVER)[side]
    return padded(ethernet(MACS[side], station.mac, 0x0800, data))


class Modelled:
    """The model of the other tests, as a router."""

    def __init__(self) -> None:
        sides = [
            model.Side(port, station.ip[:3] + b"\x02", 24)
            for port, station in enumerate((CLIENT, SERVER))
        ]
        timeouts = dict.fromkeys(("udp", "echo", "established", "transitory"), 1)
        self.napt = model.Napt(sides[0], sides[1], range(16384, 49152), {}, timeouts)

    def translate(self, frame: bytes, side: int) -> bytes:
        free = 16384 + len(self.napt.sessions)
        outcome = self.napt.process(bare(frame), side, 0, free.to_bytes(2) * 3)
        assert outcome.fate is model.Fate.SENT
        to = (CLIENT, SERVER)[1 - side]
        return ethernet(to.mac, MACS[1 - side], 0x0800, outcome.packet)


class Design:
    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.hosts = [Host.from_manifest(simulation.manifest, port) for port in (0, 1)]
        for port, station in ((INSIDE, CLIENT), (OUTSIDE, SERVER)):
            simulation.send(padded(arp_request(station, self.hosts[port])), port)
            simulation.receive_all(port)

    def translate(self, frame: bytes, side: int) -> bytes:
        self.simulation.send(frame, side)
        (got,) = self.simulation.receive_all(1 - side)
        return got.data


def bare(frame: bytes) -> bytes:
    """The packet, without padding."""
    return frame[14 : 14 + int.from_bytes(frame[16:18])]


def without_port(frame: bytes) -> bytes:
    """A packet that has left, without what depends on its port; its checksums must be right. Of an
    error it is the port in the quotation."""
    packet = bare(frame)
    assert model.total(packet[:20]) == 0xFFFF
    assert packet[20:] == model.transport(packet[12:16], packet[16:20], packet[9], packet[20:])
    hidden = {ICMP: (22, 23, 24, 25), UDP: (20, 21, 26, 27), TCP: (20, 21, 36, 37)}[packet[9]]
    if packet[9] == ICMP and packet[20] == 3:  # an inside host's, about an answer to its port
        at = {UDP: 26, TCP: 36}[packet[37]]
        hidden = (22, 23, 50, 51, 28 + at, 29 + at)
    seen = bytearray(packet)
    for place in hidden:
        if place < len(seen):
            seen[place] = 0
    return frame[:14] + bytes(seen)


def compare(design: Modelled | Design, other: Linux) -> None:
    """The same packets through both, with the ports that each has chosen."""
    random = Random(1)
    here, there = CLIENT.ip, SERVER.ip

    def out(data: bytes) -> tuple[bytes, bytes]:
        frame = framed(data, INSIDE)
        mine, theirs = design.translate(frame, INSIDE), other.translate(frame, INSIDE)
        assert without_port(mine) == without_port(theirs)
        return bare(mine), bare(theirs)

    def back(mine: bytes, theirs: bytes) -> bytes:
        """Both are answers; they must become the same packet."""
        first = design.translate(framed(mine, OUTSIDE), OUTSIDE)
        second = other.translate(framed(theirs, OUTSIDE), OUTSIDE)
        assert bare(first) == bare(second) and first[:14] == second[:14]
        return bare(first)

    for length in (*range(20), 35, 36, 37, 511, 1400, 1472):
        data = random.randbytes(length)
        more = {
            "tos": random.randrange(256) & 0xFC,
            "number": random.randrange(65536),
            "fragment": random.choice([0, 0x4000]),
            "ttl": random.randrange(2, 256),
        }
        port = 3000 + length
        sent = out(udp(here, there, data, source_port=port, csum=length % 5 > 0, **more))
        came = back(*(answer(each, data) for each in sent))
        back(*(error(there, each, 8) for each in sent))
        back(*(error(there, each, min(28, 8 + length), 11) for each in sent))
        out(error(here, came, 8))
        pinged = out(echo(here, there, model.ECHO, port, data))
        back(*(answer(each, data) for each in pinged))
        back(*(error(there, each, 8) for each in pinged))
        if length > 1400:
            continue
        begun = out(tcp(here, there, SYN, source_port=port, numbers=100 << 32, **more))
        back(*(error(there, each, 20) for each in begun))
        back(*(answer(each, b"", SYN | ACK, 500 << 32 | 101) for each in begun))
        out(tcp(here, there, ACK, data, source_port=port, numbers=101 << 32 | 501))
        got = back(*(answer(each, data, ACK, 501 << 32 | (101 + length)) for each in begun))
        out(error(here, got, 20))
        last = (101 + length) << 32 | (501 + length)
        out(tcp(here, there, FIN | ACK, source_port=port, numbers=last))


def test_the_model_and_nf_tables() -> None:
    needs("nft", "ip")
    with linux() as other:
        compare(Modelled(), other)


def test_napt_and_nf_tables() -> None:
    needs("nft", "ip")
    with Simulation(DESIGN, seed=1, assertions=True) as simulation, linux() as other:
        compare(Design(simulation), other)
        simulation.check()


SERVE = """
import socket, threading
server = socket.create_server(("10.78.0.1", 8000))
print("ready", flush=True)
while True:
    connection, (address, _) = server.accept()
    def serve(connection=connection, address=address):
        total = 0
        while data := connection.recv(65536):
            total += len(data)
        connection.sendall(f"{address} {total}".encode())
        connection.close()
    threading.Thread(target=serve, daemon=True).start()
"""
# Connections at the same time from one host, and datagrams. Argument: address of the server.
CLIENTS = """
import os, socket, sys, threading
found = []
def ask(size):
    with socket.create_connection((sys.argv[1], 8000), timeout=60) as client:
        client.sendall(os.urandom(size))
        client.shutdown(socket.SHUT_WR)
        found.append((size, client.recv(99).decode()))
threads = [threading.Thread(target=ask, args=(1 + 977 * n,)) for n in range(20)]
[each.start() for each in threads]
[each.join() for each in threads]
assert len(found) == 20, found
assert all(text == f"10.78.0.2 {size}" for size, text in found), found
print("good")
"""


def test_linux_hosts_on_both_sides(tmp_path: Path) -> None:
    """TCP and ping through the design; the server sees its outside address. A closed port is
    reported by ICMP and by RST."""
    with two_sides(DESIGN, tmp_path) as (left, right):
        left.run(["ip", "route", "add", "10.78.0.0/24", "via", "10.77.0.2"])
        server = right.popen([sys.executable, "-c", SERVE])
        assert left.python(CLIENTS, "10.78.0.1", timeout=COMMAND_SECONDS).strip() == "good"
        left.run(["ping", "-c", "3", "-i", "0.2", "-W", "5", "10.78.0.1"])
        left.run(["ping", "-c", "1", "-W", "5", "10.77.0.2"])  # the stack itself
        refused = """
import socket, sys
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    client = socket.socket(socket.AF_INET, kind)
    client.settimeout(20)
    try:
        client.connect((sys.argv[1], 9))
        client.send(b"bee")
        client.recv(9)
    except ConnectionRefusedError:
        print("refused")
"""
        text = left.python(refused, "10.78.0.1", timeout=COMMAND_SECONDS)
        assert text.split() == ["refused"] * 2
        server.kill()

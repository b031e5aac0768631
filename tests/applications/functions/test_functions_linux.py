# SPDX-License-Identifier: Apache-2.0
"""Network functions and Linux: nat does to packets what nf_tables does, tunnels lead to ipip.

A program that is missing on this machine skips its tests, by name.
"""

from __future__ import annotations

import os
import select
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from bombus.base import paths
from bombus.live.interface import Interface
from bombus.measure.exchanges import introduce
from bombus.protocols.frames import (
    PROTOCOL_ICMP,
    Host,
    Station,
    arp_request,
    mac_bytes,
    padded,
    sums_to_zero,
    udp_frame,
)
from bombus.protocols.stack import Stack
from bombus.simulator.simulation import Simulation
from tests.applications.functions import user_mode_linux
from tests.support.live import new_namespace, starter

pytestmark = [pytest.mark.slow, pytest.mark.sweep]

FUNCTIONS = paths.EXAMPLES / "functions"
NAT, TUNNEL = FUNCTIONS / "udp_echo_nat.yaml", FUNCTIONS / "udp_echo_tunnel.yaml"
ETHERNET_BYTES = 14


def needs(*programs: str) -> None:
    for program in programs:
        if shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None:
            pytest.skip(f"{program} is not installed")


# ---- nf_tables ----

PEER = Station.of("02:00:00:00:00:99", "10.77.0.9")
VIRTUAL = "10.99.0.9"
SERVER = "10.77.0.2"
PEER_SIDE, SERVER_SIDE = "peer0", "server0"
PEER_MAC, SERVER_MAC = "02:00:00:00:aa:01", "02:00:00:00:aa:02"  # of the router
RULES = f"""
table ip nat {{
  chain post {{
    type nat hook postrouting priority 100;
    oifname {SERVER_SIDE} ip saddr 10.77.0.9 snat to {VIRTUAL}
  }}
}}
"""
SETUP = f"""
set -e
PATH=$PATH:/usr/sbin:/sbin
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 0 > /proc/sys/net/ipv4/conf/all/rp_filter
for side in {PEER_SIDE}/{PEER_MAC} {SERVER_SIDE}/{SERVER_MAC}; do
  echo 0 > /proc/sys/net/ipv4/conf/${{side%/*}}/rp_filter
  ip link set ${{side%/*}} address ${{side#*/}}
done
ip route add {SERVER}/32 dev {SERVER_SIDE}
ip neigh replace 10.77.0.9 lladdr 02:00:00:00:00:99 dev {PEER_SIDE} nud permanent
ip neigh replace {SERVER} lladdr 02:b0:0b:05:00:01 dev {SERVER_SIDE} nud permanent
nft -f - <<'END'
{RULES}
END
"""


class Router:
    """Linux with nf_tables between a peer and a server, for which frames are read and written."""

    def __init__(self, peer: int, server: int) -> None:
        self.peer, self.server = peer, server

    def pass_on(self, source: int, target: int, frame: bytes) -> bytes:
        """The IPv4 packet that the router makes of a frame; other frames are ignored."""
        os.write(source, frame)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            if select.select([target], [], [], 0.2)[0]:
                got = os.read(target, 10_000)
                if got[12:14] == b"\x08\x00" and got[23] in (1, 17) and got[:1] == b"\x02":
                    return got
        raise AssertionError("the router has sent nothing")


@contextmanager
def router() -> Iterator[Router]:
    namespace = new_namespace()
    with (
        namespace,
        Interface(PEER_SIDE, tap=True, netns=namespace.path) as peer,
        Interface(SERVER_SIDE, tap=True, netns=namespace.path) as server,
    ):
        peer.bring_up("10.77.0.1/24", 1500, None)
        server.bring_up("192.0.2.1/30", 1500, None)
        namespace.run(["sh", "-c", SETUP])
        yield Router(peer.file_descriptor, server.file_descriptor)


def seen(frame: bytes) -> bytes:
    """The packet without what each router and sender sets: TTL, ID, checksum of the header; in an
    ICMP error also those of the quoted header, whose checksums must be right."""
    length = int.from_bytes(frame[16:18])
    packet = bytearray(frame[ETHERNET_BYTES : ETHERNET_BYTES + length])
    hidden = [4, 5, 8, 10, 11]
    if packet[9] == PROTOCOL_ICMP:
        assert sums_to_zero(packet[20:]) and sums_to_zero(packet[28:48])
        hidden += [22, 23, 36, 38, 39]
    assert sums_to_zero(packet[:20])
    for place in hidden:
        packet[place] = 0
    return bytes(packet)


def test_nat_and_nf_tables() -> None:
    needs("nft", "ip")
    random = Random(1)
    with Simulation(NAT, seed=1, assertions=True) as simulation, router() as linux:
        introduce(simulation, PEER)
        tables = [simulation.tile(tile).registers.nat.mapping for tile in ("nat_rx", "nat_tx")]
        real, virtual = int.from_bytes(PEER.ip), 0x0A630009
        tables[0][9].write(from_ip=real, to_ip=virtual, valid=1)
        tables[1][9].write(from_ip=virtual, to_ip=real, valid=1)
        host = Host.from_manifest(simulation.manifest)
        server = Stack(host)  # behind Linux
        gateway = Station(mac_bytes(SERVER_MAC), host.gateway)
        server.process(padded(arp_request(gateway, host)))
        frames = [
            udp_frame(PEER, host, random.randbytes(length), source_port=40_000 + length)
            for length in (*range(24), 511, 512, 1471, 1472)
        ]
        frames += [udp_frame(PEER, host, b"bee", source_port=50_000, udp_checksum=0)]
        frames += [
            udp_frame(PEER, host, random.randbytes(length), port=9, source_port=51_000 + length)
            for length in range(6)
        ]
        for frame in frames:
            simulation.send(frame)
            simulation.advance_until_idle()
            (answer,) = simulation.receive_all()
            routed = mac_bytes(PEER_MAC) + frame[6:]
            arrived = linux.pass_on(linux.peer, linux.server, routed)
            assert arrived[26:30] == bytes((10, 99, 0, 9))
            (reply,) = server.process(arrived).replies
            returned = linux.pass_on(linux.server, linux.peer, reply)
            assert seen(answer.data) == seen(returned)
            simulation.advance(4_000_000)  # a token for the next error
        simulation.check()


# ---- ipip in user-mode Linux ----

SOFTWARE = """
written = False
def software(simulation):
    global written
    if not written:
        tunnel = simulation.tile("encapsulate").registers.ip_in_ip_encapsulate.tunnel
        tunnel[0].write(inner_ip=0x0A630001, outer_ip=0x0A4E0002, valid=1)
        written = True
"""
SETUP_TUNNEL = """
tunnel add t0 mode ipip local 10.78.0.2 remote 10.77.0.2 ttl 9
addr add 10.99.0.1/24 dev t0
link set t0 up
"""
# Of another host behind a router.
PROGRAM = """
found.update(pings=[], echoes=[], marks=[])
for size in (0, 56, 1451, 1452):
    found["pings"].append(" 0% packet loss" in run(
        "ping", "-c", "3", "-i", "0.2", "-W", "5", "-M", "do", "-s", str(size), "10.99.0.2"))
found["outside"] = " 0% packet loss" in run("ping", "-c", "2", "-W", "5", "10.77.0.2")
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(5)
client.connect(("10.99.0.2", 7))
client.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
for length in (0, 1, 7, 8, 99, 100, 1000, 1451, 1452):
    data = os.urandom(length)
    client.send(data)
    found["echoes"].append(client.recv(9999) == data)
for tos in (0, 1, 2, 0xB8):
    client.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
    client.send(b"bee")
    _, more, _, _ = client.recvmsg(99, 99)
    found["marks"].append(more[0][2][0])
closed = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
closed.settimeout(5)
closed.connect(("10.99.0.2", 9))
closed.send(b"anybody there?")
try:
    closed.recv(99)
except ConnectionRefusedError:
    found["refused"] = True
"""


def test_a_tunnel_to_linux(tmp_path: Path) -> None:
    """Another Linux, behind a router, reaches the inner address of the design by ipip."""
    needs("linux.uml", "ip", "ping")
    with starter(tmp_path) as start:
        live = start(TUNNEL, software=SOFTWARE)
        modules = ("net/ipv4/tunnel4", "net/ipv4/ip_tunnel", "net/ipv4/ipip")
        found = user_mode_linux.run(live, tmp_path, modules, SETUP_TUNNEL, PROGRAM)
        assert found == {
            "pings": [True] * 4,
            "outside": True,
            "echoes": [True] * 9,
            "marks": [0, 1, 2, 0xB8],
            "refused": True,
        }
        totals = live.stop()
        counters = {
            name: count
            for tile in totals["counters"].values()
            for name, count in tile.items()
            if ".ip_in_ip_" in name and count
        }
        sent = counters["event.ip_in_ip_encapsulate.encapsulated"]
        assert sent == 12 + 9 + 4 + 1
        assert not any(name.startswith("drop.") for name in counters)

# SPDX-License-Identifier: Apache-2.0
"""ICMP errors that paths report (RFC 9293, 3.9.2.2), in designs with tcp_errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bombus
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import PROTOCOL_ICMP, Host, icmp, ip_frame
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.support.live import ADDRESS, Live

pytestmark = pytest.mark.slow

ECHO = ROOT / "designs" / "tcp_echo.yaml"
HOST = ROOT / "docs" / "examples" / "tcp_host" / "tcp_host.yaml"
PORT_UNREACHABLE, HOST_UNREACHABLE = 3, 1

# A client behind a router whose next link has an MTU of 1,200 bytes: longer frames of the design
# are answered with ICMP errors. Argument: the design's address. Prints whether the echo was right.
ROUTED = """
import os, subprocess, sys, time
def run(*command):
    subprocess.run(command, check=True)
far = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo ready; exec sleep 300"],
                       stdout=subprocess.PIPE)
try:
    assert far.stdout.readline() == b"ready\\n"
    there = ["nsenter", "--net", "-t", str(far.pid)]
    run("ip", "link", "add", "near0", "type", "veth", "peer", "name", "far0", "netns", str(far.pid))
    run("ip", "address", "add", "10.78.0.1/24", "dev", "near0")
    run("ip", "link", "set", "near0", "up")
    run("ip", "route", "replace", "10.78.0.0/24", "dev", "near0", "mtu", "lock", "1200")
    run(*there, "ip", "address", "add", "10.78.0.2/24", "dev", "far0")
    run(*there, "ip", "link", "set", "far0", "up")
    run(*there, "ip", "route", "add", "default", "via", "10.78.0.1")
    open("/proc/sys/net/ipv4/ip_forward", "w").write("1")
    run(*there, sys.executable, "-c", sys.argv[2], sys.argv[1])
finally:
    far.kill()
"""
TALK = """
import os, socket, sys, threading
client = socket.create_connection((sys.argv[1], 7), timeout=60)
data = os.urandom(200_000)
threading.Thread(target=client.sendall, args=(data,)).start()
back = b""
while len(back) < len(data):
    back += client.recv(65536)
print("right" if back == data else "wrong", flush=True)
"""


def test_linux_behind_a_link_with_a_small_mtu(start: Callable[..., Live]) -> None:
    live = start(ECHO, assertions=True)
    assert live.python(ROUTED, ADDRESS, TALK) == "right"
    events: dict[str, Any] = live.stop()["counters"]["tcp"]
    assert events["event.tcp.path_mtu"] == 1


class Asking:
    """A design that asks for a connection, and the peer that is silent."""

    def __init__(self, design: Path, **options: Any) -> None:
        self.simulation = Simulation(design, assertions=True, **options)
        self.peer = neighbour(self.simulation.manifest)
        introduce(self.simulation, self.peer)
        self.opening = bombus.sockets(self.simulation).open(".".join(map(str, self.peer.ip)), 80)
        (self.syn,) = self.segments(100)

    def segments(self, us: int) -> list[bytes]:
        """IP packets that it sends meanwhile."""
        self.simulation.elapse(us=us)
        bombus.sockets(self.simulation).poll()
        frames = []
        while (frame := self.simulation.receive(timeout_cycles=0)) is not None:
            frames.append(frame.data[14:])
        return frames

    def report(self, code: int, *, ahead: int = 0) -> list[bytes]:
        """An ICMP error of the SYN, or of a segment ahead of it."""
        seq = (int.from_bytes(self.syn[24:28]) + ahead) % (1 << 32)
        quoted = self.syn[:24] + seq.to_bytes(4)
        host = Host.from_manifest(self.simulation.manifest)
        frame = ip_frame(self.peer, host, PROTOCOL_ICMP, icmp(3, code, 0, quoted))
        self.simulation.send(frame)
        return self.segments(100)

    def counted(self, event: str) -> int:
        return int(self.simulation.counters()["tcp"][f"event.tcp.{event}"])


@pytest.mark.parametrize("code", [2, PORT_UNREACHABLE])
def test_a_connection_that_is_asked_for_is_refused(code: int) -> None:
    asking = Asking(HOST)
    with asking.simulation:
        assert not asking.report(code, ahead=1)
        assert not asking.report(code, ahead=-1)
        assert not asking.opening.error
        assert asking.counted("unused_error") == 2
        assert not asking.report(code)
        assert "refused" in asking.opening.error
        assert asking.counted("unreachable") == 1
        # Nothing of the session is left: the SYN does not go again.
        assert not asking.segments(2_000_000)
        asking.simulation.check()


def test_a_host_out_of_reach_is_asked_again() -> None:
    asking = Asking(HOST)
    with asking.simulation:
        assert not asking.report(HOST_UNREACHABLE)
        assert not asking.opening.error
        assert asking.counted("unreachable") == 1
        (again,) = asking.segments(1_100_000)
        assert again[20:28] == asking.syn[20:28]
        asking.simulation.check()

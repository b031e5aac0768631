# SPDX-License-Identifier: Apache-2.0
"""Linux's TCP talks to the TCP engine: bytes there and back, connections opened and closed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.support.live import ADDRESS, Live

pytestmark = pytest.mark.slow

DESIGN = ROOT / "designs" / "tcp_echo.yaml"
PORT = 7
CONNECTIONS = 48
# As small as it gets (docs/protocols/tcp/tcp.md).
SERVER_ONLY = (
    "active_open: false, any_layout: false, strip_headers: false, duplicate_sack: false, "
    "num_gaps: 0, timestamps: false"
)

# Sends bytes on each of some connections at once, closes its side, and compares the echo.
# Arguments: address, port, bytes, connections, rounds, congestion control (empty: Linux's default).
ECHO = """
import os, socket, sys, threading
address, port, size, connections, rounds = sys.argv[1], *map(int, sys.argv[2:6])
congestion = sys.argv[6].encode()
right = []
def talk():
    data = os.urandom(size)
    client = socket.create_connection((address, port), timeout=60)
    if congestion:
        option = socket.IPPROTO_TCP, socket.TCP_CONGESTION
        client.setsockopt(*option, congestion)
        assert client.getsockopt(*option, 16).rstrip(b"\\0") == congestion
    def send():
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
    sender = threading.Thread(target=send)
    sender.start()
    back = b""
    while part := client.recv(65536):
        back += part
    sender.join()
    client.close()
    right.append(back == data)
for _ in range(rounds):
    threads = [threading.Thread(target=talk) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(right.count(True))
"""

# Connects to a port without a listener.
REFUSED = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=10)
except ConnectionRefusedError:
    print("refused")
"""

# One byte there and back, many times; then a reset instead of an end.
ABORT = """
import socket, struct, sys
client = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=20)
client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for n in range(200):
    client.sendall(bytes([n]))
    assert client.recv(10) == bytes([n])
client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
client.close()
print("reset")
"""


# Linux's TCP counters (in the test's namespace).
COUNTS = """
lines = [line.split()[1:] for line in open("/proc/net/netstat") if line.startswith("TcpExt")]
counts = dict(zip(*lines))
print(*(counts[name] for name in ("TCPSackRecovery", "TCPRenoRecovery")))
"""

# Segments that Linux sent again.
SENT_AGAIN = """
lines = [line.split()[1:] for line in open("/proc/net/snmp") if line.startswith("Tcp:")]
print(dict(zip(*lines))["RetransSegs"])
"""


# Has Linux offer ECN.
OFFER_ECN = """
with open("/proc/sys/net/ipv4/tcp_ecn", "w") as file:
    file.write("1")
"""

# What has been agreed on: TCPI_OPT_TIMESTAMPS and TCPI_OPT_SACK of tcpi_options.
AGREED = """
import socket, sys
client = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=20)
print(client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 8)[5] & 3)
"""

# Received packets that routers may mark.
MARKABLE = """
lines = [line.split()[1:] for line in open("/proc/net/netstat") if line.startswith("IpExt")]
print(dict(zip(*lines))["InECT0Pkts"])
"""


def echo(live: Live, size: int, connections: int = 1, rounds: int = 1, congestion: str = "") -> int:
    """Connections whose bytes were all echoed."""
    return int(live.python(ECHO, ADDRESS, PORT, size, connections, rounds, congestion))


def events(report: dict[str, Any]) -> dict[str, int]:
    """The engine's counters."""
    tile = report["counters"]["tcp"]
    return {name.removeprefix("event.tcp."): value for name, value in tile.items()}


def test_linux_hears_its_bytes(start: Callable[..., Live]) -> None:
    for _ in range(3):
        live = start(DESIGN, assertions=True)
        for size in (0, 1, 1447, 1448, 1449, 100_000):
            assert echo(live, size) == 1
        assert echo(live, 20_000, connections=8) == 8
        # More connections than sessions, one after the other: none is lost.
        assert echo(live, 10, connections=4, rounds=CONNECTIONS // 4) == CONNECTIONS
        assert live.python(REFUSED, ADDRESS, 8) == "refused"
        assert live.python(ABORT, ADDRESS, PORT) == "reset"
        assert echo(live, 1000) == 1
        # On a busy machine segments are so late that they are sent again: what comes after the end
        # of its connection is refused. If they are too many, the whole is repeated. This test
        # does not count timeouts; test_tcp_recovery.py does, in virtual time.
        sent_again = int(live.python(SENT_AGAIN))
        counted = events(live.stop())
        again = sent_again + counted["repeat"]
        most = 1 + min(again, CONNECTIONS // 4)
        if counted["refused"] <= most or again <= CONNECTIONS // 4:
            break
    assert 1 <= counted["refused"] <= most


def test_linux_over_a_bad_link(start: Callable[..., Live]) -> None:
    impaired = {"loss": 0.05, "reorder": 0.02, "duplicate": 0.02}
    live = start(
        DESIGN,
        assertions=True,
        impair_rx={**impaired, "seed": 1},
        impair_tx={**impaired, "seed": 2},
    )
    assert echo(live, 80_000, connections=3) == 3
    by_sack, without = map(int, live.python(COUNTS).split())
    assert by_sack > 0
    assert without == 0
    counted = events(live.stop())
    assert counted["repeat"] > 0
    assert counted["hole"] > 0
    assert counted["out_of_order"] > 0


# The kernel's own list; a machine without one has no test of it.
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
CONTROLS = sorted(AVAILABLE.read_text().split()) if AVAILABLE.exists() else []


@pytest.mark.parametrize("control", CONTROLS)
def test_linux_with_each_congestion_control(start: Callable[..., Live], control: str) -> None:
    live = start(DESIGN, assertions=True)
    assert echo(live, 300_000, connections=2, congestion=control) == 2
    live.stop()


@pytest.mark.parametrize("control", CONTROLS)
def test_each_congestion_control_over_a_link_that_loses(
    start: Callable[..., Live], control: str
) -> None:
    losses = {"impair_rx": {"loss": 0.05, "seed": 7}, "impair_tx": {"loss": 0.05, "seed": 8}}
    live = start(DESIGN, assertions=True, **losses)
    assert echo(live, 100_000, connections=2, congestion=control) == 2
    counted = live.stop()["ports"][0]["lost"]
    assert min(counted) > 0


def with_options(folder: Path, options: str) -> Path:
    text = DESIGN.read_text("utf-8")
    assert text.count("kind: tcp,") == 1
    design = folder / "tcp_options.yaml"
    design.write_text(text.replace("kind: tcp,", f"kind: tcp, {options},"))
    return design


@pytest.mark.sweep
def test_linux_with_the_least_engine(start: Callable[..., Live], tmp_path: Path) -> None:
    impaired = {"loss": 0.02, "reorder": 0.01, "duplicate": 0.01}
    live = start(
        with_options(tmp_path, SERVER_ONLY),
        assertions=True,
        impair_rx={**impaired, "seed": 5},
        impair_tx={**impaired, "seed": 6},
    )
    for size in (0, 1, 1449):
        assert echo(live, size) == 1
    assert live.python(AGREED, ADDRESS, PORT) == "0"
    assert echo(live, 50_000, connections=3) == 3
    assert live.python(REFUSED, ADDRESS, 8) == "refused"
    assert live.python(ABORT, ADDRESS, PORT) == "reset"
    counted = events(live.stop())
    assert counted["repeat"] > 0
    assert counted["odd_options"] == 0


@pytest.mark.sweep
def test_linux_over_a_bad_link_with_all_that_tcp_has(
    start: Callable[..., Live], tmp_path: Path
) -> None:
    design = with_options(tmp_path, "ecn: true, cubic: true, keepalive_s: 60, user_timeout_s: 60")
    impaired = {"loss": 0.05, "reorder": 0.02, "duplicate": 0.02}
    live = start(
        design,
        assertions=True,
        impair_rx={**impaired, "seed": 3},
        impair_tx={**impaired, "seed": 4},
    )
    live.python(OFFER_ECN)
    assert echo(live, 80_000, connections=3) == 3
    assert int(live.python(MARKABLE)) > 100
    assert events(live.stop())["repeat"] > 0

# SPDX-License-Identifier: Apache-2.0
"""TCP kernels with plain AXI-Streams, behind tcp_stream, against Linux."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from support.live import ADDRESS, Live
from test_tcp import ABORT, ECHO

DESIGN = Path(__file__).parents[2] / "docs" / "examples" / "tcp_kernel" / "tcp_kernel.yaml"
PORT = 7


def echo(live: Live, size: int, connections: int = 1, rounds: int = 1) -> int:
    """Connections whose bytes have all come back."""
    return int(live.python(ECHO, ADDRESS, PORT, size, connections, rounds))


# Sends bytes, closes its side, and prints what is answered. Arguments: address, sizes.
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


def test_linux_hears_its_bytes(start: Callable[..., Live]) -> None:
    live = start(DESIGN, assertions=True)
    for size in (0, 1, 63, 64, 65, 2047, 2048, 2049, 200_000):
        assert echo(live, size) == 1
    assert echo(live, 20_000, connections=12) == 12
    # More connections than sessions, one after the other, and some that are reset.
    for _ in range(6):
        assert live.python(ABORT, ADDRESS, PORT) == "reset"
        assert echo(live, 10, connections=4, rounds=3) == 12
    sizes = (0, 1, 5000, 200_000)
    assert live.python(COUNT, ADDRESS, *sizes).splitlines() == [f"{size} 4" for size in sizes]
    counted = live.stop()["counters"]["echo"]
    assert counted["event.tcp_stream.sent"] > 100

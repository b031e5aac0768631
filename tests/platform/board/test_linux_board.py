# SPDX-License-Identifier: Apache-2.0
"""Linux talks to a board in simulation: through preamble, FCS and the clocks of the MACs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import ROOT
from tests.support.live import ADDRESS, starter

pytestmark = pytest.mark.slow
DESIGN = ROOT / "designs" / "udp_echo_1g.yaml"
BOARD = "versa_ecp5"
ECHO_PORT = 7

# Sends datagrams of many lengths, eight in flight, and compares the replies. Arguments: address,
# port, greatest length.
ECHO = """
import os, socket, sys
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(10)
client.connect((sys.argv[1], int(sys.argv[2])))
lengths = [*range(40), *range(40, int(sys.argv[3]) + 1, 97), int(sys.argv[3])]
def echo(lengths):
    messages = [os.urandom(length) for length in lengths]
    for message in messages:
        client.send(message)
    for message in messages:
        assert client.recv(2000) == message, len(message)
echo(lengths[:1])  # Linux keeps the order once it has resolved the address
for start in range(1, len(lengths), 8):
    echo(lengths[start : start + 8])
print(len(lengths))
"""


def test_linux_pings_and_echoes_through_the_macs(tmp_path: Path) -> None:
    ping = shutil.which("ping")
    with starter(tmp_path) as start:
        # As other tests of the board run it.
        live = start(DESIGN, board=BOARD, assertions=False)
        if ping:
            for size in (0, 18, 19, 56, 1472):
                shown = live.run([ping, "-c", "1", "-W", "5", "-s", str(size), ADDRESS])
                assert ", 1 received" in shown, shown
        assert int(live.python(ECHO, ADDRESS, ECHO_PORT, 1472)) > 50
        totals = live.stop()
    for tile in totals["counters"].values():
        assert not any(count for name, count in tile.items() if name.startswith("drop")), tile

# SPDX-License-Identifier: Apache-2.0
"""netcat, as a client of the TCP engine and as a server that it connects to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests import ROOT
from tests.protocols.stack.test_linux import ECHO_PORT, OUR_ADDRESS, program
from tests.support.live import ADDRESS, Live

pytestmark = pytest.mark.slow

ECHO = ROOT / "designs" / "tcp_echo.yaml"
HOST = ROOT / "docs" / "examples" / "tcp_host" / "tcp_host.yaml"
PORT = 5002
CHARACTERS = 100_000

# Connects to netcat, sends a file, and closes once netcat has: before that, all that has come is
# in another file.
DIAL = """
import bombus
from pathlib import Path
opening = connection = None
came = bytearray()
def software(simulation):
    global opening, connection
    bombus.sockets(simulation).poll()
    # netcat may not listen yet: then Linux refuses, and the design tries again.
    if opening is None or opening.error:
        opening = bombus.sockets(simulation).open({address!r}, {port})
    if opening.connection and connection is None:
        connection = opening.connection
        connection.write(Path({given!r}).read_bytes())
    if connection is not None and not connection.is_closed:
        came.extend(connection.read())
        if connection.at_end:
            Path({result!r}).write_bytes(came)
            connection.close()
"""


def text(seed: int) -> str:
    return Random(seed).randbytes(CHARACTERS // 2).hex()


def test_netcat_hears_its_bytes(start: Callable[..., Live]) -> None:
    live = start(ECHO, assertions=True)
    command = [program("nc"), "-N", ADDRESS, str(ECHO_PORT)]
    for sent in ("hello\n", text(1)):
        assert live.run(command, input=sent) == sent
    live.stop()


def test_netcat_listens(start: Callable[..., Live], tmp_path: Path) -> None:
    netcat = program("nc")
    given, result = tmp_path / "given", tmp_path / "result"
    given.write_text(text(2))
    software = DIAL.format(address=OUR_ADDRESS, port=PORT, given=str(given), result=str(result))
    live = start(HOST, assertions=True, software=software)
    assert live.run([netcat, "-l", "-N", str(PORT)], input=text(3)) == text(2)
    assert result.read_text() == text(3)
    live.stop()

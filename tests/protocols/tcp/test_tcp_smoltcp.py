# SPDX-License-Identifier: Apache-2.0
"""smoltcp, a TCP in Rust that has nothing to do with Linux's, talks to the engine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests import ROOT
from tests.protocols.tcp import smoltcp
from tests.support.live import ADDRESS, INTERFACE, Live

pytestmark = pytest.mark.slow

DESIGNS = ROOT / "designs"
HOST = ROOT / "docs" / "examples" / "tcp_host" / "tcp_host.yaml"
PEER = "10.77.0.81"
SIZES = (0, 1, 1460, 1461, 20_000, 1_000_000)
LONG = 100_000_000
LONG_SECONDS = 3600.0

# Connects to the peer's echo server, sends bytes, and prints the sums of both directions.
# `{size}`: how many.
CLIENT = """
import bombus
import hashlib, random, sys
data = random.Random(1).randbytes({size})
came = hashlib.sha256()
opening = connection = None
got = 0
def software(simulation):
    global opening, connection, got
    bombus.sockets(simulation).poll()
    if opening is None:
        opening = bombus.sockets(simulation).open({peer!r}, 700)
    if connection is None and opening.connection:
        connection = opening.connection
        connection.write(data)
    if connection is None or got < 0:
        return
    part = connection.read()
    came.update(part)
    got += len(part)
    if got == len(data):
        connection.close()
        got = -1
        same = came.digest() == hashlib.sha256(data).digest()
        open({result!r}, "w").write("same" if same else "other")
"""


def exchange(live: Live, folder: Path, sizes: tuple[int, ...]) -> None:
    """Files on separate connections, all at once; the echoes have the same sums."""
    files = []
    for number, size in enumerate(sizes):
        files.append(folder / f"{number}")
        files[-1].write_bytes(Random(f"{number} {size}").randbytes(size))
    command = [str(smoltcp.program()), INTERFACE, PEER, "client", ADDRESS, "7"]
    live.run([*command, *map(str, files)], timeout=LONG_SECONDS)
    for file in files:
        back = file.with_name(file.name + ".back")
        sums = [hashlib.sha256(each.read_bytes()).hexdigest() for each in (file, back)]
        assert sums[0] == sums[1]


@pytest.mark.parametrize("link", ["clean", "impaired"])
def test_smoltcp_hears_its_bytes(start: Callable[..., Live], tmp_path: Path, link: str) -> None:
    impaired = {"loss": 0.02, "reorder": 0.02, "duplicate": 0.02}
    options = {
        "clean": {},
        "impaired": {"impair_rx": {**impaired, "seed": 1}, "impair_tx": {**impaired, "seed": 2}},
    }
    smoltcp.program()
    live = start(DESIGNS / "tcp_echo.yaml", assertions=True, **options[link])
    exchange(live, tmp_path, SIZES if link == "clean" else (1, 5_000, 50_000))
    live.stop()


@pytest.mark.sweep
def test_smoltcp_hears_a_hundred_megabytes(start: Callable[..., Live], tmp_path: Path) -> None:
    smoltcp.program()
    live = start(DESIGNS / "tcp_echo.yaml", assertions=True)
    exchange(live, tmp_path, (LONG,))
    live.stop()


@pytest.mark.parametrize("size", [1_000_000, pytest.param(LONG, marks=pytest.mark.sweep)])
def test_the_engine_connects_to_smoltcp(
    start: Callable[..., Live], tmp_path: Path, size: int
) -> None:
    program = smoltcp.program()
    result = tmp_path / "result"
    software = CLIENT.format(size=size, peer=PEER, result=str(result))
    live = start(HOST, assertions=True, software=software)
    live.run([str(program), INTERFACE, PEER, "server", "700", "1"], timeout=LONG_SECONDS)
    assert result.read_text() == "same"
    live.stop()

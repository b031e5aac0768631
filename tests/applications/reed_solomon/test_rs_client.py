# SPDX-License-Identifier: Apache-2.0
"""The client of the Reed-Solomon service, as a Linux program beside a live design."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bombus.applications.reed_solomon import client as rs_client
from bombus.live.interface import MAX_MTU
from tests import DESIGNS as TEST_DESIGNS
from tests import ROOT
from tests.support.live import ADDRESS, Live

pytestmark = pytest.mark.slow

WIDE = ROOT / "designs" / "rs.yaml"
NARROW = TEST_DESIGNS / "rs_64.yaml"
CLIENT = [sys.executable, "-m", "bombus.applications.reed_solomon.client"]
# As in the design files.
NARROW_CODE = ["--shard-bytes", "128", "--matrix", "cauchy"]
LOST = ((0, 1), (3, 8), (8, 9))


def client(live: Live, *arguments: object) -> str:
    return live.run([*CLIENT, *map(str, arguments)])


def lose_and_recover(file: Path, folder: Path) -> None:
    """Two shards at a time are really deleted; the command restores the file."""
    again = folder / "again"
    for lost in LOST:
        saved = {rs_client.shard_file(folder, number): b"" for number in lost}
        for path in saved:
            saved[path] = path.read_bytes()
            path.unlink()
        subprocess.run([*CLIENT, "decode", folder, again], check=True, stdout=subprocess.DEVNULL)
        assert again.read_bytes() == file.read_bytes()
        for path, content in saved.items():
            path.write_bytes(content)


def test_a_file_survives_the_loss_of_two_shards(start: Any, tmp_path: Path) -> None:
    """Blocks of 4 KiB, with 512 bits a cycle."""
    file, folder = tmp_path / "file", tmp_path / "shards"
    file.write_bytes(Random(1).randbytes(300_001))
    live = start(WIDE, mtu=MAX_MTU, assertions=True)
    shown = client(live, "encode", file, folder, ADDRESS)
    assert "74 blocks, 10 shards" in shown
    lose_and_recover(file, folder)
    counters = live.stop()["counters"]["rs"]
    assert counters["event.rs_encode.encoded"] >= 74
    assert not any(value for name, value in counters.items() if name.startswith("drop."))


def test_a_rough_network(start: Any, tmp_path: Path) -> None:
    """Requests and answers get lost, doubled, reordered and damaged: every block is right."""
    file, folder = tmp_path / "file", tmp_path / "shards"
    file.write_bytes(Random(2).randbytes(200_000))
    rough = {"loss": 0.05, "duplicate": 0.05, "reorder": 0.1, "corrupt": 0.05, "seed": 5}
    live = start(NARROW, impair_rx=rough, impair_tx={**rough, "seed": 6})
    shown = client(live, "encode", file, folder, ADDRESS, *NARROW_CODE, "--timeout", "0.1")
    assert " 0 requests repeated" not in shown
    lose_and_recover(file, folder)
    live.stop()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--shard-bytes", "64", "--timeout", "0.02"], "does not answer requests of 512 bytes"),
        (["--port", "1083"], "the port is closed"),
        (["--matrix", "power"], "returned different parity than --matrix power"),
        (["--shard-bytes", "512"], "cannot be sent: Message too long"),
    ],
    ids=["wrong size", "closed port", "matrix", "MTU"],
)
def test_the_client_says_what_is_wrong(
    start: Any, tmp_path: Path, options: list[str], complaint: str
) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(1000))
    live = start(NARROW)
    given = [*NARROW_CODE, *options]
    command = [*CLIENT, "encode", file, tmp_path / "shards", ADDRESS, *given]
    result = live.namespace.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 1
    assert complaint in result.stderr
    live.stop()

# SPDX-License-Identifier: Apache-2.0
"""The client on Linux: a CSV file in, log-likelihoods out, over UDP and TCP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bombus.applications import spn
from bombus.base.paths import EXAMPLES
from tests.support.live import ADDRESS, starter

pytestmark = [pytest.mark.slow, pytest.mark.sweep]

MODEL = EXAMPLES / "spn" / "machine.spn"
NARROW: dict[str, Any] = {"line_rate_gbps": 10, "clock_mhz": 156.25}
MISSING = 255
LOSS = {"impair_rx": {"loss": 0.001, "seed": 3}, "impair_tx": {"loss": 0.001, "seed": 4}}
LARGE = 10_000_000  # bytes
# Requests without reading the replies, until no buffer has space; then another connection's
LAZY = """
import socket, sys
from pathlib import Path
from bombus.applications.spn import client, messages
address, rows = (sys.argv[1], client.DEFAULT_PORT), client.read(Path(sys.argv[2]))
lazy = socket.socket()
lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
lazy.settimeout(2)
lazy.connect(address)
try:
    while True:
        lazy.sendall(messages.request(rows[:400]))
except OSError:  # there is no space, or the connection has been reset
    pass
for each in client.log_likelihoods(address, rows, tcp=True):
    print(each)
"""
CLIENT = "from bombus.applications.spn.client import main; main()"


def samples(count: int, variables: int) -> npt.NDArray[np.int64]:
    random = np.random.default_rng(6)
    values = random.integers(0, 60, (count, variables))
    return np.where(random.random(values.shape) < 0.03, MISSING, values)


def write_csv(file: Path, rows: npt.NDArray[np.int64]) -> None:
    with file.open("w") as output:
        for row in rows.tolist():
            output.write(",".join("" if each == MISSING else str(each) for each in row) + "\n")


@pytest.mark.parametrize(
    ("transport", "count", "options"),
    [("udp", 5000, {}), ("tcp", 5000, {}), ("tcp", LARGE // 10, LOSS)],
    ids=["udp", "tcp", "tcp with loss"],
)
def test_client(transport: str, count: int, options: dict[str, Any], tmp_path: Path) -> None:
    found = spn.compile(spn.read(MODEL), tmp_path, transport=transport, **NARROW)
    design = spn.write_design(found, tmp_path, data_width=64, **NARROW)
    rows = samples(count, len(found.pipeline.lowered.network.variables))
    file, expected = tmp_path / "samples.csv", found.pipeline.log_likelihoods(rows)
    write_csv(file, rows)
    with starter(tmp_path) as start:
        live = start(design, **options)
        arguments = [str(file), ADDRESS] + (["--tcp"] if transport == "tcp" else [])
        code = f"import sys; sys.argv[1:] = {arguments!r}; {CLIENT}"
        output = live.python(code, seconds=1200)
        totals = live.stop()
    likelihoods = np.array(output.split(), dtype=np.float64)
    assert likelihoods.shape == expected.shape
    assert np.max(np.abs(likelihoods - expected)) <= 1e-6
    if options:
        assert totals["counters"]["tcp"]["event.tcp.repeat"] > 0


def test_a_client_stops_reading(tmp_path: Path) -> None:
    """Its connection is reset; another client gets its likelihoods."""
    found = spn.compile(spn.read(MODEL), tmp_path, transport="tcp", **NARROW)
    design = spn.write_design(found, tmp_path, data_width=64, **NARROW)
    text = design.read_text()
    stream = f"tcp_port: {found.udp_port}"
    assert stream in text and "131072" in text
    text = text.replace(stream, f"{stream}, patience_us: 5000").replace("131072", "16384")
    design.write_text(text)
    rows = samples(1000, len(found.pipeline.lowered.network.variables))
    file = tmp_path / "samples.csv"
    write_csv(file, rows)
    with starter(tmp_path) as start:
        live = start(design)
        output = live.python(LAZY, ADDRESS, file)
        totals = live.stop()
    likelihoods = np.array(output.split(), dtype=np.float64)
    assert likelihoods == pytest.approx(found.pipeline.log_likelihoods(rows), abs=1e-6)
    assert totals["counters"]["network"]["event.tcp_stream.impatient"] == 1

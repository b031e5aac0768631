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

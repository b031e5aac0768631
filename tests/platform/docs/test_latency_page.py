# SPDX-License-Identifier: Apache-2.0
"""The page on measuring latency shows what its program prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bombus.simulator.build import build
from bombus.simulator.frames import Exchange, Sent, latencies
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.platform.docs.documents import DOCS, EXAMPLES

DESIGN = "designs/udp_echo_1g.yaml"


@pytest.mark.slow
def test_the_page_shows_what_the_program_prints() -> None:
    assert build(ROOT / DESIGN).path.exists()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    program = str(Path("latency") / "latency.py")
    command = [sys.executable, str(EXAMPLES / program), str(ROOT / DESIGN)]
    result = subprocess.run(command, env=environment, check=True, text=True, capture_output=True)
    page = (DOCS / "latency.md").read_text()
    shown = f"```\n$ python docs/examples/{program} {DESIGN}\n{result.stdout}```"
    assert shown in page, result.stdout


def test_names_on_the_page_exist() -> None:
    page = (DOCS / "latency.md").read_text()
    for name in ("exchange", "pace", "impair", "line_rate", "wave_start", "wave_stop"):
        assert name in page
        assert hasattr(Simulation, name)
    for name in ("sent", "received", "cycles", "timed_out"):
        assert name in page
        assert name in Exchange.__dataclass_fields__
    for name in ("first_beat_cycle", "last_beat_cycle", "time_ns"):
        assert name in page
        assert name in Sent.__dataclass_fields__
    assert latencies.__name__ in page

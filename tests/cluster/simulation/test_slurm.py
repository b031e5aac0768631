# SPDX-License-Identifier: Apache-2.0
"""The example for SLURM, with a stand-in for `srun` that starts two ranks by mpirun."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.cluster.simulation.ring import ring
from tests.cluster.simulation.test_ranks import mpirun

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("beat_board")]

SCRIPT = ROOT / "docs" / "examples" / "cluster" / "run.slurm"


def test_the_script_runs_on_two_ranks(tmp_path: Path) -> None:
    values: dict[str, Any] = asdict(ring(4, chords=False))
    for board in values["boards"]:
        board["design"] = str(board["design"])
    design = tmp_path / "cluster.json"
    design.write_text(json.dumps(values))
    programs = tmp_path / "bin"
    programs.mkdir()
    commands = {
        "srun": f'[ "$1" = --kill-on-bad-exit=1 ] && shift && exec {mpirun()} -n 2 "$@"',
        "bombus": f'exec {sys.executable} -m bombus.cli "$@"',
    }
    for name, command in commands.items():
        (programs / name).write_text(f"#!/bin/sh\n{command}\n")
        (programs / name).chmod(0o755)
    script = tmp_path / "run.slurm"
    text = SCRIPT.read_text()
    assert text.count("1000000") == 1
    script.write_text(text.replace("1000000", "20000"))
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "SLURM_JOB_ID": "7",
    }
    done = subprocess.run(
        ["bash", script, design],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "cluster-7.json").read_text())
    assert (found["ranks"], found["cycles"], len(found["boards"])) == (2, 20_000, 4)

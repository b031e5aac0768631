# SPDX-License-Identifier: Apache-2.0
"""Run Yosys in its own process: `python -m bombus.measure.synthesis <request.json>`.

A process, since Yosys writes its log to the process's standard output, keeps
global state and its memory, and ends the process on an error.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from bombus.base import paths
from bombus.base.errors import UserError
from bombus.base.extras import require


@dataclass(frozen=True)
class Request:
    """One synthesis for UltraScale+; all paths are relative to the working folder."""

    top: str
    file_list: str
    flatten: bool
    statistics: str  # Yosys's `stat -json` goes here


def run(request: Request, folder: Path) -> tuple[dict[str, object], str]:
    """Synthesises in `folder`; returns Yosys's statistics and its log.

    Raises UserError with Yosys's words if it does not accept the design.
    """
    require("pyosys", "bombus area", "Yosys", "area")
    (folder / "request.json").write_text(json.dumps(asdict(request)), encoding="utf-8")
    log_file = folder / "yosys.log"
    command = [sys.executable, "-m", "bombus.measure.synthesis", "request.json"]
    environment = os.environ | {"PYTHONPATH": str(paths.PACKAGE.parent)}
    with log_file.open("w") as log:
        result = subprocess.run(
            command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
    text = log_file.read_text(errors="replace")
    if result.returncode != 0:
        lines = text.splitlines()
        errors = [line for line in lines if "error" in line.lower()] or lines[-5:]
        raise UserError(f"Yosys rejects {request.top}:\n" + "\n".join(errors[:12]))
    return json.loads((folder / request.statistics).read_text()), text


def _main(request: Request) -> None:
    from pyosys import libyosys

    design = libyosys.Design()
    hierarchy = "" if request.flatten else "--keep-hierarchy "
    flatten = "-flatten " if request.flatten else ""
    for command in (
        f"read_slang {hierarchy}-F {request.file_list} --top {request.top}",
        f"synth_xilinx -family xcup {flatten}-noiopad -top {request.top}",
        f"tee -o {request.statistics} stat -json",
    ):
        libyosys.run_pass(command, design)


if __name__ == "__main__":
    _main(Request(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))

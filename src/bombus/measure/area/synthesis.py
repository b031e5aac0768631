# SPDX-License-Identifier: Apache-2.0
"""Run Yosys in its own process: `python -m bombus.measure.area.synthesis <passes.json>`.

A process, since Yosys writes its log to the process's standard output, keeps
global state and its memory, and ends the process on an error.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bombus.base import paths
from bombus.base.errors import UserError

# Of Yosys, of its reader of SystemVerilog, and of slang.
_ERROR = re.compile(r"ERROR: |\S+:\d+: ERROR: |\S+:\d+:\d+: (fatal )?error: ")
_TOLD = 12  # lines of Yosys's log in an error


def run(passes: Sequence[str], folder: Path, what: str) -> str:
    """Runs passes of Yosys in `folder`, to which their paths are relative; returns its log.

    Raises UserError with Yosys's message if it does not accept `what`.
    """
    (folder / "passes.json").write_text(json.dumps(passes), encoding="utf-8")
    log_file = folder / "yosys.log"
    command = [sys.executable, "-P", "-m", __spec__.name, "passes.json"]
    environment = os.environ | {"PYTHONPATH": str(paths.PACKAGE.parent)}
    with log_file.open("w") as log:
        result = subprocess.run(
            command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
    text = log_file.read_text(errors="replace")
    if result.returncode != 0:
        raise UserError(f"Yosys rejects {what}:\n" + "\n".join(errors(text)))
    return text


def errors(log: str) -> list[str]:
    """The lines of Yosys's or slang's log that report errors, otherwise the last lines.

    Signals and passes may have "error" in their names.
    """
    lines = log.splitlines()
    found = [line for line in lines if _ERROR.match(line)]
    return (found or lines[-5:])[:_TOLD]


def _main(passes: Sequence[str]) -> None:
    from pyosys import libyosys

    design = libyosys.Design()
    for each in passes:
        libyosys.run_pass(each, design)


if __name__ == "__main__":
    _main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))

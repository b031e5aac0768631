# SPDX-License-Identifier: Apache-2.0
"""Commands that pages show, run in a clean folder, and compared with the output that is shown.

A block of code in which lines begin with `$ ` has commands, each with the output that follows it;
other blocks without a language, of `sh` or of `console`, are commands if they begin with a program
of PROGRAMS, and show no output. In an output `...` stands for anything.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests import ROOT
from tests.platform.docs.documents import blocks

PROGRAMS = (
    "bombus",
    "python",
    "unshare",
    "make",
    ".",
    "ping",
    "ip",
    "echo",
    "export",
    "dask",
)
LANGUAGES = ("", "sh", "console")
COPIED = ("docs/examples", "designs", "sweeps")  # commands may write there
LINKED = ("sim", "clients", "tests", "benchmarks")
SECONDS = 1200


@dataclass(frozen=True)
class Command:
    """What to type, over several lines if a quotation is open, and lines that it prints."""

    text: str
    output: tuple[str, ...] = ()


def _is_open(text: str) -> bool:
    """Whether a shell would wait for the rest of the command."""
    return text.count("'") % 2 == 1 or text.endswith("\\")


def commands(page: Path) -> Iterator[Command]:
    for block in blocks(page):
        if block.file or block.language not in LANGUAGES:
            continue
        lines = block.text.splitlines()
        if not any(line.startswith("$ ") for line in lines):
            if lines[0].split()[0] in PROGRAMS:
                yield Command("\n".join(lines))
            continue
        text, output = "", []
        for line in lines:
            if text and _is_open(text):
                text += f"\n{line}"
            elif line.startswith("$ "):
                if text:
                    yield Command(text, tuple(output))
                text, output = line.removeprefix("$ "), []
            else:
                output.append(line)
        yield Command(text, tuple(output))


def folder_of(place: Path) -> Path:
    """A folder in which a page's paths exist, without anything that was built."""
    for name in COPIED:
        shutil.copytree(ROOT / name, place / name)
    for name in LINKED:
        (place / name).symlink_to(ROOT / name)
    return place


def environment(home: Path) -> dict[str, str]:
    """Only what a new shell has, this Python's programs, and the cache of simulators."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    kept = {name: os.environ[name] for name in ("BOMBUS_CACHE", "LANG") if name in os.environ}
    return {"PATH": programs, "PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(home), **kept}


def matches(shown: Sequence[str], printed: str) -> bool:
    """Whether lines that a page shows are printed in this order, others perhaps between them, such
    as those of a build. Spaces and line breaks count as one space: the page may wrap lines."""
    parts = [part for line in shown for part in line.split("...")]
    pattern = ".*?".join(re.escape(" ".join(part.split())) for part in parts)
    return re.search(pattern, " ".join(printed.split())) is not None


def run(command: Command, folder: Path, variables: dict[str, str]) -> None:
    result = subprocess.run(
        ["bash", "-e", "-c", command.text],
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
    )
    fails = any("possible deadlock" in line for line in command.output)  # as the page says
    assert (result.returncode != 0) == fails, f"{command.text}\n{result.stdout[-5000:]}"
    assert matches(command.output, result.stdout), f"{command.text}\n{result.stdout[-5000:]}"

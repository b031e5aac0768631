# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/other-benches.md do what the page shows: the design in other benches.

A section is run again only if the generated design, an example, the page or a tool has changed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from bombus.base.cache import cached_directory, content_key
from bombus.simulator import verilator
from tests import ROOT
from tests.platform.docs.documents import BLOCK, DOCS, EXAMPLES

pytestmark = pytest.mark.slow

PAGE = DOCS / "other-benches.md"
START = "Start"
QUICK = "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"  # for make: compiles in half the time
PACKAGES = ("cocotb", "cocotbext-axi", "edalize", "fusesoc", "liteeth", "litex")


def commands(section: str) -> list[tuple[str, list[str]]]:
    """Commands that a section of the page shows, each with lines that it prints."""
    text = PAGE.read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    found: list[tuple[str, list[str]]] = []
    for match in BLOCK.finditer(text):
        for line in match[3].splitlines() if match[3].startswith("$ ") else ():
            if line.startswith("$ "):
                found.append((line.removeprefix("$ "), []))
            else:
                found[-1][1].append(line)
    assert found
    return found


def run(shown: list[tuple[str, list[str]]], folder: Path) -> None:
    """Runs commands in a folder, each in a shell of its own, and checks what they print."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": programs, "MAKEFLAGS": QUICK}
    for command, lines in shown:
        if command.startswith("cd "):
            folder /= command.removeprefix("cd ")
            continue
        result = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert result.returncode == 0, f"{command}\n{result.stdout[-5000:]}"
        words = " ".join(result.stdout.split())
        pattern = ".*".join(re.escape(" ".join(line.removesuffix("...").split())) for line in lines)
        assert re.search(pattern, words), f"{command}\n{result.stdout[-5000:]}"


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the examples, with the generated design beside the benches."""
    folder = tmp_path_factory.mktemp("benches")
    shutil.copytree(EXAMPLES, folder / EXAMPLES.relative_to(ROOT))
    run(commands(START), folder)
    return folder / "benches"


@pytest.mark.parametrize(
    "section",
    [
        pytest.param(name, marks=() if name == "Verilator" else pytest.mark.sweep)
        for name in ("Verilator", "cocotb", "FuseSoC", "LiteX")
    ],
)
def test_section(section: str, start: Path, tmp_path: Path) -> None:
    shown = commands(section)
    files = sorted(path for path in start.rglob("*") if path.is_file())
    key = content_key(
        [str(shown), str(verilator.root()), *(version(package) for package in PACKAGES)],
        [(str(path.relative_to(start)), path) for path in files],
    )
    work = tmp_path / "benches"
    shutil.copytree(start, work)
    cached_directory(f"benches/{section.lower()}-{key}", lambda _: run(shown, work))

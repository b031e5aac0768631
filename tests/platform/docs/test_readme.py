# SPDX-License-Identifier: Apache-2.0
"""The README: its length, its commands, and its figures, which are those of the pages."""

from __future__ import annotations

import re

from bombus.cli import COMMANDS, extensions
from tests import ROOT
from tests.platform.docs.documents import DOCS

README = (ROOT / "README.md").read_text()
MOST_WORDS = 1200  # code included


def page(name: str) -> str:
    return (DOCS / name).read_text()


def cells(text: str, beginning: str) -> list[str]:
    """The cells of the first row of a table that begins so."""
    row = next(line for line in text.splitlines() if line.startswith(f"| {beginning}"))
    return [cell.strip() for cell in row.strip("|").split("|")]


def cycles(beginning: str) -> str:
    """The latency in a row of the README's table of figures."""
    return cells(README, beginning)[2].split()[0]


def test_it_is_short() -> None:
    assert len(README.split()) <= MOST_WORDS


def test_it_has_all_commands() -> None:
    lines = re.findall(r"^bombus ((?:\w+, )*\w+) {2,}", README, re.M)
    listed = [name for line in lines for name in line.split(", ")]
    known = [command.__name__ for group in COMMANDS.values() for command in group]
    assert sorted(listed) == sorted([*known, *extensions.commands()])


def test_its_areas_are_measured_ones() -> None:
    areas = re.findall(r"(\d\d,\d{3})(?: LUTs)? for\s(?:`|\[)(\w+)", README)
    assert len(areas) == 3
    for luts, design in areas:
        assert cells(page("benchmarks.md"), f"`{design}` ")[1] == luts


def test_its_latencies_are_measured_ones() -> None:
    echo = cells(page("comparison.md"), "1 | 5 |")
    assert cycles("UDP echo, 60-byte frames") == echo[4]
    assert cycles("the same, layers fused") == echo[5]
    assert f"at most {cycles('TCP, one connection')} cycles" in page("protocols/tcp/tcp.md")
    processors = cells(page("benchmarks.md"), "latency of `forward`, cycles")
    assert cycles("8 RISC-V packet processors") == processors[2]
    assert f"(latency {cycles('intrusion detection')}" in " ".join(page("benchmarks.md").split())

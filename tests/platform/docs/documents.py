# SPDX-License-Identifier: Apache-2.0
"""The documentation's text, taken apart. As a program (`make docs`): renews what repeats files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests import ROOT

DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
UDP_ECHO = ROOT / "designs" / "udp_echo.yaml"
UDP_UPPER = EXAMPLES / "udp_upper" / "udp_upper.yaml"
FIRST = EXAMPLES / "first" / "first.yaml"
FIGURE_5A = EXAMPLES / "deadlock" / "figure_5a.yaml"
BLOCK = re.compile(r"(?:<!-- file: (\S+) -->\n)?^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of code."""

    language: str
    file: str | None  # named in a comment before it: <!-- file: docs/examples/... -->
    text: str


def blocks(page: Path) -> Iterator[Block]:
    for match in BLOCK.finditer(page.read_text()):
        yield Block(match[2], match[1], match[3])


def sections(page: Path) -> dict[str, str]:
    """The text under each heading of the second level, without code."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def slug(heading: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def udp_upper() -> str:
    """The example's design: udp_echo with another name and two more lines."""
    licence, _, text = UDP_ECHO.read_text().rstrip("\n").split("\n", 2)
    text = text.replace("name: udp_echo\n", "name: udp_upper\n", 1)
    text = re.sub(r"^(host:.*\n)", r"\1sources: [udp_upper.sv]\n", text, count=1, flags=re.M)
    comment = "# The design udp_echo and one more application: text in capitals on port 1007.\n"
    return f"{licence}\n{comment}{text}" + "\n  - {name: upper, kind: udp_upper, udp_port: 1007}\n"


def renewed(page: Path) -> str:
    """The page with every included file updated."""

    def block(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        return f"<!-- file: {match[1]} -->\n```{match[2]}\n{(ROOT / match[1]).read_text()}```"

    return BLOCK.sub(block, page.read_text())


if __name__ == "__main__":
    UDP_UPPER.write_text(udp_upper())
    for page in PAGES:
        page.write_text(renewed(page))

"""The documentation's text, taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


@dataclass(frozen=True)
class Block:
    """A fenced block of code."""

    language: str
    file: str | None  # named in a comment before it: <!-- file: docs/examples/... -->
    text: str


def blocks(page: Path) -> Iterator[Block]:
    pattern = r"(?:<!-- file: (\S+) -->\n)?^```(\w*)\n(.*?)^```$"
    for match in re.finditer(pattern, page.read_text(), re.DOTALL | re.MULTILINE):
        yield Block(match[2], match[1], match[3])


def sections(page: Path) -> dict[str, str]:
    """The text under each heading of the second level, without code."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def slug(heading: str) -> str:
    """The name that a heading gets as the end of a link."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")

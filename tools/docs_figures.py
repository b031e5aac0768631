# SPDX-License-Identifier: Apache-2.0
"""Figures about the pages' length: `python tools/docs_figures.py [--list] [page...]`.

For each page, longest first, and for all:
words      of text and tables; code blocks are left out, an inline piece of code is one word
code       words of code blocks
paragraphs of more than SENTENCES sentences, those of list items included
cells      of tables, of more than WORDS words
lines      of more than COLUMNS columns, anywhere
of tables  those of them that are rows of tables
`--list` names each long paragraph, cell and line instead, as `page:line: message`.

`python tools/lint.py docs` rejects every long paragraph, cell and line, except in the pages that
docs_limits.json lists with the number that they may have, and more words than its total. It checks
the lengths of CONTRIBUTING.md and SECURITY.md, too, but does not count their words. With `--fix` it
lowers those numbers to what the pages have, and never raises them.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[1]
SENTENCES = 4  # of a paragraph
WORDS = 20  # of a cell
COLUMNS = 120  # of a line
LIMITS = ROOT / "tools" / "docs_limits.json"

UNCOUNTED = ("CONTRIBUTING.md", "SECURITY.md")

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_WORD = re.compile(r"\S*\w\S*")
# A full stop within a sentence, as in "e.g. a frame", is followed by a small letter.
_END = re.compile(r"[.!?][)\"']*(?=\s+[^\sa-z]|\s*$)")
_CODE = "X"  # stands for an inline piece of code


@dataclass(frozen=True)
class Long:
    """Something that is too long; `kind` is paragraph, cell, line or row (a line of a table)."""

    line: int  # from 1
    kind: str
    message: str


@dataclass(frozen=True)
class Figures:
    """The columns of the table; a sum adds them."""

    words: int = 0
    code: int = 0
    paragraphs: int = 0
    cells: int = 0
    lines: int = 0
    of_tables: int = 0

    def __add__(self, other: Figures) -> Figures:
        return Figures(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def _text(token: Token) -> str:
    """What a reader sees of a paragraph or a cell, without targets of links."""
    parts = []
    for child in token.children or ():
        if child.type == "code_inline":
            parts.append(_CODE)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif child.type in ("text", "image"):
            parts.append(child.content)
    return "".join(parts)


def _words(text: str) -> int:
    return len(_WORD.findall(text))


def sentences(text: str) -> int:
    """How many sentences a paragraph has; one without a full stop at its end counts."""
    ends = len(_END.findall(text))
    return ends + (not re.search(r"[.!?][)\"']*\s*$", text)) if text.strip() else 0


def _texts(tokens: Sequence[Token]) -> Iterator[tuple[str, int, str]]:
    """Each text with the name of its element (p, h2, td, ...) and its line, from 1."""
    line = 0
    for before, token in pairwise(tokens):
        if before.map is not None:
            line = before.map[0] + 1
        if token.type == "inline":
            yield before.tag, line, _text(token)


def measure(text: str) -> tuple[Figures, list[Long]]:
    """The figures of a page, and what is too long in it, by line."""
    tokens = _MARKDOWN.parse(text)
    words = 0
    found = []
    for element, line, content in _texts(tokens):
        words += _words(content)
        if element == "p" and (count := sentences(content)) > SENTENCES:
            found.append(Long(line, "paragraph", f"paragraph of {count} sentences"))
        elif element in ("td", "th") and (count := _words(content)) > WORDS:
            found.append(Long(line, "cell", f"cell of {count} words"))
    blocks = [token for token in tokens if token.type in ("fence", "code_block")]
    tables = [token.map for token in tokens if token.type == "table_open" and token.map]
    rows = {number for first, end in tables for number in range(first + 1, end + 1)}
    for number, each in enumerate(text.splitlines(), 1):
        if len(each) > COLUMNS:
            kind = "row" if number in rows else "line"
            found.append(Long(number, kind, f"line of {len(each)} columns"))
    kinds = [each.kind for each in found]
    return Figures(
        words=words,
        code=sum(_words(token.content) for token in blocks),
        paragraphs=kinds.count("paragraph"),
        cells=kinds.count("cell"),
        lines=kinds.count("line") + kinds.count("row"),
        of_tables=kinds.count("row"),
    ), sorted(found, key=lambda each: each.line)


def table(pages: dict[str, Figures]) -> str:
    """The table that is printed, longest page first."""
    rows = sorted(pages.items(), key=lambda item: (-item[1].words, item[0]))
    rows.append((f"{len(pages)} pages", sum(pages.values(), Figures())))
    width = max(len(name) for name, _ in rows)
    names = [field.name.replace("_", " ") for field in fields(Figures)]
    lines = [" " * width + "".join(f"{name:>12}" for name in names)]
    for name, figures in rows:
        lines.append(f"{name:<{width}}" + "".join(f"{each:>12,}" for each in astuple(figures)))
    return "\n".join(lines)


def pages_of(root: Path = ROOT) -> list[Path]:
    """The pages that the limits are for."""
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


def lint(*, fix: bool, root: Path = ROOT, limits: Path = LIMITS) -> bool:
    """Whether all pages keep to the limits; prints each problem. `fix`: lowers the limits."""
    limit = json.loads(limits.read_text(encoding="utf-8"))
    words, counts, problems = 0, {}, []
    uncounted = [page for each in UNCOUNTED if (page := root / each).exists()]
    for page in (*pages_of(root), *uncounted):
        name = str(page.relative_to(root))
        figures, found = measure(page.read_text(encoding="utf-8"))
        words += 0 if page in uncounted else figures.words
        counts[name] = len(found)
        most = limit["long"].get(name, 0)
        if len(found) > most:
            problems += [f"{name}:{each.line}: {each.message}" for each in found]
            problems += [f"{name}: {len(found)} are too long; its limit is {most}"] if most else []
    if words > limit["words"]:
        problems.append(f"{words} words in all pages; the limit is {limit['words']}")
    print("\n".join(problems), end="\n" if problems else "")
    if fix:
        lower = {name: min(most, counts.get(name, 0)) for name, most in limit["long"].items()}
        limit["long"] = {name: most for name, most in lower.items() if most}
        limit["words"] = min(limit["words"], words)
        limits.write_text(json.dumps(limit, indent=2) + "\n", encoding="utf-8")
    return not problems


def main() -> None:
    parser = argparse.ArgumentParser(description="Count words and what is too long in the pages.")
    parser.add_argument("--list", action="store_true", help="name what is too long, with its line")
    parser.add_argument("pages", nargs="*", type=Path, help="default: README.md and docs/")
    arguments = parser.parse_args()
    pages = arguments.pages or pages_of()
    figures = {}
    for page in pages:
        path = page.resolve()
        name = str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
        figures[name], found = measure(page.read_text(encoding="utf-8"))
        if arguments.list:
            for each in found:
                print(f"{name}:{each.line}: {each.message}")
    if not arguments.list:
        print(table(figures))


if __name__ == "__main__":
    main()

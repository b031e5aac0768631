# SPDX-License-Identifier: Apache-2.0
"""Comments of SystemVerilog and C++: their words, and those that a reader should not meet.

docs/writing.md gives the reasons and what to write instead.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("rtl", "formal", "sim")
ENDINGS = (".sv", ".svh", ".rdl", ".cpp", ".h")
COLUMNS = 100  # of a line

# Words that ibex, common_cells and cocotb do not use in comments.
AVOIDED = frozenset(
    (
        *("behind", "comes", "knows", "nobody", "tells", "told"),
        *("who", "whoever", "whom", "wished", "wishes"),
    )
)

_TOKEN = re.compile(r"""//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/|"(?:\\.|[^"\\\n])*\"""", re.DOTALL)
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_LICENCE = "SPDX-License-Identifier"


def files(root: Path = ROOT) -> Iterator[Path]:
    """The source files whose comments count, in order."""
    for folder in FOLDERS:
        yield from sorted(each for each in (root / folder).rglob("*") if each.suffix in ENDINGS)


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Each comment with its line number, from 1; without the licence line."""
    for found in _TOKEN.finditer(text):
        comment = found["line"] if found["line"] is not None else found["block"]
        if comment and _LICENCE not in comment:
            yield text.count("\n", 0, found.start()) + 1, comment


def words(text: str) -> Counter[str]:
    """How often each word, in small letters, occurs in the comments of a text."""
    found = (word.lower() for _, comment in comments(text) for word in _WORD.findall(comment))
    return Counter(found)


def problems(path: Path, text: str) -> Iterator[str]:
    """Long lines, and avoided words in comments, as `path:line: message`."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > COLUMNS:
            yield f"{path}:{number}: {len(line)} columns; the most is {COLUMNS}"
    for number, comment in comments(text):
        for word in _WORD.findall(comment):
            if word.lower() in AVOIDED:
                yield f"{path}:{number}: {word!r} in a comment; see docs/writing.md"


def lint(*, fix: bool) -> bool:
    """Whether no file has a problem; prints each. `fix`: ignored, a person has to rephrase."""
    del fix
    found = [
        message
        for file in files()
        for message in problems(file.relative_to(ROOT), file.read_text(encoding="utf-8"))
    ]
    print("\n".join(found), end="\n" if found else "")
    return not found

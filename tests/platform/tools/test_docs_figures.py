# SPDX-License-Identifier: Apache-2.0
"""tools/docs_figures.py counts words and finds what is too long."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests import ROOT

sys.path.append(str(ROOT / "tools"))

import docs_figures

# 3 words in the heading, 13 in the paragraph, 5 in the list, 2 + 2 + 21 in the table
PAGE = f"""# A page's heading

One: `a. B. c`, e.g. a [link. It](target/of/it.md) is one. 250 MHz? (Yes.)
"Four." Five

- In a
  list item.
- `{"x" * 120}`

| head | {"y" * 120} |
|---|---|
| cell | **short** |
| {" ".join(["word"] * 20)} `code. Code` | |

```
two words
| no | table |
```

<!-- a comment -->
"""


def test_words_and_what_is_too_long() -> None:
    figures, found = docs_figures.measure(PAGE)
    assert [(each.line, each.message) for each in found] == [
        (3, "paragraph of 6 sentences"),
        (8, "line of 124 columns"),
        (10, "line of 131 columns"),
        (13, "cell of 21 words"),
    ]
    assert figures == docs_figures.Figures(
        words=3 + 13 + 5 + 25, code=4, paragraphs=1, cells=1, lines=2, of_tables=1
    )


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("No full stop", 1),
        ("One.", 1),
        ("As shown here:", 1),
        ("One. Two", 2),
        ("One.\nTwo! Three?", 3),
        ("At 1.5 ns, cf. section 4.2 (see above.) Two.", 2),
    ],
)
def test_sentences(text: str, count: int) -> None:
    assert docs_figures.sentences(text) == count


def test_a_limit_itself_is_not_too_long() -> None:
    words = " ".join(["w"] * docs_figures.WORDS)
    text = f"A. B. C. D.\n\n{'x' * docs_figures.COLUMNS}\n\n| {words} |\n|---|\n| |\n"
    assert docs_figures.measure(text)[1] == []
    assert len(docs_figures.measure(text.replace("D.", "D. E.").replace("w |", "w w |"))[1]) == 2
    assert len(docs_figures.measure(text.replace("xx", "xxx", 1))[1]) == 1


def test_the_table_is_sorted_and_has_sums() -> None:
    pages = {
        "short.md": docs_figures.Figures(words=2, lines=1),
        "long.md": docs_figures.Figures(words=1_000, cells=3),
    }
    rows = [line.split() for line in docs_figures.table(pages).splitlines()]
    assert rows[0] == ["words", "code", "paragraphs", "cells", "lines", "of", "tables"]
    assert [row[0] for row in rows[1:]] == ["long.md", "short.md", "2"]
    assert rows[3] == ["2", "pages", "1,002", "0", "0", "3", "1", "0"]


def test_the_program_names_page_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    monkeypatch.setattr(sys, "argv", ["docs_figures.py", "--list", str(page)])
    docs_figures.main()
    assert f"{page}:3: paragraph of 6 sentences\n" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["docs_figures.py", str(page)])
    docs_figures.main()
    assert "1 pages" in capsys.readouterr().out


def test_limits_hold_and_are_only_lowered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = tmp_path / "limits.json"
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("Short.\n")
    page = tmp_path / "docs" / "page.md"

    def clean(text: str, words: int, most: dict[str, int], *, fix: bool = False) -> bool:
        page.write_text(text)
        limits.write_text(json.dumps({"words": words, "long": most}))
        return docs_figures.lint(fix=fix, root=tmp_path, limits=limits)

    long = "A. B. C. D. E.\n"
    assert clean("A.\n", 2, {})
    assert not clean("A b.\n", 2, {})
    assert capsys.readouterr().out == "3 words in all pages; the limit is 2\n"
    assert not clean(long, 9, {})
    assert capsys.readouterr().out == "docs/page.md:1: paragraph of 5 sentences\n"
    assert clean(long, 9, {"docs/page.md": 1})
    assert not clean(f"{long}\n{long}", 20, {"docs/page.md": 1}, fix=True)
    assert json.loads(limits.read_text()) == {"words": 11, "long": {"docs/page.md": 1}}
    assert clean(long, 20, {"docs/page.md": 2, "README.md": 1, "none.md": 1}, fix=True)
    assert json.loads(limits.read_text()) == {"words": 6, "long": {"docs/page.md": 1}}


def test_words_of_pages_for_contributors_do_not_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("One two.\n")
    (tmp_path / "SECURITY.md").write_text("Three.\n" + "x" * 121 + "\n")
    limits = tmp_path / "limits.json"
    limits.write_text(json.dumps({"words": 2, "long": {}}))
    assert not docs_figures.lint(fix=False, root=tmp_path, limits=limits)
    assert capsys.readouterr().out == "SECURITY.md:2: line of 121 columns\n"

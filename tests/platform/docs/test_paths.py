# SPDX-License-Identifier: Apache-2.0
"""Paths of the repository that comments, docstrings and pages name exist."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import ROOT

FOLDERS = ("docs", "formal", "rtl", "sim", "src", "tests", "tools")
_PATH = re.compile(rf"(?<![\w./-])(?:{'|'.join(FOLDERS)})/[\w./*<>{{}}-]*")
_PLACEHOLDER = re.compile(r"[*<>{}]|\.\.\.")  # also: `...` for any rest
_C_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_HASH_COMMENT = re.compile(r"#[^\n]*")

Texts = Iterator[tuple[int, str]]  # line number, text


def _matches(pattern: re.Pattern[str], text: str) -> Texts:
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group()


def _c(text: str) -> Texts:
    return _matches(_C_COMMENT, text)


def _hash(text: str) -> Texts:
    return _matches(_HASH_COMMENT, text)


def _whole(text: str) -> Texts:
    yield 1, text


def _python(text: str) -> Texts:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (
            words := ast.get_docstring(node, clean=False)
        ):
            yield node.body[0].lineno, words


_COMMENTS: dict[str, Callable[[str], Texts]] = {
    **dict.fromkeys((".sv", ".svh", ".rdl", ".vlt", ".c", ".cpp", ".h"), _c),
    **dict.fromkeys((".mk", ".sh", ".tcl", ".yaml"), _hash),
    ".py": _python,
    ".md": _whole,
}


def missing(text: str, comments: Callable[[str], Texts], root: Path = ROOT) -> Iterator[str]:
    """The paths that comments of a text name and that do not exist, each after its line number."""
    for line, comment in comments(text):
        for match in _PATH.finditer(comment):
            path = match.group()
            if not _PLACEHOLDER.search(path) and not (root / path.rstrip(".")).exists():
                yield f"{line + comment.count(chr(10), 0, match.start())}: {path}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_named_paths_exist(folder: str) -> None:
    files = [
        file
        for file in sorted((ROOT / folder).rglob("*"))
        if file.suffix in _COMMENTS and file.is_file()
    ]
    assert files
    assert not [
        f"{file.relative_to(ROOT)}:{place}"
        for file in files
        for place in missing(file.read_text(), _COMMENTS[file.suffix])
    ]


def test_missing_paths_are_found() -> None:
    code = "x = 'docs/no.md'  # docs/none.md, docs/*.md, ./docs/none.md\n"
    assert list(missing(code, _python)) == ["1: docs/none.md"]
    assert list(missing('"""See\n`rtl/none/`."""\n', _python)) == ["2: rtl/none/"]
    assert list(missing("a;  // rtl/none.sv, rtl/platform.\n", _c)) == ["1: rtl/none.sv"]
    assert list(missing("docs/fabrics.md, tools/none.py\n", _whole)) == ["1: tools/none.py"]

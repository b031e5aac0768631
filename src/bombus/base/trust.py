# SPDX-License-Identifier: Apache-2.0
"""Which files a design may have read: those in its folder, and in folders that the user allows.

A design may come from a stranger, and messages about a file quote it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from bombus.base.comments import without_comments
from bombus.base.errors import Problem

ALLOWED = "BOMBUS_SOURCES"  # environment variable: further folders, separated as in PATH
HINT = f"add its folder to the environment variable {ALLOWED} to allow it"

_INCLUDE = re.compile(r'`include\b\s*(?:"([^"\r\n]+)"|<([^>\r\n]+)>)?')
_PERL = re.compile(r"<%")
# SystemRDL's compiler finds comments in strings, too.
_RDL_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# What a simulation of a source may do outside of itself. It counts wherever it is in the text, as
# different tools define different macros.
_EFFECTS = re.compile(
    r"""
      (?P<code> \$(?:system|c\d*|cpure)\b )
    | (?P<file> \$(?:fopen|s?readmem[bh]|writemem[bh]|dumpfile|sdf_annotate)\b )
    | (?P<dpi> \b(?:import|export)\s+"DPI )
    """,
    re.VERBOSE,
)


def allow(folder: Path) -> None:
    """Adds a folder to those that designs of this process may have read."""
    os.environ[ALLOWED] = os.pathsep.join(filter(None, (os.environ.get(ALLOWED), str(folder))))


def may_read(file: Path, folder: Path) -> bool:
    """Whether a file is below a folder or one of `$BOMBUS_SOURCES`; links count as their target."""
    found = file.resolve()
    others = filter(None, os.environ.get(ALLOWED, "").split(os.pathsep))
    return any(found.is_relative_to(each.resolve()) for each in (folder, *map(Path, others)))


def _without_rdl_comments(text: str) -> str:
    return _RDL_COMMENT.sub(lambda match: "\n" * match[0].count("\n") or " ", text)


def _line(match: re.Match[str]) -> int:
    return match.string.count("\n", 0, match.start()) + 1


def _read(
    file: Path, folder: Path, search: Iterable[Path], without: Callable[[str], str]
) -> tuple[dict[Path, str], list[Problem]]:
    """The texts of a file and of what it includes from `folder`, without comments; a problem for
    each other include. `search`: folders of Bombus in which headers are found, too.
    """
    texts: dict[Path, str] = {}
    problems: list[Problem] = []
    waiting, own = [file], [each.resolve() for each in search]
    while waiting:
        current = waiting.pop()
        if current in texts:
            continue
        texts[current] = without(current.read_text(encoding="utf-8", errors="replace"))
        for match in _INCLUDE.finditer(texts[current]):
            name = match[1] or match[2]
            if name is None:
                message = "an include needs the name of a file in quotes"
                problems.append(Problem(current, _line(match), message))
                continue
            for place in (current.parent, *own):
                found = (place / name).resolve()
                if not found.exists() or any(found.is_relative_to(each) for each in own):
                    continue
                if found.is_file() and may_read(found, folder):
                    waiting.append(found)
                else:
                    message = f"it includes {name}, which is outside of {folder}; {HINT}"
                    problems.append(Problem(current, _line(match), message))
    return texts, problems


def source_problems(file: Path, folder: Path, search: Iterable[Path]) -> list[Problem]:
    """Includes of a SystemVerilog source, and of what it includes, from outside of `folder`; if
    there are none, a warning for each line by which a simulation acts outside of itself.
    """
    texts, problems = _read(file, folder, search, without_comments)
    if problems:
        return problems
    words = {
        "code": "runs other programs or C++ by {}",
        "file": "opens files by {}",
        "dpi": "calls C functions by DPI",
    }
    return [
        Problem(
            path,
            _line(match),
            f"in simulation this {words[match.lastgroup or ''].format(match[0])}",
            is_error=False,
        )
        for path, text in texts.items()
        for match in _EFFECTS.finditer(text)
    ]


def description_problems(file: Path) -> list[Problem]:
    """Perl in a SystemRDL file or in what it includes, which its compiler would run, and includes
    from outside of its folder.
    """
    texts, problems = _read(file, file.parent, (), _without_rdl_comments)
    message = "Perl (`<% ... %>`) in SystemRDL is refused, since it would be run"
    return problems + [
        Problem(path, _line(match), message)
        for path, text in texts.items()
        for match in _PERL.finditer(text)
    ]

# SPDX-License-Identifier: Apache-2.0
"""Which files a design may have read: those in its folder, and in folders that the user allows.

A design may come from a stranger, and messages about a file quote it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from bombus.base.errors import Problem

ALLOWED = "BOMBUS_SOURCES"  # environment variable: further folders, separated as in PATH
HINT = f"add its folder to the environment variable {ALLOWED} to allow it"

# Comments and, in SystemVerilog, strings are passed over, since they may contain what looks like a
# directive. The path may end anywhere in the line, as far as the two compilers differ.
_DIRECTIVE = re.compile(
    r"""
      //[^\n]* | /\*.*?\*/
    | (?P<perl> <% )
    | (?P<include> `include\b \s* (?: "(?P<quoted>[^"\r\n]+)" | <(?P<angled>[^>\r\n]+)> )? )
    """,
    re.VERBOSE | re.DOTALL,
)


def allow(folder: Path) -> None:
    """Adds a folder to those that designs of this process may have read."""
    os.environ[ALLOWED] = os.pathsep.join(filter(None, (os.environ.get(ALLOWED), str(folder))))


def may_read(file: Path, folder: Path) -> bool:
    """Whether a file is below a folder or one of `$BOMBUS_SOURCES`; links count as their target."""
    found = file.resolve()
    others = filter(None, os.environ.get(ALLOWED, "").split(os.pathsep))
    return any(found.is_relative_to(each.resolve()) for each in (folder, *map(Path, others)))


def inclusion_problems(
    file: Path, folder: Path, search: Iterable[Path] = (), *, perl: bool = False
) -> Iterator[Problem]:
    """Includes of a SystemVerilog or SystemRDL file, and of what it includes, outside of `folder`.

    `search`: folders of Bombus in which headers are found, too. `perl`: also reports `<% ... %>`,
    which the SystemRDL compiler would run.
    """
    waiting, seen, own = [file], {file}, [each.resolve() for each in search]
    while waiting:
        current = waiting.pop()
        text = current.read_text(encoding="utf-8", errors="replace")
        for match in _DIRECTIVE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            if match["perl"] and perl:
                message = "Perl (`<% ... %>`) in SystemRDL is refused, since it would be run"
                yield Problem(current, line, message)
            if not match["include"]:
                continue
            name = match["quoted"] or match["angled"]
            if name is None:
                yield Problem(current, line, "an include needs the name of a file in quotes")
                continue
            for place in (current.parent, *own):
                found = (place / name).resolve()
                if not found.exists() or any(found.is_relative_to(each) for each in own):
                    continue
                if not found.is_file() or not may_read(found, folder):
                    message = f"it includes {name}, which is outside of {folder}; {HINT}"
                    yield Problem(current, line, message)
                elif found not in seen:
                    seen.add(found)
                    waiting.append(found)

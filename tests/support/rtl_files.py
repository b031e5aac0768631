# SPDX-License-Identifier: Apache-2.0
"""Which RTL files a module needs, and copies of the RTL that are broken on purpose."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from bombus.base import paths

# Matches instantiations of modules and uses of packages.
_USE = re.compile(r"\b(\w+)(?=\s*#\(|\s+u_\w+\s*\(|::)")


def sources(top: Path, rtl: Path, extra: Iterable[Path] = (), macros: str = "") -> list[Path]:
    """`top` and the files of the modules and packages that it uses, packages first.

    `extra`: files that are not RTL. `macros`: text included in `top` from elsewhere.
    """
    known = {file.stem: file for file in (*rtl.rglob("*.sv"), *extra)}
    found = [top]
    for file in found:
        text = file.read_text() + (macros if file == top else "")
        for word in sorted(set(_USE.findall(text)) & known.keys()):
            if known[word] not in found:
                found.append(known[word])
    order = [known["bombus_pkg"], known["noc_pkg"]]  # bombus_types.svh mentions both
    packages = [file for file in found if file.stem.endswith("_pkg") and file not in order]
    return [*order, *packages, *(file for file in found if not file.stem.endswith("_pkg"))]


_TOKEN = re.compile(r"`?\w+|\S")
# White space and comments, which do not count in a comparison.
_BETWEEN = r"(?:\s|//[^\n]*\n|/\*.*?\*/)*"


@dataclass(frozen=True)
class Mutation:
    """A mutation of a module or package: code that occurs once in it, and its replacement.

    White space, line breaks and comments in the code do not count. `tools/rename.py` renames
    signals in mutations, too.
    """

    module: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.module}: {self.old.strip()} -> {self.new.strip() or 'nothing'}"

    def file(self, rtl: Path) -> Path:
        """The file of the module."""
        (found,) = rtl.rglob(f"{self.module}.sv")
        return found

    def text(self) -> str:
        """The mutated file."""
        text = self.file(paths.RTL).read_text()
        pattern = _BETWEEN.join(map(re.escape, _TOKEN.findall(self.old)))
        found = list(re.finditer(pattern, text, re.DOTALL))
        assert len(found) == 1, f"{self.old!r} must occur once in {self.module}"
        return text[: found[0].start()] + self.new + text[found[0].end() :]

    def copy(self, folder: Path) -> Path:
        """A copy of the RTL with the mutation."""
        rtl = folder / "rtl"
        shutil.copytree(paths.RTL, rtl)
        self.file(rtl).write_text(self.text())
        return rtl


def sampled(index: int) -> tuple[pytest.MarkDecorator, ...]:
    """Marks of a mistake by its place in a list: `make test` tries one in sixteen."""
    return () if index % 16 == 0 else (pytest.mark.sweep,)

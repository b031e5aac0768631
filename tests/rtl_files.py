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


@dataclass(frozen=True)
class Mutation:
    """A mutation: a text that occurs once in a file, and its replacement."""

    file: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{Path(self.file).stem}: {self.old.strip()} -> {self.new.strip() or 'nothing'}"

    def text(self) -> str:
        """The mutated file."""
        text = (paths.RTL / self.file).read_text()
        assert text.count(self.old) == 1, f"{self.old!r} must stand once in {self.file}"
        return text.replace(self.old, self.new)

    def copy(self, folder: Path) -> Path:
        """A copy of the RTL with the mutation."""
        rtl = folder / "rtl"
        shutil.copytree(paths.RTL, rtl)
        (rtl / self.file).write_text(self.text())
        return rtl


def sampled(index: int) -> tuple[pytest.MarkDecorator, ...]:
    """Marks of a mistake by its place in a list: `make test` tries one in eight."""
    return () if index % 8 == 0 else (pytest.mark.sweep,)

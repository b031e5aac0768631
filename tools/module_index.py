# SPDX-License-Identifier: Apache-2.0
"""Write docs/modules.md: every Python module and SystemVerilog file, by folder."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "modules.md"
SOURCE = ROOT / "src" / "bombus"
RTL = ROOT / "rtl"
HEAD = """# Modules

The Python modules of `src/bombus` and the files of `rtl` by folder, written by `make docs`. Each
file begins with a sentence that says what it is. Packages stand in the order of the pipeline: each
uses only those above it. How the parts work together: [architecture.md](architecture.md).
"""
COLUMNS = 118
# In the order in which they use each other.
PACKAGES = (
    *("base", "registers", "fabric", "design", "analysis", "pictures"),
    *("generation", "simulator", "protocols", "live", "measure", "implementation"),
    *("cli", "cluster", "applications"),
)


def _first_sentence(text: str) -> str:
    """Of a docstring or a header, on one line, without the full stop."""
    paragraph = " ".join(text.strip().partition("\n\n")[0].split())
    return re.split(r"(?<=[^.])\.(?:\s|$)", paragraph, maxsplit=1)[0].replace("|", "\\|")


def _of_python(file: Path) -> str:
    return _first_sentence(ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "")


def _of_systemverilog(file: Path) -> str:
    """The first sentence of the comment that a file begins with, its licence line left out."""
    lines = []
    for line in file.read_text(encoding="utf-8").splitlines():
        text = line.removeprefix("//").strip()
        if line.startswith("// SPDX"):
            continue
        if not line.startswith("//") or not text:
            break
        lines.append(text)
    return _first_sentence("\n".join(lines))


def sentences() -> Iterator[tuple[str, str]]:
    """Each file with its first sentence, which is empty if the file lacks one."""
    for package in PACKAGES:
        for file in sorted((SOURCE / package).rglob("*.py")):
            if file.stem != "__main__":
                yield str(file.relative_to(SOURCE)), _of_python(file)
    for file in sorted(RTL.rglob("*.sv*")):
        yield str(file.relative_to(RTL)), _of_systemverilog(file)


def _names(files: list[Path]) -> str:
    return ", ".join(f"`{file.name if file.suffix == '.svh' else file.stem}`" for file in files)


def _item(text: str) -> str:
    """An item of a list, wrapped; pieces of code stay whole."""
    return textwrap.fill(text, COLUMNS, subsequent_indent="  ", break_on_hyphens=False)


def page() -> str:
    """The text of the page."""
    parts = [HEAD, "## Python", ""]
    for package in PACKAGES:
        folder = SOURCE / package
        parts += [f"### bombus.{package}", "", f"{_of_python(folder / '__init__.py')}.", ""]
        for each in sorted({file.parent for file in folder.rglob("*.py")}):
            unnamed = ("__init__", "__main__")
            files = sorted(file for file in each.glob("*.py") if file.stem not in unnamed)
            if each == folder:
                parts += [_item(f"- {_names(files)}")] if files else []
                continue
            name = ".".join(each.relative_to(folder).parts)
            says = _of_python(each / "__init__.py")
            parts.append(_item(f"- **{name}**: {says}" + f": {_names(files)}" * bool(files)))
        parts.append("")
    parts += ["## SystemVerilog", ""]
    for folder in sorted({file.parent for file in RTL.rglob("*.sv")}):
        files = sorted(file for file in folder.iterdir() if file.suffix in (".sv", ".svh"))
        name = folder.relative_to(RTL).as_posix()
        parts.append(_item(f"- **rtl/{name}**: {_names(files)}"))
    return "\n".join(parts).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

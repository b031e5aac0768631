# SPDX-License-Identifier: Apache-2.0
"""Write docs/modules.md: every Python module and SystemVerilog file with its first sentence."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "modules.md"
HEAD = """# Modules

One line for each Python module of `src/bombus` and each file of `rtl`, taken from their headers by
`make docs`. Packages stand in the order of the pipeline: each uses only those above it. How the
parts work together: [architecture.md](architecture.md).
"""
# In the order in which they use each other.
PACKAGES = (
    *("base", "registers", "fabric", "design", "analysis", "placement", "pictures"),
    *("generation", "board", "simulator", "protocols", "live", "measure", "implementation"),
    *("project", "cli", "cluster", "applications"),
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


def _table(rows: list[tuple[str, str]]) -> list[str]:
    return ["| | |", "|---|---|", *(f"| `{name}` | {text} |" for name, text in rows), ""]


def page() -> str:
    """The text of the page."""
    source = ROOT / "src" / "bombus"
    parts = [HEAD, "## Python", ""]
    for package in PACKAGES:
        folder = source / package
        parts += [f"### bombus.{package}", "", f"{_of_python(folder / '__init__.py')}.", ""]
        files = sorted(file for file in folder.rglob("*.py") if file.stem not in ("__main__",))
        rows = []
        for file in files:
            name = ".".join(file.relative_to(folder).with_suffix("").parts)
            name = name.removesuffix(".__init__")
            if name != "__init__":
                rows.append((name, _of_python(file)))
        parts += _table(rows)
    parts += ["## SystemVerilog", ""]
    rtl = ROOT / "rtl"
    for folder in sorted({file.parent for file in rtl.rglob("*.sv")}):
        files = sorted(file for file in folder.iterdir() if file.suffix in (".sv", ".svh"))
        rows = [(file.name, _of_systemverilog(file)) for file in files]
        parts += [f"### rtl/{folder.relative_to(rtl).as_posix()}", "", *_table(rows)]
    return "\n".join(parts).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

# SPDX-License-Identifier: Apache-2.0
"""The licence line of source files: `SPDX-License-Identifier`, first of all but a shebang."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINE = "SPDX-License-Identifier: Apache-2.0"
FOLDERS = (
    *("src", "rtl", "sim", "tests", "tools", "benchmarks", "formal", "clients"),
    *("designs", "boards", "sweeps", "templates", "docs/examples"),
)
FILES = (".ci/run", "Makefile", ".pre-commit-config.yaml", "pyproject.toml")
# How a comment begins, by file suffix. Most templates generate SystemVerilog.
COMMENTS = {
    **dict.fromkeys((".py", ".yaml", ".toml", ".mk", ".sh", "Makefile", "run"), "# "),
    **dict.fromkeys((".tcl.j2", ".xdc.j2", ".yaml.j2"), "# "),
    **dict.fromkeys(
        (".sv", ".svh", ".vlt", ".c", ".cpp", ".h", ".go", ".rs", ".j2", ".f", ".rdl"), "// "
    ),
}


def _sources() -> Iterator[tuple[Path, str]]:
    """Source files, and how a comment begins in each."""
    files = [ROOT / name for name in FILES]
    for folder in FOLDERS:
        files += (file for file in (ROOT / folder).rglob("*") if file.is_file())
    for file in sorted(files):
        kind = "".join(file.suffixes[-2:])
        comment = COMMENTS.get(kind) or COMMENTS.get(file.suffix or file.name)
        if comment is not None:
            yield file, comment


def _with_line(text: str, line: str) -> str:
    shebang, rest = "", text
    if text.startswith("#!"):
        shebang, _, rest = text.partition("\n")
        shebang += "\n"
    return text if rest.startswith(line) else f"{shebang}{line}{rest}"


def lint(*, fix: bool) -> bool:
    """Whether every source file has its licence line; `fix` adds it."""
    good = True
    for file, comment in _sources():
        text = file.read_text(encoding="utf-8")
        # Templates that others include: a comment that is not generated.
        if file.suffix == ".j2" and text.startswith(f"{{# {LINE} #}}\n"):
            continue
        wanted = _with_line(text, f"{comment}{LINE}\n")
        if wanted == text:
            continue
        if fix:
            file.write_text(wanted, encoding="utf-8")
        else:
            print(f"{file.relative_to(ROOT)}: does not begin with `{comment}{LINE}`")
            good = False
    return good

# SPDX-License-Identifier: Apache-2.0
"""Rename a signal, port, parameter or type of a module: `python tools/rename.py MODULE OLD NEW`.

Follows the name into instances of the module (`.OLD(...)`), into the modules of `formal/` that are
bound to it or prove it, and into the mutations of the tests. Prints the files that have changed.
Types and constants of a package are renamed in all SystemVerilog. Refuses a name that is in use.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("rtl", "formal", "sim", "tests", "docs", "benchmarks", "src")
ENDINGS = (".sv", ".svh", ".j2")


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w`$]){re.escape(name)}(?!\w)")


def _closing(text: str, start: int) -> int:
    """The position after the parenthesis that closes the one at `start`."""
    depth = 0
    for position in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    return len(text)


def _in_instances(text: str, module: str, old: str, new: str) -> str:
    """Renames connections and parameters of all instances of a module."""
    connection = re.compile(rf"\.{re.escape(old)}(?!\w)(\s*\()?")
    result, done = "", 0
    for found in re.finditer(rf"(?<![\w.]){module}(?=\s*#\s*\(|\s+\w+\s*\()", text):
        if found.start() < done:
            continue
        end = text.find(";", found.end())
        position = found.end()
        while 0 <= (opening := text.find("(", position)) < end:
            position = _closing(text, opening)
            end = text.find(";", position)
        inside = connection.sub(
            lambda m: f".{new}{m[1]}" if m[1] else f".{new}({old})", text[found.start() : position]
        )
        result += text[done : found.start()] + inside
        done = position
    return result + text[done:]


def _in_mutations(text: str, module: str, old: str, new: str) -> str:
    """Renames in the arguments of `Mutation(MODULE, ...)`; a constant may name the module."""
    names = [f'"{module}"', *re.findall(rf'^(\w+) = "{module}"$', text, re.MULTILINE)]
    result, done = "", 0
    for found in re.finditer(rf"Mutation\(\s*(?:{'|'.join(map(re.escape, names))}),", text):
        end = _closing(text, text.index("(", found.start()))
        result += text[done : found.end()] + _word(old).sub(new, text[found.end() : end])
        done = end
    return result + text[done:]


def rename(module: str, old: str, new: str, root: Path = ROOT) -> list[Path]:
    """Renames, and returns the files that have changed; ValueError if that is not possible."""
    homes = list((root / "rtl").rglob(f"{module}.sv"))
    if len(homes) != 1:
        raise ValueError(f"there is no module or package {module}")
    home = homes[0].read_text(encoding="utf-8")
    if not _word(old).search(home):
        raise ValueError(f"{module} has no {old}")
    if _word(new).search(home):
        raise ValueError(f"{module} has {new} already")
    # Files in which all occurrences of the name are those of the module.
    pattern = _word(module) if module.endswith("_pkg") else re.compile(rf"\bbind {module}\b")
    changed = []
    sources = (each for folder in FOLDERS for each in (root / folder).rglob("*"))
    for file in sorted(each for each in sources if each.suffix in (*ENDINGS, ".py")):
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".py":
            result = _in_mutations(text, module, old, new)
        elif file == homes[0] or pattern.search(text):
            result = _word(old).sub(new, text)
        else:
            result = _in_instances(text, module, old, new)
        if result != text:
            file.write_text(result, encoding="utf-8")
            changed.append(file.relative_to(root))
    return changed


def main() -> None:
    parser = argparse.ArgumentParser(description="Rename a signal of a module wherever it is used.")
    parser.add_argument("module")
    parser.add_argument("old")
    parser.add_argument("new")
    arguments = parser.parse_args()
    try:
        changed = rename(arguments.module, arguments.old, arguments.new)
    except ValueError as error:
        sys.exit(f"rename: {error}")
    print("\n".join(map(str, changed)))


if __name__ == "__main__":
    main()

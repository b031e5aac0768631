# SPDX-License-Identifier: Apache-2.0
"""Figures about the structure of the code: `python tools/structure.py`.

Packages of src/bombus and files of its simulator: how many, on how many floors (each floor uses
only those below), how many pairs import each other, how many are in circles. Features: files
outside their own folders that mention them. SystemVerilog: words of comments, long lines, modules
with assertions.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import comments
import networkx as nx

ROOT = comments.ROOT
PACKAGE = ROOT / "src" / "bombus"
SOURCES = ("rtl", "src", "sim", "tests", "docs", "benchmarks", "tools", "formal")
ENDINGS = (".py", ".sv", ".svh", ".rdl", ".cpp", ".h", ".j2", ".md")
# A feature's words, and the names of its folders.
FEATURES = {
    "TCP": (r"(?i)\btcp|_tcp", ("tcp",)),
    "packet processors": (r"(?i)\brpus?\b|rpu_|packet processor", ("processors",)),
}
WORDS = ("behind", "what", "comes")


def _module(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def _imports(file: Path) -> Iterator[str]:
    """Modules of Bombus that a file imports, also those that only types need."""
    known = PACKAGE.parent
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                inner = known.joinpath(*node.module.split("."), each.name)
                is_module = inner.is_dir() or inner.with_suffix(".py").is_file()
                yield f"{node.module}.{each.name}" if is_module else node.module


def graph(room: Callable[[str], str | None]) -> nx.DiGraph[str]:
    """The imports between rooms; `room` names the one of a module, or None for modules outside."""
    found: nx.DiGraph[str] = nx.DiGraph()
    for file in PACKAGE.rglob("*.py"):
        source = room(_module(file))
        if source is None:
            continue
        found.add_node(source)
        for name in _imports(file):
            target = room(name)
            if target is not None and target != source:
                found.add_edge(source, target)
    return found


def package_of(module: str) -> str | None:
    """The package of src/bombus that holds a module."""
    first, *rest = module.split(".")
    return None if first != "bombus" else rest[0] if rest else "bombus"


def simulator_file(module: str) -> str | None:
    """The module itself, if it belongs to the simulator."""
    return module if module.startswith("bombus.simulator.") else None


def plan(found: nx.DiGraph[str]) -> str:
    """Rooms, floors and dependencies of a graph of imports."""
    floors = nx.dag_longest_path_length(nx.condensation(found)) + 1
    return f"{len(found)} / {floors} / {found.number_of_edges()}"


def circles(found: nx.DiGraph[str]) -> list[set[str]]:
    """The rooms that import each other in a loop."""
    return [each for each in nx.strongly_connected_components(found) if len(each) > 1]


def _sources() -> Iterator[Path]:
    for folder in SOURCES:
        yield from (each for each in (ROOT / folder).rglob("*") if each.suffix in ENDINGS)


def mentions(words: str, folders: tuple[str, ...]) -> tuple[int, int]:
    """Files outside a feature's own folders that mention it, and the folders that hold them."""
    found = [
        file.relative_to(ROOT)
        for file in _sources()
        if not set(folders) & set(file.relative_to(ROOT).parts)
        and re.search(words, file.read_text(encoding="utf-8"))
    ]
    return len(found), len({file.parent for file in found})


def main() -> None:
    print(f"packages of src/bombus, rooms / floors / dependencies: {plan(graph(package_of))}")
    print(f"files of its simulator, the same: {plan(graph(simulator_file))}")
    loops = circles(graph(lambda module: module if package_of(module) else None))
    print(f"circles of files in src/bombus: {len(loops)}")
    for loop in loops:
        print(f"  {', '.join(sorted(loop))}")
    for name, (words, folders) in FEATURES.items():
        files, places = mentions(words, folders)
        print(f"outside its folders, {name}: {files} files in {places} folders")
    for folder in comments.FOLDERS:
        texts = [
            each.read_text(encoding="utf-8")
            for each in comments.files()
            if each.is_relative_to(ROOT / folder)
        ]
        count: Counter[str] = sum(map(comments.words, texts), Counter())
        per = " / ".join(f"{1000 * count[word] / count.total():.1f}" for word in WORDS)
        print(f"comment words of {folder}/ per 1,000, {' / '.join(WORDS)}: {per}")
    lines = [len(line) for file in comments.files() for line in file.read_text().splitlines()]
    print(f"lines over {comments.COLUMNS} columns: {sum(n > comments.COLUMNS for n in lines)}")
    modules = [each for each in (ROOT / "rtl").rglob("*.sv") if not each.stem.endswith("_pkg")]
    checked = sum(bool(re.search(r"`BOMBUS_ASSERT|\bassert \(", m.read_text())) for m in modules)
    print(f"modules with assertions: {checked} of {len(modules)}")


if __name__ == "__main__":
    main()

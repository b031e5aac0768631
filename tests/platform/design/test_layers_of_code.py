# SPDX-License-Identifier: Apache-2.0
"""The platform uses no protocol and no application, and protocols use no application.

Python, C++ and SystemVerilog have the same layers, from the lowest to the highest: the platform,
`protocols`, `cluster`, `applications`. A file uses files of its own layer and of lower ones.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from pyslang import syntax

from bombus.base.paths import PACKAGE, RTL, SIM

LAYERS = ("platform", "protocols", "cluster", "applications")


def layer_in(root: Path, file: Path) -> int:
    """The layer of a file by its folder below `root`."""
    first = file.relative_to(root).parts[0]
    return LAYERS.index(first) if first in LAYERS else 0


# ---- Python ----


def layer_of_module(name: str) -> int:
    """Reference models of frames and of the IP stack are free for all: `bombus.protocols` itself
    counts as platform, its subpackages as protocols.
    """
    parts = name.split(".")[1:]
    if parts[:1] in (["cluster"], ["applications"]):
        return LAYERS.index(parts[0])
    is_package = (PACKAGE / Path(*parts[:2])).is_dir()
    return int(parts[:1] == ["protocols"] and len(parts) > 1 and is_package)


def imported(tree: ast.AST) -> Iterator[str]:
    """Modules that a module imports at any place, those for types included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def python_offences(files: Iterable[Path]) -> list[str]:
    found = []
    for file in files:
        own = ".".join(("bombus", *file.relative_to(PACKAGE).with_suffix("").parts))
        for name in imported(ast.parse(file.read_text())):
            if name.startswith("bombus.") and layer_of_module(name) > layer_of_module(own):
                found.append(f"{own} imports {name}")
    return found


def test_python() -> None:
    # `bombus` itself only offers names of all layers.
    files = [file for file in PACKAGE.rglob("*.py") if file != PACKAGE / "__init__.py"]
    assert python_offences(files) == []


def test_python_that_imports_upwards_is_found() -> None:
    tree = ast.parse("def run():\n    from bombus.protocols.tcp.sockets import Sockets\n")
    assert [layer_of_module(name) for name in imported(tree)] == [1]
    assert layer_of_module("bombus.protocols.frames.Host") == 0
    assert layer_of_module("bombus.applications.firewall") == LAYERS.index("applications")


# ---- C++ ----


def test_cpp() -> None:
    files = {file.name: file for file in SIM.rglob("*") if file.suffix in (".h", ".cpp")}
    found = []
    for name, file in files.items():
        for include in re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE):
            target = files.get(Path(include).name)
            if target and layer_in(SIM, target) > layer_in(SIM, file):
                found.append(f"{name} includes {target.name}")
    assert found == []


# ---- SystemVerilog ----


def names_in(tree: syntax.SyntaxTree) -> tuple[set[str], set[str]]:
    """Modules and packages that a file declares, and those that it uses."""
    declared: set[str] = set()
    used: set[str] = set()

    def visit(node: object) -> None:
        match node:
            case syntax.ModuleDeclarationSyntax():
                declared.add(node.header.name.valueText)
            case syntax.HierarchyInstantiationSyntax():
                used.add(node.type.valueText)
            case syntax.PackageImportItemSyntax():
                used.add(node.package.valueText)
            case syntax.ScopedNameSyntax():
                used.add(str(node.left).strip())

    tree.root.visit(visit)
    return declared, used


def systemverilog_offences(trees: Iterable[tuple[Path, syntax.SyntaxTree]]) -> list[str]:
    names = [(file, *names_in(tree)) for file, tree in trees]
    home = {name: file for file, declared, _ in names for name in declared}
    return sorted(
        f"{file.relative_to(RTL)} uses {name} of {home[name].relative_to(RTL)}"
        for file, _, used in names
        for name in used & home.keys()
        if layer_in(RTL, home[name]) > layer_in(RTL, file)
    )


def test_systemverilog() -> None:
    files = [file for file in RTL.rglob("*") if file.suffix in (".sv", ".svh")]
    trees = [(file, syntax.SyntaxTree.fromText(file.read_text())) for file in files]
    assert systemverilog_offences(trees) == []


def test_systemverilog_that_uses_a_higher_layer_is_found() -> None:
    texts = {
        "platform/a.sv": "module a; b first (); import c_pkg::*; endmodule",
        "platform/d.sv": "module d; logic [c_pkg::Width-1:0] x; endmodule",
        "protocols/b.sv": "module b; e first (); endmodule",
        "protocols/c_pkg.sv": "package c_pkg; localparam int Width = 4; endpackage",
        "applications/e.sv": "module e; a first (); endmodule",
    }
    trees = [(RTL / name, syntax.SyntaxTree.fromText(text)) for name, text in texts.items()]
    assert systemverilog_offences(trees) == [
        "platform/a.sv uses b of protocols/b.sv",
        "platform/a.sv uses c_pkg of protocols/c_pkg.sv",
        "platform/d.sv uses c_pkg of protocols/c_pkg.sv",
        "protocols/b.sv uses e of applications/e.sv",
    ]

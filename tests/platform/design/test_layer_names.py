# SPDX-License-Identifier: Apache-2.0
"""Python names no layer: what it has to say of some it reads from the SystemVerilog."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from bombus.design import rtl

PACKAGE = Path(rtl.__file__).parents[2]

# Who is about certain layers, with the reason.
ABOUT_LAYERS = {
    "__init__.py": "Python modules that `import bombus` binds",
    "applications": "models and software of certain layers",
    "cluster": "puts certain layers into the designs of boards",
    "protocols": "models of certain layers",
    "design/reference.py": "examples in a page",
    "design/register_reference.py": "examples in a page",
    "design/config": "examples in the schema",
    "measure/exchanges.py": "measures UDP echo, as RFC 862 defines it",
    "generation/board/liteeth_mac.py": "names of clocks in LiteEth",
}
# Not only the name of a layer: `--scheduler` is that of Dask, ARP and TCP are protocols.
WORDS = {"scheduler", "arp", "tcp"}


def texts(tree: ast.AST) -> Iterator[ast.Constant]:
    """String constants, parts of f-strings among them, but for docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node


def test_no_message_and_no_rule_names_a_layer() -> None:
    layers = sorted(rtl.library(512).layers.keys() - WORDS)
    pattern = re.compile(rf"\b(?:{'|'.join(layers)}|kind: scheduler)\b")
    found = [
        f"{file.relative_to(PACKAGE)}:{text.lineno}: {text.value}"
        for file in PACKAGE.rglob("*.py")
        if not any((PACKAGE / name) in (file, *file.parents) for name in ABOUT_LAYERS)
        for text in texts(ast.parse(file.read_text()))
        if pattern.search(text.value)
    ]
    assert found == []
    assert all((PACKAGE / name).exists() for name in ABOUT_LAYERS)


def test_layers_that_messages_propose_are_those_of_the_library() -> None:
    library = rtl.library(512)
    assert [library.mac_layers(way) for way in ("rx", "tx")] == [
        ["frame_rx", "mac_rx"],
        ["mac_tx"],
    ]

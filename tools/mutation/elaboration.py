# SPDX-License-Identifier: Apache-2.0
"""Whether slang elaborates a changed RTL file, in a design that uses it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pyslang
from pyslang import ast, parsing, syntax

from bombus.analysis import check
from bombus.base.macros import CHECKS
from bombus.generation import generate

ROOT = Path(__file__).resolve().parents[2]
_NARROW = ROOT / "designs" / "udp_echo_10g.yaml"
_DESIGNS = (
    _NARROW,
    ROOT / "designs" / "udp_echo_replicas.yaml",
    ROOT / "designs" / "rs.yaml",
)
_FABRICS = (
    "{kind: virtual_channels, virtual_channels: 2}",
    "{kind: crosspoint, algorithm: adaptive}",
)


@cache
def _designs() -> tuple[dict[str, str], ...]:
    """Designs that together use nearly every file, each as texts by file name."""
    with tempfile.TemporaryDirectory() as folder:
        files = list(_DESIGNS)
        for number, fabric in enumerate(_FABRICS):
            file = Path(folder) / f"design_{number}.yaml"
            file.write_text(f"{_NARROW.read_text()}fabric: {fabric}\n")
            files.append(file)
        return tuple(generate.texts(check.check(file)[0]) for file in files)


def _is_sound(texts: dict[str, str]) -> bool:
    # With the simulation checkers instantiated: on their own they would have no beat_t.
    defines = parsing.PreprocessorOptions()
    defines.predefines = [CHECKS]
    bag = pyslang.Bag([defines])
    manager = pyslang.SourceManager()
    for name in texts:
        if name.endswith(".svh"):
            manager.addUserDirectories(str(ROOT / Path(name).parent))
    compilation = ast.Compilation(bag)
    for name, text in texts.items():
        if name.endswith(".sv"):
            compilation.addSyntaxTree(syntax.SyntaxTree.fromText(text, manager, name, name, bag))
    return not any(diagnostic.isError() for diagnostic in compilation.getAllDiagnostics())


def _users(file: str) -> Iterator[dict[str, str]]:
    return (texts for texts in _designs() if file in texts)


def elaborates(file: str, text: str, packages: str = "") -> bool:
    """Whether all designs that use the file (`rtl/...`) elaborate with this text in it.

    True if none uses it. `packages`: SystemVerilog that goes before everything.
    """
    return all(_is_sound({"before.sv": packages, **texts, file: text}) for texts in _users(file))

# SPDX-License-Identifier: Apache-2.0
"""docs/modules.md is current and names every package and module."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests import ROOT
from tests.platform.docs.documents import DOCS

sys.path.append(str(ROOT / "tools"))

import module_index

SOURCE = ROOT / "src" / "bombus"
PACKAGES = {file.parent.name for file in SOURCE.glob("*/__init__.py")}


def test_the_page_is_current() -> None:
    assert (DOCS / "modules.md").read_text() == module_index.page(), "run `make docs`"


def test_every_package_has_its_place() -> None:
    assert set(module_index.PACKAGES) == PACKAGES


def used_packages(file: Path) -> set[str]:
    """The packages of Bombus that a file imports from, including imports in functions."""
    names: list[str] = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return {name.split(".")[1] for name in names if name.startswith("bombus.")} & PACKAGES


@pytest.mark.parametrize("package", module_index.PACKAGES)
def test_a_package_uses_only_those_before_it(package: str) -> None:
    place = module_index.PACKAGES.index(package)
    later = set(module_index.PACKAGES[place + 1 :])
    for file in (SOURCE / package).rglob("*.py"):
        assert not used_packages(file) & later, file


def test_every_module_says_what_it_is() -> None:
    assert [name for name, sentence in module_index.sentences() if not sentence] == []


def test_the_page_names_every_module() -> None:
    page = module_index.page()
    for name, _ in module_index.sentences():
        file = Path(name)
        folder = file.parent.name  # of a package
        expected = (f"`{file.stem}`", f"`{file.name}`")
        if file.stem == "__init__":
            expected = (f"**{'.'.join(file.parent.parts[1:])}**", f"### bombus.{folder}")
        assert any(each in page for each in expected), name

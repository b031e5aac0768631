# SPDX-License-Identifier: Apache-2.0
"""docs/modules.md is current and names every package and module."""

from __future__ import annotations

import sys

import pytest
from documents import DOCS, ROOT

sys.path.append(str(ROOT / "tools"))

import module_index

PACKAGES = {file.parent.name for file in (ROOT / "src" / "bombus").glob("*/__init__.py")}


def test_the_page_is_current() -> None:
    assert (DOCS / "modules.md").read_text() == module_index.page(), "run `make docs`"


def test_every_package_has_its_place() -> None:
    assert set(module_index.PACKAGES) == PACKAGES


@pytest.mark.parametrize("line", module_index.page().splitlines()[5:])
def test_every_module_says_what_it_is(line: str) -> None:
    assert not line.endswith("|  |")

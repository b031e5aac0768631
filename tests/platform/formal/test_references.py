# SPDX-License-Identifier: Apache-2.0
"""Proofs look into a module and into what it contains, no deeper: what is true of something
deeper is bound into the module that owns it, as its u_state."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bombus.base.comments import without_comments
from tests.platform.formal.prove import FORMAL

pytestmark = pytest.mark.slow

_REFERENCE = re.compile(r"\w+(?:\.\w+)+")
_INDEX = re.compile(r"\[([^][]*)\]")
# Instances; generate blocks, bound state modules and memories (sized_memory) do not count.
_DEEPEST = 2


def too_deep(text: str) -> list[str]:
    """Hierarchical references through too many instances."""
    text = without_comments(text)
    found: list[str] = []
    while _INDEX.search(text):  # an index is a reference of its own
        found += [name for index in _INDEX.findall(text) for name in _REFERENCE.findall(index)]
        text = _INDEX.sub("", text)
    found += _REFERENCE.findall(text)
    return [
        name for name in found if len(re.findall(r"\bu_(?!(?:state|memory)\b)", name)) > _DEEPEST
    ]


@pytest.mark.parametrize("file", sorted(FORMAL.glob("*.sv")), ids=lambda file: file.stem)
def test_references_are_shallow(file: Path) -> None:
    assert too_deep(file.read_text()) == []


def test_deep_references_are_found() -> None:
    allowed = "u_a.gen_b[2].gen_c.u_d.u_state.state + u_a.u_b.q + x.y.z // u_a.u_b.u_c.q"
    assert too_deep(allowed) == []
    for deep in (
        "u_a.gen_b.u_c.u_d.q",
        "u_a[i].gen_b[r[1]].u_c[2].u_d.q",
        "m.u_a.u_b.u_c.u_state.q",
    ):
        assert len(too_deep(f"assert (~{deep}[3] == x);")) == 1
        assert len(too_deep(f"assert (~u_a.ram[{deep}] == x);")) == 1

# SPDX-License-Identifier: Apache-2.0
"""docs/counters.md names every counter of every layer, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.design import rtl
from tests import ROOT
from tests.platform.docs.documents import DOCS, PAGES, sections

PAGE = sections(DOCS / "counters.md")


def counters(text: str) -> list[str]:
    """The first column of a section's tables, those that describe a counter."""
    rows = re.findall(r"^\| `([a-z0-9_.]+)` \| (.*) \|$", text, re.MULTILINE)
    for name, meaning in rows:
        assert len(meaning) > 8, f"{name} is not explained"
    return [name for name, _ in rows]


def test_there_is_a_section_for_every_layer() -> None:
    assert set(rtl.library(512).layers) == set(PAGE) - {"How to read them", "Every tile"}


@pytest.mark.parametrize("kind", rtl.library(512).layers.values(), ids=lambda kind: kind.name)
def test_every_counter_of_a_layer_is_explained(kind: rtl.LayerKind) -> None:
    expected = [f"drop.{kind.name}.{name}" for name in kind.drops]
    expected += [f"event.{kind.name}.{name}" for name in kind.events]
    assert sorted(counters(PAGE[kind.name])) == sorted(expected)


def test_the_counters_of_every_tile_are_explained_in_order() -> None:
    facts, _ = check.check(ROOT / "designs" / "udp_echo.yaml")
    tile = facts.design.tiles[0]
    common = counters(PAGE["Every tile"])
    assert tile.counters()[: len(common)] == common
    assert all(name.startswith("drop.mac_rx.") for name in tile.counters()[len(common) :][:3])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_counters_that_pages_name_exist(page: Path) -> None:
    known = {name for text in PAGE.values() for name in counters(text)}
    layers = {*rtl.library(512).layers}
    for name in re.findall(r"`((?:drop|event)\.(\w+)\.[a-z_]+)`", page.read_text()):
        if name[1] in layers:  # examples of user layers have others
            assert name[0] in known

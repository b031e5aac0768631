# SPDX-License-Identifier: Apache-2.0
"""docs/counters.md names every counter of every layer, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.design import rtl
from tests import ROOT
from tests.platform.docs.documents import DOCS, PAGES, sections

PAGE = sections(DOCS / "counters.md")
LAYERS = rtl.library(512).layers
COMMON = ("How to read them", "Every tile")


def expanded(name: str) -> Iterator[str]:
    """A name with `{a,b}` or `{0..3}` stands for several."""
    found = re.search(r"\{([^}]*)\}", name)
    if found is None:
        yield name
        return
    numbers = re.fullmatch(r"(\d)\.\.(\d)", found[1])
    words = (
        [str(number) for number in range(int(numbers[1]), int(numbers[2]) + 1)]
        if numbers
        else found[1].split(",")
    )
    for word in words:
        yield from expanded(name.replace(found[0], word, 1))


def counters(text: str) -> list[str]:
    """The counters that a section's lists describe."""
    items = re.findall(r"^- `([a-z0-9_.{},]+)`: (.*)$", text, re.MULTILINE)
    for name, meaning in items:
        assert len(meaning) > 8 or meaning == "their bytes", f"{name} is not explained"
    return [each for name, _ in items for each in expanded(name)]


def test_there_is_a_section_for_every_layer_with_counters() -> None:
    named = [name for title in set(PAGE) - {*COMMON} for name in title.split(", ")]
    assert sorted(named) == sorted(
        name for name, kind in LAYERS.items() if kind.drops or kind.events
    )
    without = PAGE["Every tile"].partition("No counters of their own have")[2]
    assert set(re.findall(r"`(\w+)`", without)) == LAYERS.keys() - {*named}


def test_every_counter_of_a_layer_is_explained() -> None:
    for title in set(PAGE) - {*COMMON}:
        kinds = [LAYERS[name] for name in title.split(", ")]
        expected = [f"drop.{kind.name}.{name}" for kind in kinds for name in kind.drops]
        expected += [f"event.{kind.name}.{name}" for kind in kinds for name in kind.events]
        assert sorted(counters(PAGE[title])) == sorted(expected)


def test_the_counters_of_every_tile_are_explained_in_order() -> None:
    facts, _ = check.check(ROOT / "designs" / "udp_echo.yaml")
    tile = facts.design.tiles[0]
    common = counters(PAGE["Every tile"])
    assert tile.counters()[: len(common)] == common
    assert all(name.startswith("drop.mac_rx.") for name in tile.counters()[len(common) :][:3])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_counters_that_pages_name_exist(page: Path) -> None:
    known = {name for text in PAGE.values() for name in counters(text)}
    for name in re.findall(r"`((?:drop|event)\.(\w+)\.[a-z_]+)`", page.read_text()):
        if name[1] in LAYERS:  # examples of user layers have others
            assert name[0] in known

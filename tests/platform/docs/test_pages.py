# SPDX-License-Identifier: Apache-2.0
"""The pages' pictures are current, their links lead somewhere, their commands exist."""

from __future__ import annotations

import ast
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from bombus.analysis import check, deadlock
from bombus.cli import app
from bombus.pictures import diagrams
from bombus.pictures import mesh as show
from tests import ROOT
from tests.platform.docs.documents import (
    DOCS,
    EXAMPLES,
    FIGURE_5A,
    FIRST,
    PAGES,
    UDP_ECHO,
    UDP_UPPER,
    blocks,
    slug,
)

PICTURES = {
    "udp_echo.svg": UDP_ECHO,
    "udp_upper.svg": UDP_UPPER,
    "two_networks.svg": EXAMPLES / "lookup" / "two_networks.yaml",
    "scale_28.svg": ROOT / "designs" / "scale_28.yaml",
    "figure_5a_deadlock.svg": FIGURE_5A,
    "first.svg": FIRST,
    "udp_echo_memory.svg": ROOT / "designs" / "udp_echo_memory.yaml",
}
# Drawn from measurements that take too long for a test, or of a page in a browser.
MEASURED = (
    "cluster_10.svg",
    "cluster_11.svg",
    "cluster_8.svg",
    "cluster_9.svg",
    "links.svg",
    "migration.svg",
    "noc_chain.svg",
    "noc_independent.svg",
    "noc_size.svg",
    "tcp_buffers.svg",
    "tcp_goodput_512.svg",
    "tcp_protocols.svg",
    "tcp_round_trips.svg",
    "tcp_transfers.svg",
    "web.png",
)


def drawn(file: Path) -> str:
    """A picture's text without the version of the library that drew it."""
    text = re.sub(r"Matplotlib v[\d.]+", "Matplotlib", file.read_text())
    ElementTree.fromstring(text)  # it is well formed
    return text


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_current(name: str, tmp_path: Path) -> None:
    facts, _ = check.check(PICTURES[name], allow_deadlock=True)
    show.draw(facts.design, tmp_path / name, next(iter(deadlock.cycles(facts)), None))
    assert drawn(tmp_path / name) == drawn(DOCS / "pictures" / name), "run `make docs`"


@pytest.mark.parametrize("name", diagrams.DIAGRAMS)
def test_diagrams_are_current(name: str, tmp_path: Path) -> None:
    diagrams.write(name, tmp_path / name)
    assert drawn(tmp_path / name) == drawn(DOCS / "pictures" / name), "run `make docs`"


def test_every_picture_is_tested_and_shown() -> None:
    names = {*PICTURES, *MEASURED, *diagrams.DIAGRAMS}
    assert {path.name for path in (DOCS / "pictures").iterdir()} == names
    text = "".join(page.read_text() for page in PAGES)
    assert all(f"pictures/{name})" in text for name in names)


def headings(page: Path) -> set[str]:
    return {slug(line) for line in re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if "://" in link:
            continue
        path, _, heading = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not heading or heading in headings(target), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_exist(page: Path) -> None:
    known = set(get_command(app).commands)  # type: ignore[attr-defined]
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    text = page.read_text()
    code = re.findall(r"`([^`\n]+)`", text) + [block.text for block in blocks(page)]
    for part in code:
        for command in re.findall(r"(?:^|[$\'] )bombus (\w+)", part, re.MULTILINE):
            assert command in known, part
        for target in re.findall(r"(?:^|\$ )make (\w+)", part, re.MULTILINE):
            assert target in targets, part


def test_the_page_shows_what_check_says() -> None:
    with pytest.raises(check.DeadlockError) as caught:
        check.check(FIGURE_5A)
    message = str(caught.value).replace(f"{ROOT}/", "")
    page = (DOCS / "deadlock-and-placement.md").read_text()  # its long lines are wrapped
    assert " ".join(message.split()) in " ".join(page.split())


def texts_of_the_program() -> Iterator[list[str]]:
    """Every source text long enough to be recognised, split at its values."""
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            values = [part.value if isinstance(part, ast.Constant) else "" for part in parts]
            text = ["" if not isinstance(value, str) else value for value in values]
            if len("".join(text)) >= 15:
                yield text


def holds(message: str, text: list[str]) -> bool:
    """Whether a message contains the parts of a text in order."""
    at = 0
    for part in text:
        if (found := message.find(part, at)) < 0:
            return False
        at = found + len(part)
    return True


def test_troubleshooting_shows_messages_that_exist() -> None:
    page = (DOCS / "troubleshooting.md").read_text()
    page = page[page.index("## Checking a design") : page.index("## Building")]
    messages = re.findall(r"^- (?:`` ?(.*?) ?``|`([^`]*)`): ", page, re.MULTILINE | re.DOTALL)
    assert len(messages) > 20
    texts = list(texts_of_the_program())
    parts = "\n".join(part for text in texts for part in text)
    for message in (" ".join("".join(each).split()) for each in messages):
        shown = message.split("...")  # in place of a value
        is_part = all(part in parts for part in shown)
        assert is_part or any(holds(message, text) for text in texts), message


def test_getting_started_shows_what_check_says(tmp_path: Path) -> None:
    page = (DOCS / "getting-started.md").read_text()
    assert "4 tiles with 11 layers on a mesh of 2 x 2" in page
    assert not check.check(FIRST)[1]
    *rest, last = FIRST.read_text().splitlines(keepends=True)
    file = tmp_path / "first.yaml"
    file.write_text("".join(rest))
    assert "kind: arp" in last
    (warning,) = check.check(file)[1]
    shown = f"{warning}".replace(f"{tmp_path}/", "")  # a long line, wrapped
    assert shown in " ".join(page.split())


def test_the_page_shows_what_place_says() -> None:
    result = CliRunner().invoke(app, ["place", str(FIGURE_5A), "--move", "--dry-run"])
    table = [line for line in result.stdout.splitlines() if line.startswith("│")]
    assert len(table) == 8
    assert "\n".join(table) in (DOCS / "deadlock-and-placement.md").read_text()


def test_the_readme_shows_tiles_where_they_are() -> None:
    tiles = {tile.name: str((tile.x, tile.y)) for tile in check.check(UDP_ECHO)[0].design.tiles}
    shown = re.findall(r"^│ (\w+) +│ (\S+(?: \S+)?) +│", (ROOT / "README.md").read_text(), re.M)
    assert shown
    for name, place in shown:
        assert place == tiles[name]

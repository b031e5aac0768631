# SPDX-License-Identifier: Apache-2.0
"""The site: its navigation names every page once, and its pages say what a code host shows."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from ruamel.yaml import YAML

import bombus
from tests import ROOT
from tests.platform.docs.documents import DOCS

CONFIGURATION = ROOT / "mkdocs.yml"
PARTS = ["Start", "Tutorials", "Guides", "Reference", "Internals and measurements"]
PROJECT = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}
# Elements whose numbers do not depend on highlighting or on anchors of headings.
COUNTED = ("h1", "h2", "h3", "h4", "ul", "ol", "li", "p", "table", "tr", "td", "th", "pre", "em")


def pages_in(part: object) -> Iterator[str]:
    """The pages that a part of the navigation names."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for each in part.values():
            yield from pages_in(each)
    elif isinstance(part, list):
        for each in part:
            yield from pages_in(each)


@pytest.fixture(scope="module")
def parts() -> dict[str, list[str]]:
    """The pages of each part of the navigation."""
    navigation = YAML(typ="safe").load(CONFIGURATION)["nav"]
    return {name: list(pages_in(part)) for each in navigation for name, part in each.items()}


def sources() -> dict[str, Path]:
    """Each page's file by its path in the site."""
    found = {str(page.relative_to(DOCS)): page for page in DOCS.rglob("*.md")}
    return found | {name.lower(): ROOT / name for name in PROJECT}


def test_the_navigation_names_every_page_once(parts: dict[str, list[str]]) -> None:
    assert list(parts) == PARTS
    named = Counter(page for pages in parts.values() for page in pages)
    assert set(named) == {*sources(), "api.md"}
    assert [page for page, times in named.items() if times > 1] == []


def test_the_start_page_leads_to_every_tutorial_and_guide(parts: dict[str, list[str]]) -> None:
    linked = set(re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (DOCS / "index.md").read_text()))
    assert {*parts["Tutorials"], *parts["Guides"]} - linked == set()


def test_links_to_files_become_links_to_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    import docs_site

    text = (
        "[a](../rtl/protocols/udp/udp_tx.sv) [b](../README.md#requirements) [c](fabrics.md#links)\n"
        "[d](../designs) ![e](pictures/first.svg) [f](https://a.b/../rtl) [g](../rtl/none.sv)\n"
        "```\n[h](../designs)\n```\n[i](examples/first/first.yaml) [j](../../designs) [k](#links)\n"
    )
    assert docs_site.linked("latency.md", text) == (
        "[a](source/rtl/protocols/udp/udp_tx.sv.md) [b](readme.md#requirements) "
        "[c](fabrics.md#links)\n"
        "[d](source/designs/index.md) ![e](pictures/first.svg) [f](https://a.b/../rtl) "
        "[g](../rtl/none.sv)\n"
        "```\n[h](../designs)\n```\n[i](source/docs/examples/first/first.yaml.md) "
        "[j](../../designs) [k](#links)\n"
    )
    deep = docs_site.linked("protocols/tcp/tcp.md", "[a](../../../designs/tcp_echo.yaml)")
    assert deep == "[a](../../source/designs/tcp_echo.yaml.md)"
    assert docs_site.linked("readme.md", "[a](docs/latency.md)") == "[a](latency.md)"


def test_the_reference_has_what_bombus_exports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    import api_reference

    page = api_reference.page()
    for path, item in api_reference.items():
        assert f"\n## {path.rpartition('.')[2]}\n" in page
        assert inspect.getdoc(item), path
        for name, member in api_reference.members(item) if inspect.isclass(item) else ():
            is_watched = str(getattr(member, "__module__", "")).startswith("tests.")
            assert is_watched or inspect.getdoc(member), f"{path}.{name} has no docstring"
    names = dict(api_reference.items()).keys()
    assert {f"bombus.{name}" for name in bombus.__all__} <= names
    assert {"bombus.spn.compile", "bombus.cluster.Cluster"} <= names
    assert "bombus.applications.functions.balancer.LoadBalancer" in names  # a page imports it
    assert "\nsend(frame: " in page and "(self" not in page


def test_versions_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    import docs_site

    for name in ("0.9.1", "0.10.0", "0.9.0"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").touch()
    (tmp_path / "other").mkdir()
    assert docs_site.write_versions(tmp_path) == ["0.10.0", "0.9.1", "0.9.0"]
    listed = json.loads((tmp_path / "versions.json").read_text())
    assert [each["version"] for each in listed] == ["0.10.0", "0.9.1", "0.9.0"]
    assert "0.10.0/index.html" in (tmp_path / "index.html").read_text()


class Shown(HTMLParser):
    """Counts elements and collects text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.text = ""
        self.feed(html)
        self.text = re.sub(r"\s|¶", "", self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in COUNTED:
            self.elements[tag] += 1

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.slow
def test_the_site_shows_what_a_code_host_shows(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    markdown = MarkdownIt("commonmark").enable("table")
    for page, source in sources().items():
        html = (tmp_path / page).with_suffix(".html").read_text()
        article = html[html.index("<article") : html.index("</article>")]
        site, host = Shown(article), Shown(markdown.render(source.read_text()))
        assert site.elements == host.elements, page
        assert site.text == host.text, page
    assert "Simulation.advance_until_idle" in (tmp_path / "api.html").read_text()
    udp_tx = "rtl/protocols/udp/udp_tx.sv"  # linked by a tutorial
    shown = Shown((tmp_path / "source" / f"{udp_tx}.html").read_text()).text
    assert re.sub(r"\s", "", (ROOT / udp_tx).read_text()) in shown

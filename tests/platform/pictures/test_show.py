# SPDX-License-Identifier: Apache-2.0
"""The picture of a mesh."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from matplotlib.patches import FancyArrowPatch

from bombus.analysis import check
from bombus.base.errors import UserError
from bombus.design import resolve
from bombus.pictures import mesh as show
from bombus.pictures import sheet
from tests import ROOT
from tests.support.helpers import DESIGNS, Edited

EXAMPLES = ROOT / "docs" / "examples"
FIGURE_5B = EXAMPLES / "deadlock" / "figure_5b.yaml"


def test_routes_are_on_the_links_that_they_take() -> None:
    facts, _ = check.check(DESIGNS / "udp_echo_fused.yaml")
    links = show.routes_by_link(facts.design)
    names = sorted(route.name for route in links[(0, 0), (1, 0)])
    # ipv4_rx has next hops to icmp_echo for pings and for unreachable protocols.
    assert names == ["eth_tx", "icmp", "icmp", "udp_rx"]
    assert [route.name for route in links[(1, 0), (0, 0)]] == ["arp"]
    assert ((1, 0), (2, 0)) not in links


def test_picture_names_every_tile_and_layer(tmp_path: Path) -> None:
    facts, _ = check.check(DESIGNS / "udp_echo.yaml")
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    show.draw(facts.design, first)
    show.draw(facts.design, second)
    text = first.read_text()
    for layer in facts.design.layers():
        assert f">{layer.name}" in text
        assert f">{layer.tile.name}<" in text
    assert text == second.read_text()


def test_mac_ports_have_their_numbers(tmp_path: Path, edited: Edited) -> None:
    file = edited(("[mac_rx, eth_rx]", "[{mac_rx: {mac_port: 3}}, eth_rx]"))
    design, _ = resolve.load(file)
    show.draw(design, tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert ">MAC 3 rx<" in text
    assert ">MAC 0 tx<" in text
    assert "MAC 0 rx" not in text


def test_wide_meshes_have_keys_and_a_legend(tmp_path: Path) -> None:
    facts, _ = check.check(DESIGNS / "scale_28.yaml")
    show.draw(facts.design, tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    names = {
        route.name for routes in show.routes_by_link(facts.design).values() for route in routes
    }
    for name in names:
        (line,) = re.findall(rf">([A-Z])  {name}<", text)  # in the legend, once
        assert re.search(rf">{line}( ×\d+)?<", text), f"no arrow has the key of {name}"
    links = show.routes_by_link(facts.design).values()
    crowded = [len(routes) for routes in links if len({route.name for route in routes}) > 3]
    assert crowded
    assert all(f">{number}<" in text for number in crowded)
    assert "number of routes" in text


def test_narrow_meshes_have_names(tmp_path: Path) -> None:
    facts, _ = check.check(DESIGNS / "udp_echo.yaml")
    show.draw(facts.design, tmp_path / "a.svg")
    assert "number of routes" not in (tmp_path / "a.svg").read_text()


@pytest.mark.parametrize(
    ("file", "is_there"), [(DESIGNS / "udp_echo.yaml", True), (FIGURE_5B, False)]
)
def test_numbers_on_arrows_are_explained(tmp_path: Path, file: Path, is_there: bool) -> None:
    facts, _ = check.check(file)
    show.draw(facts.design, tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert bool(re.search(r">\w+ ×\d+<", text)) == is_there
    assert (">×3: 3 routes with the same next hop share the link<" in text) == is_there


def test_thirty_next_hops_look_different() -> None:
    assert len({sheet.line_style(i) for i in range(30)}) == 30


def test_text_of_wide_meshes_can_be_read_at_page_width() -> None:
    for name in ("udp_echo", "scale_28"):
        facts, _ = check.check(DESIGNS / f"{name}.yaml")
        drawn = sheet.Sheet(facts.design, name, "", 0, {})
        pixels = 900 / (drawn.figure.get_figwidth() * 72)  # of a point, on a page of 900 pixels
        scale = drawn.scale
        assert min(scale.layer_font, scale.lane_font, scale.mac_font) * pixels > 6


PICTURES = (
    *(DESIGNS / f"{name}.yaml" for name in ("scale_28", "two_ports", "udp_echo_memory")),
    EXAMPLES / "lookup" / "two_networks.yaml",
)


@pytest.mark.parametrize("file", PICTURES, ids=lambda file: file.stem)
def test_text_covers_no_arrow_and_no_other_text(file: Path) -> None:
    facts, _ = check.check(file)
    figure = show.figure(facts.design)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    texts = [text.get_window_extent() for text in axes.texts]
    arrows = [
        each.get_window_extent() for each in axes.patches if isinstance(each, FancyArrowPatch)
    ]
    for i, text in enumerate(texts):
        touched = [other for other in (*texts[:i], *arrows) if text.overlaps(other)]
        assert not touched, axes.texts[i].get_text()


def test_memories_and_raised_ports_are_drawn(tmp_path: Path) -> None:
    facts, _ = check.check(DESIGNS / "udp_echo_memory.yaml")
    show.draw(facts.design, tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert ">memory: ddr4<" in text
    assert ">fill_o<" in text


def test_unknown_format_is_refused(tmp_path: Path) -> None:
    facts, _ = check.check(DESIGNS / "udp_echo.yaml")
    with pytest.raises(UserError, match=r"should end in \.svg"):
        show.draw(facts.design, tmp_path / "a.gif")


def test_the_legend_explains_the_colour_of_applications() -> None:
    told = "application, with the port or number by which messages are sent to it"
    facts = check.check(DESIGNS / "udp_echo.yaml")[0]
    assert told in [each.get_text() for each in show.figure(facts.design).axes[0].texts]

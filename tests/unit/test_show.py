"""The picture of a mesh."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit_helpers import DESIGNS

from bombus import check, show
from bombus.errors import UserError


def test_flows_are_on_the_links_that_they_take() -> None:
    network, _ = check.check(DESIGNS / "udp_echo_fused.yaml")
    links = show.flows_by_link(network)
    names = sorted(flow.name for flow in links[(0, 0), (1, 0)])
    assert names == ["arp", "ipv4_tx", "udp_tx"]  # arp passes through to the next tile
    assert sorted(flow.name for flow in links[(1, 0), (2, 0)]) == ["arp", "arp"]
    assert ((1, 0), (0, 0)) not in links


def test_picture_names_every_tile_and_layer(tmp_path: Path) -> None:
    network, _ = check.check(DESIGNS / "udp_echo.yaml")
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    show.draw(network, first)
    show.draw(network, second)
    text = first.read_text()
    for layer in network.layers():
        assert f">{layer.name}" in text
        assert f">{layer.tile.name}<" in text
    assert text == second.read_text()


def test_many_ways_over_a_link_are_counted(tmp_path: Path) -> None:
    network, _ = check.check(DESIGNS / "scale_28.yaml")
    show.draw(network, tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert " ways<" in text
    assert " flows<" not in text


def test_unknown_format_is_refused(tmp_path: Path) -> None:
    network, _ = check.check(DESIGNS / "udp_echo.yaml")
    with pytest.raises(UserError, match=r"should end in \.svg"):
        show.draw(network, tmp_path / "a.gif")

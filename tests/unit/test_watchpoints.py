# SPDX-License-Identifier: Apache-2.0
"""Places that the stall watchdog looks at, for each fabric."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from unit_helpers import ROOT

from bombus.analysis import check
from bombus.generation import watchpoints
from bombus.simulator.stalls import explain, stalls

FIGURE_5A = ROOT / "docs" / "examples" / "deadlock" / "figure_5a.yaml"


def points(tmp_path: Path, fabric: str) -> list[dict[str, Any]]:
    file = tmp_path / "design.yaml"
    file.write_text(FIGURE_5A.read_text().replace("tiles:", f"fabric: {fabric}\ntiles:"))
    design, _ = check.check(file, allow_deadlock=True)
    return watchpoints.points(design)


@pytest.mark.parametrize("kind", ["wormhole", "virtual_channels"])
def test_a_cycle_is_told_if_all_of_it_stands_still(tmp_path: Path, kind: str) -> None:
    # With virtual channels the links are not among the places: the tiles' ways stand for them.
    found = points(tmp_path, f"{{kind: {kind}}}")
    assert any(point["name"].startswith("link") for point in found) == (kind == "wormhole")
    numbers = dict.fromkeys(range(len(found)), 1)
    text = explain(stalls(found, numbers))[-1]
    assert text.startswith("deadlock, each waits for the next: ")


def test_queues_of_the_crosspoint(tmp_path: Path) -> None:
    found = points(tmp_path, "{kind: crosspoint, algorithm: o1turn}")
    (queue,) = (
        point for point in found if point["name"] == "link (1, 0) to (2, 0) from west, turned"
    )
    assert (queue["scope"], queue["module"]) == (
        "u_udp_rx.u_router.gen_crosspoint.u_router",
        "router_crosspoint",
    )
    west = 4
    assert queue["bit"] == 5 * west + west  # the second lane of the queue from west to east
    assert [found[n]["name"] for n in queue["waits_for"]] == [
        "ejection port of router (2, 0) from west"
    ]

# SPDX-License-Identifier: Apache-2.0
"""Places that the stall watchdog looks at, for each fabric."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bombus.analysis import check
from bombus.generation import watchpoints
from bombus.simulator.stalls import explain, stalls
from tests import ROOT

FIGURE_5A = ROOT / "docs" / "examples" / "deadlock" / "figure_5a.yaml"


def points(tmp_path: Path, fabric: str) -> list[dict[str, Any]]:
    file = tmp_path / "design.yaml"
    file.write_text(FIGURE_5A.read_text().replace("tiles:", f"fabric: {fabric}\ntiles:"))
    facts, _ = check.check(file, allow_deadlock=True)
    return watchpoints.points(facts)


@pytest.mark.parametrize("kind", ["wormhole", "virtual_channels"])
def test_a_cycle_is_told_if_all_of_it_stands_still(tmp_path: Path, kind: str) -> None:
    found = points(tmp_path, f"{{kind: {kind}}}")
    numbers = dict.fromkeys(range(len(found)), 1)
    text = explain(stalls(found, numbers))[-1]
    assert text.startswith("deadlock, each waits for the next: ")


@pytest.mark.parametrize(
    ("fabric", "inner", "signals", "bits"),
    [
        ("{kind: wormhole}", "", ("router_wormhole", "front_valid", "front_taken"), [4]),
        (
            "{kind: virtual_channels, virtual_channels: 4}",
            ".gen_input[4].gen_present.u_input",
            ("vc_input", "front_valid", "pop"),
            [0, 1, 2, 3],
        ),
    ],
)
def test_a_link_is_watched_in_the_buffers_behind_it(
    tmp_path: Path, fabric: str, inner: str, signals: tuple[str, str, str], bits: list[int]
) -> None:
    found = points(tmp_path, fabric)
    link = [point for point in found if point["name"] == "link (0, 0) to (1, 0)"]
    assert [point["bit"] for point in link] == bits
    kind = fabric.strip("{}").split(",")[0].removeprefix("kind: ")
    for point in link:
        assert point["scope"] == f"u_udp_rx.u_router.gen_{kind}.u_router{inner}"
        assert (point["module"], point["valid"], point["moves"]) == signals
        # All buffers of the next link are among what it may wait for.
        after = [found[n]["name"] for n in point["waits_for"]]
        assert after.count("link (1, 0) to (2, 0)") == len(bits)


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

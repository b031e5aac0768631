# SPDX-License-Identifier: Apache-2.0
"""The outline of a design in its manifest: from it, the resource graph is the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.design.facts import Facts
from bombus.design.outline import facts_of
from bombus.generation.manifest import manifest
from tests import DESIGNS as TEST_DESIGNS
from tests import ROOT
from tests.support.helpers import DESIGNS

FILES = [
    *(DESIGNS / name for name in ("tcp_echo.yaml", "udp_echo_replicas.yaml", "two_ports.yaml")),
    *(TEST_DESIGNS / name for name in ("any_order.yaml", "frame_lookup.yaml", "hand_over.yaml")),
    ROOT / "docs" / "examples" / "join" / "join.yaml",
    ROOT / "docs" / "examples" / "lookup" / "two_networks.yaml",
]


def edges(facts: Facts) -> dict[tuple[str, str], set[str]]:
    """Edges by name, with the next hops that cause each."""
    graph = facts.resource_graph
    return {
        (str(held), str(needed)): {f"{hop.source} {hop.name} {hop.target}" for hop in hops}
        for held, needed, hops in graph.edges(data="hops")
    }


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_graph_from_the_manifest_is_that_of_the_design(file: Path) -> None:
    facts, _ = check.check(file)
    plain = json.loads(json.dumps(manifest(facts)))
    again = facts_of(plain, plain["hops"])
    assert edges(again) == edges(facts)
    assert sorted(map(str, again.waiting)) == sorted(map(str, facts.waiting))

# SPDX-License-Identifier: Apache-2.0
"""Checks that both ends of a next hop use one network, or one width where wires join them."""

from __future__ import annotations

from bombus.design.elements import Hop


def hop_problem(hop: Hop) -> str:
    """Problem with the networks of both ends of a hop; "" if there is none."""
    if hop.target is None:
        return ""
    source, target = hop.source.network, hop.target.network
    layer = hop.source.layer
    if hop.in_tile:
        if source.beat == target.beat:
            return ""
        return (
            f"output {hop.source.name} of {layer} has {source.data_width} bits (network "
            f"{source.name}), but input {hop.target.name} of {hop.target.layer}, joined to it by "
            f"wires, has {target.data_width} ({target.name}): give both streams one network"
        )
    if source is target:
        return ""
    return (
        f"next hop {hop.name!r} of {layer} uses network {source.name!r}, but input "
        f"{hop.target.name} of {hop.target.layer} uses {target.name!r}: give both ends one network "
        f"(`networks:` of tiles {layer.tile.given_name!r} and {hop.target.tile.given_name!r})"
    )

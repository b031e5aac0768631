# SPDX-License-Identifier: Apache-2.0
"""Expected load of each next hop.

Traffic enters at the line rate and passes from layer to layer, shared among the next hops of each:
by the shares of the design file (`traffic:`), and the rest in equal parts, except that next hops
which a layer declares as rare (`RareHops`) get little. The next hops of all outputs of a layer
share; a message that takes two of them is not counted twice. Headers that are added or removed do
not count. A message without payload is one flit, and counts as if it followed from a frame of the
shortest kind.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from bombus.design.elements import Hop, Layer
from bombus.design.facts import Facts

RARE_SHARE = 0.01  # share of a rare next hop, relative to one that is not
SHORTEST_FRAME_BITS = 64 * 8  # with FCS (IEEE 802.3, 4A.4.2)


def _shares(facts: Facts, layer: Layer) -> dict[Hop, float]:
    """The share of a layer's messages that takes each next hop, without dropped ones."""
    hops = [
        hop for output in layer.outputs for hop in facts.topology.hops_from(output) if hop.target
    ]
    said = layer.tile.traffic
    given = {hop: said[hop.name] for hop in hops if hop.name in said}
    # A next hop to replicas occurs once per replica.
    same = Counter((hop.source, hop.number) for hop in hops)
    given = {hop: share / same[hop.source, hop.number] for hop, share in given.items()}
    weights = {
        hop: (RARE_SHARE if hop.is_rare else 1.0) / same[hop.source, hop.number]
        for hop in hops
        if hop not in given
    }
    rest = max(0.0, 1.0 - sum(given.values())) if weights else 0.0
    total = sum(weights.values())
    return given | {hop: rest * weight / total for hop, weight in weights.items()}


def expected(facts: Facts) -> dict[Hop, float]:
    """Gbit/s on every next hop that leads to a layer."""
    layers = list(facts.design.layers())
    index = {layer: i for i, layer in enumerate(layers)}
    rate = facts.design.config.line_rate_gbps
    # Not a kernel, which has neither: the layer that serves it feeds it.
    begins = [bool(layer.kind.outputs) and not layer.kind.inputs for layer in layers]
    sources = rate * np.array(begins)
    shares = {hop: share for la in layers for hop, share in _shares(facts, la).items()}
    passed = np.eye(len(layers))
    for hop, share in shares.items():
        assert hop.target
        passed[index[hop.target.layer], index[hop.source.layer]] -= share
    rates = np.linalg.lstsq(passed, sources, rcond=None)[0]
    # No layer forwards more than all sources together send: a cycle that keeps everything would
    # diverge.
    rates = np.clip(rates, 0.0, sources.sum())
    return {
        hop: float(share * rates[index[hop.source.layer]]) * _weight(facts, hop)
        for hop, share in shares.items()
    }


def _weight(facts: Facts, hop: Hop) -> float:
    """Load of a message on its hop, relative to the packet that it follows from."""
    is_packet = facts.messages.has_payload(hop)
    return 1.0 if is_packet else hop.network.data_width / SHORTEST_FRAME_BITS

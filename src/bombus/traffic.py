"""How much each next hop of a design is expected to carry.

What comes in at the line rate goes on from layer to layer, shared among the next
hops of each: as the design file says (`traffic:`), and what it does not say in
equal parts, except that next hops which a layer declares as rare (`RareHops`) get
little. Headers that are added or taken off do not count.
"""

from __future__ import annotations

import numpy as np

from bombus.network import Hop, Layer, Network

RARE_SHARE = 0.01  # of a rare next hop beside one that is not


def _shares(network: Network, layer: Layer) -> dict[Hop, float]:
    """The part of a layer's messages that takes each next hop; dropped ones do not count."""
    hops = [hop for hop in network.hops_from(layer) if hop.target]
    names = network.library.next_names
    said = layer.tile.traffic
    given = {hop: said[names[hop.number]] for hop in hops if names[hop.number] in said}
    # Next hops to replicas are there once for each.
    same = {hop: sum(hop.number == other.number for other in hops) for hop in hops}
    given = {hop: share / same[hop] for hop, share in given.items()}
    weights = {
        hop: (RARE_SHARE if layer.kind.rare_hops >> hop.number & 1 else 1.0) / same[hop]
        for hop in hops
        if hop not in given
    }
    rest = max(0.0, 1.0 - sum(given.values())) if weights else 0.0
    total = sum(weights.values())
    return given | {hop: rest * weight / total for hop, weight in weights.items()}


def expected(network: Network) -> dict[Hop, float]:
    """Gbit/s on every next hop that leads to a layer."""
    layers = list(network.layers())
    index = {layer: i for i, layer in enumerate(layers)}
    rate = network.design.line_rate_gbps
    sources = np.array([rate * (not layer.kind.has_input) for layer in layers])
    shares = {hop: share for la in layers for hop, share in _shares(network, la).items()}
    passed = np.eye(len(layers))
    for hop, share in shares.items():
        assert hop.target
        passed[index[hop.target], index[hop.source]] -= share
    rates = np.linalg.lstsq(passed, sources, rcond=None)[0]
    # No layer passes on more than comes in at all MAC ports: a ring that keeps all is no use.
    rates = np.clip(rates, 0.0, sources.sum())
    return {hop: float(share * rates[index[hop.source]]) for hop, share in shares.items()}

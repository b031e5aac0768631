# SPDX-License-Identifier: Apache-2.0
"""Leaves whose values a kernel cannot receive: it takes integers from 0 on."""

from __future__ import annotations

import math
from collections.abc import Iterator

from bombus.applications.spn.graph import (
    Bernoulli,
    Categorical,
    Gaussian,
    Histogram,
    Leaf,
    Network,
    Product,
    Sum,
)

MOST = 4  # warnings


def warnings(network: Network, value_bits: int) -> Iterator[str]:
    """One for each variable with a leaf that has less than half of its probability in the range
    of values of `value_bits` bits, of which all ones is missing; at most `MOST`.
    """
    highest = (1 << value_bits) - 2
    found: dict[int, float] = {}
    for node in network.nodes:
        if not isinstance(node, Sum | Product):
            share = _share(node, highest)
            if share < 0.5:
                found[node.variable] = min(share, found.get(node.variable, 1.0))
    for number, (variable, share) in enumerate(found.items()):
        if number == MOST:
            yield f"the same of {len(found) - MOST} more variables"
            return
        yield (
            f"{network.variables[variable]}: a leaf has {share:.2g} of its probability in the "
            f"values 0 to {highest}, which --value-bits {value_bits} allows"
        )


def _share(leaf: Leaf, highest: int) -> float:
    """Of the probability, in the values 0 to `highest`."""
    if isinstance(leaf, Bernoulli):
        return 1.0 if highest >= 1 else 1 - leaf.p
    if isinstance(leaf, Categorical):
        return math.fsum(leaf.probabilities[: highest + 1]) / math.fsum(leaf.probabilities)
    if isinstance(leaf, Gaussian):
        low, high = (
            math.erf((edge - leaf.mean) / leaf.stdev / math.sqrt(2)) for edge in (-0.5, highest + 1)
        )
        return (high - low) / 2
    assert isinstance(leaf, Histogram)
    bins = list(zip(leaf.breaks, leaf.breaks[1:], leaf.densities, strict=False))
    inside = math.fsum(
        max(0.0, min(b, highest + 1) - max(a, 0.0)) * density for a, b, density in bins
    )
    return inside / math.fsum((b - a) * density for a, b, density in bins)

# SPDX-License-Identifier: Apache-2.0
"""Reference: log-likelihoods in double precision.

As in SPFlow, a probability of a discrete leaf below 2^-52 counts as 2^-52, also that of a value
outside the leaf's range. The density of a Gaussian is at least 2^-1022.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from bombus.applications.spn.graph import (
    Categorical,
    Gaussian,
    Histogram,
    Leaf,
    Network,
    Product,
    Sum,
)
from bombus.base.errors import UserError

Doubles = npt.NDArray[np.float64]

LEAST_PROBABILITY = 2.0**-52
LEAST_DENSITY_LOG2 = -1022.0


def leaf_log2(leaf: Leaf, values: Doubles) -> Doubles:
    """log2 of the probability or density of each value; NaN is missing and has 0."""
    missing = np.isnan(values)
    known = np.where(missing, 0.0, values)
    if isinstance(leaf, Gaussian):
        constant = -math.log2(leaf.stdev) - math.log2(2 * math.pi) / 2
        with np.errstate(over="ignore"):  # far from the mean: the least density
            exponent = ((known - leaf.mean) / leaf.stdev) ** 2 * (math.log2(math.e) / 2)
        found = np.maximum(constant - exponent, LEAST_DENSITY_LOG2)
    else:
        if isinstance(leaf, Histogram):
            breaks, table = leaf.breaks, leaf.densities
        elif isinstance(leaf, Categorical):
            table = leaf.probabilities
            breaks = tuple(range(len(table) + 1))
        else:
            breaks, table = (0, 1, 2), (1 - leaf.p, leaf.p)
        padded = np.array([0.0, *table, 0.0])
        bins = np.searchsorted(np.array(breaks, dtype=float), known, side="right")
        found = np.log2(np.maximum(padded[bins], LEAST_PROBABILITY))
    return np.where(missing, 0.0, found)


def log2_likelihoods(network: Network, samples: npt.ArrayLike) -> Doubles:
    """log2 of the likelihood of each row; a column a variable, NaN where a value is missing."""
    data = np.asarray(samples, dtype=np.float64)
    if data.ndim != 2 or data.shape[1] != len(network.variables):
        raise UserError(
            f"samples need a column for each of {len(network.variables)} variables; their shape is "
            f"{data.shape}"
        )
    found: list[Doubles] = []
    for node in network.nodes:
        if isinstance(node, Product):
            found.append(np.sum([found[child] for child in node.children], axis=0))
        elif isinstance(node, Sum):
            terms: list[Any] = [
                found[child] + math.log2(weight)
                for child, weight in zip(node.children, node.weights, strict=True)
                if weight > 0
            ]
            found.append(np.logaddexp2.reduce(terms, axis=0))
        else:
            found.append(leaf_log2(node, data[:, node.variable]))
    return found[network.root]


def log_likelihoods(network: Network, samples: npt.ArrayLike) -> Doubles:
    """Log-likelihood of each row in nats, otherwise as `log2_likelihoods`."""
    return log2_likelihoods(network, samples) * math.log(2)

# SPDX-License-Identifier: Apache-2.0
"""Networks from objects of SPFlow, by the attributes that they have: SPFlow is not imported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bombus.applications.spn.graph import (
    Bernoulli,
    Categorical,
    Definition,
    Gaussian,
    Histogram,
    Inner,
    Leaf,
    Network,
    build,
)
from bombus.base.errors import UserError

_FILE = Path("SPFlow")


def from_spflow(root: Any, variables: Sequence[str] | None = None) -> Network:
    """The network below a node of SPFlow; `variables`: a name for each column of the data.

    Nodes with `children` and `weights` are sums, those with `children` products, others leaves with
    the attributes of Histogram, Gaussian, Categorical or Bernoulli. Identical objects are shared.
    """
    names: dict[int, str] = {}
    found: dict[str, tuple[Any, Inner | None]] = {}
    todo = [root]
    while todo:
        node = todo.pop()
        if id(node) in names:
            continue
        names[id(node)] = f"{type(node).__name__} {len(names)}"
        children = list(getattr(node, "children", ()))
        todo.extend(children)
        found[names[id(node)]] = node, None
    columns = sorted({_column(node) for node, _ in found.values() if not _is_inner(node)})
    numbers = {column: n for n, column in enumerate(columns)}
    definitions = {
        name: Definition(_inner(node, names) if _is_inner(node) else _leaf(node, numbers))
        for name, (node, _) in found.items()
    }
    if variables is not None and columns and columns[-1] >= len(variables):
        raise UserError(f"a leaf has the column {columns[-1]}; there are {len(variables)} names")
    chosen = [variables[c] if variables is not None else f"V{c}" for c in columns]
    return build(definitions, names[id(root)], chosen, _FILE)


def _is_inner(node: Any) -> bool:
    return hasattr(node, "children")


def _inner(node: Any, names: dict[int, str]) -> Inner:
    children = tuple(names[id(child)] for child in node.children)
    if not hasattr(node, "weights"):
        return Inner(children)
    weights = _floats(node.weights)
    if len(weights) != len(children):
        raise UserError(f"a sum has {len(children)} children and {len(weights)} weights")
    return Inner(children, weights)


def _column(leaf: Any) -> int:
    scope = list(getattr(leaf, "scope", ()))
    if len(scope) != 1:
        raise UserError(f"a leaf {type(leaf).__name__} needs a scope of one variable, not {scope}")
    return int(scope[0])


def _floats(values: Iterable[Any]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _leaf(leaf: Any, numbers: dict[int, int]) -> Leaf:
    variable = numbers[_column(leaf)]
    if hasattr(leaf, "breaks"):
        return Histogram(variable, _floats(leaf.breaks), _floats(leaf.densities))
    kind = type(leaf).__name__
    if kind == "Gaussian":
        return Gaussian(variable, float(leaf.mean), float(leaf.stdev))
    if kind == "Categorical":
        return Categorical(variable, _floats(leaf.p))
    if kind == "Bernoulli":
        return Bernoulli(variable, float(leaf.p))
    raise UserError(f"leaves of kind {kind} are not supported")

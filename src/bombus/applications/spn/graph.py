# SPDX-License-Identifier: Apache-2.0
"""Sum-product networks as validated graphs.

A network is complete (the children of a sum have one scope) and decomposable (the children of a
product have disjoint scopes), and the weights of each sum add up to 1, so that it is a probability
distribution (Poon and Domingos, Sum-product networks, UAI 2011).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bombus.base.errors import DesignError, Problem

# Weights and probabilities are often written with few digits.
WEIGHT_TOLERANCE = 1e-4
MASS_TOLERANCE = 1e-2
MAX_NODES = 100_000
MAX_VARIABLES = 4096


@dataclass(frozen=True)
class Histogram:
    """Density `densities[i]` from `breaks[i]` up to, but without, `breaks[i + 1]`."""

    variable: int
    breaks: tuple[float, ...]
    densities: tuple[float, ...]

    def problem(self) -> str | None:
        if len(self.densities) < 1 or len(self.breaks) != len(self.densities) + 1:
            return (
                f"a histogram of {len(self.densities)} densities needs "
                f"{len(self.densities) + 1} breaks, not {len(self.breaks)}"
            )
        if not all(map(math.isfinite, (*self.breaks, *self.densities))):
            return "a histogram has values that are not finite numbers"
        for low, high in zip(self.breaks, self.breaks[1:], strict=False):
            if low >= high:
                return f"breaks of a histogram must increase: {high:g} follows {low:g}"
        if min(self.densities) < 0:
            return "a histogram has a negative density"
        widths = (b - a for a, b in zip(self.breaks, self.breaks[1:], strict=False))
        # More than 1 is no error: learners write probabilities of whole bins as densities.
        mass = math.fsum(d * w for d, w in zip(self.densities, widths, strict=True))
        if mass < 1 - MASS_TOLERANCE:
            return f"a histogram has gaps: the probabilities of its bins sum to {mass:.6g}, not 1"
        return None


@dataclass(frozen=True)
class Gaussian:
    variable: int
    mean: float
    stdev: float

    def problem(self) -> str | None:
        if not (math.isfinite(self.mean) and math.isfinite(self.stdev)):
            return "mean and stdev of a Gaussian must be finite numbers"
        return None if self.stdev > 0 else "stdev of a Gaussian must be positive"


@dataclass(frozen=True)
class Categorical:
    """Probability `probabilities[i]` of the value i."""

    variable: int
    probabilities: tuple[float, ...]

    def problem(self) -> str | None:
        if not self.probabilities:
            return "a categorical leaf needs probabilities"
        if not all(math.isfinite(p) and p >= 0 for p in self.probabilities):
            return "a categorical leaf has a probability that is negative or not a number"
        total = math.fsum(self.probabilities)
        if abs(total - 1) > MASS_TOLERANCE:
            return f"the probabilities of a categorical leaf sum to {total:.6g}, not 1"
        return None


@dataclass(frozen=True)
class Bernoulli:
    """Probability `p` of the value 1."""

    variable: int
    p: float

    def problem(self) -> str | None:
        return None if 0 <= self.p <= 1 else "p of a Bernoulli leaf must be from 0 to 1"


@dataclass(frozen=True)
class Sum:
    children: tuple[int, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True)
class Product:
    children: tuple[int, ...]


Leaf = Histogram | Gaussian | Categorical | Bernoulli
Node = Leaf | Sum | Product


@dataclass(frozen=True)
class Network:
    """`nodes`: children before parents, the root last. Shared subgraphs occur once."""

    variables: tuple[str, ...]
    nodes: tuple[Node, ...]
    name: str = "network"  # of the file or object it was read from

    @property
    def root(self) -> int:
        """Number of the root in `nodes`."""
        return len(self.nodes) - 1

    def scopes(self) -> list[int]:
        """The scope of each node as a bit mask of variables."""
        found: list[int] = []
        for node in self.nodes:
            if isinstance(node, Sum | Product):
                scope = 0
                for child in node.children:
                    scope |= found[child]
                found.append(scope)
            else:
                found.append(1 << node.variable)
        return found


@dataclass(frozen=True)
class Inner:
    """A sum (with weights) or a product whose children are names."""

    children: tuple[str, ...]
    weights: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Definition:
    """A node as a reader has found it; `line`: in the file, if there is one."""

    body: Leaf | Inner
    line: int | None = None


@dataclass
class _Builder:
    definitions: Mapping[str, Definition]
    root: str
    variables: Sequence[str]
    file: Path
    nodes: list[Node] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    scopes: list[int] = field(default_factory=list)

    def error(self, name: str, message: str) -> DesignError:
        found = self.definitions.get(name)
        return DesignError([Problem(self.file, found.line if found else None, message)])

    def children(self, name: str) -> tuple[str, ...]:
        body = self.definitions[name].body
        return body.children if isinstance(body, Inner) else ()

    def order(self) -> Iterator[str]:
        """Names from the leaves up; raises if there is a cycle or an undefined node."""
        done: set[str] = set()
        path: dict[str, Iterator[str]] = {self.root: iter(self.children(self.root))}
        while path:
            name, rest = next(reversed(path.items()))
            child = next(rest, None)
            if child is None:
                path.popitem()
                done.add(name)
                yield name
            elif child in path:
                raise self.error(name, f"cyclic: {name} has {child} as a child, which contains it")
            elif child not in self.definitions:
                raise self.error(name, f"{name} has a child {child}, which is not defined")
            elif child not in done:
                path[child] = iter(self.children(child))

    def names_of(self, scope: int) -> str:
        names = [name for n, name in enumerate(self.variables) if scope >> n & 1]
        return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")

    def sum_of(self, name: str, children: tuple[int, ...], weights: Sequence[float]) -> Sum:
        for weight in weights:
            if not (math.isfinite(weight) and weight >= 0):
                raise self.error(name, f"{name} has the weight {weight:g}")
        total = math.fsum(weights)
        if abs(total - 1) > WEIGHT_TOLERANCE:
            raise self.error(name, f"the weights of {name} sum to {total:.9g}, not 1")
        for child in children[1:]:
            different = self.scopes[child] ^ self.scopes[children[0]]
            if different:
                raise self.error(
                    name,
                    f"the children of the sum {name} have different scopes: they differ in "
                    f"{self.names_of(different)}",
                )
        return Sum(children, tuple(weights))

    def product_of(self, name: str, children: tuple[int, ...]) -> Product:
        scope = 0
        for child in children:
            common = scope & self.scopes[child]
            if common:
                raise self.error(
                    name,
                    f"children of the product {name} have overlapping scopes: "
                    f"{self.names_of(common)}",
                )
            scope |= self.scopes[child]
        return Product(children)

    def add(self, name: str) -> None:
        body = self.definitions[name].body
        if isinstance(body, Inner):
            if not body.children:
                raise self.error(name, f"{name} has no children")
            children = tuple(self.numbers[child] for child in body.children)
            node: Node
            if body.weights is None:
                node = self.product_of(name, children)
            else:
                node = self.sum_of(name, children, body.weights)
            scope = 0
            for child in children:
                scope |= self.scopes[child]
        else:
            problem = body.problem()
            if problem:
                raise self.error(name, f"{name}: {problem}")
            node, scope = body, 1 << body.variable
        self.numbers[name] = len(self.nodes)
        self.nodes.append(node)
        self.scopes.append(scope)


def build(
    definitions: Mapping[str, Definition], root: str, variables: Sequence[str], file: Path
) -> Network:
    """The network of all definitions; raises DesignError, with the line, if it is not valid."""
    builder = _Builder(definitions, root, variables, file)
    if len(definitions) > MAX_NODES:
        raise builder.error("", f"{len(definitions)} nodes; at most {MAX_NODES} are supported")
    if len(variables) > MAX_VARIABLES:
        raise builder.error(
            "", f"{len(variables)} variables; at most {MAX_VARIABLES} are supported"
        )
    seen: set[str] = set()
    for variable in variables:
        if variable in seen:
            raise builder.error("", f"two variables have the name {variable}")
        seen.add(variable)
    for name in builder.order():
        builder.add(name)
    for name in definitions:
        if name not in builder.numbers:
            raise builder.error(name, f"disconnected: {name} is not reached from the root {root}")
    missing = ~builder.scopes[-1] & ((1 << len(variables)) - 1)
    if missing:
        raise builder.error(root, f"no leaf has the variable {builder.names_of(missing)}")
    return Network(tuple(variables), tuple(builder.nodes), file.stem or "network")

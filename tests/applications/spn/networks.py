# SPDX-License-Identifier: Apache-2.0
"""Networks for tests: random ones, in SPFlow's text, and the published ones where they exist."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

# A folder with published models, such as those of https://github.com/esa-tu-darmstadt/spn-compiler
PUBLISHED = os.environ.get("BOMBUS_SPN_MODELS")


def published(pattern: str) -> Path:
    """A published file; the test is skipped where there is none."""
    if PUBLISHED is None:
        pytest.skip("BOMBUS_SPN_MODELS names no folder with published models")
    file = Path(PUBLISHED) / pattern
    if not file.exists():
        pytest.skip(f"{file} does not exist")
    return file


@dataclass
class RandomNetwork:
    """The text of a random network; `depth`: of sums over products."""

    random: Random
    variables: int
    depth: int
    kinds: tuple[str, ...] = ("Histogram", "Categorical", "Bernoulli", "Gaussian")
    text: dict[str, str] = field(default_factory=dict)
    by_scope: dict[tuple[int, ...], list[str]] = field(default_factory=dict)

    def __str__(self) -> str:
        root = self.node(tuple(range(self.variables)), self.depth)
        rest = "".join(f"\t{text}\n" for name, text in self.text.items() if name != root)
        names = ";".join(f"V{n}" for n in range(self.variables))
        if "Node(" not in self.text[root]:
            return f"{self.text[root]}\n# {names}\n"
        return f"{self.text[root]}{{\n{rest}}}\n# {names}\n"

    def node(self, scope: tuple[int, ...], depth: int) -> str:
        known = self.by_scope.setdefault(scope, [])
        if known and self.random.random() < 0.3:
            return self.random.choice(known)  # shared
        if depth == 0:
            name = self.leaf(scope[0]) if len(scope) == 1 else self.product(scope, 0)
        elif len(scope) > 1 and depth % 2 == 0:
            name = self.product(scope, depth - 1)
        elif self.random.random() < 0.8:
            name = self.sum(scope, depth - 1)
        else:
            name = self.product(scope, depth - 1)  # perhaps of one child
        known.append(name)
        return name

    def add(self, kind: str, arguments: str) -> str:
        name = f"{kind}_{len(self.text)}"
        self.text[name] = f"{name} {kind}({arguments})"
        return name

    def sum(self, scope: tuple[int, ...], depth: int) -> str:
        children = [self.node(scope, depth)]
        while self.random.random() < 0.5 and len(children) < 5:
            children.append(self.node(scope, 0 if self.random.random() < 0.7 else depth))
        weights = [10 ** -self.random.choice([0, 0.3, 1, 8, 30, 300]) for _ in children]
        total = sum(weights)
        pairs = zip(weights, children, strict=True)
        return self.add("SumNode", ", ".join(f"{w / total!r}*{c}" for w, c in pairs))

    def product(self, scope: tuple[int, ...], depth: int) -> str:
        shuffled = list(scope)
        self.random.shuffle(shuffled)
        parts = self.random.randint(1, min(len(scope), 4)) if depth else len(scope)
        groups = [tuple(sorted(shuffled[n::parts])) for n in range(parts)]
        # One part goes on; others end soon, so that the size stays small.
        children = [self.node(group, 0 if n else depth) for n, group in enumerate(groups)]
        return self.add("ProductNode", ", ".join(children))

    def leaf(self, variable: int) -> str:
        kind = self.random.choice(self.kinds)
        size = self.random.randint(1, 12)
        raw = [self.random.choice([0.0, self.random.random(), 1e-9]) for _ in range(size)]
        raw[self.random.randrange(size)] += 1e-3
        total = sum(raw)
        chances = [value / total for value in raw]
        match kind:
            case "Histogram":
                arguments = f"{list(map(float, range(size + 1)))};{chances}"
            case "Categorical":
                arguments = f"p={chances}"
            case "Bernoulli":
                arguments = f"p={self.random.choice([0, 1, 0.5, self.random.random()])}"
            case _:
                arguments = f"mean={self.random.uniform(0, 60)};stdev={self.random.uniform(1, 30)}"
        return self.add(kind, f"V{variable}|{arguments}")

# SPDX-License-Identifier: Apache-2.0
"""Made-up models of the shape of those that are learnt from word counts: histogram leaves, one
mixture at the root, and mixtures of pairs and triples of words that occur together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import exp
from random import Random

from bombus import spn

BINS = 90  # words in a text, at most


@dataclass
class _Words:
    random: Random
    lines: list[str] = field(default_factory=list)

    def node(self, kind: str, arguments: str) -> str:
        name = f"{kind}_{len(self.lines)}"
        self.lines.append(f"{name} {kind}({arguments})")
        return name

    def leaf(self, word: int) -> str:
        """Breaks and densities of a histogram: most texts have the word rarely or never."""
        bins = self.random.randint(8, 40)
        inner = sorted(self.random.sample(range(1, BINS), bins - 1))
        breaks = [0, *inner, BINS]
        decay = self.random.uniform(3, 15)
        widths = [high - low for low, high in pairwise(breaks)]
        raw = [exp(-low / decay) + 1e-4 for low in breaks[:-1]]
        mass = sum(value * width for value, width in zip(raw, widths, strict=True))
        densities = [value / mass for value in raw]
        return self.node("Histogram", f"W{word}|{list(map(float, breaks))};{densities}")

    def product(self, words: list[int]) -> str:
        return self.node("ProductNode", ", ".join(map(self.leaf, words)))

    def mixture(self, children: list[str]) -> str:
        raw = [self.random.uniform(0.2, 1) for _ in children]
        pairs = zip(raw, children, strict=True)
        return self.node("SumNode", ", ".join(f"{w / sum(raw)!r}*{child}" for w, child in pairs))

    def topic(self, words: list[int]) -> str:
        """Some words in mixtures, the others independent."""
        order = self.random.sample(words, len(words))
        children: list[str] = []
        for _ in range(max(1, len(words) // 5)):
            some, order = order[:3], order[3:]
            children.append(self.mixture([self.product(some) for _ in range(2)]))
        children += map(self.leaf, order)
        return self.node("ProductNode", ", ".join(children))


def words(variables: int, seed: int = 1) -> spn.Network:
    """A network over the counts of so many words, at least 3."""
    made = _Words(Random(seed))
    everything = list(range(variables))
    made.mixture([made.topic(everything) for _ in range(2)])
    *rest, root = made.lines
    names = ";".join(f"W{word}" for word in everything)
    return spn.parse("\n".join([f"{root}{{", *rest, "}", f"# {names}"]) + "\n")

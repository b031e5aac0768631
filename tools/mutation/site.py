# SPDX-License-Identifier: Apache-2.0
"""A place in a source file where a small mistake can be made."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Site:
    """`start` and `end`: offsets in the text, in characters; `new`: what stands there instead.

    `is_statement`: a statement that goes, not an expression that becomes another one.
    `is_constant`: it must be constant when the file is compiled.
    """

    start: int
    end: int
    new: str
    operator: str
    is_statement: bool = False
    is_constant: bool = False

    def old(self, text: str) -> str:
        return text[self.start : self.end]

    def line(self, text: str) -> int:
        return text.count("\n", 0, self.start) + 1

    def applied(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


Finder = Callable[[str], Iterable[Site]]


def ordered(sites: Iterable[Site]) -> list[Site]:
    """All sites, each once, as they stand in the file."""
    return sorted(set(sites), key=lambda site: (site.start, site.end, site.new))


def shuffled(sites: Iterable[Site], file: Path, seed: int) -> list[Site]:
    """All sites, each once, in an order that depends on the seed and the file's name alone.

    Taking more of them keeps those that were taken before.
    """
    unique = ordered(sites)
    random.Random(f"{seed}:{file.as_posix()}").shuffle(unique)
    return unique

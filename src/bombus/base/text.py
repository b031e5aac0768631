# SPDX-License-Identifier: Apache-2.0
"""Small helpers for names and messages."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable


def camel_case(name: str) -> str:
    """`app_in` -> `AppIn`."""
    return "".join(part.capitalize() for part in name.split("_"))


def snake_case(name: str) -> str:
    """`UdpPort` -> `udp_port`, `Ipv4Rx` -> `ipv4_rx`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def listing(items: Iterable[object], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    texts = [str(item) for item in items]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}"


def counted(number: int, noun: str) -> str:
    """`1 point`, `1,200 points`; for nouns with a plain plural."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def nearest(word: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The known words most similar to a word, best match first."""
    return difflib.get_close_matches(word, sorted(known), n=count, cutoff=0.6)


def near_matches(word: str, known: Iterable[str]) -> str:
    """A phrase that suggests what the word may stand for."""
    names = sorted(known)
    if close := nearest(word, names):
        return f"did you mean {listing(map(repr, close), 'or')}?"
    return f"known: {listing(names)}" if names else "none is known"


def error_rate(rate: float | None) -> str:
    """A bit error rate; None: unknown."""
    return "-" if rate is None else f"{rate:.1e}" if rate else "0"

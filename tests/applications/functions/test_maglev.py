# SPDX-License-Identifier: Apache-2.0
"""Slots of a load balancer: even, stable, by name."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random

import pytest

from bombus.applications.functions import maglev
from bombus.base.errors import UserError

HUNDRED = {f"10.0.{n // 8}.{n}": 1 for n in range(100)}


@cache
def slots_of_all() -> list[str]:
    return maglev.slots(HUNDRED)


def test_even() -> None:
    counts = Counter(slots_of_all())
    assert max(counts.values()) <= 1.1 * min(counts.values())
    assert sum(counts.values()) == maglev.SLOTS


@pytest.mark.parametrize(
    "gone",
    [
        pytest.param(n, marks=() if n in (0, 37, 99) else pytest.mark.sweep)
        for n in range(len(HUNDRED))
    ],
)
def test_few_slots_move(gone: int) -> None:
    before = slots_of_all()
    name = list(HUNDRED)[gone]
    after = maglev.slots({each: 1 for each in HUNDRED if each != name})
    moved = sum(a != b for a, b in zip(before, after, strict=True) if a != name)
    assert moved <= 0.02 * maglev.SLOTS
    assert name not in after
    counts = Counter(after)
    assert max(counts.values()) <= 1.1 * min(counts.values())


def test_weights() -> None:
    counts = Counter(maglev.slots({"a": 1, "b": 2, "c": 5}, 8009))
    for name, weight in (("a", 1), ("b", 2), ("c", 5)):
        assert abs(counts[name] - 8009 * weight / 8) < 8


def test_order_does_not_matter() -> None:
    names = list(HUNDRED)
    Random(1).shuffle(names)
    assert maglev.slots(dict.fromkeys(names, 1), 251) == maglev.slots(HUNDRED, 251)


@pytest.mark.parametrize(
    ("backends", "num_slots", "message"),
    [
        ({}, 251, "there is none"),
        ({"a": 1}, 65536, "prime"),
        ({"a": 1}, 1, "prime"),
        ({"a": 0}, 251, "weight"),
        ({"a": 252}, 251, "too few"),
    ],
)
def test_bad(backends: dict[str, int], num_slots: int, message: str) -> None:
    with pytest.raises(UserError, match=message):
        maglev.slots(backends, num_slots)

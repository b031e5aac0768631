# SPDX-License-Identifier: Apache-2.0
"""Which rules fit into tables of a given size: shared rows, and places for the fragments."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from typing import Any

Place = tuple[int, int]


class Chains:
    """Sequences in consecutive rows of a table; equal ones share their rows."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.used = 0
        self.first: dict[tuple[Any, ...], int] = {(): 0}

    def has_room(self, chain: tuple[Hashable, ...]) -> bool:
        return chain in self.first or self.used + len(chain) <= self.rows

    def add(self, chain: tuple[Hashable, ...]) -> None:
        if chain not in self.first:
            self.first[chain] = self.used
            self.used += len(chain)


class Selection:
    """Rules that fit, in the order in which they are added. `places`: of a fragment, of which it
    needs one.
    """

    def __init__(
        self,
        num_rules: int,
        steps: Chains,
        ports: Chains,
        places: Callable[[bytes], Sequence[Place]],
    ) -> None:
        self.steps, self.ports = steps, ports
        self.rules: dict[bytes, list[int]] = {}  # by fragment
        self.left_out: list[int] = []
        self.owners: dict[Place, bytes] = {}
        self._room = num_rules
        self._places = places

    def add(
        self, number: int, key: bytes, steps: tuple[Hashable, ...], ports: tuple[Hashable, ...]
    ) -> None:
        fits = (
            self._room > 0
            and self.steps.has_room(steps)
            and self.ports.has_room(ports)
            and (key in self.rules or self._put(key))
        )
        if not fits:
            self.left_out.append(number)
            return
        self._room -= 1
        self.steps.add(steps)
        self.ports.add(ports)
        self.rules.setdefault(key, []).append(number)

    def _put(self, new: bytes) -> bool:
        """Cuckoo hashing: gives a fragment a place, and moves others to their other place for it if
        needed. Changes nothing if there is no way.
        """
        taken_for: dict[Place, bytes] = {}  # the fragment that would move to this place
        queue = deque([new])
        while queue:
            key = queue.popleft()
            for place in self._places(key):
                if place in taken_for:
                    continue
                taken_for[place] = key
                if place in self.owners:
                    queue.append(self.owners[place])
                    continue
                self._move(place, taken_for, new)
                return True
        return False

    def _move(self, place: Place, taken_for: dict[Place, bytes], new: bytes) -> None:
        while True:
            key = taken_for[place]
            left = next((p for p in self._places(key) if self.owners.get(p) == key), None)
            self.owners[place] = key
            if key == new or left is None:
                return
            place = left

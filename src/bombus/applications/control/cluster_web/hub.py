# SPDX-License-Identifier: Apache-2.0
"""Samples of a cluster's run for the open pages."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from bombus.applications.control.web.hub import INTERVAL_S
from bombus.base.errors import UserError

Sample = dict[str, Any]


class Hub:
    """Samples a run for all pages that are open; nothing is read while none is.

    `ask`: calls the run (`bombus.cluster.live_calls`).
    """

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._ask = ask
        self.overview: dict[str, Any] = ask("overview")
        self.pages: dict[object, int] = {}  # open pages: the board that each shows
        self.error = ""  # of the last sample
        self.number = 0  # of the last sample
        self.last: Sample | None = None
        self.before: Sample | None = None
        self._times = (0.0, 0.0)  # of both

    def sample(self) -> None:
        """Reads the links, and the counters of the boards that are shown."""
        found = self._ask("sample", [sorted({*self.pages.values()})])
        self.before, self.last = self.last, found
        self._times = self._times[1], time.monotonic()
        self.number += 1

    @property
    def cycles(self) -> int:
        """Between the last two samples."""
        return self.last["cycle"] - self.before["cycle"] if self.last and self.before else 0

    @property
    def speed(self) -> float:
        """Cycles a second of real time."""
        return self.cycles / max(1e-3, self._times[1] - self._times[0])

    def load(self, link: int, direction: str) -> float:
        """The share of cycles in which a direction of a link had words of packets."""
        if self.last is None or self.before is None or self.cycles <= 0:
            return 0.0
        now, then = (each["links"][link][direction] for each in (self.last, self.before))
        beats: int = now.get("beats", 0) - then.get("beats", 0)
        return max(0.0, min(1.0, beats / self.cycles))

    def counters(self, board: int) -> list[tuple[str, str, int, float]]:
        """Tile, counter, count and events a cycle of a board."""
        if self.last is None:
            return []
        then: dict[str, dict[str, int]] = {}
        for each in (self.before or {}).get("boards", []):
            if each["board"] == board:
                then = each["counters"]
        cycles = self.cycles if then else 0
        return [
            (tile, name, count, (count - then[tile][name]) / cycles if cycles > 0 else 0.0)
            for each in self.last["boards"]
            if each["board"] == board
            for tile, counters in each["counters"].items()
            for name, count in counters.items()
        ]

    async def run(self) -> None:
        """Samples for ever."""
        while True:
            if self.pages:
                try:
                    await asyncio.to_thread(self.sample)
                    self.error = ""
                except UserError as error:
                    self.error = str(error)
            await asyncio.sleep(INTERVAL_S)

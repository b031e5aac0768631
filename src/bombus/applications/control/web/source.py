# SPDX-License-Identifier: Apache-2.0
"""What the page reads: a stack that a `bombus.Controller` reaches."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bombus.applications.control.controller import Controller
from bombus.applications.processors.control import request
from bombus.registers.items import Read


@dataclass(frozen=True)
class Sample:
    """The state of a stack at one time."""

    cycle: int  # of the design's clock
    evaluated: int  # cycles that the simulator computed; equal to `cycle` on hardware
    counters: dict[str, dict[str, int]]  # by tile and name
    words: dict[int, int] = field(default_factory=dict)  # registers that were asked for, by address
    stalls: list[str] = field(default_factory=list)  # messages that do not move


class Source:
    """A running stack. Its cycles follow from the time since the start. Errors are UserError."""

    def __init__(self, controller: Controller) -> None:
        self.controller = controller
        self._start = time.monotonic()

    @property
    def manifest(self) -> Mapping[str, Any]:
        return self.controller.manifest

    def sample(self, addresses: Sequence[int]) -> Sample:
        """Counters, and the registers at these addresses."""
        counters = self.controller.counters()
        words: list[int] = []
        most = self.controller.max_read_words
        for start in range(0, len(addresses), most):
            part = addresses[start : start + most]
            words += self.controller.access([Read(address) for address in part])
        cycle = round((time.monotonic() - self._start) * 1e6 * self.manifest["clock_mhz"])
        return Sample(cycle, cycle, counters, dict(zip(addresses, words, strict=True)))


class RunSource(Source):
    """A live run, by its control socket. `manifest`: the design file, for the analysis of next
    hops, or the manifest.
    """

    def __init__(self, socket: Path, manifest: Path | None = None) -> None:
        super().__init__(Controller(f"unix:{socket}", manifest=manifest))
        self._socket = socket

    def sample(self, addresses: Sequence[int]) -> Sample:
        found = request(self._socket, "sample", [list(addresses)])
        return Sample(
            found["cycle"],
            found["evaluated"],
            {
                tile["name"]: dict(zip(tile["counters"], values, strict=True))
                for tile, values in zip(self.manifest["tiles"], found["counters"], strict=True)
            },
            dict(zip(addresses, found["words"], strict=True)),
            found["stalls"],
        )

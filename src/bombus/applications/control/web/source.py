# SPDX-License-Identifier: Apache-2.0
"""What the page reads and writes: a run through its control socket, or registers of any port."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bombus.registers.access import BlockAccess, open_map
from bombus.registers.items import Read, Write

if TYPE_CHECKING:
    from bombus.applications.control.controller import Controller

Item = tuple[str, int, int]  # "read", address, words; or "write", address, value
READ, WRITE = "read", "write"


@dataclass(frozen=True)
class Sample:
    """The state of a stack at one time."""

    cycle: int  # of the design's clock
    evaluated: int  # cycles that the simulator computed; equal to `cycle` on hardware
    counters: dict[str, dict[str, int]]  # by tile and name
    words: dict[int, int] = field(default_factory=dict)  # registers that were asked for, by address
    stalls: list[str] = field(default_factory=list)  # messages that do not move
    latencies: list[int] = field(default_factory=list)  # cycles, since the last sample


class Source(Protocol):
    """A running stack. Errors are UserError."""

    @property
    def manifest(self) -> Mapping[str, Any]: ...

    def sample(self, addresses: Sequence[int]) -> Sample:
        """Counters, and the registers at these addresses."""

    def access(self, items: Sequence[Item]) -> list[int]:
        """Reads and writes in order, with nothing in between; the words read."""


class ItemPort:
    """A register port over a source, for `open_map`."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def read_register(self, address: int) -> int:
        return self._source.access([(READ, address, 1)])[0]

    def write_register(self, address: int, value: int) -> None:
        self._source.access([(WRITE, address, value)])


def registers(source: Source) -> BlockAccess:
    """All registers by name."""
    return open_map(source.manifest, ItemPort(source))


class RunSource:
    """A live run, by its control socket (`bombus.applications.control.web.calls`)."""

    def __init__(self, socket: Path, manifest: Mapping[str, Any]) -> None:
        self._socket, self._manifest = socket, manifest

    @property
    def manifest(self) -> Mapping[str, Any]:
        return self._manifest

    def _ask(self, call: str, *arguments: Any) -> Any:
        from bombus.applications.processors.control import request

        return request(self._socket, call, arguments)

    def sample(self, addresses: Sequence[int]) -> Sample:
        found = self._ask("sample", list(addresses))
        return Sample(
            found["cycle"],
            found["evaluated"],
            {
                tile["name"]: dict(zip(tile["counters"], values, strict=True))
                for tile, values in zip(self._manifest["tiles"], found["counters"], strict=True)
            },
            dict(zip(addresses, found["words"], strict=True)),
            found["stalls"],
        )

    def access(self, items: Sequence[Item]) -> list[int]:
        words: list[int] = self._ask("access", [list(item) for item in items])
        return words


class ControllerSource:
    """A stack that a `bombus.Controller` reaches. Cycles follow from the time since its start."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._start = time.monotonic()

    @property
    def manifest(self) -> Mapping[str, Any]:
        return self._controller.manifest

    def sample(self, addresses: Sequence[int]) -> Sample:
        counters = self._controller.counters()
        words = self.access([(READ, address, 1) for address in addresses])
        cycle = round((time.monotonic() - self._start) * 1e6 * self.manifest["clock_mhz"])
        return Sample(cycle, cycle, counters, dict(zip(addresses, words, strict=True)))

    def access(self, items: Sequence[Item]) -> list[int]:
        return self._controller.access(
            [
                Write(address, (number,)) if kind == WRITE else Read(address, number)
                for kind, address, number in items
            ]
        )


def load_manifest(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found

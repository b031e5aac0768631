# SPDX-License-Identifier: Apache-2.0
"""A board of a running cluster: its frames, registers and counters."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property
from pathlib import Path
from typing import Any, SupportsBytes

from bombus.cluster.description import BoardDescription
from bombus.registers.access import BlockAccess, open_map
from bombus.simulator.beat_links import BeatLinkStatistics
from bombus.simulator.frames import Frame, frame_bytes
from bombus.simulator.mac_ports import DEFAULT_TIMEOUT_CYCLES
from bombus.simulator.simulation import Simulation


class Board:
    """A board of a running cluster, in whichever rank.

    `call`: calls a method of the simulation of a board, by number, name and arguments.
    `simulation`: that of a board of this process.
    """

    def __init__(
        self,
        described: BoardDescription,
        call: Callable[[int, str, tuple[Any, ...], dict[str, Any]], Any],
        simulation: Callable[[int], Simulation],
    ) -> None:
        self._call, self._simulation = call, simulation
        self.number = described.board
        self.name = described.name

    def call(self, method: str, *arguments: Any, **named: Any) -> Any:
        """Calls a method of the board's `Simulation` in its rank, such as `streams.app_in.send`."""
        return self._call(self.number, method, arguments, named)

    @property
    def simulation(self) -> Simulation:
        """The board's simulation itself, if it is in this process. Its calls advance all boards."""
        return self._simulation(self.number)

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest of its design."""
        found: dict[str, Any] = self.call("manifest")
        return found

    # ---- Frames ----

    def send(self, frame: bytes | SupportsBytes, port: int = 0) -> None:
        """Queues a frame for a MAC port."""
        self.call("send", frame_bytes(frame), port)

    def receive(self, port: int = 0, timeout_cycles: int = DEFAULT_TIMEOUT_CYCLES) -> Frame | None:
        """The next frame from a MAC port; advances all boards until then."""
        found: Frame | None = self.call("receive", port, timeout_cycles)
        return found

    def pcap_out(self, path: Path | str | None, port: int = 0) -> None:
        """Writes the frames of a MAC port to a file; None: ends it."""
        self.call("pcap_out", None if path is None else Path(path).absolute(), port)

    # ---- Registers ----

    def read_register(self, address: int) -> int:
        """Reads a 32-bit register; takes some cycles."""
        return int(self.call("read_register", address))

    def write_register(self, address: int, value: int) -> None:
        """Writes a 32-bit register."""
        self.call("write_register", address, value)

    @cached_property
    def registers(self) -> BlockAccess:
        """Its registers by name."""
        return open_map(self.manifest, self)

    def counters(self) -> dict[str, dict[str, int]]:
        """All counters, by tile and name."""
        found: dict[str, dict[str, int]] = self.call("counters")
        return found

    def tile_counters(self, tile: str, names: Collection[str] | None = None) -> dict[str, int]:
        """The counters of a tile; `names`: only these, which takes less time."""
        found: dict[str, int] = self.call("tile_counters", tile, names)
        return found

    # ---- Observation ----

    def errors(self) -> dict[str, int]:
        """Protocol violations seen at its ports, by name; all must be 0."""
        found: dict[str, int] = self.call("errors")
        return found

    def check(self) -> None:
        """Raises SimulationError if there was a violation."""
        self.call("check")

    def link_statistics(self, port: int | str) -> BeatLinkStatistics:
        """What has crossed a link port, by its number or name."""
        name = port if isinstance(port, str) else f"link{port}"
        found: BeatLinkStatistics = self.call(f"beat_links.{name}.statistics")
        return found

# SPDX-License-Identifier: Apache-2.0
"""The packet processors of a running design, the distribution among them, and their host.

    processors = bombus.processors(simulation)
    processors[3].load("forward.elf")
    processors[3].boot()
    processors.distribution.disable(2)

A packet processor is a layer with the registers `control`, `status`, `code` and `data`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import overload

from bombus.applications.processors.distribution import Distribution, Position
from bombus.applications.processors.host import Host, host_tiles
from bombus.applications.processors.processor import Processor
from bombus.base.errors import UserError
from bombus.design.resolved import Design
from bombus.simulator.balancer import Balancer, balancers
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

_REGISTERS = {"control", "status", "code", "data"}


class Processors(Sequence[Processor]):
    """The packet processors of a design by number; replicas in the order of their numbers."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._positions = _positions(simulation)
        self._processors = [
            Processor(simulation, number, position, self)
            for number, position in enumerate(self._positions)
        ]
        self._host: Host | None = None

    @overload
    def __getitem__(self, number: int) -> Processor: ...

    @overload
    def __getitem__(self, number: slice) -> list[Processor]: ...

    def __getitem__(self, number: int | slice) -> Processor | list[Processor]:
        return self._processors[number]

    def __len__(self) -> int:
        return len(self._processors)

    # ---- Distribution ----

    @cached_property
    def balancers(self) -> list[Balancer]:
        """The distribution of each group of replicas.

        That of a host stays as it is: a host addresses each replica, also disabled ones, which wait
        for its answers.
        """
        manifest = self._simulation.manifest
        return balancers(self._simulation.registers, manifest, host_tiles(manifest))

    @cached_property
    def shared(self) -> Distribution | None:
        """The distribution among the processors; None if there are none or only one."""
        tiles = {processor.tile for processor in self}
        balancer = next((each for each in self.balancers if tiles >= set(each.tiles)), None)
        has_lanes = any(processor.lane is not None for processor in self)
        if not self._processors or (balancer is None and not has_lanes):
            return None
        return Distribution(self._simulation, self._positions, balancer, self)

    @property
    def distribution(self) -> Distribution:
        """The distribution among the processors; SimulationError if there is none."""
        if self.shared is None:
            name = self._simulation.manifest["name"]
            raise SimulationError(f"{name} has no replicas of packet processors")
        return self.shared

    # ---- Host ----

    @property
    def host(self) -> Host:
        """Their host, if a tile has a layer `rpu_host`; it is served from its first use on."""
        if self._host is None:
            self._host = Host(self._simulation, self._positions, self._enabled)
        return self._host

    def open_requests(self, processor: int | None = None) -> int:
        """Requests whose answer has not left the host, of a processor or of all; 0 if no host has
        been used.
        """
        return 0 if self._host is None else self._host.open(processor)

    def flight_cycles(self) -> int:
        """Longest time of a request on its way to the host, beyond that of a short one; 0 if no
        host has been used.
        """
        return 0 if self._host is None else self._host.flight_cycles

    def _enabled(self) -> list[int]:
        return self.shared.enabled if self.shared else [0]


def processors(simulation: Simulation) -> Processors:
    """The packet processors of a simulation."""
    return simulation.extension(Processors)


def _positions(simulation: Simulation) -> list[Position]:
    """The processors of a design, sorted by tile name: replica n comes before n + 1."""
    found = []
    for tile in simulation.manifest["tiles"]:
        block = simulation.registers.tiles[tile["name"]]
        for layer in tile["layers"]:
            name = layer["name"]
            if name in block and set(block[name]) >= _REGISTERS:
                lane = layer["params"].get("lane")  # from 1; 0: none
                lane = lane - 1 if lane else None
                found.append(Position(tile["name"], name, lane, block[name]))
    return sorted(found, key=lambda each: _natural(each.tile))


def _natural(name: str) -> list[tuple[str, int]]:
    """A sort key that puts rpu_10 after rpu_9."""
    return [(word, int(number or 0)) for word, number in re.findall(r"(\D+)(\d*)", name)]


def check_design(design: Design) -> None:
    """UserError if the design has no packet processor."""
    if not count_in(design):
        raise UserError(f"{design.config.name} has no packet processor")


def count_in(design: Design) -> int:
    """The number of packet processors of a design."""
    blocks = (layer.kind.registers for layer in design.layers())
    return sum({member.name for member in block.members} >= _REGISTERS for block in blocks if block)

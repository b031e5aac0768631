# SPDX-License-Identifier: Apache-2.0
"""The processing elements of a running design.

    elements = bombus.elements(simulation)
    elements[0].start(1000, 5)
    print(elements[0].wait().value)
    jobs = [elements.submit("sum_words", In(data), len(data)) for data in parts]
    print([job.result().value for job in jobs])

An element is a layer `pe`, perhaps its `pe_memory`, and its kernel, in this order in a tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from bombus.applications.pe.element import Argument, Element, Position
from bombus.applications.pe.job import Job, Queue
from bombus.base.text import near_matches
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

LAYER, MEMORY = "pe", "pe_memory"


class Elements(Sequence[Element]):
    """The processing elements of a design by number, in the order of its tiles and layers."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._elements = [
            Element(simulation, number, position)
            for number, position in enumerate(_positions(simulation))
        ]
        self._queues = {
            kind: Queue(simulation, self.of(kind)) for kind in {each.kind for each in self}
        }

    @overload
    def __getitem__(self, number: int) -> Element: ...

    @overload
    def __getitem__(self, number: slice) -> list[Element]: ...

    def __getitem__(self, number: int | slice) -> Element | list[Element]:
        return self._elements[number]

    def __len__(self) -> int:
        return len(self._elements)

    def of(self, kind: str) -> list[Element]:
        """The elements with a kind of kernel; SimulationError if there is none."""
        found = [each for each in self if each.kind == kind]
        if not found:
            kinds = {each.kind for each in self}
            raise SimulationError(
                f"no processing element has the kernel {kind!r}; {near_matches(kind, kinds)}"
            )
        return found

    def submit(self, kind: str, *arguments: Argument) -> Job:
        """A job for the next free element with this kind of kernel.

        SimulationError if there is none, or the arguments do not fit.
        """
        self.of(kind)
        return self._queues[kind].submit(arguments)


def _positions(simulation: Simulation) -> Iterator[Position]:
    manifest = simulation.manifest
    lines = {
        (pin["tile"], pin["layer"]): pin["name"]
        for pin in manifest["pins"]
        if pin["port"] == "interrupt_o"
    }
    for tile in manifest["tiles"]:
        layers = tile["layers"]
        places = [number for number, layer in enumerate(layers) if layer["kind"] == LAYER]
        for number in places:
            layer, kernel, memory = _parts(layers[number:])
            tile_registers = simulation.registers.tiles[tile["name"]]
            yield Position(
                name=tile["name"] if len(places) == 1 else f"{tile['name']}.{layer['name']}",
                kind=kernel["kind"],
                num_arguments=layer["params"]["num_arguments"],
                memory_bytes=1 << memory["params"]["addr_width"] if memory else 0,
                registers=tile_registers[layer["name"]],
                memory_registers=tile_registers[memory["name"]] if memory else None,
                interrupt=lines.get((tile["name"], layer["name"])),
            )


_Layer = Mapping[str, Any]


def _parts(layers: Sequence[_Layer]) -> tuple[_Layer, _Layer, _Layer | None]:
    """The first layer, which is a `pe`, its kernel, and its memory, if it has one."""
    memory = None
    for layer in layers[1:]:
        if layer["kind"] == MEMORY:
            memory = layer
        elif layer["kind"] != LAYER:
            return layers[0], layer, memory
    raise SimulationError(f"no kernel follows the layer {layers[0]['name']} in its tile")


def elements(simulation: Simulation) -> Elements:
    """The processing elements of a design; none if it has none."""
    return simulation.extension(Elements)

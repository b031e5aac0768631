# SPDX-License-Identifier: Apache-2.0
"""The processing elements of a running design.

    elements = bombus.elements(simulation)
    elements[0].start(1000, 5)
    print(elements[0].wait().value)
    jobs = [elements.submit("sum_words", In(data), len(data)) for data in parts]
    print([job.result().value for job in jobs])

An element is a layer `pe`, perhaps its `pe_memory` and the `pe_dma` of that, and its kernel, in
this order in a tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from bombus.applications.pe.copies import Copies, RegisterCopies, StreamCopies
from bombus.applications.pe.element import Argument, Element, Position
from bombus.applications.pe.job import Job, Queue
from bombus.base.text import near_matches
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

LAYER, MEMORY, DMA = "pe", "pe_memory", "pe_dma"


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
    raised = {
        (pin["tile"], pin["layer"], pin["port"]): pin["name"] for pin in simulation.manifest["pins"]
    }
    for tile in simulation.manifest["tiles"]:
        layers = tile["layers"]
        places = [number for number, layer in enumerate(layers) if layer["kind"] == LAYER]
        for number in places:
            parts = _parts(layers[number:])
            layer, memory = parts[LAYER], parts.get(MEMORY)
            place = (tile["name"], layer["name"])
            name = place[0] if len(places) == 1 else ".".join(place)
            registers = simulation.registers.tiles[tile["name"]]
            copies: Copies | None = None
            if dma := parts.get(DMA):
                copy_in, copy_out = (
                    simulation.streams[raised[tile["name"], dma["name"], port].rpartition("_t")[0]]
                    for port in ("copy_in_tdata_i", "copy_out_tdata_o")
                )
                copies = StreamCopies(copy_in, copy_out, name)
            elif memory:
                copies = RegisterCopies(registers[memory["name"]], name)
            yield Position(
                name=name,
                kind=parts[_KERNEL]["kind"],
                num_arguments=layer["params"]["num_arguments"],
                registers=registers[layer["name"]],
                memory_bytes=1 << memory["params"]["addr_width"] if memory else 0,
                copies=copies,
                interrupt=raised.get((*place, "interrupt_o")),
            )


_Layer = Mapping[str, Any]
_KERNEL = "kernel"


def _parts(layers: Sequence[_Layer]) -> dict[str, _Layer]:
    """The first layer, which is a `pe`, its kernel, and what it has of a memory, by kind."""
    found = {LAYER: layers[0]}
    for layer in layers[1:]:
        if layer["kind"] in (MEMORY, DMA):
            found[layer["kind"]] = layer
        elif layer["kind"] != LAYER:
            return {**found, _KERNEL: layer}
    raise SimulationError(f"no kernel follows the layer {layers[0]['name']} in its tile")


def elements(simulation: Simulation) -> Elements:
    """The processing elements of a design; none if it has none."""
    return simulation.extension(Elements)

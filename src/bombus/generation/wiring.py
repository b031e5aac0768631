# SPDX-License-Identifier: Apache-2.0
"""Connections among the streams of a tile's layers and to the network interface."""

from __future__ import annotations

from typing import Any

from bombus.base.text import listing
from bombus.design.elements import Hop, Input, Output, Tile
from bombus.design.facts import Facts
from bombus.design.network import Network
from bombus.design.next_hops import next_bits, next_width, num_hops
from bombus.design.rtl import BEAT
from bombus.generation.instances import stream_type


class _Wiring:
    def __init__(self, tile: Tile, facts: Facts) -> None:
        self.tile = tile
        self.facts = facts
        # Targets of each output, in the tile or to the mesh (None), and the hops to them.
        self.branches: dict[Output, dict[Input | None, list[Hop]]] = {}
        # What feeds each input: its wired sources, then the mesh.
        self.feeds: dict[Input, list[Output | None]] = {
            each: [] for layer in tile.layers for each in layer.inputs
        }
        for output in (each for layer in tile.layers for each in layer.outputs):
            found: dict[Input | None, list[Hop]] = {}
            for hop in facts.topology.hops_from(output):
                found.setdefault(hop.target if hop.in_tile else None, []).append(hop)
            # The mesh comes last: it takes everything that is not wired.
            self.branches[output] = dict(sorted(found.items(), key=lambda item: item[0] is None))
            for target in self.branches[output]:
                if target is not None:
                    self.feeds[target].append(output)
        for target in tile.entries:
            self.feeds[target].append(None)

    def slot(self, target: Input, source: Output | None) -> dict[str, str]:
        """The signals of an input that one of its feeds drives."""
        base, index = target.signal, ""
        if len(self.feeds[target]) > 1:
            base, index = f"{target.signal}_merge", f"[{self.feeds[target].index(source)}]"
        return {
            "data": base + index,
            "valid": f"{base}_valid{index}",
            "ready": f"{base}_ready{index}",
        }

    def waits(self, target: Input) -> bool:
        """Whether a register holds what comes from the mesh for an input."""
        return target.layer.name in self.tile.waits

    def branch(self, output: Output, target: Input | None, hops: list[Hop]) -> dict[str, str]:
        names = listing(dict.fromkeys(hop.name for hop in hops))
        if target is not None:
            value = _converted(output.signal, self.type_of(output), self.type_of(target))
            slot = self.slot(target, output)
            return {**slot, "value": value, "next": "", "to": str(target), "hops": names}
        network = output.network
        port = self.tile.interface(network).sources.index(output)
        base = f"{network.prefix}src"
        signals = {name: f"{base}_{name}[{port}]" for name in ("valid", "ready", "next")}
        return {
            "data": f"{base}[{port}]",
            "value": _converted(output.signal, self.type_of(output), mesh_type(network)),
            **signals,
            "to": mesh_name(network),
            "hops": names,
        }

    def type_of(self, stream: Input | Output) -> str:
        return stream_type(stream, self.facts)

    def outputs(self) -> list[dict[str, Any]]:
        found = []
        for output, targets in self.branches.items():
            if not targets:
                continue
            selects: list[str] = []
            listed = []
            for target, hops in targets.items():
                select = condition = ""
                if len(targets) > 1:
                    name = target.signal if target else "mesh"
                    select = f"{output.signal}_to_{name}"
                    if len(selects) < len(targets) - 1:
                        numbers = sorted({hop.number for hop in hops})
                        width = next_width(output, self.facts.design)
                        condition = " || ".join(
                            f"{output.signal}_next == {width}'d{number}" for number in numbers
                        )
                    else:  # the rest
                        condition = "!" + (selects[0] if len(selects) == 1 else _any(selects))
                    selects.append(select)
                listed.append(
                    {
                        **self.branch(output, target, hops),
                        "select": select,
                        "condition": condition,
                    }
                )
            found.append(
                {
                    "signal": output.signal,
                    "branches": listed,
                    "next_unused": has_next(output)
                    and len(targets) == 1
                    and (None not in targets or num_hops(output, self.facts.design) == 1),
                    "next": self.next_number(output),
                }
            )
        return found

    def next_number(self, output: Output) -> str:
        """The output's own number of a message's next hop, for the network interface."""
        if output not in self.tile.sources:
            return ""
        if num_hops(output, self.facts.design) == 1:
            return "'0"
        width = next_bits(self.tile.interface(output.network), self.facts.design)
        signal = f"{output.signal}_next"
        return signal if width == next_width(output, self.facts.design) else f"{width}'({signal})"


def _converted(signal: str, source: str, target: str) -> str:
    """A beat converted to another type with more or less metadata."""
    return signal if source == target else f"$bits({target})'({signal})"


def mesh_type(network: Network) -> str:
    """The type of the beats of a network."""
    return f"{network.prefix}{BEAT}"


def mesh_name(network: Network) -> str:
    """The mesh of a network, described."""
    return f"the mesh of {network.label}" if network.label else "the mesh"


def has_next(output: Output) -> bool:
    """Whether a layer has a port that selects the next hop of an output."""
    return f"{output.name}_next_o" in output.layer.kind.ports


def _any(names: list[str]) -> str:
    return "(" + " || ".join(names) + ")"


def wiring(tile: Tile, facts: Facts) -> dict[str, Any]:
    """For the template of a tile: its outputs, merged inputs and entries from the mesh."""
    joined = _Wiring(tile, facts)
    inputs = [
        {
            "signal": target.signal,
            "type": joined.type_of(target),
            "num": len(sources),
            "from": listing(
                str(source) if source else mesh_name(target.network) for source in sources
            ),
        }
        for target, sources in joined.feeds.items()
        if sources
    ]
    sinks = [
        {
            "to": str(target),
            "mesh": mesh_name(target.network),
            "prefix": target.network.prefix,
            "port": target.entry_port,
            "value": _converted(
                f"{target.network.prefix}sink",
                mesh_type(target.network),
                joined.type_of(target),
            ),
            "type": joined.type_of(target),
            "signal": target.signal,
            "waits": joined.waits(target),
            **joined.slot(target, None),
        }
        for target in tile.entries
    ]
    return {"outputs": joined.outputs(), "inputs": inputs, "sinks": sinks}


def waiting(tile: Tile, facts: Facts, network: Network | None = None) -> list[str]:
    """The valid signals of registers between the mesh (of one network) and inputs."""
    joined = _Wiring(tile, facts)
    return [
        joined.slot(target, None)["valid"]
        for target in tile.entries
        if joined.waits(target) and network in (None, target.network)
    ]

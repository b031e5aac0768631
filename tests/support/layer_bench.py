# SPDX-License-Identifier: Apache-2.0
"""Opens benches/layer.sv on a layer, and reads what it counts."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping

from bombus.design.rtl import LayerKind, library
from bombus.registers.model import Block
from bombus.registers.systemverilog import layer_ports, layer_types
from tests.support.harness import Bench, Benches

# As in benches/layer.sv.
HOST_MAC = bytes.fromhex("8a1b2c3d4e9f")
HOST_IP = bytes((10, 0, 0, 1))
GATEWAY_IP = bytes((10, 0, 0, 254))


@functools.cache
def layer_kind(layer: str) -> LayerKind:
    """Read once: the RTL does not change while tests run."""
    return library(64).kind(layer)


def open_layer(
    benches: Benches,
    layer: str,
    arguments: Iterable[str] = (),
    *,
    bound: int = 0,
    metadata: str = "",
    shown: str = "",
    hosts: int = 1,
    inputs: Mapping[str, str] | None = None,
    seed: int = 1,
    **widths: int,
) -> Bench:
    """`arguments`: of its instance, `bound`: how many next hops they add to its own ones;
    `metadata`: its type, if not a packet's; `shown`: what else of the first width stands in the
    status, behind the time; `hosts`: its MAC ports, which have the same host; `inputs`: values of
    what the layer reads of its registers, if not zero; `widths`: NumWidths, WidthRatio,
    FirstWidth, if not all four."""
    kind = layer_kind(layer)
    declared, types = _registers(kind.registers, inputs or {})
    ports = [f".NumMacPorts({hosts})"] if hosts != 1 else []
    given = ",".join([".beat_t(beat_t)", *types, *ports, *arguments])
    macros: dict[str, str | int] = {
        "LAYER": f"{declared} {layer} #({given}) u_layer (.*);",
        "NUM_DROPS": kind.ports.get("drop_o", 1),
        "NUM_EVENTS": kind.ports.get("event_o", 1),
        "NEXT_BITS": (len(kind.outputs["out"].hops) + bound - 1).bit_length() or 1,
    }
    if metadata:
        macros["META_T"] = metadata
    if hosts != 1:
        macros["NUM_HOSTS"] = hosts
    if shown:
        macros["SHOWN"] = shown
    return benches("layer", seed=seed, macros=macros, **widths)


def _registers(registers: Block | None, inputs: Mapping[str, str]) -> tuple[str, list[str]]:
    """Declares idle connections for a layer's registers; returns the types to pass."""
    if registers is None:
        return "", []
    types, lines = layer_types(registers), []
    for name, text in types.items():
        lines.append(f"typedef {' '.join(text)} {name};")
    for port in layer_ports(registers):
        given = inputs.get(port.name, "'0")
        value = f" = {given}" if port.name.endswith("_i") else ""
        lines.append(f"wire {port.type or f'logic [{port.bits - 1}:0]'} {port.name}{value};")
    return " ".join(lines), [f".{name}({name})" for name in types]


def counts(bench: Bench, layer: str, stream: int) -> Counter[str]:
    """Drops and events of the layer of this width, by name."""
    kind = layer_kind(layer)
    counted = bench.events[16 * stream : 16 * stream + 16]
    drops = kind.ports.get("drop_o", 1)
    found = Counter(dict(zip(kind.drops, counted, strict=False)))
    found.update(dict(zip(kind.events, counted[drops:], strict=False)))
    return found

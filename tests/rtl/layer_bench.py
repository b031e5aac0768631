# SPDX-License-Identifier: Apache-2.0
"""Opens benches/layer.sv on a layer, and reads what it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from harness import Bench, Benches

from bombus.design.rtl import library

# As in benches/layer.sv.
HOST_MAC = bytes.fromhex("8a1b2c3d4e9f")
HOST_IP = bytes((10, 0, 0, 1))
GATEWAY_IP = bytes((10, 0, 0, 254))


def open_layer(
    benches: Benches,
    layer: str,
    arguments: Iterable[str] = (),
    *,
    bound: int = 0,
    metadata: str = "",
    seed: int = 1,
    **widths: int,
) -> Bench:
    """`arguments`: of its instance, `bound`: how many next hops they add to its own ones;
    `metadata`: its type, if not a packet's; `widths`: NumWidths, WidthRatio, if not all four."""
    kind = library(64).kind(layer)
    given = ",".join([".beat_t(beat_t)", *arguments])
    macros: dict[str, str | int] = {
        "LAYER": f"{layer} #({given}) u_layer (.*);",
        "NUM_DROPS": kind.ports.get("drop_o", 1),
        "NUM_EVENTS": kind.ports.get("event_o", 1),
        "NEXT_BITS": (len(kind.outputs["out"].hops) + bound - 1).bit_length() or 1,
    }
    if metadata:
        macros["META_T"] = metadata
    return benches("layer", seed=seed, macros=macros, **widths)


def counts(bench: Bench, layer: str, stream: int) -> Counter[str]:
    """What the layer of this width has dropped and otherwise counted, by name."""
    kind = library(64).kind(layer)
    counted = bench.events[16 * stream : 16 * stream + 16]
    drops = kind.ports.get("drop_o", 1)
    found = Counter(dict(zip(kind.drops, counted, strict=False)))
    found.update(dict(zip(kind.events, counted[drops:], strict=False)))
    return found

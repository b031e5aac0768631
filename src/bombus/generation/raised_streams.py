# SPDX-License-Identifier: Apache-2.0
"""AXI-Streams of layers that the design file raises to the top, for programs that drive them."""

from __future__ import annotations

from typing import Any

from bombus.design.elements import Layer
from bombus.design.resolved import Design


def streams(design: Design) -> list[dict[str, Any]]:
    """For the manifest: their names, widths and the kinds of messages that they carry.

    If a layer declares kinds, tuser holds, from bit 0 on, the number of the kind (8 bits: its
    position in the declaration), the length of the message (16 bits) and the metadata of the kind.
    """
    return [
        _stream(layer, name, is_output, design)
        for layer in design.layers()
        for name, is_output in layer.kind.raised_streams.items()
        if f"{name}_tvalid_{'o' if is_output else 'i'}" in layer.raised
    ]


def _stream(layer: Layer, name: str, is_output: bool, design: Design) -> dict[str, Any]:
    end = "o" if is_output else "i"
    kinds = design.library.message_kinds
    return {
        "name": layer.raised[f"{name}_tvalid_{end}"].removesuffix(f"_tvalid_{end}"),
        "output": is_output,
        "tile": layer.tile.name,
        "data_bytes": layer.kind.ports[f"{name}_tdata_{end}"] // 8,
        "user_bits": layer.kind.ports.get(f"{name}_tuser_{end}", 0),
        "kinds": [kinds[kind].described() for kind in layer.kind.raised_kinds.get(name, ())],
    }

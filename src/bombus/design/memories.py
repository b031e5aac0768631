# SPDX-License-Identifier: Apache-2.0
"""Raised ports of a design, and the memory models at them in simulation."""

from __future__ import annotations

from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.base.text import listing
from bombus.design.resolved import Design
from bombus.design.rtl.ports import FurtherPort

# AXI4 signals that a layer drives, with the value that the model (sim/models/axi_memory.sv) gets if
# the layer has no such port; None: the layer must have it.
FROM_LAYER = {
    "awid": "'0",
    "awaddr": None,
    "awlen": "'0",
    "awsize": "$clog2({bytes})",
    "awburst": "2'b01",
    "awvalid": None,
    "wdata": None,
    "wstrb": "'1",
    "wlast": "1'b1",
    "wvalid": None,
    "bready": "1'b1",
    "arid": "'0",
    "araddr": None,
    "arlen": "'0",
    "arsize": "$clog2({bytes})",
    "arburst": "2'b01",
    "arvalid": None,
    "rready": "1'b1",
}
# Signals that the model drives.
TO_LAYER = (
    *("awready", "wready", "bid", "bresp", "bvalid"),
    *("arready", "rid", "rdata", "rresp", "rlast", "rvalid"),
)
_WIDTHS = {"awsize": 3, "arsize": 3, "awlen": 8, "arlen": 8, "awburst": 2, "arburst": 2}
_NEEDED = [name for name, default in FROM_LAYER.items() if default is None]


def raised(design: Design) -> dict[str, FurtherPort]:
    """Ports of the top that the design file raises, in the order of the tiles."""
    return {
        layer.raised[port.name]: port
        for layer in design.layers()
        for port in layer.kind.further
        if port.name in layer.raised
    }


def signals_of(design: Design, memory: str) -> dict[str, FurtherPort]:
    """A memory's ports of the top by AXI name; other ports with the same prefix by their own
    names.
    """
    prefix = f"{memory}_"
    return {
        name.removeprefix(prefix)[:-2]: port
        for name, port in raised(design).items()
        if name.startswith(prefix)
    }


def problems(design: Design) -> Iterator[Problem]:
    """Memories that do not fit their ports."""
    for name in design.config.memories:
        place = ("memories", name)
        signals = signals_of(design, name)
        if not signals:
            yield design.file.problem(
                place, f"no tile raises ports as {name}: `ports: {{<port>: {name}}}`"
            )
            continue
        if missing := [each for each in _NEEDED if each not in signals]:
            yield design.file.problem(
                place, f"memory {name} lacks the AXI ports {listing(missing)} of a layer"
            )
            continue
        data, address = signals["wdata"].width, signals["awaddr"].width
        wanted = {**_WIDTHS, "rdata": data, "wstrb": data // 8, "araddr": address}
        if "awid" in signals:
            wanted |= dict.fromkeys(("bid", "arid", "rid"), signals["awid"].width)
        for each, width in wanted.items():
            if each in signals and signals[each].width != width:
                yield design.file.problem(
                    place,
                    f"memory {name}: {each} has {signals[each].width} bits; should have {width}",
                )
        if data & (data - 1) or not 8 <= data <= 1024:
            yield design.file.problem(
                place, f"memory {name}: wdata has {data} bits; should be a power of two, 8 to 1024"
            )

# SPDX-License-Identifier: Apache-2.0
"""Raised ports of a design, and the memory models at them in simulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bombus.design.elements import Layer
from bombus.design.resolved import Design
from bombus.design.rtl.ports import FurtherPort

# AXI4 signals that a layer drives, with the value that the model (axi_memory.sv) gets if the layer
# has no such port; None: the layer must have it.
FROM_LAYER = {
    "awid": "'0",
    "awaddr": None,
    "awlen": "'0",
    "awsize": "3'($clog2({bytes}))",
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
    "arsize": "3'($clog2({bytes}))",
    "arburst": "2'b01",
    "arvalid": None,
    "rready": "1'b1",
}
# Signals that the model drives.
TO_LAYER = (
    *("awready", "wready", "bid", "bresp", "bvalid"),
    *("arready", "rid", "rdata", "rresp", "rlast", "rvalid"),
)


def raised(design: Design) -> Iterator[tuple[Layer, str, FurtherPort]]:
    """Ports that the design file raises, with their layer and their name at the top, in the order
    of the tiles.
    """
    for layer in design.layers():
        for port in layer.kind.further:
            if port.name in layer.raised:
                yield layer, layer.raised[port.name], port


def raised_ports(design: Design) -> dict[str, FurtherPort]:
    """The raised ports by their name at the top."""
    return {name: port for _, name, port in raised(design)}


def signals_of(raised: Mapping[str, FurtherPort], memory: str) -> dict[str, FurtherPort]:
    """A memory's ports of the top by AXI name; other ports with the same prefix by their own
    names. `raised`: all raised ports.
    """
    prefix = f"{memory}_"
    return {
        name.removeprefix(prefix)[:-2]: port
        for name, port in raised.items()
        if name.startswith(prefix)
    }

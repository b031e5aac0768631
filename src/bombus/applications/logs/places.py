# SPDX-License-Identifier: Apache-2.0
"""The logs of a design: which layer writes them, and the UDP port that reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bombus.base.errors import UserError
from bombus.design.elements import Layer, Tile
from bombus.design.resolved import Design

_STORE = "log_store"
_ENTRY, _REQUESTS = "log_entry_i", "kernel_rx_tdata_i"
_UDP_PORT = "udp_port"


@dataclass(frozen=True)
class LogPlace:
    """A log of a design. `kind`, `params`: of the layer that writes it; `before`: kind of the layer
    that it precedes, "" if none. `counters`, `layers`: of its tile, the layers' kinds by name."""

    name: str
    kind: str
    entry_bits: int
    num_entries: int
    port: int
    before: str = ""
    params: Mapping[str, int] = field(default_factory=dict, compare=False)
    counters: Sequence[str] = field(default=(), compare=False)
    layers: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def tile(self) -> str:
        return self.name.partition(".")[0]


def _source(tile: Tile, layer: Layer, port: str) -> Layer | None:
    """The layer whose output is joined to this input."""
    signal = layer.joined.get(port)
    joined = (
        each
        for each in tile.layers
        for name, other in each.joined.items()
        if other == signal and name.endswith("_o")
    )
    return next(joined, None) if signal else None


def _place(design: Design, tile: Tile, store: Layer) -> LogPlace | None:
    writer = _source(tile, store, _ENTRY)
    udp = _source(tile, store, _REQUESTS)
    if writer is None or udp is None or (port := udp.param(_UDP_PORT)) is None:
        return None
    before = ""
    if writer.before:
        name, layer, *_ = f"{writer.before}.".split(".")
        layers = next(each.layers for each in design.tiles if each.given_name == name)
        before = next((la.kind.name for la in layers if layer in ("", la.name)), "")
    bits, entries = store.param("entry_bits"), store.param("num_entries")
    assert bits is not None and entries is not None
    return LogPlace(
        f"{tile.name}.{writer.name}",
        writer.kind.name,
        bits,
        entries,
        port,
        before,
        writer.params,
        tile.counters(),
        {each.name: each.kind.name for each in tile.layers},
    )


def logs_of(design: Design) -> list[LogPlace]:
    """The logs of a design that are read over UDP, in the order of its tiles."""
    found = (
        _place(design, tile, layer)
        for tile in design.tiles
        for layer in tile.layers
        if layer.kind.name == _STORE
    )
    return [each for each in found if each is not None]


def find_log(design: Design, name: str) -> LogPlace:
    """A log by the name of its tile, its layer, or both: `TILE.LAYER`."""
    logs = logs_of(design)
    found = [log for log in logs if name in (log.name, *log.name.split("."))]
    if len(found) != 1:
        names = ", ".join(log.name for log in logs) or "none"
        raise UserError(f"{design.config.name} has no single log {name!r}; its logs: {names}")
    return found[0]

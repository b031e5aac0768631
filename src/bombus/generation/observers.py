# SPDX-License-Identifier: Apache-2.0
"""What the layers of a tile that observe it see: its drops and the first beats of messages."""

from __future__ import annotations

from dataclasses import dataclass

from bombus.base.systemverilog import element
from bombus.design.elements import Layer, Tile
from bombus.design.facts import Facts
from bombus.design.rtl.ports import DROP_MESSAGE

_DROP = "drop."
NO_STREAM = 255  # of a drop whose messages are not observed


@dataclass(frozen=True)
class Observed:
    """The signals of the observer ports, first element first, and the parameters beside them."""

    drops: list[str]
    messages: list[str]
    streams: list[str]  # signals of inputs, as `receive_in`
    data_width: int
    counters: list[int]  # of each drop: its position among the tile's counters
    stream_numbers: list[int]  # of each drop
    declarations: list[str]  # of the layers' signals

    @property
    def parameters(self) -> dict[str, str]:
        """Values of the parameters that Bombus fills in."""

        def packed(width: int, numbers: list[int]) -> str:
            return "{" + ", ".join(f"{width}'d{n}" for n in reversed(numbers)) + "}"

        return {
            "NumObserved": str(len(self.drops)),
            "NumObservedStreams": str(max(1, len(self.streams))),
            "ObservedCounters": packed(16, self.counters),
            "ObservedStreams": packed(8, self.stream_numbers),
        }


def _observed_layers(tile: Tile, data_width: int) -> list[Layer]:
    """The layers that say which message they drop, and whose first input has the given width."""
    return [
        layer
        for layer in tile.layers
        if DROP_MESSAGE in layer.kind.ports
        and layer.inputs
        and layer.inputs[0].network.data_width == data_width
    ]


def observed(tile: Tile, facts: Facts) -> Observed | None:
    """What observers of a tile see; None if it has none."""
    if not any(layer.kind.is_observer for layer in tile.layers):
        return None
    data_width = facts.design.networks[0].data_width
    layers = _observed_layers(tile, data_width)
    numbers: dict[str, tuple[str, int]] = {}  # message and stream by name of the counter
    for stream, layer in enumerate(layers):
        for n, reason in enumerate(layer.kind.drops):
            numbers[f"{_DROP}{layer.name}.{reason}"] = (f"{layer.name}_drop_message[{n}]", stream)
    counters = tile.counters()
    events = tile.events()
    first = len(counters) - len(events)
    drops = [n for n, name in enumerate(events) if name.startswith(_DROP)]
    unknown = ("bombus_pkg::message_number_t'(0)", NO_STREAM)
    return Observed(
        drops=[element("events", n, len(events)) for n in drops],
        messages=[numbers.get(events[n], unknown)[0] for n in drops],
        streams=[layer.inputs[0].signal for layer in layers],
        data_width=data_width,
        counters=[first + n for n in drops],
        stream_numbers=[numbers.get(events[n], unknown)[1] for n in drops],
        declarations=[
            f"bombus_pkg::message_number_t [{len(layer.kind.drops) - 1}:0] "
            f"{layer.name}_drop_message"
            for layer in layers
        ],
    )

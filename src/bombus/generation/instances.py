# SPDX-License-Identifier: Apache-2.0
"""How a tile's module instantiates its layers: parameters, connections, signals, checkers."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace

from bombus.base.systemverilog import logic
from bombus.base.text import listing
from bombus.design import rtl
from bombus.design.elements import Input, Layer, Output
from bombus.design.facts import Facts
from bombus.design.rtl.ports import OBSERVER_PORTS, REGISTER_MASTER_PORTS
from bombus.generation.observers import observed

_SHARED = ("clk_i", "rst_i", "hold_i", "host_i", "route_i", "time_us_i")
_VECTORS = ("drop_o", "event_o", "mac_bytes_o")
_BITS = ("busy_o", "waits_o", "discards_o", "timer_o", "mac_message_o")
MAX_BUSY_CYCLES = 4096  # cycles that a layer itself may need for a message


@dataclass(frozen=True)
class CheckedInput:
    """An input of a layer."""

    name: str
    type: str  # of its beats


@dataclass(frozen=True)
class CheckedOutput:
    """An output of a layer."""

    name: str
    type: str  # of its beats
    has_next: bool  # the layer has a port that selects the next hop
    next_width: int
    num_hops: int
    sends: str  # kinds of messages, one bit mask per next hop


@dataclass(frozen=True)
class Checked:
    """The streams of a layer and its promises about them, for the checkers in simulation."""

    inputs: list[CheckedInput]
    outputs: list[CheckedOutput]
    promises: Mapping[str, str | int]  # parameters of layer_checker
    signals: Mapping[str, str]  # by port of layer_checker


@dataclass(frozen=True)
class LayerContext:
    """A layer in the module of its tile."""

    name: str
    kind: rtl.LayerKind
    parameters: list[str]
    connections: list[str]
    signals: list[str]  # declarations
    checked: Checked


def beat_type(layer: Layer, name: str, facts: Facts) -> str:
    """The type for a type parameter of a layer: a network's beats, possibly with other metadata."""
    network = layer.types[name]
    kind = facts.messages.of(layer, name)
    is_same = kind == facts.messages.on(network)
    return f"{network.prefix}{rtl.BEAT if is_same else f'beat_of_{kind.name}_t'}"


def stream_type(stream: Input | Output, facts: Facts) -> str:
    """The type of a stream's beats."""
    return beat_type(stream.layer, stream.layer.kind.type_of(stream.name), facts)


def _sends(output: Output, facts: Facts) -> str:
    """The kinds of messages that an output sends, by next hop, the first one lowest."""
    masks = facts.messages.sent_masks(output)
    masks += [0] * (facts.next_hops.counts[output] - len(masks))  # bound next hops without a target
    return "{" + ", ".join(map(facts.messages.bits, reversed(masks))) + "}"


def parameters(layer: Layer, facts: Facts) -> list[str]:
    """Parameter assignments: those that Bombus fills in and those of the design file."""
    seen = observed(layer.tile, facts)
    filled_in = {
        "DataWidth": str(layer.types.get(rtl.BEAT, facts.design.networks[0]).data_width),
        "ClockMhz": str(round(facts.design.config.clock_mhz)),
        "TileIndex": str(layer.tile.index),
        "RegisterWindowBits": "WindowBits",
        "NumKinds": str(len(facts.messages.by_number)),
        "Identities": _identities(facts),
        **{name: str(n) for name, n in facts.design.library.shared.parameters.items()},
        **_bound(layer, facts),
        "IsObserved": f"1'b{int(seen is not None)}",
        **(seen.parameters if seen else {}),
    }
    values = [f".{name}({beat_type(layer, name, facts)})" for name in layer.types]
    for type_ in layer.kind.register_types:
        values.append(f".{type_}({layer.tile.name}_{layer.name}_{type_})")
    for key, parameter in layer.kind.parameters.items():
        name = parameter.name
        if kind := parameter.message_kind:
            number = facts.messages.numbers.get(kind)
            values.append(f".{name}({'bombus_pkg::KindNone' if number is None else number})")
        elif parameter.is_filled_in:
            values.append(f".{name}({filled_in[name]})")
        elif key in layer.params:
            number = layer.params[key]
            is_plain = parameter.is_signed or parameter.width == 32
            text = str(number) if is_plain else f"{parameter.width}'h{number:x}"
            values.append(f".{name}({text})")
    return values


def _identities(facts: Facts) -> str:
    """The identities of the kinds of messages, by number."""
    words = [f"32'h{kind.identity:08x}" for kind in reversed(facts.messages.by_number)]
    return "{" + ", ".join(words) + "}"


def _bound(layer: Layer, facts: Facts) -> dict[str, str]:
    """The keys that a layer binds, with the number of the bound next hop that each leads to."""
    binding = (each for each in layer.outputs if each.stream.binds)
    bindings = next((facts.next_hops.bindings[each] for each in binding), [])
    hops = {value: n for n, binding in enumerate(bindings) for value in binding.values}
    # If there are none, one key that never matches: a width of zero would not be legal.
    hops = hops or {0: 0}
    return {
        "NumBound": str(len(hops)),
        "NumBoundHops": str(max(1, len(bindings))),
        "BoundKeys": "{" + ", ".join(f"16'd{value}" for value in reversed(hops)) + "}",
        "BoundHops": "{" + ", ".join(f"8'd{n}" for n in reversed(hops.values())) + "}",
    }


def connections(layer: Layer, unread: Container[str]) -> tuple[list[str], list[str]]:
    """Port connections of a layer and the signals to declare for them.

    `unread`: outputs that the tile does not use. Those of observed drops are declared elsewhere.
    """
    number = layer.param("mac_port") or 0
    connected, signals = [], []
    for port, width in layer.kind.ports.items():
        if port in _SHARED:
            connected.append(f".{port}")
        elif port in layer.kind.mac_ports:
            connected.append(f".{port}({port.replace('mac_', f'mac{number}_', 1)})")
        elif port in layer.raised:
            connected.append(f".{port}({layer.raised[port]})")
        elif port in layer.joined:
            connected.append(f".{port}({layer.joined[port]})")
        elif port in layer.shared or port in REGISTER_MASTER_PORTS:
            connected.append(f".{port}({shared_port(layer, port)})")
        elif port in OBSERVER_PORTS:
            connected.append(f".{port}({port.removesuffix('_i')})")
        elif port in layer.open or port in unread:
            connected.append(f".{port}()" if port.endswith("_o") else f".{port}('0)")
        else:
            signal = f"{layer.name}_{port.removesuffix('_i').removesuffix('_o')}"
            connected.append(f".{port}({signal})")
            if port in _VECTORS:
                signals.append(logic(width, signal))
            elif port in _BITS:
                signals.append(f"logic {signal}")
    return connected, signals


def shared_port(layer: Layer, port: str) -> str:
    """The tile's port for a port of a broadcast or of a master of registers."""
    return f"{layer.name}_{port}"


def joined_signals(layers: Iterable[Layer]) -> list[str]:
    """Declarations of the signals between layers of a tile."""
    return [
        logic(port.width, layer.joined[port.name])
        for layer in layers
        for port in layer.kind.further
        if port.is_output and port.name in layer.joined
    ]


def _answering(layer: Layer, facts: Facts) -> list[str]:
    """Names of the layers that send answers to a layer."""
    answers = [each for each in layer.inputs if each.stream.answers]
    hops = (hop for each in answers for hop in facts.topology.hops_to(each))
    return list(dict.fromkeys(str(hop.source.layer) for hop in hops))


def checked_streams(layer: Layer, facts: Facts) -> Checked:
    """The layer's streams and its promises about them, for the checkers in simulation."""
    # An input that ends the waiting in the deadlock analysis must not wait at all.
    inputs = [
        each.stream
        if each in facts.waiting
        else replace(each.stream, waits_for_outputs=(), waits_for_inputs=())
        for each in layer.inputs
    ]
    outputs = list(layer.kind.outputs.values())
    ways = [stream.name for stream in outputs]
    order = [stream.name for stream in inputs]
    types = {each.name: stream_type(each, facts) for each in layer.inputs}
    types |= {each.name: stream_type(each, facts) for each in layer.outputs}

    def rows(names: Iterable[Iterable[str]], among: list[str]) -> str:
        """A packed array with one row of bits per name, the first one lowest."""
        words = [
            f"{max(1, len(among))}'b{''.join('01'[each in row] for each in reversed(among)) or '0'}"
            for row in map(set, names)
        ]
        return "{" + ", ".join(reversed(words)) + "}"

    def signals(streams: list[str], suffix: str) -> str:
        each = (f"{layer.name}_{stream}{suffix}" for stream in reversed(streams))
        return "{" + ", ".join(each) + "}" if streams else "1'b0"

    no_output = not outputs
    return Checked(
        inputs=[CheckedInput(name, types[name]) for name in order],
        outputs=[
            CheckedOutput(
                name=stream.name,
                type=types[stream.name],
                has_next=f"{stream.name}_next_o" in layer.kind.ports,
                next_width=facts.next_hops.widths[Output(layer, stream.name)],
                num_hops=facts.next_hops.counts[Output(layer, stream.name)],
                sends=_sends(Output(layer, stream.name), facts),
            )
            for stream in outputs
        ],
        promises={
            "NumInputs": max(1, len(inputs)),
            "NumOutputs": max(1, len(outputs)),
            "WaitsForOutputs": rows(
                (() if stream.answers else stream.waits_for_outputs for stream in inputs), ways
            ),
            "WaitsForInputs": rows((stream.waits_for_inputs for stream in inputs), order),
            "Room": "{"
            + (", ".join(f"32'd{stream.room}" for stream in reversed(inputs)) or "32'd0")
            + "}",
            "Serves": rows([[stream.serves] for stream in outputs] or [[]], order),
            "OneForEach": rows([stream.one_for_each for stream in outputs] or [()], order),
            "Credits": "{"
            + (", ".join(f"32'd{stream.credits}" for stream in reversed(outputs)) or "32'd0")
            + "}",
            "AnsweredBy": rows(
                [[i.name for i in inputs if i.answers == stream.name] for stream in outputs]
                or [[]],
                order,
            ),
            "AnswersFrom": f'"{listing(_answering(layer, facts))}"',
            "Forwards": f"1'b{int(bool(layer.kind.constants.get('forwards')))}",
            "MaxBusyCycles": layer.kind.constants.get("max_busy_cycles", MAX_BUSY_CYCLES),
        },
        signals={
            "busy_i": f"{layer.name}_busy" if "busy_o" in layer.kind.ports else "1'b1",
            "in_valid_i": signals(order, "_valid"),
            "in_ready_i": signals(order, "_ready"),
            "in_last_i": signals(order, ".last"),
            "out_valid_i": signals(ways, "_valid"),
            "out_ready_i": "1'b1" if no_output else signals(ways, "_ready"),
            "out_last_i": signals(ways, ".last"),
        },
    )

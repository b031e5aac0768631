# SPDX-License-Identifier: Apache-2.0
"""The contract of layer modules: ports, widths, counters.

The ports and their meaning: docs/architecture.md, "A layer".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pyslang import ast

from bombus.base.errors import Problem
from bombus.base.text import camel_case, near_matches, snake_case
from bombus.design.rtl.beat import BEAT, OWN_BEAT
from bombus.registers.model import Block
from bombus.registers.systemverilog import layer_ports

if TYPE_CHECKING:
    from bombus.design.rtl.elaboration import Elaboration
    from bombus.design.rtl.layers import LayerKind, OutputStream

# The streams of a layer that has one input or one output.
MAIN_INPUT, MAIN_OUTPUT = "in", "out"
# The member of a next-hop enum that the bound next hops start from.
BOUND = "bound"

# Ports by name, with their bits. A name's end gives the direction.
_BITS = {
    **dict.fromkeys(("clk_i", "rst_i", "busy_o", "timer_o", "mac_message_o"), 1),
    "time_us_i": 32,
    "mac_bytes_o": 14,
}
# Those of a type of bombus_pkg, once for each MAC port of the design.
_TYPES = {"host_i": "host_t"}
# Those as wide as the layer's counters.
_OTHERS = frozenset({"drop_o", "event_o"})
# Those of a stream behind its name, with their bits; None: as its data or its next hops need.
_INPUT = {"i": None, "valid_i": 1, "ready_o": 1}
_OUTPUT = {"o": None, "valid_o": 1, "ready_i": 1, "next_o": None}
# A MAC port's, without its number.
_STREAM = ("tdata_i", "tkeep_i", "tvalid_i", "tready_o", "tlast_i")
MAC_PORTS = frozenset(
    {
        *(f"mac_rx_{name}" for name in (*_STREAM, "tuser_i")),
        *(f"mac_tx_{name[:-1]}{'o' if name.endswith('i') else 'i'}" for name in _STREAM),
    }
)
_PARAMETER = re.compile("[A-Z][A-Za-z0-9]*")
_SINGLE = _BITS.keys() | _TYPES.keys() | _OTHERS | MAC_PORTS


def streams(ports: Iterable[str], valid: str) -> list[str]:
    """Names of the streams whose valid ends so: `_valid_i` of inputs, `_valid_o` of outputs."""
    return [port.removesuffix(valid) for port in ports if port.endswith(valid)]


def prefix_of(stream: str) -> str:
    """What the names of declarations about a stream begin with."""
    return "" if stream in (MAIN_INPUT, MAIN_OUTPUT) else camel_case(stream)


def hop_names(output: str, enums: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Names of an output's next hops by number; the last one may be `BOUND`."""
    alias = "next_e" if output == MAIN_OUTPUT else f"{output}_next_e"
    prefix = f"{prefix_of(output)}Next"
    return tuple(snake_case(name.removeprefix(prefix)) for name in enums.get(alias, ()))


def hop_sends_name(output: str, hop: str) -> str:
    """The localparam with the kinds of messages that take a next hop of an output."""
    return f"{prefix_of(output)}Next{camel_case(hop)}Sends"


@dataclass(frozen=True)
class FurtherPort:
    """A port that the contract does not know: the design file raises it to the top."""

    name: str
    is_output: bool
    width: int  # bits
    file: Path
    line: int
    known: frozenset[str]  # ports that the contract knows

    def problem(self, layer: str) -> Problem:
        """Nobody has raised it."""
        group = self.name.removesuffix("_o" if self.is_output else "_i")
        message = _unknown(
            f"layer {layer}: port {self.name} is none that Bombus connects by itself",
            self.name,
            self.known,
            f"raise it to the top by `ports: {{{group}: <name>}}` in the tile of the design file",
        )
        return Problem(self.file, self.line, message)


def further_ports(
    body: ast.InstanceBodySymbol, elaboration: Elaboration, known: Iterable[str]
) -> Iterator[FurtherPort]:
    """The ports of a module that are not `known`. Their names end in _i or _o, as all do."""
    known = frozenset(known)
    for port in body.portList:
        if port.kind == ast.SymbolKind.Port and port.name not in known:
            is_output = port.direction == ast.ArgumentDirection.Out
            file = elaboration.file(port.location)
            line = elaboration.manager.getLineNumber(port.location)
            yield FurtherPort(port.name, is_output, port.type.bitWidth, file, line, known)


def _unknown(said: str, port: str, known: Iterable[str], cure: str) -> str:
    """What to do about a port: the names that it may stand for, or else a cure."""
    hint = near_matches(port, known)
    if hint.endswith("?"):
        return f"{said}; {hint} Otherwise {cure}"
    # Nobody means a port of a MAC who does not come close to its name.
    return f"{said} ({near_matches(port, {*known} - MAC_PORTS)}); {cure}"


def known_ports(
    inputs: Iterable[str], outputs: Iterable[str], registers: Block | None
) -> dict[str, int | None]:
    """Ports that Bombus connects by itself, with their bits; None: as the layer needs."""
    of_streams = {f"{name}_{end}": bits for name in inputs for end, bits in _INPUT.items()}
    of_streams |= {f"{name}_{end}": bits for name in outputs for end, bits in _OUTPUT.items()}
    of_registers = {port.name: port.bits for port in layer_ports(registers)} if registers else {}
    return {**dict.fromkeys(_SINGLE), **_BITS, **of_streams, **of_registers}


def port_problems(
    body: ast.InstanceBodySymbol,
    elaboration: Elaboration,
    known: Mapping[str, int | None],
    num_mac_ports: int,
) -> Iterator[Problem]:
    """Ports that Bombus would not know how to connect, each with its line."""
    package = elaboration.compilation.getPackage("bombus_pkg")
    for port in body.portList:
        file = elaboration.file(port.location)
        line = elaboration.manager.getLineNumber(port.location)
        where = f"layer {body.definition.name}: port {port.name}"
        if port.kind != ast.SymbolKind.Port:
            yield Problem(file, line, f"{where} is an interface; layers have plain ports")
            continue
        if port.name[-2:] not in ("_i", "_o"):
            end = "_o" if port.direction == ast.ArgumentDirection.Out else "_i"
            message = _unknown(
                f"{where} is none that Bombus connects by itself",
                port.name,
                known,
                f"name it {port.name}{end} to raise it to the top by `ports` in the design file",
            )
            yield Problem(file, line, message)
            continue
        if not port.type.isIntegral:
            yield Problem(file, line, f"{where} has no packed type")
            continue
        wanted = ast.ArgumentDirection.In if port.name[-1] == "i" else ast.ArgumentDirection.Out
        if port.direction != wanted:
            word = "input" if wanted == ast.ArgumentDirection.In else "output"
            yield Problem(file, line, f"{where} should be an {word}")
        bits = known.get(port.name)
        if port.name in _TYPES:
            bits = num_mac_ports * package.find(_TYPES[port.name]).targetType.type.bitWidth
        if bits is not None and port.type.bitWidth != bits:
            why = ", once for each MAC port (NumMacPorts)" if port.name in _TYPES else ""
            yield Problem(
                file, line, f"{where} has {port.type.bitWidth} bits; it should have {bits}{why}"
            )


def stream_problems(
    body: ast.InstanceBodySymbol, elaboration: Elaboration, data: Iterable[tuple[str, str]]
) -> Iterator[Problem]:
    """Streams whose data are not of their type parameter; `data`: (stream, port) of each."""
    types = {
        member.name: member.targetType.type
        for member in body
        if member.kind == ast.SymbolKind.TypeParameter and not member.isLocalParam
    }
    ports = {port.name: port for port in body.portList if port.kind == ast.SymbolKind.Port}
    for stream, name in data:
        port, own = ports.get(name), f"{stream}{OWN_BEAT}"
        wanted = own if own in types else BEAT
        if port is None or (wanted in types and port.type.isMatching(types[wanted])):
            continue
        missing = "" if wanted in types else f"; declare `parameter type {wanted} = logic`"
        yield Problem(
            elaboration.file(port.location),
            elaboration.manager.getLineNumber(port.location),
            f"layer {body.definition.name}: port {name} should have the type {wanted}, as the data "
            f"of stream {stream}{missing}",
        )


def layer_problems(kind: LayerKind, enums: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """What does not fit together in a layer whose ports are known."""

    def problem(message: str) -> Problem:
        return Problem(kind.file, kind.line, f"layer {kind.name}: {message}")

    for port, names, enum in (
        ("drop_o", kind.drops, "drop_e"),
        ("event_o", kind.events, "event_e"),
    ):
        width = kind.ports.get(port, 0)
        if width != len(names):
            yield problem(f"{port} has {width} bits, but {enum} has {len(names)} names")
    for name, ends in [(each, _INPUT) for each in kind.inputs] + [
        (each, ("o", "valid_o", "ready_i")) for each in kind.outputs
    ]:
        for port in (f"{name}_{end}" for end in ends):
            if port not in kind.ports:
                yield problem(f"port {port} is missing beside those of stream {name}")
    for needed in layer_ports(kind.registers) if kind.registers else ():
        if needed.name not in kind.ports:
            yield problem(f"port {needed.name} is missing, which its registers need")
    for output in kind.outputs.values():
        yield from map(problem, _output_problems(output, kind, hop_names(output.name, enums)))
    for stream in kind.inputs.values():
        if stream.answers and stream.answers not in kind.outputs:
            yield problem(
                f"stream {stream.name} answers {stream.answers!r}, which is not an output"
            )
        elif stream.answers and not kind.outputs[stream.answers].credits:
            yield problem(f"stream {stream.name} answers {stream.answers}, which has no credits")
        waits_for = (*stream.waits_for_outputs, *stream.waits_for_inputs)
        if waits_for and (stream.always_takes or stream.answers):
            yield problem(f"stream {stream.name} always takes, but also waits for {waits_for[0]}")
    answered = {stream.answers for stream in kind.inputs.values()}
    for output in kind.outputs.values():
        if output.credits and output.name not in answered:
            yield problem(f"stream {output.name} has credits, but no input receives its answers")
        if output.serves and output.serves not in kind.inputs:
            yield problem(f"stream {output.name} serves {output.serves!r}, which is not an input")
    if "busy_o" not in kind.ports:
        # The checkers in simulation would have nothing to go by.
        promises = [f"Room of stream {each.name}" for each in kind.inputs.values() if each.room]
        promises += [
            f"Serves of stream {each.name}" for each in kind.outputs.values() if each.serves
        ]
        for promise in promises:
            yield problem(f"{promise} needs a port busy_o, which is 1 while a message is inside")
    yield from map(problem, _misspelt(kind))
    known = kind.message_kinds()
    for parameter in kind.parameters.values():
        if not _PARAMETER.fullmatch(parameter.name):
            yield problem(
                f"parameter {parameter.name} should be {camel_case(parameter.key)}: names are in "
                f"UpperCamelCase, and the design file sets it as `{parameter.key}`"
            )
        if (name := parameter.message_kind) and name not in known:
            hint = near_matches(name, known)
            yield problem(
                f"{parameter.name} is the number of a kind of message that it does not take or "
                f"send; {hint}"
            )
    for name in kind.types:
        if name != BEAT and name.removesuffix(OWN_BEAT) not in {*kind.inputs, *kind.outputs}:
            yield problem(f"type parameter {name} is of a stream that the layer does not have")
    hops = [hop for output in kind.outputs.values() for hop in output.hops]
    if kind.shows and kind.shows not in hops:
        yield problem(f"no next hop {kind.shows!r}, whose registers it shows; it has {hops}")
    if kind.stands_before and (len(kind.inputs), len(kind.outputs)) != (1, 1):
        yield problem("it precedes a tile, so it should have one input and one output")


def _output_problems(
    output: OutputStream, kind: LayerKind, names: tuple[str, ...]
) -> Iterator[str]:
    enum = "next_e" if output.name == MAIN_OUTPUT else f"{output.name}_next_e"
    if not names:
        yield f"stream {output.name} has no next hops: declare them in an enum {enum}"
        return
    if output.binds and names[-1] != BOUND:
        yield f"the last member of {enum} should be the first bound next hop, Bound"
    if BOUND in names and not output.binds:
        yield f"{enum} has bound next hops, but no localparam Binds names their key"
    count = len(output.hops)
    if output.binds:
        count += kind.default("num_bound_hops") or 1
    width = kind.ports.get(f"{output.name}_next_o", 0)
    if count > 1 and width != (count - 1).bit_length():
        yield (
            f"{output.name}_next_o has {width} bits, but {count} next hops need "
            f"{(count - 1).bit_length()}"
        )


def _misspelt(kind: LayerKind) -> Iterator[str]:
    """Declarations about streams that the layer does not have."""
    inputs = {prefix_of(name) for name in kind.inputs}
    outputs = {prefix_of(name) for name in kind.outputs}
    streams = {camel_case(name) for name in (*kind.inputs, *kind.outputs)}
    for name in kind.declared:
        holder, waits, needed = name.partition("WaitsFor")
        if waits:
            is_known = holder in {camel_case(each) for each in kind.inputs} and needed in streams
        else:
            ends = {
                "AlwaysTakes": inputs,
                "Room": inputs,
                "Answers": inputs,
                "Takes": inputs,
                "Credits": outputs,
                "Serves": outputs,
                "BindsWidth": outputs,
                "Sends": outputs | _hop_prefixes(kind),
            }
            end = next((each for each in ends if name.endswith(each)), None)
            is_known = end is None or name.removesuffix(end) in ends[end]
        if not is_known:
            yield f"localparam {name} is about a stream that the layer does not have"


def _hop_prefixes(kind: LayerKind) -> set[str]:
    """What the names of declarations about a next hop begin with."""
    return {
        hop_sends_name(output.name, hop).removesuffix("Sends")
        for output in kind.outputs.values()
        for hop in (*output.hops, *([BOUND] if output.binds else []))
    }

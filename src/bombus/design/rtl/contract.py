# SPDX-License-Identifier: Apache-2.0
"""The contract of layer modules: contradictions in a layer whose ports are known.

docs/architecture.md, "A layer", states it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from bombus.base.errors import Problem
from bombus.base.text import camel_case, near_matches
from bombus.design.rtl.beat import BEAT, OWN_BEAT
from bombus.design.rtl.declared_names import (
    BOUND,
    MAIN_INPUT,
    MAIN_OUTPUT,
    hop_names,
    hop_sends_name,
    prefix_of,
)
from bombus.design.rtl.layer_kind import Agreement, LayerKind, OutputStream
from bombus.design.rtl.ports import INPUT_ENDS, REGISTER_MASTER_PORTS
from bombus.registers.systemverilog import layer_ports

_PARAMETER = re.compile("[A-Z][A-Za-z0-9]*")


def layer_problems(kind: LayerKind, enums: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """Inconsistent declarations of a layer whose ports are known."""

    def problem(message: str) -> Problem:
        return Problem(kind.file, kind.line, f"layer {kind.name}: {message}")

    for port, names, enum in (
        ("drop_o", kind.drops, "drop_e"),
        ("event_o", kind.events, "event_e"),
    ):
        width = kind.ports.get(port, 0)
        if width != len(names):
            yield problem(f"{port} has {width} bits, but {enum} has {len(names)} names")
    if kind.begins and kind.begins not in kind.events:
        yield problem(f"Begins names {kind.begins!r}, which is not an event")
    for name, ends in [(each, INPUT_ENDS) for each in kind.inputs] + [
        (each, ("o", "valid_o", "ready_i")) for each in kind.outputs
    ]:
        for port in (f"{name}_{end}" for end in ends):
            if port not in kind.ports:
                yield problem(f"port {port} is missing beside those of stream {name}")
    for port in REGISTER_MASTER_PORTS if kind.is_register_master else ():
        if port not in kind.ports:
            yield problem(f"port {port} is missing, which a master of registers needs")
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
        for name in output.one_for_each:
            if name not in kind.inputs:
                yield problem(
                    f"stream {output.name} has one message for each of {name!r}, which is not an "
                    "input"
                )
    if "busy_o" not in kind.ports:
        # Without busy_o, the checkers in simulation could not check these.
        promises = [f"Room of stream {each.name}" for each in kind.inputs.values() if each.room]
        promises += [
            f"Serves of stream {each.name}" for each in kind.outputs.values() if each.serves
        ]
        promises += [
            f"OneForEach of stream {each.name}"
            for each in kind.outputs.values()
            if each.one_for_each
        ]
        promises += ["Forwards"] if kind.constants.get("forwards") else []
        for promise in promises:
            yield problem(f"{promise} needs a port busy_o, which is 1 while a message is inside")
    for declared, texts, read in (
        ("Agrees", kind.agrees, Agreement.read),
        ("Needs", kind.needs, Agreement.read_need),
    ):
        for text in texts:
            found = read(text)
            if found is None:
                example = "ring_bytes>=tcp.send_bytes"
                yield problem(f"{declared} has {text!r}; it should be like {example!r}")
            elif found.own and found.number is None and found.own not in kind.parameters:
                hint = near_matches(found.own, kind.parameters)
                yield problem(f"{declared} is about {found.own}, which is not a parameter; {hint}")
    yield from map(problem, _unlimited(kind))
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
    if kind.stands_before and not (MAIN_INPUT in kind.inputs and MAIN_OUTPUT in kind.outputs):
        yield problem("it precedes a tile, so it should have an input `in` and an output `out`")
    for prefix in kind.leads:
        if not any(port.name.startswith(f"{prefix}_") for port in kind.further):
            yield problem(f"Leads names {prefix!r}, but it has no ports {prefix}_* to be joined")
    for key in kind.other_hosts:
        if key not in kind.parameters:
            hint = near_matches(key, kind.parameters)
            yield problem(f"OtherHosts is about {key}, which is not a parameter; {hint}")
    if kind.precedes and not kind.stands_before:
        yield problem("it has Precedes, but not StandsBefore = 1: it precedes nothing")


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


def _unlimited(kind: LayerKind) -> Iterator[str]:
    """Promises about waiting that simulation could not check, since no wait is too long."""
    if kind.constants.get("max_busy_cycles") != 0:
        return
    for stream in kind.inputs.values():
        waits = {*stream.waits_for_outputs} >= {*kind.outputs}
        if stream.always_takes or stream.answers or stream.room or not waits:
            yield (
                f"MaxBusyCycles is 0, any number, but stream {stream.name} promises not to wait: "
                "give the maximum number of cycles that the layer itself needs for a message"
            )


def _misspelt(kind: LayerKind) -> Iterator[str]:
    """Declarations about streams that the layer does not have."""
    raised = kind.raised_streams
    inputs = {prefix_of(name) for name in kind.inputs}
    outputs = {prefix_of(name) for name in kind.outputs}
    taken = inputs | {prefix_of(name) for name in raised if not raised[name]}
    sent = outputs | {prefix_of(name) for name in raised if raised[name]}
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
                "Takes": taken,
                "Credits": outputs,
                "Serves": outputs,
                "OneForEach": outputs,
                "BindsWidth": outputs,
                "Sends": sent | _hop_prefixes(kind),
            }
            end = next((each for each in ends if name.endswith(each)), None)
            is_known = end is None or name.removesuffix(end) in ends[end]
        if not is_known:
            yield f"localparam {name} is about a stream that the layer does not have"


def _hop_prefixes(kind: LayerKind) -> set[str]:
    """Prefixes of declarations about a next hop."""
    return {
        hop_sends_name(output.name, hop).removesuffix("Sends")
        for output in kind.outputs.values()
        for hop in (*output.hops, *([BOUND] if output.binds else []))
    }

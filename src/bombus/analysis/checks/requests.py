# SPDX-License-Identifier: Apache-2.0
"""Requests and answers: whether an awaited answer can arrive, and only from the layer asked."""

from __future__ import annotations

from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.base.text import listing
from bombus.base.values import SCATTERING
from bombus.design.elements import Hop, Input, Output
from bombus.design.facts import Facts
from bombus.design.resources import (
    awaited_hops,
    downstream,
    request_of,
    room_covers,
    strangers,
)
from bombus.design.topology import Topology


def problems(facts: Facts) -> Iterator[Problem]:
    """Problems of the inputs of a design that wait for messages on others.

    Those of a part of a larger design are found in the whole.
    """
    if facts.design.is_part:
        return
    for layer in facts.design.layers():
        awaited = {name for each in layer.inputs for name in each.stream.waits_for_inputs}
        for each in layer.inputs:
            if each.stream.answers:
                yield from _answer_problems(each, facts)
            elif each.name in awaited and not facts.topology.hops_to(each):
                message = f"{layer} waits for messages on input {each.name}, but none can come"
                yield facts.design.file.problem(layer.loc, message)
        for each in layer.inputs:
            for name in each.stream.waits_for_inputs:
                yield from _losses(Input(layer, name), each, facts)


def _answer_problems(answer: Input, facts: Facts) -> Iterator[Problem]:
    layer, request = answer.layer, request_of(answer)
    senders = [hop.source.layer for hop in facts.topology.hops_to(answer)]
    if not set(senders) & downstream(request, facts.topology):
        yield facts.design.file.problem(
            layer.loc,
            f"{layer} waits for answers on input {answer.name}, but none of the layers that its "
            f"output {request.name} reaches can send there",
        )
    else:
        # A layer that waits would deadlock; one that drops meanwhile would drop from then on.
        waits = any(answer.name in each.stream.waits_for_inputs for each in layer.inputs)
        for message in unanswered(answer, facts.topology):
            yield facts.design.file.problem(layer.loc, message, is_error=waits)
    if others := strangers(answer, facts.topology):
        yield facts.design.file.problem(
            layer.loc,
            f"messages from {listing(map(str, others))} can reach input {answer.name} of {layer}, "
            f"which accepts only answers to its output {request.name}; give them another input; "
            "or, if these are requests to a layer that answers every sender, let it declare "
            "so by `Serves`",
        )
    group = layer.tile.group
    is_dispatched = any(hop.group for hop in facts.topology.hops_to(answer))
    scatters = [each for each in group.policies if each in SCATTERING] if group else []
    if group and is_dispatched and scatters:
        yield facts.design.file.problem(
            (*group.loc, "dispatch"),
            f"under {listing(scatters)}, an answer may reach another replica of {group.name} than "
            "the one that asked; use flow_hash or dst_port",
        )


def _losses(awaited: Input, by: Input, facts: Facts) -> Iterator[Problem]:
    hops = [hop for hop in awaited_hops(awaited, by, facts.topology) if not hop.in_tile]
    if any(not hop.network.given.lossless for hop in hops):
        yield facts.design.file.problem(
            by.layer.loc,
            f"{by.layer} waits for messages on input {awaited.name}, which the fabric may drop: "
            "use a lossless fabric, or put the layers into one tile",
        )


def unanswered(answer: Input, topology: Topology) -> Iterator[str]:
    """Places where requests answered on this input, or their answers, may get lost."""
    client, request = answer.layer, request_of(answer)
    way = set(awaited_hops(answer, answer, topology))
    loss = f"{client} would wait for the answer on input {answer.name} forever"
    front = [request]
    seen = {*front}
    while front:
        output = front.pop()
        for hop in topology.hops_from(output):
            if hop not in way:
                if not output.stream.serves:
                    yield _astray(hop, request) + loss
                continue
            target = hop.target
            assert target
            if target.stream.answers:
                continue
            answering = [each for each in target.layer.outputs if each.stream.serves == target.name]
            if answering and not way & {
                each for out in answering for each in topology.hops_from(out)
            }:
                yield f"{target.layer} answers requests of {client}, but not to {client}: {loss}"
            if not answering and _may_drop(target, topology):
                yield (
                    f"{target.layer} may drop a request of {client} or the answer to it: {loss}; "
                    f"{_advice(target, topology)}"
                )
            outputs = [each for each in answering or target.layer.outputs if each not in seen]
            seen.update(outputs)
            front += outputs


def _may_drop(target: Input, topology: Topology) -> bool:
    drops = target.stream.always_takes or bool(target.layer.kind.drops)
    return drops and not room_covers(target, topology)


def _astray(hop: Hop, request: Output) -> str:
    """Description of a hop that leads away from the path of requests and answers."""
    where = str(hop.target.layer) if hop.target else "nowhere"
    source = hop.source
    if source == request:
        return f"next hop {hop.name!r} of {source} leads to {where}, which does not answer: "
    return (
        f"{source.layer}, which {request.layer} asks, may send to {where} what should be an answer "
        "(if it sends one answer to each request, to its sender, it should declare `Serves`): "
    )


def _advice(target: Input, topology: Topology) -> str:
    credits = [hop.source.stream.credits for hop in topology.hops_to(target)]
    room = f"`Room` for {sum(credits)} requests, " if all(credits) else ""
    return f"let it wait instead, or let it declare {room}or, if it answers every request, `Serves`"

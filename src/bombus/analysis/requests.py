# SPDX-License-Identifier: Apache-2.0
"""Requests and answers: whether an awaited answer can arrive, and only from the layer asked."""

from __future__ import annotations

from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.base.text import listing
from bombus.design.resolved import Design, Input
from bombus.design.resources import awaited_hops, downstream, request_of, strangers

# Policies under which an answer may reach another replica than the one that asked.
_SCATTERING = ("round_robin", "least_loaded")


def problems(design: Design) -> Iterator[Problem]:
    """What is wrong with the inputs of a design that wait for messages on others."""
    for layer in design.layers():
        awaited = {name for each in layer.inputs for name in each.stream.waits_for_inputs}
        for each in layer.inputs:
            if each.stream.answers:
                yield from _answer_problems(each, design)
            elif each.name in awaited and not design.hops_to(each):
                message = f"{layer} waits for messages on input {each.name}, but none can come"
                yield design.file.problem(layer.loc, message)
        for each in layer.inputs:
            for name in each.stream.waits_for_inputs:
                yield from _losses(Input(layer, name), each, design)


def _answer_problems(answer: Input, design: Design) -> Iterator[Problem]:
    layer, request = answer.layer, request_of(answer)
    senders = [hop.source.layer for hop in design.hops_to(answer)]
    if not set(senders) & downstream(request, design):
        yield design.file.problem(
            layer.loc,
            f"{layer} waits for answers on input {answer.name}, but none of the layers that its "
            f"output {request.name} reaches can send there",
        )
    if others := strangers(answer, design):
        yield design.file.problem(
            layer.loc,
            f"messages from {listing(map(str, others))} can reach input {answer.name} of {layer}, "
            f"which accepts only answers to its output {request.name}; give them another input",
        )
    group = layer.tile.group
    if group and group.needs_dispatch and group.policy in _SCATTERING:
        yield design.file.problem(
            (*group.loc, "dispatch"),
            f"under {group.policy}, an answer may reach another replica of {group.name} than the "
            "one that asked; use flow_hash or dst_port",
        )


def _losses(awaited: Input, by: Input, design: Design) -> Iterator[Problem]:
    hops = [hop for hop in awaited_hops(awaited, by, design) if not hop.in_tile]
    if any(not hop.network.given.lossless for hop in hops):
        yield design.file.problem(
            by.layer.loc,
            f"{by.layer} waits for messages on input {awaited.name}, which the fabric may drop: "
            "use a lossless fabric, or put the layers into one tile",
        )

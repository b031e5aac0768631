# SPDX-License-Identifier: Apache-2.0
"""Groups of replicas: which tiles may have some, and what their policies need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bombus.base.errors import Problem
from bombus.base.text import counted, listing
from bombus.base.values import SCATTERING
from bombus.design.dispatch import HAS_PORTS, MAX_SLOTS, Dispatch, num_slots
from bombus.design.elements import Group
from bombus.design.facts import Facts


def replicable(facts: Facts) -> Iterator[Problem]:
    """Tiles that cannot have replicas, and policies that do not suit them."""
    design = facts.design
    for group in design.groups:
        for layer in group.tiles[0].layers:
            if layer.kind.mac_ports:
                message = f"tile {group.name!r} has a MAC port and cannot have replicas"
            elif not layer.kind.is_replicable:
                message = f"{layer.kind.name} must be unique; remove the replicas of {group.name!r}"
            else:
                continue
            yield design.file.problem((*group.loc, "replicas"), message)


def dispatch(facts: Facts) -> Iterator[Problem]:
    """Requirements of the policies of groups of replicas."""
    design = facts.design
    choosers: dict[Group, list[Dispatch]] = {}
    for tile in design.tiles:
        plans = [facts.dispatches[interface] for interface in tile.interfaces]
        all_of_tile = [dispatch for plan in plans for dispatch in plan]
        for dispatch in all_of_tile:
            choosers.setdefault(dispatch.group, []).append(dispatch)
        if (slots := sum(map(num_slots, filter(None, plans)))) > MAX_SLOTS:
            names = listing(dispatch.group.name for dispatch in all_of_tile)
            yield design.file.problem(
                tile.loc,
                f"tile {tile.given_name!r} would need {slots} slots to dispatch messages to the "
                f"replicas of {names}; the maximum is {MAX_SLOTS}",
            )
    for group, dispatches in choosers.items():
        loc = (*group.loc, "dispatch")
        for message in _lacks(group, dispatches):
            yield design.file.problem(loc, message)
        for message in _doubts(group, dispatches):
            yield design.file.problem(loc, message, is_error=False)
        for message in _lack_of_room(group, dispatches, len(facts.senders[group])):
            yield design.file.problem(loc, message)
        inputs = {dispatch.targets[0].given_name for dispatch in dispatches}
        if group.counts_load and len(inputs) > 1:
            yield design.file.problem(
                loc,
                f"messages are dispatched to {listing(sorted(inputs))}, but least_loaded can count "
                "the load of one input only: use another policy",
            )


def _lack_of_room(group: Group, dispatches: Iterable[Dispatch], count: int) -> Iterator[str]:
    """Whether a replica takes too few messages for the `count` tiles that send to it."""
    batch = max([1, *(layer.kind.constants.get("batch", 1) for layer in group.tiles[0].layers)])
    lacks = {
        (each.room, each.room - limit + batch)
        for each in dispatches
        if each.room is not None and (limit := each.limit(count)) is not None and limit < batch
    }
    for room, need in lacks if group.counts_load else ():
        why = f"; it finishes {batch} at a time" if batch > 1 else ""
        yield (
            f"a replica of {group.name} takes {room} messages, but {counted(count, 'tile')} "
            f"{'sends' if count == 1 else 'send'} to it, which need {need} under "
            f"least_loaded{why}: give it more slots or use another policy"
        )


def _lacks(group: Group, dispatches: Iterable[Dispatch]) -> Iterator[str]:
    """Fields that the policy of a group needs and that messages to one of its inputs lack."""
    flows = {dispatch.targets[0].layer.given_name: dispatch.flow for dispatch in dispatches}
    for name, flow in flows.items():
        if "flow_hash" in group.policies and flow == "none":
            yield (
                f"messages for {name} carry no flow information, which flow_hash needs; use "
                "round_robin or least_loaded"
            )
        if "dst_port" in group.policies and flow not in HAS_PORTS:
            yield f"messages for {name} have no port, which dst_port needs"


def _doubts(group: Group, dispatches: Iterable[Dispatch]) -> Iterator[str]:
    """Limitations of a group's policy for its messages."""
    is_lossless = all(dispatch.targets[0].network.given.lossless for dispatch in dispatches)
    if group.counts_load and not is_lossless:
        yield (
            "the fabric can drop messages, which least_loaded would then count as pending "
            f"indefinitely; use another policy for {group.name} or a lossless fabric"
        )
    keeps = [layer.kind.name for layer in group.tiles[0].layers if layer.kind.keeps_flow_state]
    scatters = [each for each in group.policies if each in SCATTERING]
    if keeps and scatters:
        yield (
            f"{listing(keeps)} keeps state per flow, but {listing(scatters)} sends messages of one "
            "flow to several replicas; use flow_hash or dst_port"
        )

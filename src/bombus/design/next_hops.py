# SPDX-License-Identifier: Apache-2.0
"""Next hops of outputs: their names, their number, and the width of their numbers."""

from __future__ import annotations

from bombus.design.elements import Binding, Interface, Output
from bombus.design.resolved import Design


def _bound(source: Output, design: Design) -> list[Binding]:
    key = source.stream.binds
    return design.bindings_of(key) if key else []


def hop_names(source: Output, design: Design) -> list[str]:
    """Names of an output's next hops, by number."""
    return [*source.stream.hops, *(binding.name for binding in _bound(source, design))]


def num_hops(source: Output, design: Design) -> int:
    """Number of an output's next hops; one that binds a key has at least one bound next hop."""
    stream = source.stream
    bound = max(1, len(_bound(source, design))) if stream.binds else 0
    return len(stream.hops) + bound


def next_width(source: Output, design: Design) -> int:
    """Width of the next hop numbers of an output."""
    return max(1, (num_hops(source, design) - 1).bit_length())


def next_bits(interface: Interface, design: Design) -> int:
    """Width of the next hop numbers of all outputs that send through an interface."""
    return max([1, *(next_width(source, design) for source in interface.sources)])

# SPDX-License-Identifier: Apache-2.0
"""Next hops of outputs: their names, their number, and the width of their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True)
class NextHops:
    """Next hops of all outputs of a design."""

    bindings: Mapping[Output, list[Binding]]  # that the last next hops of each lead to
    names: Mapping[Output, list[str]]  # by number
    counts: Mapping[Output, int]  # see `num_hops`
    widths: Mapping[Output, int]  # of their numbers, in bits
    bits: Mapping[Interface, int]  # width of the numbers of all outputs that send through it

    @classmethod
    def of(cls, design: Design) -> NextHops:
        outputs = [output for layer in design.layers() for output in layer.outputs]
        counts = {each: num_hops(each, design) for each in outputs}
        widths = {each: max(1, (count - 1).bit_length()) for each, count in counts.items()}
        return cls(
            bindings={each: _bound(each, design) for each in outputs},
            names={each: hop_names(each, design) for each in outputs},
            counts=counts,
            widths=widths,
            bits={
                interface: max([1, *(widths[source] for source in interface.sources)])
                for interface in design.interfaces()
            },
        )

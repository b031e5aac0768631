# SPDX-License-Identifier: Apache-2.0
"""Kinds of messages that the streams of a design carry, their numbers and widths.

A layer declares the kinds that its streams take and send (`bombus.design.rtl.messages`); where
its messages go, the hops say. `Facts.messages` holds what follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bombus.design.elements import Hop, Input, Layer, Output
from bombus.design.network import Network
from bombus.design.next_hops import hop_names, num_hops
from bombus.design.resolved import Design
from bombus.design.rtl import ANY, MAIN_INPUT, PACKET, TAKEN, Beat, MessageKind, widest

Kinds = frozenset[str]


@dataclass(frozen=True)
class Messages:
    """The kinds of messages of a design."""

    design: Design
    numbers: dict[str, int]  # of the kinds that are sent; a packet's is 0
    sent: dict[tuple[Output, int], Kinds]  # by output and number of the next hop
    arriving: dict[Input, Kinds]

    @property
    def kind_bits(self) -> int:
        """Width of a kind's number."""
        return max(1, (len(self.numbers) - 1).bit_length())

    @property
    def by_number(self) -> list[MessageKind]:
        """The kinds that are sent, in the order of their numbers."""
        kinds = self.design.library.message_kinds
        return [kinds[name] for name in self.numbers]

    def by(self, hop: Hop) -> Kinds:
        """Kinds of messages that take a hop."""
        return self.sent[hop.source, hop.number]

    def taken(self, target: Input) -> Kinds:
        """Kinds of messages that an input takes; if it takes any, the kinds that reach it."""
        takes = target.stream.takes
        return self.arriving[target] if ANY in takes else frozenset(takes)

    def refused(self) -> Iterator[tuple[Hop, Kinds]]:
        """Hops on which messages may reach an input that does not take them."""
        for hop in self.design.hops:
            if hop.target and (strange := self.by(hop) - self.taken(hop.target)):
                yield hop, strange

    def taken_mask(self, target: Input) -> int:
        """The kinds that an input takes at run time, as a bit mask by number. Of kinds that its
        layer forwards, it takes only those that arrive by the next hops of the design file, since
        the layers after it take those. It takes no kind whose metadata do not fit into its beats
        or those of its network.
        """
        layer = target.layer
        beats = (self.of(layer, layer.kind.type_of(target.name)), self.on(target.network))
        room = min(beat.bits for beat in beats)
        kinds = self.design.library.message_kinds
        names = frozenset(name for name in self.taken(target) if kinds[name].bits <= room)
        if any(TAKEN in output.stream.declared_kinds for output in target.layer.outputs):
            names &= self.arriving[target]
        return self._mask(names)

    def sent_masks(self, output: Output) -> list[int]:
        """The kinds that an output sends, by number of its next hop, as bit masks."""
        count = len(hop_names(output, self.design))
        return [self._mask(self.sent[output, number]) for number in range(count)]

    def has_payload(self, hop: Hop) -> bool:
        """Whether a message that takes a hop may have bytes."""
        kinds = self.design.library.message_kinds
        return any(kinds[name].has_payload for name in self.by(hop))

    @property
    def payload_mask(self) -> int:
        """The kinds whose messages may have bytes, as a bit mask by number."""
        kinds = self.design.library.message_kinds
        return self._mask(frozenset(name for name in self.numbers if kinds[name].has_payload))

    def bits(self, mask: int) -> str:
        """A set of kinds as a SystemVerilog literal."""
        return f"{len(self.numbers)}'b{mask:b}"

    def _mask(self, names: Kinds) -> int:
        return sum(1 << self.numbers[name] for name in names if name in self.numbers)

    def on(self, network: Network) -> MessageKind:
        """The kind whose metadata is wide enough for everything that crosses a network."""
        hops = [hop for hop in self.design.hops if not hop.in_tile and hop.network is network]
        return self._widest(name for hop in hops for name in self.by(hop))

    def of(self, layer: Layer, type_name: str) -> MessageKind:
        """The kind whose metadata is wide enough for all messages that a layer's streams of a type
        take and send in this design.
        """
        names: list[str] = []
        for each in layer.inputs:
            if layer.kind.type_of(each.name) == type_name:
                names += self.arriving[each] & self.taken(each)
        for output in layer.outputs:
            if layer.kind.type_of(output.name) == type_name:
                for number in range(num_hops(output, self.design)):
                    names += self.sent.get((output, number), ())
        return self._widest(names or layer.kind.message_kinds(type_name))

    def beat(self, network: Network, kind: MessageKind | None = None) -> Beat:
        """A network's beats, or the same with the metadata of another kind."""
        return Beat(network.data_width, (kind or self.on(network)).struct, self.kind_bits)

    def _widest(self, names: Iterable[str]) -> MessageKind:
        return widest(names, self.design.library.message_kinds)


def messages(design: Design) -> Messages:
    """Follows the kinds of messages along the hops of a design."""
    arriving: dict[Input, set[str]] = {each: set() for each in design.inputs()}
    sent: dict[tuple[Output, int], set[str]] = {
        (output, number): set(output.stream.sends_by(number)) - {TAKEN}
        for output in design.outputs()
        for number, _ in enumerate(hop_names(output, design))
    }
    changed = True
    while changed:  # until forwarded kinds have been followed to their ends
        changed = False
        for hop in design.hops:
            names = sent[hop.source, hop.number]
            if TAKEN in hop.source.stream.sends_by(hop.number):
                for each in hop.source.layer.inputs:
                    if each.layer.before and each.name != MAIN_INPUT:
                        continue
                    takes = each.stream.takes
                    names |= {k for k in arriving[each] if k in takes or ANY in takes}
            if hop.target and not names <= arriving[hop.target]:
                arriving[hop.target] |= names
                changed = True
    kinds = {name for names in sent.values() for name in names} | {PACKET}
    order = sorted(kinds, key=lambda name: (name != PACKET, name))
    return Messages(
        design,
        {name: number for number, name in enumerate(order)},
        {hop: frozenset(names) for hop, names in sent.items()},
        {target: frozenset(names) for target, names in arriving.items()},
    )

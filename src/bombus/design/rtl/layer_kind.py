# SPDX-License-Identifier: Apache-2.0
"""A layer as its SystemVerilog module describes it: parameters, streams, next hops, counters.

What a module declares, and what each declaration promises: docs/architecture.md, "A layer".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bombus.design.rtl.beat import BEAT, OWN_BEAT
from bombus.design.rtl.declared_names import BOUND
from bombus.design.rtl.messages import ANY, GIVEN, PACKET, TAKEN
from bombus.design.rtl.ports import (
    MAC_PORTS,
    OBSERVER_PORTS,
    REGISTER_MASTER_PORTS,
    FurtherPort,
    axi_streams,
)
from bombus.registers.model import Block
from bombus.registers.systemverilog import layer_types

# Filled in by Bombus, not by the design file; so are the numbers of kinds, such as `KindArp`.
_FILLED_IN = frozenset(
    {
        *("NumBound", "NumBoundHops", "BoundKeys", "BoundHops"),
        *("DataWidth", "ClockMhz", "NumMacPorts", "NumRoutes", "TileIndex"),
        "RegisterWindowBits",
        *("IsObserved", "NumObserved", "NumObservedStreams", "ObservedCounters", "ObservedStreams"),
        *("NumKinds", "Identities"),
    }
)
# The key with which the design file names the tile that a layer precedes.
BEFORE = "before"
# The key with which it names the kinds of messages that a layer sends.
SENDS = "sends"


@dataclass(frozen=True)
class Parameter:
    """A value parameter of a layer."""

    name: str  # UpperCamelCase
    key: str  # the same in snake_case, as in the design file
    default: int | None  # None: not a number, or none given
    width: int  # bits
    is_signed: bool

    @property
    def message_kind(self) -> str:
        """The kind of message whose number it holds; "" if it is not such a parameter."""
        return self.key.removeprefix("kind_") if self.key.startswith("kind_") else ""

    @property
    def is_filled_in(self) -> bool:
        """Whether Bombus gives its value, not the design file."""
        return self.name in _FILLED_IN or bool(self.message_kind)


@dataclass(frozen=True)
class InputStream:
    """An input of a layer: its senders, and what it may wait for."""

    name: str
    entry: str  # name of the next hops that lead here; "": none does
    always_takes: bool = False  # it waits for nothing
    room: int = 0  # messages that it takes whatever else waits
    waits_for_outputs: tuple[str, ...] = ()
    waits_for_inputs: tuple[str, ...] = ()  # inputs on which a message must come first
    answers: str = ""  # the output whose requests its messages answer
    takes: tuple[str, ...] = (PACKET,)  # kinds of messages


@dataclass(frozen=True)
class OutputStream:
    """An output of a layer and the next hops that its messages may take."""

    name: str
    hops: tuple[str, ...]  # by number; without those that are bound by a key
    rare: frozenset[str] = frozenset()  # hops that carry little
    binds: str = ""  # key of the layers that further hops lead to, such as `udp_port`
    key_width: int = 16  # bits that messages have for the key
    binds_zero: bool = False  # 0 is a valid value of the key
    credits: int = 0  # messages that may be sent and not yet answered; 0: any number
    serves: str = ""  # the input whose messages it answers, each once, to its sender
    one_for_each: tuple[str, ...] = ()  # inputs for each of whose messages it sends one
    sends: tuple[str, ...] = (PACKET,)  # kinds of messages
    hop_sends: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # where a hop has others

    def sends_by(self, number: int) -> tuple[str, ...]:
        """Kinds of messages that take a next hop, given by its number."""
        hop = self.hops[number] if number < len(self.hops) else BOUND
        return self.hop_sends.get(hop, self.sends)

    @property
    def declared_kinds(self) -> tuple[str, ...]:
        """Kinds of messages that it sends by any next hop."""
        return (*self.sends, *(name for names in self.hop_sends.values() for name in names))


@dataclass(frozen=True)
class Agreement:
    """Required relation of a parameter, or of a number, to one of a layer that it works with."""

    own: str  # its key, or the number
    relation: str  # =, >= or <=
    kind: str  # of the other layer
    other: str  # key; "" with `own`: any layer of the kind

    @staticmethod
    def read(text: str) -> Agreement | None:
        """`ring_bytes>=tcp.send_bytes` or `1=tcp.bypass`; None: something else."""
        match = re.fullmatch(r"(\w+)(=|>=|<=)(\w+)\.(\w+)", text)
        return Agreement(*match.groups()) if match else None

    @staticmethod
    def read_need(text: str) -> Agreement | None:
        """The same, or just `acl_sent`."""
        return Agreement("", "=", text, "") if re.fullmatch(r"\w+", text) else Agreement.read(text)

    @property
    def number(self) -> int | None:
        """`own`, if it is a number."""
        return int(self.own) if self.own.isdecimal() else None


@dataclass(frozen=True)
class LayerKind:
    """A layer module with given parameter values."""

    name: str
    file: Path
    line: int
    inputs: Mapping[str, InputStream]
    outputs: Mapping[str, OutputStream]
    drops: tuple[str, ...]
    events: tuple[str, ...]
    flow: str  # where its messages carry the flow: meta, payload, address, none
    stands_before: bool  # it precedes the tile that the design file names
    is_rare: bool  # it gets little traffic by a bound next hop
    is_replicable: bool  # it can have replicas
    keeps_flow_state: bool  # all messages of a flow should reach the same replica
    port_without_mac: bool  # its `inner_port` has addresses, but no MAC
    answers_for_host: bool  # it answers requests for the design's addresses
    parameters: Mapping[str, Parameter]  # by key
    types: tuple[str, ...]  # type parameters for beats: `beat_t`, `<stream>_beat_t`
    unsettable: tuple[str, ...]  # keys of parameters that are no integers
    constants: Mapping[str, int]  # localparams by key
    declared: tuple[str, ...]  # names of localparams
    ports: Mapping[str, int]  # width in bits by name
    further: tuple[FurtherPort, ...] = ()  # ports that the design file raises to the top
    begins: str = ""  # event with which it begins a message that none at its inputs caused
    broadcasts: str = ""  # prefix of ports shared by all such layers of the design
    optional: tuple[str, ...] = ()  # prefixes of ports that may be left open
    status: tuple[str, ...] = ()  # prefixes of ports to other layers that neither side waits for
    # Kinds of messages of the AXI-Streams among them, of those that declare some
    raised_kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    registers: Block | None = None  # as the SystemRDL file beside it describes them
    agrees: tuple[str, ...] = ()  # required relations to parameters of other layers
    needs: tuple[str, ...] = ()  # layers that the design must have, or relations to one of them
    leads: tuple[str, ...] = ()  # prefixes of ports whose other ends are of later layers
    other_hosts: tuple[str, ...] = ()  # keys of parameters that are addresses of other hosts
    precedes: tuple[str, ...] = ()  # entries of the inputs that it may stand before; none: any
    has_given_kinds: bool = False  # of messages that it sends, by the design file
    shows: str = ""  # next hop to the layer whose registers its tile shows too

    @property
    def sends_given(self) -> bool:
        """Whether the design file names the kinds of messages that it sends."""
        outputs = self.outputs.values()
        return self.has_given_kinds or any(GIVEN in each.declared_kinds for each in outputs)

    def sending(self, kinds: tuple[str, ...]) -> LayerKind:
        """The same layer, with these kinds of messages for those that the design file names."""
        outputs = {
            name: replace(output, sends=kinds) if GIVEN in output.sends else output
            for name, output in self.outputs.items()
        }
        return replace(self, outputs=outputs, has_given_kinds=True)

    @property
    def agreements(self) -> tuple[Agreement, ...]:
        return tuple(filter(None, map(Agreement.read, self.agrees)))

    @property
    def needed(self) -> tuple[Agreement, ...]:
        return tuple(filter(None, map(Agreement.read_need, self.needs)))

    @property
    def mac_ports(self) -> tuple[str, ...]:
        return tuple(port for port in self.ports if port in MAC_PORTS)

    @property
    def mac_directions(self) -> frozenset[str]:
        """`rx` (frames from the network), `tx`, or none: the layer's MAC ports."""
        return frozenset(port.split("_")[1] for port in self.mac_ports)

    def is_status(self, port: str) -> bool:
        """Whether neither side of a joined port waits for the other."""
        return any(port.startswith(f"{group}_") for group in self.status)

    @property
    def is_register_master(self) -> bool:
        """Whether it reads and writes the registers of the design."""
        return any(port in REGISTER_MASTER_PORTS for port in self.ports)

    @property
    def is_observer(self) -> bool:
        """Whether it observes the drops of its tile."""
        return any(port in OBSERVER_PORTS for port in self.ports)

    @property
    def register_types(self) -> dict[str, list[str]]:
        """The types of its registers, which are parameters: lines of each, by name."""
        return layer_types(self.registers) if self.registers else {}

    @property
    def raised_streams(self) -> Mapping[str, bool]:
        """AXI-Streams that the design file raises to the top: whether each is an output."""
        return axi_streams(port.name for port in self.further)

    @property
    def all_kinds(self) -> tuple[str, ...]:
        """Kinds of messages of all streams, including raised ones."""
        raised = (name for names in self.raised_kinds.values() for name in names)
        return (*self.message_kinds(), *raised)

    def message_kinds(self, of_type: str | None = None) -> tuple[str, ...]:
        """Kinds of messages that its streams take or send, those of one type or of all."""
        found: list[str] = []
        for each in self.inputs.values():
            if of_type in (None, self.type_of(each.name)):
                found += each.takes
        for output in self.outputs.values():
            if of_type in (None, self.type_of(output.name)):
                found += output.declared_kinds
        return tuple(dict.fromkeys(name for name in found if name not in (ANY, TAKEN, GIVEN)))

    def type_of(self, stream: str) -> str:
        """The type parameter that a stream's beats have."""
        own = f"{stream}{OWN_BEAT}"
        return own if own in self.types else BEAT

    def default(self, key: str) -> int | None:
        parameter = self.parameters.get(key)
        return parameter.default if parameter else None

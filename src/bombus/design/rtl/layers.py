# SPDX-License-Identifier: Apache-2.0
"""A layer as its SystemVerilog module describes it: parameters, streams, next hops, counters.

What a module declares, and what each declaration promises: docs/architecture.md, "A layer".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pyslang import ast, syntax

from bombus.base.errors import DesignError
from bombus.base.text import camel_case, snake_case
from bombus.design.rtl.beat import BEAT, OWN_BEAT
from bombus.design.rtl.contract import (
    BOUND,
    MAC_PORTS,
    MAIN_INPUT,
    FurtherPort,
    further_ports,
    hop_names,
    hop_sends_name,
    known_ports,
    layer_problems,
    port_problems,
    prefix_of,
    stream_problems,
    streams,
)
from bombus.design.rtl.elaboration import Elaboration
from bombus.design.rtl.messages import ANY, PACKET, TAKEN
from bombus.registers.model import Block

# Filled in by Bombus, not by the design file; so are the numbers of kinds, such as `KindArp`.
_FILLED_IN = frozenset(
    {"NumBound", "NumBoundHops", "BoundKeys", "BoundHops", "DataWidth", "ClockMhz", "NumMacPorts"}
)
# The key with which the design file names the tile that a layer stands before.
BEFORE = "before"


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
        """The kind of message whose number it is; "": it is no such number."""
        return self.key.removeprefix("kind_") if self.key.startswith("kind_") else ""

    @property
    def is_filled_in(self) -> bool:
        """Whether Bombus gives its value, not the design file."""
        return self.name in _FILLED_IN or bool(self.message_kind)


@dataclass(frozen=True)
class InputStream:
    """An input of a layer: who may send to it, and what it may wait for."""

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
    binds_zero: bool = False  # 0 is a value of the key like others
    credits: int = 0  # messages that may be sent and not yet answered; 0: any number
    serves: str = ""  # the input whose messages it answers, each once, to whoever has sent it
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
class LayerKind:
    """A layer module, at given values of its parameters."""

    name: str
    file: Path
    line: int
    inputs: Mapping[str, InputStream]
    outputs: Mapping[str, OutputStream]
    drops: tuple[str, ...]
    events: tuple[str, ...]
    flow: str  # where its messages carry what tells flows apart: meta, payload, address, none
    stands_before: bool  # it answers for the tile that the design file names
    is_rare: bool  # little comes to it by a bound next hop
    is_replicable: bool  # several of it can share the messages
    keeps_flow_state: bool  # all messages of a flow should come to the same one
    parameters: Mapping[str, Parameter]  # by key
    types: tuple[str, ...]  # type parameters for beats: `beat_t`, `<stream>_beat_t`
    constants: Mapping[str, int]  # localparams by key
    declared: tuple[str, ...]  # names of localparams
    ports: Mapping[str, int]  # width in bits by name
    further: tuple[FurtherPort, ...] = ()  # ports that the design file raises to the top
    registers: Block | None = None  # as the SystemRDL file beside it describes them
    shows: str = ""  # next hop of the layer whose registers its tile has under its name, too

    @property
    def mac_ports(self) -> tuple[str, ...]:
        return tuple(port for port in self.ports if port in MAC_PORTS)

    def message_kinds(self, of_type: str | None = None) -> tuple[str, ...]:
        """Kinds of messages that its streams take or send, those of one type or of all."""
        found: list[str] = []
        for each in self.inputs.values():
            if of_type in (None, self.type_of(each.name)):
                found += each.takes
        for output in self.outputs.values():
            if of_type in (None, self.type_of(output.name)):
                found += output.declared_kinds
        return tuple(dict.fromkeys(name for name in found if name not in (ANY, TAKEN)))

    def type_of(self, stream: str) -> str:
        """The type parameter that a stream's beats have."""
        own = f"{stream}{OWN_BEAT}"
        return own if own in self.types else BEAT

    def default(self, key: str) -> int | None:
        parameter = self.parameters.get(key)
        return parameter.default if parameter else None


def is_layer(module: syntax.SyntaxNode) -> bool:
    """Whether a module declares `localparam ... Entry` in its body."""
    return module.kind == syntax.SyntaxKind.ModuleDeclaration and any(
        declarator.name.valueText == "Entry"
        for member in module.members
        if member.kind == syntax.SyntaxKind.ParameterDeclarationStatement
        and hasattr(member.parameter, "declarators")
        for declarator in member.parameter.declarators
        if hasattr(declarator, "name")
    )


def _number(value: object) -> int | None:
    try:
        return int(value.value)
    except (AttributeError, TypeError, ValueError):
        return None


class _Declarations:
    """What the body of a layer's module declares."""

    def __init__(self, body: ast.InstanceBodySymbol) -> None:
        self.numbers: dict[str, int] = {}
        self.texts: dict[str, str] = {}
        self.enums: dict[str, tuple[str, ...]] = {}
        self.ports: dict[str, int] = {}
        self.parameters: dict[str, Parameter] = {}
        self.constants: dict[str, int] = {}
        self.types: list[str] = []
        for member in body:
            if member.kind == ast.SymbolKind.Port:
                self.ports[member.name] = member.type.bitWidth
            elif member.kind == ast.SymbolKind.TypeAlias:
                canonical = member.targetType.type.canonicalType
                if canonical.kind == ast.SymbolKind.EnumType:
                    self.enums[member.name] = tuple(value.name for value in canonical)
            elif member.kind == ast.SymbolKind.TypeParameter:
                if member.name.endswith(BEAT) and not member.isLocalParam:
                    self.types.append(member.name)
            elif member.kind == ast.SymbolKind.Parameter:
                self._parameter(member)

    def _parameter(self, member: ast.ParameterSymbol) -> None:
        key = snake_case(member.name)
        if isinstance(member.value.value, str):
            self.texts[member.name] = member.value.value
            return
        value = _number(member.value)
        if member.isLocalParam:
            self.numbers[member.name] = value or 0
            if value is not None:
                self.constants[key] = value
            return
        self.parameters[key] = Parameter(
            member.name, key, value, member.type.bitWidth, member.type.isSigned
        )

    def enum(self, alias: str, prefix: str) -> tuple[str, ...]:
        """Names of an enum in snake_case, without their prefix and the count at the end."""
        return tuple(
            snake_case(name.removeprefix(prefix))
            for name in self.enums.get(alias, ())
            if not name.startswith("Num")
        )

    def input(self, module: str, name: str, inputs: list[str], outputs: list[str]) -> InputStream:
        prefix = prefix_of(name)
        default = module if name == MAIN_INPUT else f"{module}_{name}"
        waits = f"{camel_case(name)}WaitsFor"
        always_takes = bool(self.numbers.get(f"{prefix}AlwaysTakes", 0))
        answers = self.texts.get(f"{prefix}Answers", "")
        return InputStream(
            name=name,
            entry=self.texts.get(f"{prefix}Entry", default),
            always_takes=always_takes,
            room=self.numbers.get(f"{prefix}Room", 0),
            waits_for_outputs=tuple(
                each
                for each in outputs
                if self.numbers.get(waits + camel_case(each), not (always_takes or answers))
            ),
            waits_for_inputs=tuple(
                each
                for each in inputs
                if each != name and self.numbers.get(waits + camel_case(each), 0)
            ),
            answers=answers,
            takes=self.kinds(f"{prefix}Takes"),
        )

    def output(self, name: str) -> OutputStream:
        prefix = prefix_of(name)
        hops = hop_names(name, self.enums)
        rare = self.numbers.get(f"{prefix}RareHops", 0)
        return OutputStream(
            name=name,
            hops=tuple(hop for hop in hops if hop != BOUND),
            rare=frozenset(hop for n, hop in enumerate(hops) if rare >> n & 1),
            binds=self.texts.get(f"{prefix}Binds", ""),
            key_width=self.numbers.get(f"{prefix}BindsWidth", 16),
            binds_zero=bool(self.numbers.get(f"{prefix}BindsZero", 0)),
            credits=self.numbers.get(f"{prefix}Credits", 0),
            serves=self.texts.get(f"{prefix}Serves", ""),
            sends=self.kinds(f"{prefix}Sends"),
            hop_sends={
                hop: self.kinds(declared)
                for hop in hops
                if (declared := hop_sends_name(name, hop)) in self.texts
            },
        )

    def kinds(self, declared: str) -> tuple[str, ...]:
        """Kinds of messages that a localparam names."""
        return tuple(self.texts.get(declared, PACKET).split())


def read_layer(
    instance: ast.InstanceSymbol,
    elaboration: Elaboration,
    flows: Mapping[int, str],
    registers: Block | None,
    num_mac_ports: int,
) -> LayerKind:
    """The layer of an elaborated instance; `flows`: names of `noc_pkg::flow_e` by value.

    Raises DesignError if the module breaks the contract of a layer.
    """
    body = instance.body
    names = [port.name for port in body.portList]
    inputs, outputs = streams(names, "_valid_i"), streams(names, "_valid_o")
    known = known_ports(inputs, outputs, registers)
    data = [*((each, f"{each}_i") for each in inputs), *((each, f"{each}_o") for each in outputs)]
    problems = [
        *port_problems(body, elaboration, known, num_mac_ports),
        *stream_problems(body, elaboration, data),
    ]
    if problems:
        raise DesignError(problems)
    found = _Declarations(body)
    name = body.definition.name
    location = body.definition.location
    kind = LayerKind(
        name=name,
        file=elaboration.file(location),
        line=elaboration.manager.getLineNumber(location),
        inputs={each: found.input(name, each, inputs, outputs) for each in inputs},
        outputs={each: found.output(each) for each in outputs},
        drops=found.enum("drop_e", "Drop"),
        events=found.enum("event_e", "Event"),
        flow=flows[found.numbers["Flow"]] if "Flow" in found.numbers else "none",
        stands_before=bool(found.numbers.get("StandsBefore", 0)),
        is_rare=bool(found.numbers.get("Rare", 0)),
        is_replicable=bool(found.numbers.get("Replicable", 1)),
        keeps_flow_state=bool(found.numbers.get("KeepsFlowState", 0)),
        parameters=found.parameters,
        types=tuple(found.types),
        constants=found.constants,
        declared=(*found.numbers, *found.texts),
        ports=found.ports,
        further=tuple(further_ports(body, elaboration, known)),
        registers=registers,
        shows=found.texts.get("ShowsRegisters", ""),
    )
    if problems := list(layer_problems(kind, found.enums)):
        raise DesignError(problems)
    return kind

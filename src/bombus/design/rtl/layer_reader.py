# SPDX-License-Identifier: Apache-2.0
"""Reading a layer from its elaborated module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyslang import ast, syntax

from bombus.base.errors import DesignError, Problem
from bombus.base.text import camel_case, snake_case
from bombus.design.rtl.beat import BEAT
from bombus.design.rtl.contract import layer_problems
from bombus.design.rtl.declared_names import BOUND, MAIN_INPUT, hop_names, hop_sends_name, prefix_of
from bombus.design.rtl.elaboration import Elaboration
from bombus.design.rtl.layer_kind import InputStream, LayerKind, OutputStream, Parameter
from bombus.design.rtl.messages import PACKET
from bombus.design.rtl.ports import (
    axi_streams,
    further_ports,
    known_ports,
    port_problems,
    stream_problems,
    streams,
)
from bombus.design.rtl.shared import Shared
from bombus.registers.model import Block


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


# Declarations that are texts. One of another type would be ignored.
_TEXTS = (
    *("Entry", "Takes", "Sends", "Answers", "Serves", "Binds", "Begins", "Broadcasts"),
    *("MayStayOpen", "Status", "Leads", "Agrees", "Needs", "Precedes", "OtherHosts"),
    "ShowsRegisters",
)


class _Declarations:
    """The declarations in the body of a layer's module."""

    def __init__(self, body: ast.InstanceBodySymbol) -> None:
        self.numbers: dict[str, int] = {}
        self.texts: dict[str, str] = {}
        self.enums: dict[str, tuple[str, ...]] = {}
        self.ports: dict[str, int] = {}
        self.parameters: dict[str, Parameter] = {}
        self.constants: dict[str, int] = {}
        self.types: list[str] = []
        self.mistyped: set[str] = set()  # localparams that are no strings
        self.unsettable: list[str] = []  # parameters that are no numbers
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
            self.unsettable += [] if member.isLocalParam else [key]
            return
        if not (member.isLocalParam or member.type.isIntegral):
            self.unsettable.append(key)
            return
        value = _number(member.value)
        if member.isLocalParam:
            self.numbers[member.name] = value or 0
            if not (member.type.isString or member.type.isError):
                self.mistyped.add(member.name)
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
            one_for_each=tuple(self.texts.get(f"{prefix}OneForEach", "").split()),
            sends=self.kinds(f"{prefix}Sends"),
            hop_sends={
                hop: self.kinds(declared)
                for hop in hops
                if (declared := hop_sends_name(name, hop)) in self.texts
            },
        )

    def raised_kinds(self, ports: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Kinds of messages of the AXI-Streams that the design file raises to the top."""
        found = {}
        for name, is_output in axi_streams(ports).items():
            declared = f"{prefix_of(name)}{'Sends' if is_output else 'Takes'}"
            if declared in self.texts:
                found[name] = self.kinds(declared)
        return found

    def kinds(self, declared: str) -> tuple[str, ...]:
        """Kinds of messages that a localparam names."""
        return tuple(self.texts.get(declared, PACKET).split())


def read_layer(
    instance: ast.InstanceSymbol,
    elaboration: Elaboration,
    flows: Mapping[int, str],
    registers: Block | None,
    shared: Shared,
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
        *port_problems(body, elaboration, known, shared),
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
        port_without_mac=bool(found.numbers.get("PortWithoutMac", 0)),
        answers_for_host=bool(found.numbers.get("AnswersForHost", 0)),
        parameters=found.parameters,
        types=tuple(found.types),
        unsettable=tuple(found.unsettable),
        constants=found.constants,
        declared=(*found.numbers, *found.texts),
        ports=found.ports,
        further=tuple(further_ports(body, elaboration, known)),
        begins=found.texts.get("Begins", ""),
        broadcasts=found.texts.get("Broadcasts", ""),
        optional=tuple(found.texts.get("MayStayOpen", "").split()),
        status=tuple(found.texts.get("Status", "").split()),
        raised_kinds=found.raised_kinds(names),
        registers=registers,
        shows=found.texts.get("ShowsRegisters", ""),
        agrees=tuple(found.texts.get("Agrees", "").split()),
        needs=tuple(found.texts.get("Needs", "").split()),
        leads=tuple(found.texts.get("Leads", "").split()),
        other_hosts=tuple(found.texts.get("OtherHosts", "").split()),
        precedes=tuple(found.texts.get("Precedes", "").split()),
    )
    problems = [
        Problem(kind.file, kind.line, f"layer {name}: {each} should be a `localparam string`")
        for each in _TEXTS
        if each in found.mistyped
    ]
    if problems := problems or list(layer_problems(kind, found.enums)):
        raise DesignError(problems)
    return kind

"""What the SystemVerilog says about layers, next hops and metadata.

A layer needs no registration: `library` elaborates every module that has a
localparam `Entry` and reads its entry, next hops, drop and event names,
parameters and ports. The packages in `rtl/` are the one place where next hops
and the metadata are defined; this module reads them too.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyslang
from pyslang import ast, syntax

from bombus import paths
from bombus.errors import DesignError, Problem, UserError
from bombus.text import near_matches, snake_case

NUM_NEXT_HOPS = 32
MAX_APPS = 16
# Filled in by Bombus, not by the design file.
FILLED_IN = frozenset({"NumAppPorts", "AppPorts", "AppOfPort", "DataWidth", "ClockMhz"})
# The design file gives a tile's name, Bombus the tile's next hop.
BEFORE = "Before"
_MAX_REPORTED = 20


@dataclass(frozen=True)
class Parameter:
    """A value parameter of a layer."""

    name: str  # UpperCamelCase
    key: str  # the same in snake_case, as in the design file
    default: int | None  # None: not a number, or none given
    width: int  # bits
    is_signed: bool


@dataclass(frozen=True)
class LayerKind:
    """A layer module."""

    name: str
    file: Path
    line: int
    entry: int  # number of the next hop that it answers to; 0: none
    next_hops: int  # bit n: it may choose next hop n
    rare_hops: int  # those of next_hops that carry little
    always_takes: bool  # its input never waits for its output
    drops: tuple[str, ...]
    events: tuple[str, ...]
    is_replicable: bool  # several of it can share the messages
    keeps_flow_state: bool  # all messages of a flow should come to the same one
    parameters: Mapping[str, Parameter]  # by key
    ports: Mapping[str, int]  # width in bits by name

    @property
    def has_input(self) -> bool:
        return "in_i" in self.ports

    @property
    def has_output(self) -> bool:
        return "out_o" in self.ports

    @property
    def mac_ports(self) -> tuple[str, ...]:
        return tuple(port for port in self.ports if port.startswith(("mac_rx_", "mac_tx_")))

    @property
    def before_key(self) -> str | None:
        """Key of the tile that the layer stands before, if it is of that sort."""
        return next((key for key, p in self.parameters.items() if p.name == BEFORE), None)

    def default(self, key: str) -> int | None:
        parameter = self.parameters.get(key)
        return parameter.default if parameter else None


@dataclass(frozen=True)
class StructField:
    """A field of a packed struct: bits `offset + width - 1` down to `offset`."""

    offset: int
    width: int


@dataclass(frozen=True)
class Library:
    """All layer kinds, for one data width, and the names that the packages define."""

    layers: Mapping[str, LayerKind]
    definitions: frozenset[str]  # names of all modules and packages
    next_names: Mapping[int, str]  # snake_case without "Next": ipv4_rx
    next_enum: Mapping[int, str]  # as in bombus_pkg: NextIpv4Rx
    first_app: int  # number of the first application's next hop

    def next_number(self, name: str) -> int | None:
        return next((n for n, known in self.next_names.items() if known == name), None)

    def kind(self, name: str) -> LayerKind:
        """The layer of that kind; UserError with near matches if there is none."""
        if name not in self.layers:
            hint = near_matches(name, self.layers)
            raise UserError(f"there is no layer kind {name!r}; {hint}")
        return self.layers[name]


def rtl_files() -> list[Path]:
    """Every SystemVerilog file that comes with Bombus, packages first."""
    files = sorted(paths.RTL.rglob("*.sv"))
    if not files:
        raise UserError(f"no SystemVerilog files under {paths.RTL}; is Bombus installed wholly?")
    return sorted(files, key=lambda file: not file.stem.endswith("_pkg"))


def include_dirs() -> list[Path]:
    return sorted({file.parent for file in paths.RTL.rglob("*.svh")})


Source = Path | str  # a file, or the name of a text that is in no file


@dataclass(frozen=True)
class Elaboration:
    """SystemVerilog files read and elaborated by slang."""

    compilation: ast.Compilation
    manager: pyslang.SourceManager
    trees: dict[Source, syntax.SyntaxTree]

    def file(self, location: pyslang.SourceLocation) -> Path:
        return Path(self.manager.getFullPath(location.buffer))

    def instance(self, top: str) -> ast.InstanceSymbol:
        """The instance of a top module."""
        tops = self.compilation.getRoot().topInstances
        return next(instance for instance in tops if instance.name == top)

    def used(self, top: str) -> list[Source]:
        """Sources that a top module needs, packages first, else in the order of reading."""
        buffers: dict[Any, bool] = {}

        def visit(symbol: ast.Symbol) -> bool:
            if symbol.kind == ast.SymbolKind.Instance:
                buffers[symbol.definition.location.buffer] = False
            return True

        self.instance(top).visit(visit)
        for package in self.compilation.getPackages():
            buffers[package.location.buffer] = True
        found = {
            source: buffers[tree.root.sourceRange.start.buffer]
            for source, tree in self.trees.items()
            if tree.root.sourceRange.start.buffer in buffers
        }
        return sorted(found, key=lambda source: not found[source])

    def problems(self, *, syntax_only: bool = False) -> list[Problem]:
        """Errors (not warnings) of the sources, each once."""
        if syntax_only:
            diagnostics = self.compilation.getParseDiagnostics()
        else:
            diagnostics = self.compilation.getAllDiagnostics()
        engine = pyslang.DiagnosticEngine(self.manager)
        found: dict[Problem, None] = {}
        for diagnostic in diagnostics:
            if not diagnostic.isError():
                continue
            location = self.manager.getFullyExpandedLoc(diagnostic.location)
            line = self.manager.getLineNumber(location)
            found[Problem(self.file(location), line, engine.formatMessage(diagnostic))] = None
        return list(found)[:_MAX_REPORTED]


def elaborate(
    files: Iterable[Path], texts: Mapping[str, str] | None = None, top: str | None = None
) -> Elaboration:
    """Reads files, and further texts by name, into one compilation."""
    manager = pyslang.SourceManager()
    for folder in include_dirs():
        manager.addUserDirectories(str(folder))
    options = ast.CompilationOptions()
    if top:
        options.topModules = {top}
    compilation = ast.Compilation(pyslang.Bag([options]))
    trees: dict[Source, syntax.SyntaxTree] = {}
    for file in files:
        if not file.is_file():
            raise UserError(f"there is no SystemVerilog file {file}")
        trees[file] = syntax.SyntaxTree.fromFile(str(file), manager)
    for name, text in (texts or {}).items():
        trees[name] = syntax.SyntaxTree.fromText(text, manager, name, name)
    for tree in trees.values():
        compilation.addSyntaxTree(tree)
    return Elaboration(compilation, manager, trees)


def _declarations(tree: syntax.SyntaxTree) -> Iterator[syntax.SyntaxNode]:
    root = tree.root
    members = root.members if root.kind == syntax.SyntaxKind.CompilationUnit else [root]
    for member in members:
        if member.kind in (
            syntax.SyntaxKind.ModuleDeclaration,
            syntax.SyntaxKind.PackageDeclaration,
        ):
            yield member


def _is_layer(module: syntax.SyntaxNode) -> bool:
    """Whether a module declares `localparam ... Entry` in its body."""
    return module.kind == syntax.SyntaxKind.ModuleDeclaration and any(
        declarator.name.valueText == "Entry"
        for member in module.members
        if member.kind == syntax.SyntaxKind.ParameterDeclarationStatement
        and hasattr(member.parameter, "declarators")
        for declarator in member.parameter.declarators
        if hasattr(declarator, "name")
    )


def _parameter_names(module: syntax.SyntaxNode) -> set[str]:
    ports = module.header.parameters
    return {
        declarator.name.valueText
        for declaration in (ports.declarations if ports else ())
        if hasattr(declaration, "declarators")
        for declarator in declaration.declarators
        if hasattr(declarator, "name")
    }


def modules(files: Iterable[Path]) -> dict[str, set[str]]:
    """Names of all modules in files, each with the names of its parameters."""
    scan = elaborate(files)
    return {
        declaration.header.name.valueText: _parameter_names(declaration)
        for tree in scan.trees.values()
        for declaration in _declarations(tree)
        if declaration.kind == syntax.SyntaxKind.ModuleDeclaration
    }


def _probe(layers: Iterable[syntax.SyntaxNode], data_width: int) -> str:
    """A module with one instance of each layer, to be elaborated."""
    lines = [
        '`include "bombus_types.svh"',
        "module probe;",
        f"  `BOMBUS_BEAT_T(beat_t, {data_width})",
    ]
    values = {"beat_t": "beat_t", "DataWidth": data_width}
    for module in layers:
        names = _parameter_names(module)
        given = ", ".join(f".{key}({value})" for key, value in values.items() if key in names)
        kind = module.header.name.valueText
        lines.append(f"  {kind} #({given}) u_{kind} ();")
    return "\n".join([*lines, "endmodule", ""])


def _number(value: object) -> int | None:
    try:
        return int(value.value)
    except (AttributeError, TypeError, ValueError):
        return None


def _enum_names(alias: ast.Symbol, prefix: str) -> tuple[str, ...]:
    names = [value.name for value in alias.targetType.type.canonicalType]
    return tuple(snake_case(name.removeprefix(prefix)) for name in names if name[:3] != "Num")


def _read_layer(instance: ast.InstanceSymbol, elaboration: Elaboration) -> LayerKind:
    body = instance.body
    entry = next_hops = rare_hops = always_takes = 0
    is_replicable, keeps_flow_state = True, False
    drops: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    parameters: dict[str, Parameter] = {}
    ports: dict[str, int] = {}
    for member in body:
        if member.kind == ast.SymbolKind.Port:
            ports[member.name] = member.type.bitWidth
        elif member.kind == ast.SymbolKind.TypeAlias and member.name == "drop_e":
            drops = _enum_names(member, "Drop")
        elif member.kind == ast.SymbolKind.TypeAlias and member.name == "event_e":
            events = _enum_names(member, "Event")
        elif member.kind == ast.SymbolKind.Parameter:
            value = _number(member.value)
            if member.name == "Entry":
                entry = value or 0
            elif member.name == "NextHops":
                next_hops = value or 0
            elif member.name == "RareHops":
                rare_hops = value or 0
            elif member.name == "AlwaysTakes":
                always_takes = value or 0
            elif member.name == "Replicable":
                is_replicable = bool(value)
            elif member.name == "KeepsFlowState":
                keeps_flow_state = bool(value)
            elif not member.isLocalParam:
                key = snake_case(member.name)
                parameters[key] = Parameter(
                    member.name, key, value, member.type.bitWidth, member.type.isSigned
                )
    location = body.definition.location
    kind = LayerKind(
        name=body.definition.name,
        file=elaboration.file(location),
        line=elaboration.manager.getLineNumber(location),
        entry=entry,
        next_hops=next_hops,
        rare_hops=rare_hops,
        always_takes=bool(always_takes),
        drops=drops,
        events=events,
        is_replicable=is_replicable,
        keeps_flow_state=keeps_flow_state,
        parameters=parameters,
        ports=ports,
    )
    problems = list(_contract_problems(kind))
    if problems:
        raise DesignError(problems)
    return kind


def _contract_problems(kind: LayerKind) -> Iterator[Problem]:
    """Ways in which a layer module breaks the contract of docs/architecture.md."""

    def problem(message: str) -> Problem:
        return Problem(kind.file, kind.line, f"layer {kind.name}: {message}")

    for port, names, enum in (
        ("drop_o", kind.drops, "drop_e"),
        ("event_o", kind.events, "event_e"),
    ):
        width = kind.ports.get(port, 0)
        if width != len(names):
            yield problem(f"{port} has {width} bits, but {enum} has {len(names)} names")
    for group in (
        ("in_i", "in_valid_i", "in_ready_o"),
        ("out_o", "out_valid_o", "out_ready_i", "out_next_o"),
    ):
        missing = [port for port in group if port not in kind.ports]
        if missing and len(missing) < len(group):
            yield problem(f"port {missing[0]} is missing beside {group[0]}")
    if kind.has_output and not kind.next_hops:
        yield problem("it has a stream out, but NextHops names no next hop")
    if kind.entry and not kind.has_input:
        yield problem("it has an Entry, but no stream in")


def library(data_width: int, sources: Iterable[Path] = ()) -> Library:
    """All layers under rtl/ and in `sources`, as they are for a data width in bits."""
    files = [*rtl_files(), *sources]
    missing = [file for file in files if not file.is_file()]
    if missing:
        raise UserError(f"there is no SystemVerilog file {missing[0]}")
    return _library(data_width, tuple((file, file.stat().st_mtime_ns) for file in files))


@functools.lru_cache(maxsize=16)
def _library(data_width: int, versions: tuple[tuple[Path, int], ...]) -> Library:
    files = [file for file, _ in versions]
    scan = elaborate(files)
    problems = scan.problems(syntax_only=True)
    if problems:
        raise DesignError(problems)
    declarations = [module for tree in scan.trees.values() for module in _declarations(tree)]
    probe = _probe((module for module in declarations if _is_layer(module)), data_width)
    elaboration = elaborate(files, {"probe": probe}, top="probe")
    layers: dict[str, LayerKind] = {}
    for member in elaboration.instance("probe").body:
        if member.kind == ast.SymbolKind.Instance:
            kind = _read_layer(member, elaboration)
            layers[kind.name] = kind
    for problem in elaboration.problems():
        if any(problem.file == kind.file for kind in layers.values()):
            raise DesignError([problem])

    package = elaboration.compilation.getPackage("bombus_pkg")
    values = list(package.find("next_e").targetType.type.canonicalType)
    enum = {int(value.value.value): value.name for value in values}
    names = {n: snake_case(name.removeprefix("Next")) for n, name in enum.items()}
    first_app = next(n for n, name in names.items() if name == "app0")
    definitions = frozenset(module.header.name.valueText for module in declarations)
    return Library(layers, definitions, names, enum, first_app)


@functools.cache
def constant(name: str) -> int:
    """Value of a parameter or of an enum's name, `package::Name`, in a package of rtl/."""
    package, _, value = name.partition("::")
    elaboration = elaborate([file for file in rtl_files() if file.stem.endswith("_pkg")])
    found = elaboration.compilation.getPackage(package).find(value)
    if found is None:
        raise UserError(f"{package} has no {value}")
    return int(found.value.value)


_REFUSAL = "$error encountered: "


def refusals(kind: LayerKind, params: Mapping[str, int], data_width: int) -> list[str]:
    """What a layer itself ($error) says against values of its parameters, by key."""
    return list(_refusals(kind.file, kind.name, _assignments(kind, params), data_width))


def _assignments(kind: LayerKind, params: Mapping[str, int]) -> str:
    given = [".beat_t(beat_t)"]
    for key, value in sorted(params.items()):
        parameter = kind.parameters[key]
        number = f"{parameter.width}'d{value}" if value >= 0 else str(value)
        given.append(f".{parameter.name}({number})")
    return ", ".join(given)


@functools.cache
def _refusals(file: Path, name: str, assignments: str, data_width: int) -> tuple[str, ...]:
    # Its submodules need not be read: they do not matter here.
    packages = [path for path in rtl_files() if path.stem.endswith("_pkg")]
    probe = "\n".join(
        (
            '`include "bombus_types.svh"',
            "module probe;",
            f"  `BOMBUS_BEAT_T(beat_t, {data_width})",
            f"  {name} #({assignments}) u_layer ();",
            "endmodule",
        )
    )
    problems = elaborate([*packages, file], {"probe": probe + "\n"}, top="probe").problems()
    said = [problem.message for problem in problems if problem.message.startswith(_REFUSAL)]
    return tuple(text.removeprefix(_REFUSAL).removeprefix(f"{name}: ") for text in said)


@functools.cache
def struct_layout(name: str, package: str = "bombus_pkg") -> Mapping[str, StructField]:
    """Offset and width in bits of each field of a packed struct.

    Fields of nested structs and unions are there as well: `vlan` and
    `vlan.tci`.
    """
    elaboration = elaborate([file for file in rtl_files() if file.stem.endswith("_pkg")])
    found = elaboration.compilation.getPackage(package).find(name)
    if found is None:
        raise UserError(f"{package} has no type {name!r}")
    fields: dict[str, StructField] = {}

    def visit(kind: ast.Type, base: int, prefix: str) -> None:
        for field in kind.canonicalType:
            offset = base + field.bitOffset
            fields[prefix + field.name] = StructField(offset, field.type.bitWidth)
            if isinstance(field.type.canonicalType, ast.PackedStructType | ast.PackedUnionType):
                visit(field.type, offset, f"{prefix}{field.name}.")

    visit(found.targetType.type, 0, "")
    return fields

# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog files as slang reads and elaborates them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyslang
from pyslang import ast, parsing, syntax

from bombus.base import paths
from bombus.base.errors import Problem, UserError
from bombus.design.rtl.parser import Parser, parser

_MAX_REPORTED = 20
# Warnings of slang that simulators refuse: two declarations of one name.
_REFUSED = (pyslang.Diags.Redefinition, pyslang.Diags.RedefinitionDifferentType)
_SAID = (pyslang.Diags.ErrorTask, pyslang.Diags.WarningTask)  # $error and $warning
_REMARK = re.compile(r"\$(?:error|warning) encountered: (?:\w+: )?(.*)", re.DOTALL)


def _is_error(diagnostic: pyslang.Diagnostic) -> bool:
    return diagnostic.isError() or diagnostic.code in _REFUSED


def rtl_files() -> list[Path]:
    """Every SystemVerilog file of Bombus: packages before modules, the contract first,
    and each part of `rtl/` after those that it uses.
    """
    files = sorted(paths.RTL.rglob("*.sv"))
    if not files:
        raise UserError(
            f"no SystemVerilog files under {paths.RTL}; is the Bombus installation complete?"
        )
    return sorted(files, key=_reading_order)


# Of rtl/; each uses only those before it.
_PARTS = ("platform", "protocols", "cluster", "applications")


def _reading_order(file: Path) -> tuple[bool, bool, int]:
    part = file.relative_to(paths.RTL).parts[0]
    is_contract = file.parent == paths.RTL / "platform" / "contract"
    return not file.stem.endswith("_pkg"), not is_contract, _PARTS.index(part)


Source = Path | str  # a file, or the name of a text that is in no file


@dataclass(frozen=True)
class Elaboration:
    """SystemVerilog files read and elaborated by slang."""

    compilation: ast.Compilation
    parser: Parser
    trees: dict[Source, syntax.SyntaxTree]
    # Lines of a text in no file that instantiate a module: problems there are reported for it.
    instances: Mapping[tuple[Path, int], str] = field(default_factory=dict)

    def file(self, location: pyslang.SourceLocation) -> Path:
        return self.parser.path(location.buffer)

    @property
    def manager(self) -> pyslang.SourceManager:
        return self.parser.manager

    def instance(self, top: str) -> ast.InstanceSymbol:
        """The instance of a top module."""
        tops = self.compilation.getRoot().topInstances
        return next(instance for instance in tops if instance.name == top)

    def used(self, top: str | ast.InstanceSymbol, without: Collection[str] = ()) -> list[Source]:
        """Sources that a top module or an instance needs, except the modules `without` and sources
        that only they need. Packages first, otherwise in reading order.
        """
        buffers: dict[Any, bool] = {}

        def visit(instance: ast.InstanceSymbol) -> None:
            if instance.definition.name not in without:
                buffers[instance.definition.location.buffer] = False

        first = self.instance(top) if isinstance(top, str) else top
        first.visit(lookup_table={ast.SymbolKind.Instance: visit})
        for package in self.compilation.getPackages():
            buffers[package.location.buffer] = True
        found = {
            source: buffers[tree.root.sourceRange.start.buffer]
            for source, tree in self.trees.items()
            if tree.root.sourceRange.start.buffer in buffers
        }
        return sorted(found, key=lambda source: not found[source])

    def problems(
        self, *, syntax_only: bool = False, without_remarks: bool = False
    ) -> list[Problem]:
        """Errors (not warnings) of the sources, each once.

        `without_remarks`: leaves out `$error` messages of modules.
        """
        if syntax_only:
            diagnostics = self.compilation.getParseDiagnostics()
        else:
            diagnostics = self.compilation.getAllDiagnostics()
        found = (self._problem(each) for each in diagnostics if _is_error(each))
        if without_remarks:
            found = (each for each in found if not _REMARK.fullmatch(each.message))
        return list(dict.fromkeys(found))[:_MAX_REPORTED]

    def remarks(self) -> list[Problem]:
        """`$error` and `$warning` messages of modules during elaboration."""
        diagnostics = self.compilation.getAllDiagnostics()
        found = (self._problem(each) for each in diagnostics if each.code in _SAID)
        said = [(each, _REMARK.fullmatch(each.message)) for each in found]
        return [replace(each, message=match[1]) for each, match in said if match]

    def _problem(self, diagnostic: pyslang.Diagnostic) -> Problem:
        location = self.manager.getFullyExpandedLoc(diagnostic.location)
        line = self.manager.getLineNumber(location)
        message = pyslang.DiagnosticEngine(self.manager).formatMessage(diagnostic)
        file = self.file(location)
        if name := self.instances.get((file, line)):
            if diagnostic.code == pyslang.Diags.ParamHasNoValue:
                message = f"parameter {diagnostic.args[-1]} has no default value"
            definition = self.compilation.tryGetDefinition(name, self.compilation.getRoot())
            location = definition.definition.location
            file, line = self.file(location), self.manager.getLineNumber(location)
            message = f"layer {name}: {message}"
        return Problem(file, line, message, _is_error(diagnostic))


def elaborate(
    files: Iterable[Path],
    texts: Mapping[str, str] | None = None,
    top: str | None = None,
    num_mac_ports: int = 1,
) -> Elaboration:
    """Reads files, and further texts by name, into one compilation, including the checkers.

    `num_mac_ports`: of the design, if the files belong to one.
    """
    options = ast.CompilationOptions()
    if top:
        options.topModules = {top}
    reader = parser(num_mac_ports)
    trees: dict[Source, syntax.SyntaxTree] = {file: reader.file(file) for file in files}
    for name, text in (texts or {}).items():
        trees[name] = reader.text(name, text)
    reader.note_headers()
    compilation = ast.Compilation(pyslang.Bag([options, reader.defines]))
    for tree in trees.values():
        compilation.addSyntaxTree(tree)
    return Elaboration(compilation, reader, trees)


def declarations(tree: syntax.SyntaxTree) -> Iterator[syntax.SyntaxNode]:
    root = tree.root
    members = root.members if root.kind == syntax.SyntaxKind.CompilationUnit else [root]
    for member in members:
        if member.kind in (
            syntax.SyntaxKind.ModuleDeclaration,
            syntax.SyntaxKind.PackageDeclaration,
        ):
            yield member


def name_of(declaration: syntax.SyntaxNode) -> str:
    """Of a module or a package."""
    return str(declaration.header.name.valueText)


def parameter_names(module: syntax.SyntaxNode) -> set[str]:
    """Of the parameters that can be set: not of localparams in the header."""
    ports = module.header.parameters
    return {
        declarator.name.valueText
        for declaration in (ports.declarations if ports else ())
        if hasattr(declaration, "declarators")
        and declaration.keyword.kind != parsing.TokenKind.LocalParamKeyword
        for declarator in declaration.declarators
        if hasattr(declarator, "name")
    }


def modules(files: Iterable[Path]) -> dict[str, set[str]]:
    """Names of all modules in files, each with the names of its parameters."""
    scan = elaborate(files)
    return {
        name_of(declaration): parameter_names(declaration)
        for tree in scan.trees.values()
        for declaration in declarations(tree)
        if declaration.kind == syntax.SyntaxKind.ModuleDeclaration
    }

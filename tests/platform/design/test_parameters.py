# SPDX-License-Identifier: Apache-2.0
"""Parameters that a module cannot work with: elaboration fails, and the message says why."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pyslang
import pytest
from pyslang import ast, syntax

from bombus.design import rtl
from tests.platform.design.bad_values_stack import group
from tests.platform.design.module_parameters import BAD, FREE, INSIDE

# Types for modules that work for the width of some data, by name and bits.
TYPES = {f"data_{bits}_t": bits for bits in (32, 192, 1024)}
# Modules that need beats of packets to be elaborated without errors.
PACKETS = ("dispatch", "memory_buffer", "ring_write")
FIELDS = "logic last; logic [13:0] length; logic [6:0] bytes; logic [9:0] index;"


@cache
def sources() -> tuple[pyslang.SourceManager, list[syntax.SyntaxTree]]:
    """All of rtl/, parsed once."""
    manager = pyslang.SourceManager()
    for folder in rtl.include_dirs():
        manager.addUserDirectories(str(folder))
    files = map(str, rtl.rtl_files())
    return manager, [syntax.SyntaxTree.fromFile(file, manager, pyslang.Bag()) for file in files]


def diagnosed(module: str, values: Mapping[str, object]) -> list[str]:
    """Elaboration errors of a module with these values."""
    manager, trees = sources()
    given = ", ".join(f".{name}({value})" for name, value in values.items())
    options = ast.CompilationOptions()
    options.topModules = {"probe"}
    compilation = ast.Compilation(pyslang.Bag([options]))
    for tree in trees:
        compilation.addSyntaxTree(tree)
    types = (
        f"typedef struct packed {{logic [{bits - 1}:0] data; {FIELDS}}} {name};"
        for name, bits in TYPES.items()
    )
    beat = '`include "bombus_types.svh"\nmodule probe; `BOMBUS_BEAT_T(packet_beat_t, 512)'
    text = f"{beat} {' '.join(types)} {module} #({given}) u (); endmodule"
    compilation.addSyntaxTree(syntax.SyntaxTree.fromText(text, manager, "probe"))
    engine = pyslang.DiagnosticEngine(manager)
    return [
        engine.formatMessage(diagnostic)
        for diagnostic in compilation.getAllDiagnostics()
        if diagnostic.isError() or diagnostic.code == pyslang.Diags.RangeOOB
    ]


def said(module: str, values: Mapping[str, object]) -> list[str]:
    """`$error` messages when a module is elaborated with these values."""
    return [text for text in diagnosed(module, values) if text.startswith("$error encountered")]


@pytest.mark.parametrize("module", BAD)
def test_bad_values_are_refused(module: str) -> None:
    assert said(module, {}) == []
    for values in BAD[module]:
        assert said(module, values), values


@pytest.mark.parametrize(
    ("module", "values"),
    [
        ("ring_write", {"RingBytes": 256}),
        ("completions", {"NumOthers": 16}),
        ("dispatch", {"Group": group(1, slot_bits=1)}),
        ("icmp_error_limit", {"RefillShift": 0, "TotalRefillShift": 0}),
        ("icmp_error_limit", {"RefillShift": 24, "TotalRefillShift": 24}),
        ("arp_index", {"PortBits": 2, "Width": 16}),
        ("memory_buffer", {"AddrWidth": 20}),
        ("memory_buffer", {"AddrWidth": 15, "Slots": 2}),
        ("memory_buffer", {"AddrWidth": 64}),
        ("memory_buffer", {"BankBytes": 1, "DataWidth": 1024}),
        ("memory_buffer", {"BankBytes": 65536}),
        ("credit_gate", {"CountWidth": 32}),
    ],
)
def test_values_at_the_limit_are_not(module: str, values: Mapping[str, object]) -> None:
    """Such a module works: no type, width or selection in it is impossible either."""
    with_types = {"beat_t": "packet_beat_t"} if module in PACKETS else {}
    assert diagnosed(module, {**with_types, **values}) == []


def numeric_parameters() -> dict[str, set[str]]:
    """Parameters other than types, enums and single bits, by module."""
    manager, trees = sources()
    names = [
        member.header.name.valueText
        for tree in trees
        for member in tree.root.members
        if member.kind == syntax.SyntaxKind.ModuleDeclaration
    ]
    options = ast.CompilationOptions()
    options.topModules = {"probe"}
    compilation = ast.Compilation(pyslang.Bag([options]))
    for tree in trees:
        compilation.addSyntaxTree(tree)
    text = "".join(f"{name} u_{name} (); " for name in names)
    compilation.addSyntaxTree(
        syntax.SyntaxTree.fromText(f"module probe; {text} endmodule", manager, "probe")
    )
    found = {}
    for instance in compilation.getRoot().topInstances[0].body:
        if isinstance(instance, ast.InstanceSymbol):
            found[instance.definition.name] = {
                parameter.name
                for parameter in instance.body.parameters
                if isinstance(parameter, ast.ParameterSymbol)
                and not parameter.isLocalParam
                and not parameter.type.isEnum
                and str(parameter.type) != "bit"
            }
    assert found.keys() == set(names)
    return found


def test_every_parameter_is_considered() -> None:
    """A numeric parameter has bad values that are refused, or works with all."""
    declared = numeric_parameters()
    tested = {module: {name for values in BAD[module] for name in values} for module in BAD}
    assert {
        f"{module}.{name}"
        for module, names in declared.items()
        if module not in INSIDE
        for name in names - tested.get(module, set()) - FREE.keys()
    } == set()
    # Nothing here is about what is gone.
    assert INSIDE.keys() - declared.keys() == set()
    assert tested.keys() - declared.keys() == set()
    everywhere = set().union(*declared.values())
    assert FREE.keys() - everywhere == set()

# SPDX-License-Identifier: Apache-2.0
"""SystemRDL, read by systemrdl-compiler.

Of SystemRDL 2.0 Bombus takes registers of one or more 32-bit words, arrays, regfiles and address
maps; fields that software writes and hardware reads, or that hardware drives and software reads.
A property that asks for more is an error, so that none is ignored. So are embedded Perl and files
included from other folders, since a description may be a stranger's.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pyslang import syntax
from systemrdl.compiler import RDLCompiler
from systemrdl.messages import MessagePrinter, RDLCompileError, Severity
from systemrdl.node import AddressableNode, AddrmapNode, FieldNode, RegfileNode, RegNode, RootNode
from systemrdl.parser.SystemRDLLexer import SystemRDLLexer
from systemrdl.source_ref import DetailedFileSourceRef, FileSourceRef, SourceRefBase

from bombus.base import paths, trust
from bombus.base.errors import DesignError, Problem
from bombus.registers.model import SECRET, WORD_BITS, Block, Field, Register, RegisterType
from bombus.registers.systemverilog import REGISTERS, STATUS

PROPERTIES = paths.RTL / "platform" / "registers" / "properties.rdl"
KEYWORDS = frozenset(name.strip("'") for name in SystemRDLLexer.literalNames)
_UNEXPECTED = re.compile(r"(?:mismatched|extraneous) input '(\w+)' expecting")

# Supported properties of a field or a register.
_FIELD_PROPERTIES = frozenset({"name", "desc", "sw", "hw", "reset", "singlepulse", "fieldwidth"})
_REGISTER_PROPERTIES = frozenset({"name", "desc", "regwidth", "accesswidth", "ispresent", "prompt"})
_BLOCK_PROPERTIES = frozenset({"name", "desc", "addressing", "alignment", "ispresent"})


class _Messages(MessagePrinter):
    """Collects messages of the compiler, with their location."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def print_message(self, severity: Severity, text: str, src_ref: SourceRefBase | None) -> None:
        if severity in (Severity.ERROR, Severity.FATAL) and not (
            src_ref is None and self.problems  # only reports that it gives up
        ):
            found = _UNEXPECTED.match(text)
            if found and found[1] in KEYWORDS:
                text = f"{found[1]} is a reserved word of SystemRDL; as a name write \\{found[1]}"
            self.problems.append(_problem(src_ref, text))


def _problem(place: SourceRefBase | None, text: str) -> Problem:
    file = Path(place.path) if isinstance(place, FileSourceRef) else Path()
    line = place.line if isinstance(place, DetailedFileSourceRef) else None
    return Problem(file, line, text)


class Rdl:
    """SystemRDL files, compiled together."""

    def __init__(self, files: Iterable[Path]) -> None:
        """Raises DesignError with every problem."""
        self._messages = _Messages()
        self._compiler = RDLCompiler(message_printer=self._messages)
        for file in dict.fromkeys([PROPERTIES, *files]):
            if problems := trust.description_problems(file):
                raise DesignError(problems)
            with self._reported():
                self._compiler.compile_file(str(file))

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Turns messages of the compiler into a DesignError."""
        with suppress(RDLCompileError):
            yield
        if self._messages.problems:
            raise DesignError(self._messages.problems)

    def elaborate(self, top: str, parameters: Mapping[str, int] | None = None) -> RootNode:
        """An address map with these parameter values."""
        with self._reported():
            return self._compiler.elaborate(top_def_name=top, parameters=dict(parameters or {}))

    def parameters(self, top: str) -> set[str]:
        """Names of the parameters of an address map; DesignError if there is no such map."""
        definition = self._compiler.root.comp_defs.get(top)
        if definition is None:
            raise KeyError(top)
        return {parameter.name for parameter in definition.parameters}


def compile_text(files: Iterable[Path], text: str, top: str) -> AddrmapNode:
    """The address map `top` of a text that uses what the files declare."""
    return _compiled(tuple((file, file.stat().st_mtime_ns) for file in files), text, top)


@lru_cache(maxsize=16)  # of a design: for its register map and for its C header
def _compiled(changed_ns: tuple[tuple[Path, int], ...], text: str, top: str) -> AddrmapNode:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{top}.rdl"
        file.write_text(text)
        return Rdl([*(given for given, _ in changed_ns), file]).elaborate(top).top


def layer_registers(file: Path, kind: str, values: Mapping[str, int]) -> Block:
    """The registers of a layer, at the values of its parameters, by name.

    `file` declares an address map of the layer's name; its parameters are those of the layer.
    """
    return _layer_registers(file, file.stat().st_mtime_ns, kind, tuple(sorted(values.items())))


@lru_cache(maxsize=256)  # every design that is read asks for those of all layers
def _layer_registers(
    file: Path, _changed_ns: int, kind: str, given: tuple[tuple[str, int], ...]
) -> Block:
    values = dict(given)
    rdl = Rdl([file])
    try:
        names = rdl.parameters(kind)
    except KeyError:
        raise DesignError([Problem(file, None, f"there is no address map {kind}")]) from None
    if unknown := sorted(names - values.keys()):
        message = f"layer {kind} has no parameter {unknown[0]}, which its registers have"
        raise DesignError([Problem(file, None, message)])
    top = rdl.elaborate(kind, {name: values[name] for name in names}).top
    if problems := list(_name_problems(top)):
        raise DesignError(problems)
    found = read_block(top)
    for block in (member for member in found.members if isinstance(member, Block)):
        if block.is_external or block.tables() or block.externals():
            message = f"{block.name}: tables and external registers belong outside of regfiles"
            raise DesignError([Problem(file, None, message)])
    return found


def read_block(node: AddressableNode) -> Block:
    """A map in Bombus's form; DesignError if it uses unsupported features."""
    problems = list(_problems(node))
    if problems:
        raise DesignError(problems)
    return _block(node)


def _text(node: Any, name: str) -> str:
    value = node.get_property(name) if name in node.list_properties() else ""
    return " ".join(str(value or "").split())


def _array(node: AddressableNode) -> dict[str, Any]:
    if not node.is_array:
        return {"count": None, "stride": 0}
    return {"count": node.n_elements, "stride": node.array_stride}


def _block(node: AddressableNode) -> Block:
    members: list[Register | Block] = [
        _register(child) if isinstance(child, RegNode) else _block(child)
        for child in node.children(unroll=False)
        if isinstance(child, AddressableNode)
    ]
    return Block(
        name=node.inst_name,
        offset=node.raw_address_offset if node.parent is not None else 0,
        members=tuple(members),
        size=node.size,
        # To the compiler, address maps are always external.
        is_external=isinstance(node, RegfileNode) and bool(node.external),
        title=_text(node, "name"),
        text=_text(node, "desc"),
        **_array(node),
    )


def _register(node: RegNode) -> Register:
    fields = tuple(_field(field) for field in node.fields())
    return Register(
        name=node.inst_name,
        offset=node.raw_address_offset,
        type=RegisterType(node.inst.type_name or node.inst_name, node.size * 8, fields),
        is_external=bool(node.external),
        is_prompt=_is_prompt(node),
        title=_text(node, "name"),
        text=_text(node, "desc"),
        **_array(node),
    )


def _is_prompt(node: RegNode) -> bool:
    """Whether it has the user-defined property `prompt`."""
    return "prompt" in node.list_properties() and bool(node.get_property("prompt"))


def _field(node: FieldNode) -> Field:
    reset = node.get_property("reset")
    return Field(
        name=node.inst_name,
        low=node.low,
        width=node.width,
        is_readable=node.is_sw_readable,
        is_writable=node.is_sw_writable,
        is_status=node.is_hw_writable,
        is_used=node.is_hw_readable,
        is_pulse=bool(node.get_property("singlepulse")),
        reset=reset if isinstance(reset, int) else None,
        text=_text(node, "desc"),
    )


def _access_problem(field: FieldNode) -> str | None:
    """Problem with the access of software and hardware to a field; for an external one, the layer
    decides.
    """
    access = field.get_property("sw").name
    if access in ("rw1", "w1"):
        return f"has sw={access}, which Bombus does not know; use rw or w"
    if field.parent.inst_name == SECRET and field.is_sw_readable:
        return "is of a secret, which software must not read; give it sw=w"
    if field.parent.external:
        return None
    if field.is_hw_writable and field.is_sw_writable:
        return "is written by hardware and by software; Bombus has either (sw=r, hw=w)"
    if field.is_sw_writable and not field.is_hw_readable:
        return "is written by software, but hardware does not read it; give it hw=r"
    if field.parent.is_array:
        if not field.is_sw_writable:
            return (
                "is of a table that software cannot write, and nor can the layer; "
                "make the table external"
            )
        if field.get_property("singlepulse"):
            return "is of a table and has singlepulse, which tables do not have"
    elif field.is_hw_readable and not (field.is_hw_writable or field.is_sw_writable):
        return "is read by hardware, but nothing writes it; use a parameter of the layer"
    return None


@cache
def _is_keyword(name: str) -> bool:
    """Whether a name is not valid for a SystemVerilog variable."""
    return bool(syntax.SyntaxTree.fromText(f"module m; logic {name}; endmodule").diagnostics)


def _name_problems(top: AddrmapNode) -> Iterator[Problem]:
    """Names that the SystemVerilog of a layer's registers cannot have."""
    taken: dict[str, str] = {}
    for node in top.descendants(unroll=False):
        name = node.inst_name
        is_own = isinstance(node, RegNode) and (node.is_array or bool(node.external))
        text = None
        if is_own:  # a port and a type begin with its name
            if node.parent == top and name in (REGISTERS, STATUS):
                text = f"has the name of the layer's port {name}; choose another name"
        elif _is_keyword(name):
            text = "has the name of a SystemVerilog keyword; choose another name"
        if isinstance(node, RegNode):
            path = node.get_rel_path(top, array_suffix="", empty_array_suffix="")
            other = taken.setdefault(path.replace(".", "_"), path)
            if other != path:
                text = f"and {other} would have one name in SystemVerilog; rename one of them"
        if text:
            yield _problem(node.inst.inst_src_ref, f"{node.get_path()} {text}")


def _problems(node: AddressableNode) -> Iterator[Problem]:
    """Unsupported features of a map."""

    def problem(of: Any, text: str) -> Problem:
        return _problem(of.inst.inst_src_ref or of.inst.def_src_ref, f"{of.get_path()} {text}")

    for child in (node, *node.descendants(unroll=False)):
        if isinstance(child, FieldNode):
            known = _FIELD_PROPERTIES
            reset = child.get_property("reset")
            if reset is not None and not isinstance(reset, int):
                yield problem(child, "has a reset value that is not a number")
            if text := _access_problem(child):
                yield problem(child, text)
        elif isinstance(child, RegNode):
            known = _REGISTER_PROPERTIES
            if child.get_property("accesswidth") != WORD_BITS:
                yield problem(child, f"should have accesswidth = {WORD_BITS}")
            if _is_prompt(child) and not child.external:
                yield problem(child, "is prompt, which only external registers can be")
            if child.is_array and len(child.array_dimensions or ()) > 1:
                yield problem(child, "has more than one dimension")
            if child.raw_address_offset % child.size:
                yield problem(child, f"is not at a multiple of its {child.size} bytes")
            stride = child.array_stride or 0
            if child.is_array and stride & (stride - 1):
                yield problem(child, "has a stride that is not a power of two")
        elif isinstance(child, AddrmapNode | RegfileNode):
            known = _BLOCK_PROPERTIES
            if child.is_array and len(child.array_dimensions or ()) > 1:
                yield problem(child, "has more than one dimension")
        else:
            yield problem(child, "is of a kind that Bombus does not know")
            continue
        for name in child.list_properties():
            if name not in known:
                yield problem(child, f"has the property {name}, which Bombus does not know")

# SPDX-License-Identifier: Apache-2.0
"""Reader of SPFlow's two text forms (Molina et al., SPFlow, 2019; module spn.io.Text).

The graph form names each node, and writes a shared node once for each parent:

    SumNode_0 SumNode(0.3*ProductNode_1, 0.7*ProductNode_2){
        ProductNode_1 ProductNode(HistogramNode_3, GaussianNode_4){ ... }
        HistogramNode_3 Histogram(x|[0., 1., 2.];[0.25, 0.75])
    }
    # x;y

The equation form is one expression: `(0.3*((Histogram(V0|...) * ...)) + 0.7*(...))`. A comment with
names that are separated by `;` gives the order of the variables; otherwise it is that of the
first occurrence, or by number if all are called V0, V1 and so on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bombus.applications.spn.graph import (
    Bernoulli,
    Categorical,
    Definition,
    Gaussian,
    Histogram,
    Inner,
    Leaf,
    Network,
    build,
)
from bombus.base.errors import DesignError, Problem, UserError

MAX_BYTES = 16 << 20
MAX_DEPTH = 200  # of parentheses in an equation

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[A-Za-z_]\w*")
_VARIABLE = re.compile(r"\s*([^|()\[\]{};\n]+?)\s*\|")
_NUMBER = re.compile(
    r"(?:np\.float\d+\()?([+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|nan|inf))(\)?)"
)
_LIST = re.compile(r"\[[^\[\]]*\]")
_COMMENT = re.compile(r"^[ \t]*#(.*)$", re.MULTILINE)
_NUMBERED = re.compile(r"V(\d+)")


@dataclass
class _Reader:
    text: str
    file: Path
    at: int = 0
    variables: dict[str, int] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)

    @property
    def line(self) -> int:
        return self.text.count("\n", 0, self.at) + 1

    def error(self, message: str) -> DesignError:
        return DesignError([Problem(self.file, self.line, message)])

    def skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        assert match
        self.at = match.end()

    def peek(self) -> str:
        self.skip()
        return self.text[self.at : self.at + 1]

    def take(self, symbol: str) -> bool:
        if self.peek() != symbol:
            return False
        self.at += 1
        return True

    def expect(self, symbol: str) -> None:
        if not self.take(symbol):
            found = repr(self.peek()) if self.peek() else "the end of the file"
            raise self.error(f"{symbol!r} is expected, not {found}")

    def match(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        self.skip()
        match = pattern.match(self.text, self.at)
        if match is None:
            raise self.error(f"{what} is expected")
        self.at = match.end()
        return match

    def name(self) -> str:
        return self.match(_NAME, "a name")[0]

    def number(self) -> float:
        match = self.match(_NUMBER, "a number")
        if match[2] and not match[0].startswith("np."):
            self.at -= 1  # the parenthesis is not part of the number
        value = float(match[1])
        if not math.isfinite(value):
            raise self.error(f"{match[1]} is not a finite number")
        return value

    def numbers(self) -> tuple[float, ...]:
        """A list; parsed as a whole, since there are many."""
        self.skip()
        match = _LIST.match(self.text, self.at)
        if match is None:
            raise self.error("a list of numbers in brackets is expected")
        if "..." in match[0]:
            raise self.error("a list of numbers has been shortened by '...' when it was written")
        start, end = match.span()
        try:
            values = tuple(map(float, match[0][1:-1].split(",")))
        except ValueError:
            values = self._one_by_one(end)
        if not all(map(math.isfinite, values)):
            self.at = start
            raise self.error("a list has values that are not finite numbers")
        self.at = end
        return values

    def _one_by_one(self, end: int) -> tuple[float, ...]:
        self.expect("[")
        values = [self.number()]
        while self.take(","):
            values.append(self.number())
        self.expect("]")
        assert self.at == end
        return tuple(values)

    # ---- Leaves ----

    def leaf(self, kind: str) -> Leaf:
        """The arguments of a leaf; its kind and the opening parenthesis have been read."""
        if kind not in _LEAVES:
            known = ", ".join(sorted(_LEAVES))
            raise self.error(f"leaves of kind {kind} are not supported; these are: {known}")
        name = self.match(_VARIABLE, "the name of a variable and '|'")[1]
        variable = self.variables.setdefault(name, len(self.variables))
        found = _LEAVES[kind](self, variable)
        self.expect(")")
        return found

    def arguments(self, *names: str) -> list[Any]:
        """Values of `name=value;...` in the order of `names`."""
        given: dict[str, Any] = {}
        while True:
            name = self.name()
            self.expect("=")
            if name not in names or name in given:
                raise self.error(f"the argument {name} is unknown or given twice")
            given[name] = self.numbers() if self.peek() == "[" else self.number()
            if not self.take(";"):
                break
        for name in names:
            if name not in given:
                raise self.error(f"the argument {name} is missing")
        return [given[name] for name in names]

    def scalars(self, *names: str) -> list[float]:
        values = self.arguments(*names)
        for name, value in zip(names, values, strict=True):
            if not isinstance(value, float):
                raise self.error(f"{name} must be a number")
        return values

    def histogram(self, variable: int) -> Histogram:
        breaks = self.numbers()
        self.expect(";")
        densities = self.numbers()
        if self.take(";"):
            self.numbers()  # representative points of the bins
        return Histogram(variable, breaks, densities)

    def categorical(self, variable: int) -> Categorical:
        (values,) = self.arguments("p")
        return Categorical(variable, values if isinstance(values, tuple) else (values,))

    # ---- The graph form ----

    def graph(self) -> str:
        """All definitions, in whatever nesting; returns the name of the first."""
        root = ""
        depth = 0
        while self.peek():
            if self.take("}"):
                depth -= 1
                if depth < 0:
                    raise self.error("'}' without '{'")
                continue
            if root and depth == 0:
                raise self.error("a second root: all nodes but the first belong inside its braces")
            line = self.line
            name, kind = self.name(), self.name()
            self.expect("(")
            body: Leaf | Inner
            if kind in ("SumNode", "ProductNode"):
                body = self.inner(kind == "SumNode")
                depth += self.take("{")
            else:
                body = self.leaf(kind)
            known = self.definitions.setdefault(name, Definition(body, line))
            if known.body != body:
                raise self.error(
                    f"two different nodes have the name {name}; the other one is in line "
                    f"{known.line}"
                )
            root = root or name
        if depth:
            raise self.error("'}' is expected, not the end of the file")
        if not root:
            raise self.error("the file has no nodes")
        return root

    def inner(self, is_sum: bool) -> Inner:
        children: list[str] = []
        weights: list[float] = []
        while self.peek() != ")":
            if is_sum:
                weights.append(self.number())
                self.expect("*")
            children.append(self.name())
            if not self.take(","):
                break
        self.expect(")")
        return Inner(tuple(children), tuple(weights) if is_sum else None)

    # ---- The equation form ----

    def equation(self) -> str:
        root = self.term(0)
        if self.peek():
            raise self.error(f"{self.peek()!r} after the end of the expression")
        return root

    def term(self, depth: int) -> str:
        if depth > MAX_DEPTH:
            raise self.error(f"parentheses are nested more than {MAX_DEPTH} deep")
        line = self.line
        body: Leaf | Inner
        if self.peek() != "(":
            kind = self.name()
            self.expect("(")
            body = self.leaf(kind)
        else:
            self.expect("(")
            children: list[str] = []
            weights: list[float] = []
            is_sum = self.peek() != "(" and not self.peek().isalpha()
            while True:
                if is_sum:
                    weights.append(self.number())
                    self.expect("*")
                    self.expect("(")
                children.append(self.term(depth + 1))
                if is_sum:
                    self.expect(")")
                if not self.take("+" if is_sum else "*"):
                    break
            self.expect(")")
            body = Inner(tuple(children), tuple(weights) if is_sum else None)
        name = f"node_{len(self.definitions)}"
        self.definitions[name] = Definition(body, line)
        return name


_LEAVES: dict[str, Callable[[_Reader, int], Leaf]] = {
    "Histogram": _Reader.histogram,
    "Gaussian": lambda reader, variable: Gaussian(variable, *reader.scalars("mean", "stdev")),
    "Categorical": _Reader.categorical,
    "Bernoulli": lambda reader, variable: Bernoulli(variable, *reader.scalars("p")),
}


def parse(text: str, file: Path = Path("network")) -> Network:
    """The network of a text in either form; raises DesignError with `file` and line."""
    order: tuple[int, list[str]] | None = None

    def comment(match: re.Match[str]) -> str:
        nonlocal order
        if ";" in match[1]:
            line = text.count("\n", 0, match.start()) + 1
            order = (line, [name.strip() for name in match[1].split(";")])
        return ""

    reader = _Reader(_COMMENT.sub(comment, text), file)
    is_equation = reader.peek() == "(" or re.match(r"[A-Za-z_]\w*\s*\(", reader.text[reader.at :])
    root = reader.equation() if is_equation else reader.graph()
    variables, definitions = _ordered(reader, order)
    return build(definitions, root, variables, file)


def _ordered(
    reader: _Reader, order: tuple[int, list[str]] | None
) -> tuple[list[str], dict[str, Definition]]:
    """The variables in their order, and the definitions with their numbers in it."""
    names = list(reader.variables)
    if order is not None:
        line, listed = order
        if twice := next((name for name in listed if listed.count(name) > 1), None):
            message = f"two variables have the name {twice}"
            raise DesignError([Problem(reader.file, line, message)])
        for name in names:
            if name not in listed:
                message = f"the list of variables lacks {name}"
                raise DesignError([Problem(reader.file, line, message)])
        # SPFlow lists all columns of the data, also those that the network does not use.
        names = [name for name in listed if name in reader.variables]
    elif all(_NUMBERED.fullmatch(name) for name in names):
        names = sorted(names, key=lambda name: int(name[1:]))
    numbers = {reader.variables[name]: n for n, name in enumerate(names)}
    return names, {
        name: definition
        if isinstance(definition.body, Inner)
        else Definition(_renumbered(definition.body, numbers), definition.line)
        for name, definition in reader.definitions.items()
    }


def _renumbered(leaf: Leaf, numbers: dict[int, int]) -> Leaf:
    return replace(leaf, variable=numbers[leaf.variable])


def read(file: Path) -> Network:
    """The network of a file of at most `MAX_BYTES`."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise UserError(f"{file}: the file has more than {MAX_BYTES >> 20} MiB")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DesignError([Problem(file, line, "the file is no text in UTF-8")]) from None
    return parse(text, file)

# SPDX-License-Identifier: Apache-2.0
"""Text of SystemVerilog: declarations without vectors of a single bit, layout of modules."""

from __future__ import annotations

import re
from collections.abc import Iterator


def vector(*counts: int) -> str:
    """The packed dimensions of a signal, outermost first: " [3:0][7:0]"; "" for a scalar."""
    dimensions = "".join(f"[{count - 1}:0]" for count in counts if count > 1)
    return f" {dimensions}" if dimensions else ""


def logic(width: int, name: str) -> str:
    """The declaration of a signal with this many bits."""
    return f"logic{vector(width)} {name}"


def element(signal: str, index: int, count: int) -> str:
    """An element of a signal with `count` of them, which is a scalar if there is only one."""
    return f"{signal}[{index}]" if count > 1 else signal


def bits(high: int, low: int) -> str:
    """The index of a range of bits."""
    return f"{high}:{low}" if high > low else f"{high}"


_COLUMNS = 100
_BREAK = re.compile(r", | (?:[&|^=]|&&|\|\|) ")
_PORT = re.compile(r"( +)(input|output) +(\S+(?: *\[[^\]]*\])*) +(\w+\b.*)")


def _aligned(ports: list[re.Match[str]]) -> Iterator[str]:
    types = [re.sub(r" +(?=\[)", " ", port[3]).replace("] [", "][") for port in ports]
    width = max(map(len, types), default=0)
    for port, type_ in zip(ports, types, strict=True):
        yield f"{port[1]}{port[2]:<6} {type_:<{width}} {port[4]}"


def _wrapped(line: str) -> Iterator[str]:
    """A line broken where it is too long: a comment at spaces, code at commas and operators."""
    left = len(line) - len(line.lstrip())
    is_comment = line.startswith("//", left)
    indent = " " * left + ("// " if is_comment else "    ")
    while len(line) > _COLUMNS and (is_comment or not re.search('["`]|//', line)):
        separators = (
            re.finditer(" ", line[:_COLUMNS]) if is_comment else _BREAK.finditer(line[:_COLUMNS])
        )
        breaks = [each.end() for each in separators if each.end() > len(indent)]
        if not breaks:
            break
        yield line[: breaks[-1]].rstrip()
        line = indent + line[breaks[-1] :]
    yield line


def laid_out(text: str) -> str:
    """The text of a module with aligned ports, lines of up to 100 columns, and no more than one
    blank line at a time.
    """
    found: list[str] = []
    ports: list[re.Match[str]] = []
    for line in re.sub(r"\n{3,}", "\n\n", text).split("\n"):
        if port := _PORT.fullmatch(line):
            ports.append(port)
            continue
        found += _aligned(ports)
        ports.clear()
        found += _wrapped(line)
    return "\n".join(found)
